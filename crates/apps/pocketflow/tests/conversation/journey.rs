//! The example conversation, and the ways around it.

use graphloom_core_graph::checkpoint::HistoryFilter;
use graphloom_pocketflow::session::{Status, Waiting};

use super::scripted::{Answer, ID, ScriptedConversation};

#[tokio::test]
async fn the_whole_example_conversation() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    assert!(talk.say("LLMs in education").await.contains("1. first query 1"));
    assert_eq!(talk.session().await.waiting_for, Waiting::Queries);

    assert!(talk.say("reject: too broad").await.contains("1. first query 2"));
    let asked = talk.seen.lock().expect("part of the test").last().cloned().expect("part of the test");
    assert!(asked.contains("too broad") && asked.contains("- first query 1") && asked.contains("LLMs in education"));

    let review = talk.say("approved").await;
    assert!(
        review.contains("# A proposal") && review.contains("scripted gave 2 records for 2 of 2 queries."),
        "{review}"
    );
    assert_eq!(talk.session().await.waiting_for, Waiting::Report);

    assert!(talk.say("not good, say more about cost").await.contains("# A proposal"));
    assert!(
        talk.seen.lock().expect("part of the test").last().expect("part of the test").contains("say more about cost")
    );

    let delivered = talk.say("yes").await;
    assert!(delivered.contains("The proposal is done") && delivered.contains("measured [1]. It was guessed."));
    assert!(delivered.contains("## References\n\n1. On first query 2"));
    assert!(delivered.contains("[42]"), "a mark that was taken out is told");
    let session = talk.session().await;
    assert_eq!((session.status, session.last_action, session.waiting_for), (Status::Complete, None, Waiting::None));
    let rules: Vec<&str> = session.journey.iter().map(|step| step.rule.as_str()).collect();
    let expected = [
        "topic-named",
        "queries-made",
        "queries-rejected",
        "queries-made",
        "queries-approved",
        "literature-read",
        "gap-found",
        "proposal-written",
        "report-rejected",
        "proposal-written",
        "report-approved",
    ];
    assert_eq!(rules, expected);

    // Another topic is confirmed before it begins a journey; then the old one is archived.
    assert!(talk.say("tides").await.contains("Shall a new journey begin with the topic `tides`?"));
    assert!(talk.say("yes").await.contains("first query 1"));
    let session = talk.session().await;
    assert_eq!((session.topic.as_deref(), session.archive.len(), session.cycles.queries), (Some("tides"), 1, 0));
    assert_eq!(session.archive[0].status, Status::Complete);
    assert_eq!(session.history.len(), 14, "what was said stays");
}

#[tokio::test]
async fn the_proposal_stays_the_subject_after_the_end() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    for message in ["tides", "approve", "approve"] {
        talk.say(message).await;
    }
    for (message, rule, part) in [
        ("Thank you very much!", "delivered", "stays as it is"),
        ("Can you explain the method section of the proposal?", "delivered-question", "Because of the tides."),
        ("yes", "delivered", "`pocketflow export c1`"),
        ("cancel", "delivered-cancel", "stays as it is"),
        ("currents", "delivered-topic", "Shall a new journey begin with the topic `currents`?"),
        ("I think so", "delivered-topic", "Shall a new journey begin with the topic `currents`?"),
        ("nein danke", "delivered", "stays as it is"),
        ("currents", "delivered-topic", "Shall a new journey begin with the topic `currents`?"),
        ("thanks, no", "delivered", "stays as it is"),
        ("yes", "delivered", "stays as it is"),
    ] {
        let said = talk.say(message).await;
        assert!(said.contains(part), "{message}: {said}");
        let session = talk.session().await;
        assert_eq!((talk.rule().await.as_str(), session.status), (rule, Status::Complete), "{message}");
        assert!(session.archive.is_empty() && session.artifacts.proposal.is_some(), "{message}");
        assert_eq!(session.topic.as_deref(), Some("tides"), "{message}");
    }
    let asked = talk.seen.lock().expect("part of the test").last().cloned().expect("part of the test");
    assert!(asked.contains("Measure longer."), "the proposal is what the question is about: {asked}");
    assert!(talk.say("new topic: salt").await.contains("first query 1"));
    assert_eq!(talk.session().await.archive.len(), 1);
}

