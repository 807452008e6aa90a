//! The graph with other functions in its nodes and other limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use graphloom_agents::Verdict;
use graphloom_core_graph::{Answers, Context, GraphOptions, Node, NodeError, Outcome, Retry, RunError, Snapshot};
use graphloom_llm::ChatModel;
use graphloom_obsius::nodes::{Report, visit};
use graphloom_obsius::phase::{Decision, Phase};
use graphloom_obsius::state::{Findings, Found, SearchRecord, SearchStrategy};
use graphloom_obsius::{Resources, SEARCH, WorkflowState, WorkflowStateUpdate, graph_with};
use serde_json::json;

use super::support::{TestVault, action, phases, scripted};

type Options = GraphOptions<WorkflowState, Resources>;

const REQUEST: &str = "Organize all my machine learning notes and create a comprehensive index";

/// Finds one note, whatever is asked.
async fn search(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Search, state, cx, async |_| {
        let mut found = Found::default();
        (found.path, found.title) = ("Soup.md".to_owned(), "Soup".to_owned());
        let mut findings = Findings::default();
        findings.notes = vec![found];
        let all = [SearchStrategy::Keyword, SearchStrategy::Content, SearchStrategy::Tag, SearchStrategy::Links];
        findings.searches = all.map(searched).to_vec();
        let update = WorkflowState::update().findings(findings);
        Ok(Report::new(Decision::Gathered, "the cook found one note").with(update))
    })
    .await
}

fn searched(strategy: SearchStrategy) -> SearchRecord {
    let mut search = SearchRecord::default();
    (search.strategy, search.hits) = (strategy, 1);
    search
}

/// A model that writes an index of the one note that it is shown.
fn model() -> Arc<dyn ChatModel> {
    scripted(|kind, _, prompt| {
        Ok(match kind {
            "plan" => json!({"keywords": ["machine learning"], "title": "The index", "answer": null, "subtasks": [
                {"goal": "find the notes", "kind": "search", "depends_on": [], "criteria": []},
                {"goal": "read them", "kind": "read", "depends_on": [1], "criteria": []},
                {"goal": "write the index", "kind": "create", "depends_on": [2], "criteria": []},
            ]}),
            _ => {
                assert!(prompt.contains("Soup.md") && !prompt.contains("nets/Trees.md"), "{prompt}");
                json!({"answer": null, "actions": [
                    action("r", "read_note", &json!({"path": "Soup.md"}), &[]),
                    action("w", "create_note", &json!({"title": "The index", "content": "- [[Soup]]"}), &["r"]),
                ]})
            }
        })
    })
}

async fn run(place: &TestVault, options: Options) -> Result<Arc<WorkflowState>, RunError> {
    let thread = place.runs_over(graph_with(options).unwrap(), model()).thread("run-1");
    let mut outcome = thread.run(WorkflowState::update().session(place.session(REQUEST))).await?;
    loop {
        outcome = match outcome {
            Outcome::Done(state) => return Ok(state),
            Outcome::Waiting(_) => thread.resume(Answers::new().and("review", Verdict::Approve)?).await?,
            other => panic!("{other:?}"),
        };
    }
}

#[tokio::test(start_paused = true)]
async fn a_phase_of_ones_own_is_a_visit_of_the_table_like_any_other() {
    let place = TestVault::new();
    let state = run(&place, Options::new().replace(SEARCH, search)).await.unwrap();
    assert_eq!(phases(&state), ["assess", "initialize", "analyze", "search", "execute", "reflect", "complete"]);
    assert!(state.outcome.as_ref().unwrap().is_complete, "{:?} {:?}", state.outcome, state.objectives);
    assert_eq!(state.nodes.get("search").unwrap().message, "the cook found one note");
    assert_eq!(String::from_utf8_lossy(&place.bytes()["The index.md"]).trim(), "- [[Soup]]");
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
    let place = TestVault::new();
    let error = run(&place, failing()).await.unwrap_err();
    assert!(error.to_string().contains("the cook is away"), "{error}");
    let place = TestVault::new();
    let state = run(&place, failing().retry(SEARCH, Retry::exponential(3))).await.unwrap();
    assert_eq!(phases(&state).last().unwrap(), "complete");
}

#[test]
fn a_node_that_is_not_there_is_named_with_those_that_are() {
    let error = graph_with(Options::new().replace(Node::named("serach"), search)).unwrap_err().to_string();
    assert!(
        error.contains("the option `replace` names `serach`, which is no node; nodes: `analyze`, `apply`, "),
        "{error}"
    );
}
