//! The graph of changes: what a person sends, what comes back, what is remembered.

use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Answers, Outcome};
use graphloom_deepsearch::config::{Config, SearchMethod};
use graphloom_deepsearch::feedback::{FeedbackState, FeedbackStateUpdate, USER_FEEDBACK, graph};
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::state::{CitationMessage, FinalResult, RewriteRecord};
use graphloom_deepsearch::stream::{MessageEvent, StreamMessage, message_of};
use graphloom_deepsearch::{Document, Resources};
use graphloom_llm::ChatModel;
use serde_json::{Value, json};

use super::setup::{FixedDocuments, model, outage, report, source};

const REPORT: &str = "# R\n\n# 1. Logs\n\n## 1.1 Order\n\nThe log 🙂 comes first.[checked_citation:0][[1]](https://log.example/page) Pages follow.\n\n## 1.2 Size\n\nIt is small.\n\n# 2. Else\n\nOther text.\n";

fn documents() -> Vec<Document> {
    vec![source("fresh", "A checkpoint moves pages from the log into the database file.")]
}

fn begin(count: u32, history: Vec<RewriteRecord>) -> FeedbackStateUpdate {
    let mut config = Config::default();
    config.user_feedback_processor_enable = true;
    config.user_feedback_processor_max_interactions = 3;
    config.info_collector_search_method = SearchMethod::Web;
    config.info_collector_max_research_loops = 1;
    let mut result = FinalResult::default();
    result.response_content = REPORT.to_owned();
    let mut citation = CitationMessage::default();
    citation.url = "https://log.example/page".into();
    citation.reference_index = 1;
    result.citation_messages.data = vec![citation];
    let report = report("", &[source("known", "The log is written first, then the pages.")]);
    FeedbackState::update()
        .result(result)
        .report(Some(report.into()))
        .config(config)
        .query("logs")
        .count(count)
        .history(history)
}

/// One change: the state after it and the messages, those before the answer first.
async fn change(
    model: Arc<dyn ChatModel>,
    input: FeedbackStateUpdate,
    answer: Value,
) -> (Arc<FeedbackState>, Vec<StreamMessage>) {
    let resources = Resources::new(Models::new(model), Engines::of(Arc::new(FixedDocuments(documents())))).unwrap();
    let threads = graph().with_context(resources).with_checkpointer(MemoryCheckpointer::new());
    let thread = threads.thread("test");
    let mut said = Vec::new();
    let mut run = thread.run(input);
    while let Some(event) = run.next().await {
        said.extend(message_of(&event));
    }
    let outcome = run.await.unwrap();
    let Outcome::Waiting { .. } = outcome else {
        let Outcome::Done(state) = outcome else { panic!("{outcome:?}") };
        return (state, said);
    };
    let mut run = thread.resume(Answers::new().and(USER_FEEDBACK, answer).unwrap());
    while let Some(event) = run.next().await {
        said.extend(message_of(&event));
    }
    match run.await.unwrap() {
        Outcome::Done(state) => (state, said),
        other => panic!("{other:?}"),
    }
}

