//! Changes of the report through the whole main graph: the processor comes back until it is told to finish.

use graphloom_deepsearch::Config;
use graphloom_deepsearch::feedback::USER_FEEDBACK;
use graphloom_deepsearch::stream::MessageEvent;
use serde_json::{Value, json};

use super::asking_run::AskingRun;
use super::model::{Main, loud};
use super::world::codes;

const AGENT: &str = "user_feedback_processor";

fn editing(most: u32) -> Config {
    let mut config = loud();
    config.user_feedback_processor_enable = true;
    config.user_feedback_processor_max_interactions = most;
    config
}

/// The report as the question shows it.
fn shown(talk: &AskingRun) -> String {
    let (key, question) = talk.question();
    assert_eq!(key, USER_FEEDBACK);
    question["response_content"].as_str().unwrap().to_owned()
}

/// A payload for the first place of a text.
fn select(report: &str, action: &str, text: &str) -> Value {
    let at = report.find(text).unwrap_or_else(|| panic!("no `{text}` in {report}"));
    let start = report[..at].chars().count();
    json!({ "action": action, "selected_text": text, "start_offset": start, "end_offset": start + text.chars().count() })
}

/// The messages of the processor since the last answer, as JSON where they are.
fn told(talk: &AskingRun, event: MessageEvent) -> Vec<Value> {
    let said = talk.ended.said.iter().filter(|message| message.agent == AGENT && message.event == event);
    said.filter_map(|message| serde_json::from_str(&message.content).ok()).collect()
}

#[tokio::test(start_paused = true)]
async fn expand_then_sync_then_finish() {
    let main = Main::quoting();
    let mut talk = AskingRun::begin(&main, editing(9)).await;
    let before = shown(&talk);
    let snapshot = told(&talk, MessageEvent::SummaryResponse);
    assert_eq!(snapshot.len(), 1, "the whole result is told before the first change");
    assert_eq!(snapshot[0]["response_content"], before.as_str());
    assert!(!snapshot[0]["citation_messages"]["data"].as_array().unwrap().is_empty());
    assert!(!snapshot[0]["infer_messages"].as_array().unwrap().is_empty());
    assert!(talk.ended.said.iter().all(|message| message.content != "ALL END"), "the conversation goes on");

    // A sentence with its mark, inside the link of a conclusion.
    let mark = before.find("[checked_citation:").unwrap();
    let end = mark + before[mark..].find(')').unwrap() + 1;
    let from = before[..mark].rfind("\n\n").unwrap() + 2;
    let sentence = before[from..end].to_owned();
    talk.answer(USER_FEEDBACK, select(&before, "expand", &sentence)).await;
    let expanded = shown(&talk);
    assert_eq!(expanded, before.replacen(&sentence, "Written anew.", 1), "nothing else changes");
    let reply = told(&talk, MessageEvent::SummaryResponse);
    assert_eq!(reply.len(), 1, "the snapshot is not told again");
    assert_eq!(
        (&reply[0]["action_category"], &reply[0]["feedback_interaction_count"]),
        (&json!("synonym_rewrite"), &json!(1))
    );
    assert!(
        reply[0]["lost_markers"]
            .as_array()
            .unwrap()
            .iter()
            .any(|mark| mark.as_str().unwrap().contains("checked_citation"))
    );
    let result = &reply[0]["final_result"];
    for kept in ["citation_messages", "infer_messages", "chart_messages"] {
        assert_eq!(result[kept], snapshot[0][kept], "{kept} stay as they are");
    }

    talk.answer(USER_FEEDBACK, json!({ "action": "polish", "selected_text": "x", "start_offset": 0, "end_offset": 1 }))
        .await;
    assert!(told(&talk, MessageEvent::Error)[0]["error"].as_str().unwrap().starts_with("[212403]"));
    assert_eq!(shown(&talk), expanded, "a refused change leaves the report alone, and the run asks again");

    let edited = expanded.replace("# Conclusion", "A remark of mine.\n\n# Conclusion");
    for text in [&edited, &edited] {
        talk.answer(USER_FEEDBACK, json!({ "action": "sync", "selected_text": text })).await;
        assert_eq!(told(&talk, MessageEvent::SummaryResponse)[0]["synced"], true);
        assert_eq!(shown(&talk), edited);
    }
    talk.answer(USER_FEEDBACK, json!({ "action": "finish" })).await;
    assert!(talk.ended.of(AGENT).contains(&"User feedback finished."));
    let state = talk.ended.state();
    assert_eq!(state.final_result.response_content, edited);
    assert_eq!(state.feedback_interaction_count, 2, "the change and the refused one; sync and finish do not count");
    let actions: Vec<&str> = state.rewrite_history.iter().map(|record| record.action.as_str()).collect();
    assert_eq!(actions, ["expand", "sync"], "a sync without a change leaves no record");
    assert_eq!(codes(&state.notices), ["212403e"]);
    assert!(state.fatal().is_none());
    let last: Vec<_> = talk.ended.said.iter().rev().take(2).map(|message| message.event).collect();
    assert_eq!(last, [MessageEvent::SummaryResponse; 2], "a change that failed is no failed run");
    assert_eq!(talk.ended.said.last().unwrap().content, "ALL END");
    assert_eq!(main.prompts("expand").len(), 1);
    assert_eq!(main.prompts("abstract").len(), 1, "no other node runs again");
}

