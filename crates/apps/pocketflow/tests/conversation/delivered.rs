//! A verdict belongs to what was shown, whatever dies, is lost or comes at once in between.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, Commit, Lease, MemoryCheckpointer,
};
use graphloom_core_graph::store::MemoryStore;
use graphloom_pocketflow::session::{Question, Session, Status, Waiting};
use proptest::prelude::*;
use proptest::sample::select;
use tokio::sync::Notify;

use super::scripted::{Answer, ID, ScriptedConversation, ScriptedSource};

/// The store of a process that dies before or after a commit.
struct DyingCheckpointer {
    store: Arc<MemoryCheckpointer>,
    /// Commits until the death; below zero for a process that lives on.
    left: AtomicI64,
    written: bool,
    died: Arc<Notify>,
}

#[async_trait]
impl CheckpointerLayer for DyingCheckpointer {
    fn inner(&self) -> &dyn Checkpointer {
        &*self.store
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        if self.left.fetch_sub(1, Ordering::SeqCst) != 0 {
            return self.store.commit(lease, commit).await;
        }
        if self.written {
            self.store.commit(lease, commit).await?;
        }
        self.died.notify_one();
        std::future::pending().await
    }
}

/// What outlives the processes.
#[derive(Default)]
struct SharedStores {
    threads: Arc<MemoryCheckpointer>,
    store: Arc<MemoryStore>,
}

impl SharedStores {
    /// Lets a process work until it is done, or dies at a commit. `None` when it died.
    fn process<T>(&self, dies: Option<(i64, bool)>, work: impl AsyncFnOnce(&ScriptedConversation) -> T) -> Option<T> {
        self.process_on(ScriptedSource::new(&[Answer::Records]), dies, work)
    }

    fn process_on<T>(
        &self,
        source: Arc<ScriptedSource>,
        dies: Option<(i64, bool)>,
        work: impl AsyncFnOnce(&ScriptedConversation) -> T,
    ) -> Option<T> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("part of the test").block_on(async {
            let died = Arc::new(Notify::new());
            let (left, written) = dies.unwrap_or((-1, true));
            let (store, at) = (Arc::clone(&self.threads), AtomicI64::new(left));
            let checkpointer = DyingCheckpointer { store, left: at, written, died: Arc::clone(&died) };
            let store = Arc::clone(&self.store);
            let talk = ScriptedConversation::on(source, store, Arc::new(checkpointer));
            tokio::select! {
                biased;
                () = died.notified() => None,
                done = work(&talk) => Some(done),
            }
        })
    }

    fn say(&self, message: &str) -> String {
        self.process(None, async |talk| talk.say(message).await).expect("nothing dies")
    }

    fn session(&self) -> Session {
        self.process(None, async |talk| talk.session().await).expect("nothing dies")
    }

    /// The process of a message dies at its `at`-th commit; false when the turn ended before.
    fn killed(&self, message: &str, at: i64, written: bool) -> bool {
        self.process(Some((at, written)), async |talk| talk.say(message).await).is_none()
    }
}

fn rules(session: &Session) -> Vec<&str> {
    session.journey.iter().map(|step| step.rule.as_str()).collect()
}

#[test]
fn an_approval_that_is_said_again_after_a_kill_counts_once() {
    let mut kills = 0;
    for (at, written) in (0..60).flat_map(|at| [(at, false), (at, true)]) {
        let stores = SharedStores::default();
        stores.say("tides");
        if !stores.killed("approve", at, written) {
            continue;
        }
        kills += 1;
        let said = stores.say("approve");
        let session = stores.session();
        assert!(said.contains("This is the proposal"), "killed at {at}: {said}");
        assert_eq!(
            (&session.waiting_for, session.status),
            (&Waiting::Report, Status::Active),
            "killed at {at}: {said}"
        );
        assert_eq!(session.approvals.proposal, None, "killed at {at}");
        let again = said.contains("Your approval of version 1 of the queries was counted already");
        assert!(again || !said.contains("You said"), "killed at {at}: {said}");
        assert!(stores.say("approve").contains("The proposal is done"), "it was shown by now");
    }
    assert!(kills > 20, "{kills}");
}

