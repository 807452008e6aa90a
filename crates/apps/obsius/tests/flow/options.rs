//! The graph with other functions in its nodes and other limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use graphloom_core_graph::{Context, GraphOptions, Node, NodeError, Outcome, Retry, RunError, Snapshot};
use graphloom_llm::ChatModel;
use graphloom_obsius::nodes::{Report, visit};
use graphloom_obsius::phase::{Decision, Phase};
use graphloom_obsius::state::{Findings, Found};
use graphloom_obsius::{Resources, SEARCH, WorkflowState, WorkflowStateUpdate, graph_with};
use serde_json::json;

use crate::support::{Place, phases, scripted};

type Options = GraphOptions<WorkflowState, Resources>;

const REQUEST: &str = "Organize all my machine learning notes and create a comprehensive index";

/// Finds one note, whatever is asked.
async fn search(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Search, state, cx, async |_| {
        let mut found = Found::default();
        (found.path, found.title) = ("Soup.md".to_owned(), "Soup".to_owned());
        let mut findings = Findings::default();
        findings.notes = vec![found];
        let update = WorkflowState::update().findings(findings);
        Ok(Report::new(Decision::Gathered, "the cook found one note").with(update))
    })
    .await
}

/// A model that plans to find and to answer, and answers by the notes that it is shown.
fn model() -> Arc<dyn ChatModel> {
    scripted(|kind, _, prompt| {
        Ok(match kind {
            "plan" => json!({"keywords": ["machine learning"], "title": null, "answer": null, "subtasks": [
                {"goal": "find them", "kind": "search", "depends_on": [], "criteria": []},
                {"goal": "answer", "kind": "answer", "depends_on": [1], "criteria": [{"check": "answered"}]},
            ]}),
            _ => {
                let shown = if prompt.contains("Soup.md") { "The soup." } else { "The notes." };
                json!({"answer": shown, "actions": []})
            }
        })
    })
}

async fn run(options: Options) -> Result<Arc<WorkflowState>, RunError> {
    let place = Place::new();
    let runs = place.runs_over(graph_with(options).unwrap(), model());
    let input = WorkflowState::update().session(place.session(REQUEST));
    match runs.thread("run-1").run(input).await? {
        Outcome::Done(state) => Ok(state),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_phase_of_ones_own_is_a_visit_of_the_table_like_any_other() {
    let usual = run(Options::new()).await.unwrap();
    assert_eq!(usual.answer, "The notes.");
    let state = run(Options::new().replace(SEARCH, search)).await.unwrap();
    assert_eq!(state.answer, "The soup.");
    assert_eq!(phases(&state), phases(&usual));
    assert_eq!(phases(&state).last().unwrap(), "complete");
    assert_eq!(state.nodes.get("search").unwrap().message, "the cook found one note");
    let found: Vec<&str> = state.findings.notes.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found, ["Soup.md"]);
}

#[tokio::test(start_paused = true)]
async fn a_node_has_as_many_attempts_as_the_options_say() {
    let failing = || {
        let tries = AtomicU32::new(0);
        Options::new().replace(SEARCH, move |state: Snapshot<WorkflowState>, cx: Context<Resources>| {
            let fails = tries.fetch_add(1, Ordering::SeqCst) < 2;
            async move { if fails { Err(NodeError::retryable("the cook is away")) } else { search(state, cx).await } }
        })
    };
    let error = run(failing()).await.unwrap_err();
    assert!(error.to_string().contains("the cook is away"), "{error}");
    let state = run(failing().retry(SEARCH, Retry::exponential(3))).await.unwrap();
    assert_eq!(state.answer, "The soup.");
}

#[test]
fn a_node_that_is_not_there_is_named_with_those_that_are() {
    let error = graph_with(Options::new().replace(Node::named("serach"), search)).unwrap_err().to_string();
    assert!(
        error.contains("the option `replace` names `serach`, which is no node; nodes: analyze, apply, "),
        "{error}"
    );
}