/// A payload for the first place of a text, in code points.
fn select(action: &str, text: &str, more: Value) -> Value {
    let at = REPORT.find(text).unwrap();
    let start = REPORT[..at].chars().count();
    let mut payload = json!({
        "action": action, "selected_text": text, "start_offset": start, "end_offset": start + text.chars().count(),
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        payload[key] = value.clone();
    }
    payload
}

/// The last message of an event, as JSON.
fn last(said: &[StreamMessage], event: MessageEvent) -> Value {
    let found = said.iter().rev().find(|message| message.event == event && message.agent == "user_feedback_processor");
    serde_json::from_str(&found.expect("a message").content).unwrap()
}

fn says(text: &'static str) -> Arc<dyn ChatModel> {
    model(move |_| text.to_owned())
}

#[tokio::test]
async fn a_rewrite_changes_the_text_alone() {
    let marked = "The log 🙂 comes first.[checked_citation:0][[1]](https://log.example/page)";
    for (action, words) in [("expand", "You expand"), ("shorten", "You shorten"), ("polish", "You polish")] {
        let scripted = model(move |prompt| {
            assert!(prompt.contains(words) && prompt.contains("Wish: kindly"), "{prompt}");
            assert!(!prompt.contains("checked_citation"), "the model sees no marks");
            "New words.[checked_citation:7]".to_owned()
        });
        let payload = select(action, marked, json!({ "user_instruction": "kindly" }));
        let (state, said) = change(scripted, begin(0, Vec::new()), payload.clone()).await;
        let content = &state.result.response_content;
        assert_eq!(*content, REPORT.replace(marked, "New words."));
        assert_eq!(state.result.citation_messages.data.len(), 1, "metadata stay");
        assert_eq!((state.count, state.done, state.notices.len()), (1, false, 0));
        let reply = last(&said, MessageEvent::SummaryResponse);
        assert_eq!(reply["action_category"], "synonym_rewrite");
        assert_eq!(reply["action_subcategory"], action);
        assert_eq!(reply["original_text"], marked);
        assert_eq!(reply["original_start_offset"], payload["start_offset"]);
        assert_eq!(reply["original_end_offset"], payload["end_offset"]);
        assert_eq!(reply["rewritten_text"], "New words.");
        let end = payload["start_offset"].as_u64().unwrap() + 10;
        assert_eq!(reply["rewritten_end_offset"], end);
        assert_eq!(reply["feedback_interaction_count"], 1);
        assert_eq!(reply["final_result"]["response_content"], *content);
        assert_eq!(reply["lost_markers"], json!(["[checked_citation:0][[1]](https://log.example/page)"]));
        assert_eq!(reply["unmarked_citations"], json!([0]));
        let record = &state.history[0];
        assert_eq!((record.action.as_str(), record.selected_text_clean.as_str()), (action, "The log 🙂 comes first."));
    }
}

#[tokio::test]
async fn a_failure_counts_and_says_why() {
    for (model, payload, code) in [
        (outage(), select("polish", "Pages follow.", json!({})), 212_405),
        (says("  "), select("polish", "Pages follow.", json!({})), 212_405),
        (says("x"), select("polish", "[checked_citation:0][[1]](https://log.example/page)", json!({})), 212_405),
        (says("x"), json!({ "action": "dance" }), 212_407),
        (says("x"), json!("no json"), 212_406),
        (says("x"), select("new_task", "# R", json!({})), 212_405),
    ] {
        let (state, said) = change(model, begin(1, Vec::new()), payload.clone()).await;
        assert_eq!(state.result.response_content, REPORT, "{payload}");
        assert_eq!((state.count, state.done), (2, false), "{payload}");
        let codes: Vec<u32> = state.notices.iter().map(|notice| notice.code.code()).collect();
        assert_eq!(codes, [code], "{payload}");
        assert!(!state.notices.iter().any(graphloom_deepsearch::Notice::is_fatal));
        let error = last(&said, MessageEvent::Error);
        assert!(error["error"].as_str().unwrap().starts_with(&format!("[{code}]")), "{error}");
        assert!(state.history.is_empty());
    }
}

#[tokio::test]
async fn the_result_is_told_once_and_the_limit_ends_it() {
    let payload = select("polish", "Pages follow.", json!({}));
    let (state, said) = change(says("New."), begin(0, Vec::new()), payload.clone()).await;
    let whole = |said: &[StreamMessage]| {
        said.iter().filter(|message| message.content.starts_with("{\"response_content\"")).count()
    };
    assert!(state.snapshot_sent);
    assert_eq!(whole(&said), 1);
    let (_, said) = change(says("New."), begin(0, Vec::new()).snapshot_sent(true), payload.clone()).await;
    assert_eq!(whole(&said), 0);

    let (state, said) = change(says("New."), begin(3, Vec::new()), payload).await;
    assert!(state.done && state.result.response_content == REPORT && state.count == 3);
    assert!(said.iter().any(|message| message.content == "Maximum interaction rounds reached."));
    let (state, said) = change(says("New."), begin(3, Vec::new()), json!({ "action": "finish" })).await;
    assert!(state.done && said.iter().any(|message| message.content == "User feedback finished."));
    let mut off = Config::default();
    off.user_feedback_processor_enable = false;
    let (state, said) = change(says("New."), begin(0, Vec::new()).config(off), json!({})).await;
    assert!(state.done && said.is_empty());
}

#[tokio::test]
async fn sync_takes_the_report_and_does_not_count() {
    let new = REPORT.replace("Pages follow.", "Pages come later.");
    let (state, said) = change(outage(), begin(3, Vec::new()), json!({ "action": "sync", "selected_text": new })).await;
    assert_eq!((state.count, state.done, state.history.len()), (3, false, 1));
    assert_eq!(state.result.response_content, new);
    let ack = last(&said, MessageEvent::SummaryResponse);
    assert_eq!((&ack["action_category"], &ack["synced"]), (&json!("sync"), &json!(true)));
    let (state, _) = change(outage(), begin(3, Vec::new()), json!({ "action": "sync", "selected_text": REPORT })).await;
    assert!(state.history.is_empty(), "nothing was changed");
    let (_, said) = change(outage(), begin(0, Vec::new()), json!({ "action": "sync", "selected_text": "bare" })).await;
    assert_eq!(last(&said, MessageEvent::SummaryResponse)["unmarked_citations"], json!([0]));
}

/// Answers the collector with as little as it takes, and the feedback prompts as given.
fn researcher(assessment: &'static str) -> Arc<dyn ChatModel> {
    model(move |prompt| {
        if prompt.contains("Name the one question to look for") {
            r#"{"title":"checkpoints","description":"what a checkpoint does"}"#.into()
        } else if prompt.contains("A reader has a new task") {
            assert!(prompt.contains("document 1: known"), "{prompt}");
            assessment.into()
        } else if prompt.contains("You write a passage of a report") {
            "# Big heading\nA checkpoint moves pages.[citation:1]\n\n### Small\nMore. [citation:9]".into()
        } else {
            // The nodes of the collector go on without an answer.
            "-".into()
        }
    })
}

#[tokio::test]
async fn a_search_is_worked_into_the_selection_or_its_block() {
    let payload = select("supplementary_search", "Pages follow.", json!({ "rewrite_scope": "selected_only" }));
    let (state, said) = change(researcher(""), begin(0, Vec::new()), payload).await;
    let link = "A checkpoint moves pages. ([fresh](https://fresh.example/page))";
    let content = &state.result.response_content;
    assert!(content.contains(&format!("**Big heading**\n{link}\n\n### Small\nMore.\n\n## 1.2 Size")), "{content}");
    assert!(content.contains("The log 🙂 comes first.[checked_citation:0]"), "what is not selected stays");
    let reply = last(&said, MessageEvent::SummaryResponse);
    assert_eq!(
        (&reply["action_category"], &reply["action_subcategory"]),
        (&json!("supplementary_search"), &json!("selected_only"))
    );
    assert_eq!(state.history[0].rewrite_scope, "selected_only");

    let payload = select("supplementary_search", "Pages follow.", json!({ "rewrite_scope": "selected_and_related" }));
    let (state, said) = change(researcher(""), begin(0, Vec::new()), payload).await;
    let content = &state.result.response_content;
    assert!(!content.contains("comes first") && content.contains("## 1.1 Order\n\n**Big heading**"), "{content}");
    assert!(content.contains("## 1.2 Size\n\nIt is small.\n\n# 2. Else"));
    assert_eq!(last(&said, MessageEvent::SummaryResponse)["unmarked_citations"], json!([0]));
    assert!(state.history[0].section_start_offset.is_some());
}

#[tokio::test]
async fn a_new_task_adds_a_subsection_or_changes_one() {
    let append = r#"{"relevant":[1],"is_sufficient":false,"missing_aspects":["checkpoints"],"edit_strategy":"append_new_subsection","title":"Checkpoints"}"#;
    let payload = select("new_task", "It is small.", json!({ "user_instruction": "Add checkpoints" }));
    let (state, said) = change(researcher(append), begin(0, Vec::new()), payload.clone()).await;
    let content = &state.result.response_content;
    assert!(content.contains("It is small.\n\n## 1.3 Checkpoints\n\n**Big heading**"), "{content}");
    assert!(content.contains("# 2. Else\n\nOther text."));
    assert_eq!(last(&said, MessageEvent::SummaryResponse)["action_subcategory"], "append_new_subsection");
    assert_eq!(last(&said, MessageEvent::SummaryResponse)["original_text"], "");

    // Enough is known: nothing is searched, and the link leads to the known document.
    let modify = r#"{"relevant":[1],"is_sufficient":true,"missing_aspects":[],"edit_strategy":"modify_existing_subsection","title":""}"#;
    let (state, _) = change(researcher(modify), begin(0, Vec::new()), payload).await;
    let content = &state.result.response_content;
    assert!(
        content.contains(
            "## 1.2 Size\n\n**Big heading**\nA checkpoint moves pages. ([known](https://known.example/page))"
        ),
        "{content}"
    );
    assert!(!content.contains("It is small.") && content.contains("## 1.1 Order\n\nThe log 🙂 comes first."));
    assert!(state.found.is_empty());
}