#[tokio::test]
async fn a_rejection_without_a_reason_is_no_reason_of_the_person() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    let asked = || talk.seen.lock().expect("part of the test").last().cloned().expect("part of the test");
    let made_again = "The person rejected the newest";
    talk.say("tides").await;
    let wants_one = talk.say("/reject").await;
    assert!(wants_one.contains("first query 2") && wants_one.contains("You gave no reason"), "{wants_one}");
    assert!(!asked().contains("for this reason") && asked().contains("- first query 1"), "{}", asked());
    assert!(asked().contains("rejected the newest of them and gave no reason."), "{}", asked());

    // A reason that was given stays, and is told as one of what was rejected before.
    assert!(!talk.say("reject: too broad").await.contains("gave no reason"));
    assert!(asked().contains("rejected them for this reason") && !asked().contains(made_again), "{}", asked());
    assert!(talk.say("nope").await.contains("You gave no reason"));
    assert!(asked().contains("rejected earlier ones for this reason") && asked().contains("too broad"), "{}", asked());
    assert!(asked().contains(made_again) && !asked().contains("nope"), "{}", asked());

    assert!(!talk.say("approve").await.contains("gave no reason"));
    assert!(!asked().contains("rejected"), "{}", asked());
    assert!(talk.say("/reject").await.contains("`reject: why` says what to change"));
    assert!(asked().contains("gave no reason. Write it differently.") && !asked().contains("Each of these reasons"));
    assert_eq!(talk.session().await.feedback, Vec::<String>::new());
    assert!(!talk.say("reject: say more about cost").await.contains("gave no reason"));
    assert!(!asked().contains(made_again) && asked().contains("say more about cost"), "{}", asked());
    assert!(talk.say("/reject").await.contains("You gave no reason"));
    assert!(asked().contains("Each of these reasons") && asked().contains(made_again), "{}", asked());

    // What is written after other literature was wanted is no answer to a rejection.
    for message in ["new queries", "approve"] {
        assert!(!talk.say(message).await.contains("gave no reason"), "{message}");
    }
    assert!(!asked().contains(made_again), "{}", asked());
}

#[tokio::test]
async fn an_edited_proposal_is_shown_with_its_own_references_alone() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    talk.say("tides").await;
    assert!(talk.say("approve").await.contains("## References\n\n1. On first query 1"));
    let edited = talk.say("edit 1: It was said [9].").await;
    assert!(edited.contains("## 1. Background\n\nIt was said.\n") && !edited.contains("## References"), "{edited}");
    assert!(edited.contains("Marks that name no record were taken out: [9]."), "{edited}");
}

#[tokio::test]
async fn what_the_demo_got_wrong() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    talk.say("biology").await;
    for (message, rule) in [
        ("banana", "review-unclear"),
        ("token", "review-unclear"),
        ("please book more", "review-unclear"),
        ("I know", "review-unclear"),
        ("abnormal", "review-unclear"),
        ("", "review-unclear"),
        ("why these?", "review-question"),
    ] {
        talk.say(message).await;
        assert_eq!(
            (talk.rule().await.as_str(), talk.session().await.waiting_for),
            (rule, Waiting::Queries),
            "{message}"
        );
    }
    talk.say("not what I want, redo").await;
    let session = talk.session().await;
    assert_eq!((session.topic.as_deref(), session.cycles.queries), (Some("biology"), 1), "the topic is kept");
    talk.say("I disapprove").await;
    assert_eq!(talk.session().await.cycles.queries, 2);
    talk.say("approved").await;
    assert_eq!(talk.session().await.waiting_for, Waiting::Report, "the happy path reaches the report");
}

#[tokio::test]
async fn queries_are_made_again_five_times_then_edited_by_hand() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    talk.say("tides").await;
    for _ in 0..5 {
        talk.say("no").await;
        assert_eq!(talk.rule().await, "queries-made");
    }
    assert!(talk.say("no").await.contains("edit them by hand"));
    let edited = talk.say("edit 1: neap tides; remove 2; add: spring tides").await;
    assert!(edited.contains("1. neap tides\n2. spring tides\n"), "{edited}");
    assert!(talk.say("remove 7").await.contains("there is no number 7; the numbers are 1 to 2"));
    talk.say("ok").await;
    let records: Vec<_> = talk.session().await.artifacts.review.expect("part of the test").value.records;
    assert_eq!(records[0].title, "On neap tides");
}

