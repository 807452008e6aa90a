//! Replies composed of the forms that people use, in drawn order through a conversation: nothing is sent to a source and
//! nothing is marked as approved but after a reply that was drawn to say so. What a reply says is what it was composed
//! for, not what the program reads, and the model is drawn too: it may be sure of whatever is wrong.

use std::sync::{Arc, Mutex};

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::MemoryStore;
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ChatRequest, Scripted};
use graphloom_pocketflow::actions::Need;
use graphloom_pocketflow::session::{Status, Waiting};
use graphloom_retrieval::Search;
use graphloom_test_support::draws;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::replies::{Meaning, Reply, reply};
use super::scripted::{Answer, ID, ScriptedConversation, ScriptedSource, scripted_reply};

fn answers() -> impl Strategy<Value = Vec<Answer>> {
    let answer = select(vec![Answer::Records, Answer::Nothing, Answer::Nothing, Answer::Fails]);
    proptest::collection::vec(answer, 1..6)
}

/// A model that reads every reply as `intent`, with all the confidence there is, and quotes it.
fn sure_model(intent: &'static str, heard: Arc<Mutex<String>>) -> Scripted {
    Scripted::from_fn(move |request: &ChatRequest| {
        let prompt = rendered(request);
        if !prompt.contains("You read what a person says") {
            return scripted_reply(&prompt);
        }
        let words = heard.lock().expect("part of the test").clone();
        let detail = if intent == "queries" { words.clone() } else { String::new() };
        Ok(json!({ "intent": intent, "detail": detail, "words": words, "confidence": 1.0 }).to_string())
    })
}

async fn converse(replies: &[Reply], answers: &[Answer], intent: &'static str) -> Result<(), TestCaseError> {
    let source = ScriptedSource::new(answers);
    let search: Arc<dyn Search> = Arc::clone(&source) as _;
    let heard = Arc::new(Mutex::new(String::new()));
    let talk = ScriptedConversation::with(
        sure_model(intent, Arc::clone(&heard)),
        search,
        Arc::new(MemoryStore::new()),
        Arc::new(MemoryCheckpointer::new()),
    );
    talk.say("tides").await;
    for reply in replies {
        let (before, sent) = (talk.session().await, source.searched());
        if before.waiting_for == Waiting::None {
            break;
        }
        *heard.lock().expect("part of the test") = reply.text.clone();
        let (_, chat) = talk.shown(talk.conversations.say(ID, &reply.text)).await;
        prop_assert!(!chat.is_empty(), "{reply:?}");
        let after = talk.session().await;
        let rule = || after.journey.iter().map(|step| step.rule.clone()).collect::<Vec<_>>();
        let newly = |need| after.has(need) && !before.has(need);
        let approved =
            newly(Need::ApprovedQueries) || newly(Need::ApprovedProposal) || after.status == Status::Complete;
        prop_assert!(!approved || reply.meaning == Meaning::Approve, "approved by {reply:?}: {:?}", rule());
        let goes = matches!(reply.meaning, Meaning::Approve | Meaning::Retry);
        prop_assert!(source.searched() == sent || goes, "sent by {reply:?}: {:?}", rule());
        // The bare word is always enough, so that the property is about something.
        if reply.text == "approve" && before.waiting_for == Waiting::Queries && before.asked.is_none() {
            prop_assert!(source.searched() > sent, "{reply:?} was not heard: {:?}", rule());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: draws(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawn_replies_send_and_approve_nothing_unless_they_say_so(
        replies in proptest::collection::vec(reply(), 1..9),
        answers in answers(),
        intent in select(vec!["approve", "unclear", "queries", "reject", "cancel", "edit"]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("part of the test").block_on(converse(&replies, &answers, intent))?;
    }
}
