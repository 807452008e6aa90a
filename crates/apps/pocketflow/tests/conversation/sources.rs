//! Sources that are down, empty, or worse.

use graphloom_pocketflow::actions::Action;
use graphloom_pocketflow::session::Waiting;

use super::scripted::{Answer, ScriptedConversation, found_titles};

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
    assert!(talk.say("yes").await.contains("I still need queries"), "an approval is no query");
    assert!(talk.say("retry").await.contains("# A proposal"));
    assert_eq!(talk.session().await.waiting_for, Waiting::Report);
}

#[tokio::test]
async fn nothing_found_asks_for_other_queries_and_tries_again_with_them() {
    let talk = ScriptedConversation::new(&[Answer::Nothing, Answer::Nothing, Answer::Records]);
    talk.say("tides").await;
    assert!(talk.say("yes").await.contains("scripted has no record for 2 of 2 queries."));
    let said = talk.say("ocean tides; moon").await;
    assert!(said.contains("# A proposal"), "{said}");
    let session = talk.session().await;
    assert_eq!(found_titles(&session), ["On ocean tides", "On moon"]);
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
