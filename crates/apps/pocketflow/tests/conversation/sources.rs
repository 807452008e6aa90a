//! Sources that are down, empty, or worse.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::MemoryStore;
use graphloom_pocketflow::actions::Action;
use graphloom_pocketflow::session::Waiting;
use graphloom_retrieval::Search;

use super::scripted::{Answer, ScriptedConversation, ScriptedSource, found_titles};

fn slot() -> Waiting {
    Waiting::Slot { action: Action::LiteratureReview, missing: vec!["queries".to_owned()] }
}

#[tokio::test]
async fn failed_sources_are_named_and_the_parameters_are_kept() {
    let talk = ScriptedConversation::new(&[Answer::Fails, Answer::Fails, Answer::Records]);
    talk.say("tides").await;
    let said = talk.say("yes").await;
    assert!(said.contains("scripted answered with a web page instead of data (`Maintenance`)"), "{said}");
    assert_eq!((talk.rule().await.as_str(), talk.session().await.waiting_for), ("no-source-answered", slot()));
    assert!(talk.say("yes").await.contains("Nothing is searched yet."), "an approval is no query");
    assert!(talk.say("retry").await.contains("# A proposal"));
    assert_eq!(talk.session().await.waiting_for, Waiting::Report);
}

/// A conversation in which nothing was found, with its source.
async fn nothing_found() -> (ScriptedConversation, Arc<ScriptedSource>) {
    let source = ScriptedSource::new(&[Answer::Nothing, Answer::Nothing, Answer::Records]);
    let search: Arc<dyn Search> = Arc::clone(&source) as _;
    let talk = ScriptedConversation::on(search, Arc::new(MemoryStore::new()), Arc::new(MemoryCheckpointer::new()));
    talk.say("tides").await;
    assert!(talk.say("yes").await.contains("scripted has no record for 2 of 2 queries."));
    (talk, source)
}

#[tokio::test]
async fn other_queries_go_through_their_review_before_anything_is_sent() {
    let (talk, source) = nothing_found().await;
    let sent = source.searched();
    let shown = talk.say("try ocean tides; moon").await;
    assert!(shown.contains("1. ocean tides\n2. moon") && shown.contains("Say `approve` to go on"), "{shown}");
    let session = talk.session().await;
    assert_eq!((&session.waiting_for, session.approvals.queries), (&Waiting::Queries, None));
    assert_eq!((talk.rule().await.as_str(), source.searched()), ("slot-queries", sent), "nothing is sent yet");
    let said = talk.say("yes").await;
    assert!(said.contains("# A proposal"), "{said}");
    assert_eq!(found_titles(&talk.session().await), ["On ocean tides", "On moon"]);
}

#[tokio::test]
async fn what_is_no_query_is_not_sent_as_one() {
    for (reply, rule) in [
        ("stop, do not search the network", "slot-candidate"),
        ("stopp, bitte nicht im netz suchen", "slot-candidate"),
        ("hold on a second", "slot-open"),
        ("i have to show it to my supervisor first", "slot-open"),
        ("hm weird, my colleague found loads last year", "slot-open"),
        ("no, looks great", "slot-open"),
        ("thanks a lot", "slot-open"),
        ("do not search", "slot-open"),
        ("where did you look?", "slot-question"),
        ("yes try again", "slot-again"),
        ("cancel", "cancelled"),
        ("ok, drop the second one", "slot-candidate"),
        ("remove 2", "slot-edited"),
    ] {
        let (talk, source) = nothing_found().await;
        let before = (source.searched(), talk.session().await.approvals.queries);
        talk.say(reply).await;
        let session = talk.session().await;
        assert!(session.journey.iter().any(|step| step.rule == rule), "{reply}: {:?}", session.decision);
        if rule != "slot-again" {
            assert_eq!(source.searched(), before.0, "{reply}: it was sent");
        }
        let kept =
            session.artifacts.queries.as_ref().is_some_and(|made| session.approvals.queries == Some(made.version));
        assert_eq!(kept, rule != "slot-edited", "{reply}: an approval is of what was approved");
    }
}

#[tokio::test]
async fn new_queries_where_nothing_was_found_are_made_and_reviewed() {
    let (talk, source) = nothing_found().await;
    let sent = source.searched();
    assert!(talk.say("new queries please").await.contains("1. first query 2"));
    assert!(talk.rules().await.contains(&"slot-revised".to_owned()));
    let session = talk.session().await;
    assert_eq!((session.waiting_for, session.approvals.queries, source.searched()), (Waiting::Queries, None, sent));
}

#[tokio::test]
async fn a_stop_that_is_confirmed_ends_the_journey() {
    let (talk, source) = nothing_found().await;
    let sent = source.searched();
    let asked = talk.say("stop, do not search the network").await;
    assert!(asked.contains("I take this as: end this journey. Is that right?"), "{asked}");
    assert!(talk.say("no").await.contains("Nothing is searched yet."), "it is not what was meant");
    talk.say("stop, do not search the network").await;
    talk.say("yes").await;
    assert_eq!((talk.rule().await.as_str(), source.searched()), ("cancelled", sent));
}

#[tokio::test]
async fn without_records_there_is_a_proposal_only_when_the_person_insists() {
    let talk = ScriptedConversation::new(&[Answer::Nothing]);
    talk.say("tides").await;
    talk.say("yes").await;
    assert!(talk.session().await.artifacts.proposal.is_none());
    let said = talk.say("go on without records").await;
    assert!(said.contains("this proposal rests on none"), "{said}");
    assert_eq!(talk.rules().await[4], "slot-insisted");
    assert!(talk.say("approve").await.contains("The proposal is done"));
}

#[tokio::test(start_paused = true)]
async fn a_panic_ends_both_streams_and_the_action_can_be_tried_again() {
    let talk = ScriptedConversation::new(&[Answer::Panics, Answer::Records]);
    talk.say("tides").await;
    let turn = talk.shown(talk.conversations.say("c1", "yes"));
    let (thoughts, chat) = tokio::time::timeout(std::time::Duration::from_secs(60), turn).await.expect("both end");
    assert!(thoughts.iter().any(|thought| thought.contains("panics")), "{thoughts:?}");
    assert!(chat[0].text().contains("I could not make the literature review"), "{chat:?}");
    assert_eq!(talk.rule().await, "action-failed");
    assert!(talk.say("what now").await.contains("Say `retry`"));
    assert!(talk.say("retry").await.contains("# A proposal"));
}