#[tokio::test(start_paused = true)]
async fn searches_and_tasks_are_worked_in_one_after_the_other() {
    let main = Main::default();
    let mut talk = AskingRun::begin(&main, editing(9)).await;
    let before = shown(&talk);
    let mut payload = select(&before, "supplementary_search", "After the first comes the second.");
    payload["rewrite_scope"] = json!("selected_only");
    talk.answer(USER_FEEDBACK, payload).await;
    let searched = shown(&talk);
    assert!(searched.contains("Storks build nests. ([nests of storks, north]("), "{searched}");
    assert!(!searched.contains("After the first comes the second."));

    let mut payload = select(&searched, "supplementary_search", "# 2. Beta");
    payload["rewrite_scope"] = json!("selected_and_related");
    talk.answer(USER_FEEDBACK, payload).await;
    assert_eq!(told(&talk, MessageEvent::SummaryResponse)[0]["action_subcategory"], "selected_and_related");

    let related = shown(&talk);
    let payload = select(&related, "new_task", "# 1. Alpha");
    talk.answer(USER_FEEDBACK, payload).await;
    let report = shown(&talk);
    assert!(report.contains("## 1.2 Nests\n\nStorks build nests."), "{report}");
    talk.answer(USER_FEEDBACK, json!({ "action": "finish" })).await;
    let state = talk.ended.state();
    let scopes: Vec<(&str, &str)> =
        state.rewrite_history.iter().map(|record| (record.action.as_str(), record.rewrite_scope.as_str())).collect();
    assert_eq!(
        scopes,
        [("supplementary_search", "selected_only"), ("supplementary_search", "selected_and_related"), ("new_task", "")]
    );
    assert_eq!(state.feedback_interaction_count, 3);
    assert_eq!(codes(&state.notices), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_limit_ends_the_run_and_sync_is_taken_beyond_it() {
    let mut talk = AskingRun::begin(&Main::default(), editing(1)).await;
    let before = shown(&talk);
    talk.answer(USER_FEEDBACK, json!("no json at all")).await;
    talk.answer(USER_FEEDBACK, json!({ "action": "sync", "selected_text": format!("{before}\nmine") })).await;
    assert!(talk.waits(), "sync does not count");
    let payload = select(&before, "shorten", "In short.");
    talk.answer(USER_FEEDBACK, payload).await;
    assert!(talk.ended.of(AGENT).contains(&"Maximum interaction rounds reached."));
    let state = talk.ended.state();
    assert_eq!((state.feedback_interaction_count, codes(&state.notices)), (1, vec!["212406e".to_owned()]));
    assert!(state.final_result.response_content.ends_with("mine"));
}