#[test]
fn a_turn_that_was_cut_off_is_stopped_by_what_wants_it_otherwise() {
    let mut stopped = 0;
    for at in 0..60 {
        for (message, rule) in [
            ("cancel", "cancelled"),
            ("remove 2", "review-edited"),
            ("reject: too broad", "queries-made"),
            ("new topic: salt", "queries-made"),
            ("ok, drop the second one", "review-candidate"),
        ] {
            let stores = SharedStores::default();
            stores.say("tides");
            if !stores.killed("approve", at, true) {
                continue;
            }
            let saved = stores.session().artifacts.proposal.is_some();
            let said = stores.say(message);
            let session = stores.session();
            if saved && matches!(message, "remove 2" | "reject: too broad" | "ok, drop the second one") {
                // The turn was over but for its last commit: the proposal is shown, and nothing of it is touched.
                assert!(said.contains("before you were shown what is asked now"), "killed at {at}: {said}");
                let sections = session.artifacts.proposal.map(|proposal| proposal.value.sections.len());
                assert_eq!(sections, Some(2), "killed at {at}");
                continue;
            }
            assert_eq!(session.journey.last().map(|step| step.rule.as_str()), Some(rule), "{message} at {at}: {said}");
            if !saved {
                stopped += 1;
                let went_on = rules(&session).contains(&"literature-read") || session.artifacts.review.is_some();
                assert!(!went_on, "{message} at {at}: {:?}", rules(&session));
            }
        }
    }
    assert!(stopped > 60, "{stopped}");
}

#[test]
fn a_yes_that_was_typed_ahead_confirms_nothing() {
    let stores = SharedStores::default();
    stores.process(None, async |talk| {
        talk.say("tides").await;
        let review = talk.conversations.last_delivered(ID).await.expect("part of the test").question;
        for (message, meant) in [("ok, drop the second one", "take out number 2"), ("no objections", "go on")] {
            let asked = talk.say(message).await;
            assert!(asked.contains(&format!("I take this as: {meant}")), "{asked}");
            let (_, chat) = talk.shown(talk.conversations.say_about(ID, "yes", review.clone())).await;
            let said = chat[0].text();
            assert!(said.contains("before you were shown what is asked now"), "{said}");
            assert!(said.contains("2. second query 1") && said.contains(&format!("I take this as: {meant}")), "{said}");
            assert_eq!(talk.session().await.approvals.queries, None);
            // Also a yes to that question is none to the review, once the question is gone.
            let confirm = talk.conversations.last_delivered(ID).await.expect("part of the test").question;
            talk.say("no").await;
            let (_, chat) = talk.shown(talk.conversations.say_about(ID, "yes", confirm)).await;
            assert!(chat[0].text().contains("before you were shown what is asked now"), "{chat:?}");
            assert_eq!(talk.session().await.waiting_for, Waiting::Queries);
        }
        talk.say("ok, drop the second one").await;
        assert!(!talk.say("yes").await.contains("second query"));
    });
}

#[test]
fn a_yes_that_is_said_again_after_a_kill_is_taken_once() {
    let mut kills = 0;
    for at in 0..60 {
        let stores = SharedStores::default();
        stores.say("tides");
        stores.say("no objections");
        if !stores.killed("yes", at, true) {
            continue;
        }
        kills += 1;
        let said = stores.say("yes");
        let session = stores.session();
        assert_eq!((&session.waiting_for, session.approvals.proposal), (&Waiting::Report, None), "at {at}: {said}");
        assert_eq!(rules(&session).iter().filter(|rule| **rule == "queries-approved").count(), 1, "at {at}: {said}");
    }
    assert!(kills > 10, "{kills}");
}

