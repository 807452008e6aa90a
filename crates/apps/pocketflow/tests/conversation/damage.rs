//! Sessions and messages that are not what they should be.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::{MemoryStore, Namespace, PutOptions, Store};
use graphloom_pocketflow::actions::Action;
use graphloom_pocketflow::session::{self, Role, Waiting};
use graphloom_retrieval::{Search, SearchAnswer};
use serde_json::{Value, json};

use super::scripted::{Answer, ID, ScriptedConversation};

async fn talk_on(raw: Value) -> ScriptedConversation {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    let sessions = Namespace::new(["pocketflow", "sessions"]).expect("part of the test");
    talk.store.put(&sessions, ID, raw, PutOptions::default()).await.expect("part of the test");
    talk
}

#[tokio::test]
async fn a_damaged_session_is_told_and_the_conversation_goes_on() {
    for raw in [json!("rubbish"), json!({ "schema": 2, "history": 5 }), json!({ "last_action": "do-magic" })] {
        let talk = talk_on(raw.clone()).await;
        assert!(talk.say("approve").await.contains("could not be read"), "{raw}");
        assert_eq!(talk.rule().await, "damaged-session");
        let kept = session::quarantined(&*talk.store, ID).await.expect("part of the test");
        assert_eq!(kept[0].value, raw);
        assert!(talk.say("tides").await.contains("first query 1"));
    }
}

#[tokio::test]
async fn a_newer_session_is_told_and_left_alone() {
    let talk = talk_on(json!({ "schema": 9, "secret": 1 })).await;
    for _ in 0..2 {
        assert!(talk.say("hello").await.contains("update the program"));
    }
    let sessions = Namespace::new(["pocketflow", "sessions"]).expect("part of the test");
    assert_eq!(
        talk.store.get(&sessions, ID).await.expect("part of the test").expect("part of the test").value,
        json!({ "schema": 9, "secret": 1 })
    );
}

#[tokio::test]
async fn a_session_of_schema_1_goes_on_in_its_review() {
    let talk = talk_on(json!({
        "last_action": "review-queries",
        "action_result": "- LLM tutors\n- LLM grading",
        "params": { "do-generate-queries": { "topic": "LLMs in education" } },
        "waiting_for_feedback": "queries",
    }))
    .await;
    // An older program kept no record of what it had shown.
    assert!(talk.say("approved").await.contains("1. LLM tutors\n2. LLM grading"));
    assert!(talk.say("approved").await.contains("# A proposal"));
    assert_eq!(
        talk.session().await.artifacts.review.expect("part of the test").value.records[0].title,
        "On LLM tutors"
    );
}

#[tokio::test]
async fn what_is_missing_is_asked_for_and_the_action_is_tried_again_with_the_answer() {
    let talk = talk_on(json!({ "waiting_for_feedback": "queries" })).await;
    assert!(talk.say("approve").await.contains("I still need topic for the search queries"));
    let waiting = Waiting::Slot { action: Action::GenerateQueries, missing: vec!["topic".to_owned()] };
    assert_eq!(talk.session().await.waiting_for, waiting);
    assert!(talk.say("biology").await.contains("first query 1"));
    assert_eq!(talk.session().await.topic.as_deref(), Some("biology"));
}

#[tokio::test]
async fn messages_without_end_or_content_get_a_clear_answer() {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    let endless = "yes ".repeat(300_000);
    assert!(talk.say(&endless).await.contains("longer than 16384 bytes"));
    assert!(talk.say(" \n\t").await.contains("Which topic"));
    talk.say("tides").await;
    assert!(talk.say(&endless).await.contains("longer than"));
    assert_eq!(talk.session().await.waiting_for, Waiting::Queries, "the review goes on");
    assert!(talk.session().await.history.iter().all(|line| line.text.len() < 2_000));
    assert!(talk.say("\u{0}\u{202e}🏳️‍🌈").await.contains("not sure"));
}

/// Lets somebody else write the session while the turn goes on.
struct MeddlingSource(Arc<dyn Store>);

#[async_trait]
impl Search for MeddlingSource {
    fn engines(&self) -> Vec<String> {
        vec!["meddling".to_owned()]
    }

    async fn search(&self, _: &str, _: usize) -> SearchAnswer {
        let mut session = session::load(&*self.0, ID).await.expect("part of the test").session;
        session.say(Role::User, "from another tab", 0);
        session::save(&*self.0, &mut session).await.expect("part of the test");
        SearchAnswer::default()
    }
}

#[tokio::test]
async fn a_turn_does_not_write_over_what_somebody_else_saved() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let source = Arc::new(MeddlingSource(Arc::clone(&store)));
    let talk = ScriptedConversation::on(source, store, Arc::new(MemoryCheckpointer::new()));
    talk.say("tides").await;
    assert!(talk.say("yes").await.contains("This turn changed nothing"));
    let session = talk.session().await;
    assert_eq!(session.history.last().expect("part of the test").text, "from another tab");
    assert_eq!(session.waiting_for, Waiting::Queries);
}