#[tokio::test]
async fn a_question_is_answered_and_the_review_goes_on() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    talk.say("tides").await;
    assert!(talk.say("why the first?").await.contains("Because of the tides."));
    talk.say("yes").await;
    assert!(talk.say("what does it cost?").await.contains("Because of the tides."));
    assert_eq!(talk.session().await.waiting_for, Waiting::Report);
    assert!(talk.say("edit 2: Measure at night.").await.contains("## 2. Method\n\nMeasure at night."));
    assert!(talk.say("new queries please").await.contains("first query 2"));
    assert!(talk.session().await.approvals.queries.is_none(), "new queries need a new approval");
}

#[tokio::test]
async fn what_no_rule_reads_is_read_by_the_model_when_it_is_sure() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    talk.say("tides").await;
    talk.say("мне бы кофе").await;
    assert_eq!(talk.session().await.waiting_for, Waiting::Queries);
    let evidence = talk.session().await.decision.expect("part of the test").evidence;
    assert!(evidence[0].contains("confidence 0.40"), "{evidence:?}");
    talk.say("да, хорошо").await;
    assert_eq!(talk.session().await.waiting_for, Waiting::Report, "which the rules read");
}

#[tokio::test]
async fn another_topic_and_the_end() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    assert!(talk.say("hello").await.contains("Which topic"));
    assert!(talk.say("ok").await.contains("Which topic"));
    talk.say("tides").await;
    assert!(talk.say("/new").await.contains("Which topic"));
    talk.say("currents").await;
    let session = talk.session().await;
    assert_eq!((session.topic.as_deref(), session.archive.len()), (Some("currents"), 1));
    talk.say("new topic: salt").await;
    assert_eq!(talk.session().await.archive.len(), 2);
    assert!(talk.say("cancel").await.contains("ended"));
    assert_eq!(talk.session().await.status, Status::Cancelled);
    talk.say("waves").await;
    let session = talk.session().await;
    assert_eq!((session.status, session.archive[2].status), (Status::Active, Status::Cancelled));
}

#[tokio::test]
async fn a_fork_goes_on_from_an_older_session() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    talk.say("tides").await;
    let thread = talk.conversations.threads().thread(ID);
    let at = thread.history(&HistoryFilter::default()).await.expect("part of the test")[0].number;
    talk.say("yes").await;
    assert_eq!(talk.session().await.waiting_for, Waiting::Report);
    talk.fork(at).await;
    assert_eq!(talk.session().await.waiting_for, Waiting::Queries);
    talk.say("no").await;
    assert_eq!(talk.rules().await, ["topic-named", "queries-made", "queries-rejected", "queries-made"]);
}

#[tokio::test]
async fn a_replay_from_inside_a_turn_does_the_rest_of_it_again() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    talk.say("tides").await;
    talk.say("yes").await;
    let thread = talk.conversations.threads().thread(ID);
    let mut history = thread.history(&HistoryFilter::default()).await.expect("part of the test");
    history.reverse();
    let mut at = None;
    for row in history {
        let state = thread.at(row.number).state().await.expect("part of the test");
        if state.next == ["literature_review"] {
            at = Some(row.number);
        }
    }
    talk.fork(at.expect("the review ran")).await;
    let (_, chat) = talk.shown(talk.conversations.finish_turn(ID)).await;
    assert!(chat[0].text().contains("# A proposal"), "{chat:?}");
    let session = talk.session().await;
    assert_eq!((session.waiting_for, session.journey.len()), (Waiting::Report, 6));
    assert!(talk.say("approve").await.contains("The proposal is done"));
}

#[tokio::test]
async fn queries_that_are_made_again_by_retry_need_an_approval_of_their_own() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    for (revision, message) in (1..).zip(["tides", "approve", "/new", "retry"]) {
        talk.say(message).await;
        assert_eq!(talk.session().await.revision, revision, "nothing had to be mended after {message:?}");
    }
    let session = talk.session().await;
    assert_eq!((session.waiting_for, session.approvals.queries), (Waiting::Queries, None));
}