#[test]
fn a_message_that_was_refused_is_about_what_it_was_about() {
    let stores = SharedStores::default();
    stores.say("tides");
    let source = ScriptedSource::new(&[Answer::Hangs]);
    stores.process_on(Arc::clone(&source), None, async |talk| {
        // The first is at work, and the second is refused.
        let _first = talk.conversations.say(ID, "approve");
        source.reached.acquire().await.expect("part of the test").forget();
        let refused = talk.say("approve").await;
        assert!(refused.contains("Your message was not taken: another process"), "{refused}");
    });
    // The turn of the first ends, and shows the proposal to whoever is there.
    stores.process(None, async |talk| {
        let (_, chat) = talk.shown(talk.conversations.finish_turn(ID)).await;
        assert!(chat[0].text().contains("This is the proposal"), "{chat:?}");
    });
    // What was refused is said again, and means what it meant: the queries.
    let said = stores.say("approve");
    assert!(said.contains("was counted already") && said.contains("This is the proposal"), "{said}");
    assert_eq!(stores.session().status, Status::Active);
    assert!(stores.say("approve").contains("The proposal is done"));
}

/// What happens to a person's message.
#[derive(Clone, Debug)]
enum MessageFate {
    /// It is answered, and the answer is shown.
    Answered(&'static str),
    /// It is answered, and the answer is lost on the way.
    Lost(&'static str),
    /// It was typed before the last answers were shown: so many of them.
    Ahead(&'static str, usize),
    /// The process dies at a commit.
    Killed(&'static str, i64, bool),
    /// Two processes say it at once.
    Twice(&'static str),
}

fn message_fate() -> impl Strategy<Value = MessageFate> {
    let message = || {
        prop_oneof![
            5 => Just("approve"),
            5 => select(vec!["tides", "remove 2", "reject: too broad", "why?", "banana", "cancel", "new topic: salt", "yes", "edit 1: waves", "new queries", "ok, drop the second one", "no objections", "no"]),
        ]
    };
    prop_oneof![
        4 => message().prop_map(MessageFate::Answered),
        1 => message().prop_map(MessageFate::Lost),
        2 => (message(), 1_usize..4).prop_map(|(message, ahead)| MessageFate::Ahead(message, ahead)),
        4 => (message(), 0_i64..40, any::<bool>()).prop_map(|(message, at, written)| MessageFate::Killed(message, at, written)),
        1 => message().prop_map(MessageFate::Twice),
    ]
}

/// The questions that approvals were about, in the order in which they counted.
fn approved(session: &Session) -> Vec<String> {
    let journeys = session.archive.iter().map(|old| &old.journey).chain([&session.journey]);
    let approvals = journeys.flatten().filter(|step| matches!(&*step.rule, "queries-approved" | "report-approved"));
    approvals.filter_map(|step| step.about.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_approval_counts_only_for_what_was_delivered_before(happenings in prop::collection::vec(message_fate(), 1..14)) {
        let stores = SharedStores::default();
        let mut delivered: Vec<Option<Question>> = vec![None];
        for happening in happenings {
            let known: BTreeSet<String> = delivered.iter().flatten().map(|question| question.id.clone()).collect();
            let last = |back: usize| delivered[delivered.len().saturating_sub(back + 1)].clone();
            let before = approved(&stores.session());
            let (dies, message) = match &happening {
                MessageFate::Killed(message, at, written) => (Some((*at, *written)), *message),
                MessageFate::Answered(message) | MessageFate::Lost(message) | MessageFate::Ahead(message, _) | MessageFate::Twice(message) => (None, *message),
            };
            let about = match &happening {
                MessageFate::Ahead(_, back) => last(*back),
                _ => last(0),
            };
            let lost = matches!(happening, MessageFate::Lost(_));
            let shown = stores.process(dies, async |talk| {
                let mut streams = talk.conversations.say_about(ID, message, about.clone());
                let second = matches!(happening, MessageFate::Twice(_)).then(|| talk.conversations.say_about(ID, message, about.clone()));
                while streams.next().await.is_some() {}
                if let Some(second) = second {
                    second.collect().await;
                }
                streams.question().cloned()
            });
            if let Some(Some(question)) = shown.filter(|_| !lost) {
                delivered.push(Some(question));
            }
            let now = approved(&stores.session());
            prop_assert!(now.starts_with(&before), "{before:?} {now:?}");
            for about in &now[before.len()..] {
                prop_assert!(known.contains(about), "{happening:?} approved {about}, of {known:?}");
            }
            let once: BTreeSet<&String> = now.iter().collect();
            prop_assert_eq!(once.len(), now.len(), "an approval counts once");
        }
    }
}
