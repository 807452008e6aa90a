//! The graph with other functions in its nodes and other limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Context, GraphOptions, Node, NodeError, Retry, Snapshot};
use graphloom_llm::scripted::{Reply, Scripted, rendered};
use graphloom_llm::{ChatModel, ModelError};
use graphloom_state_machine::{TaskAction, TreeStatus};
use graphloom_writehere::nodes::{ATTEMPTS, Turn, take};
use graphloom_writehere::{
    ActionResult, EXECUTE, Mode, Resources, Schedule, TaskType, Writing, WritingUpdate, graph_with,
};

use super::script::{Script, calls, request, runs_over, search, write};

type Options = GraphOptions<Writing, Resources>;

/// A report of one search and a part that needs it.
async fn finished(options: Options, model: Arc<dyn ChatModel>) -> Arc<Writing> {
    let runs = runs_over(graph_with(options).unwrap(), Mode::Report, model, &MemoryCheckpointer::new());
    let input = Writing::update().request(request(Mode::Report, Schedule::Concurrent));
    runs.thread("run").run(input).await.unwrap().done().unwrap_or_else(|other| panic!("{other:?}"))
}

fn script() -> Script {
    Script::new(&[search(&[]), write(&[0], vec![])])
}

/// Looks into a book where a search is due, and does everything else as ever.
async fn execute(turn: Turn, state: Snapshot<Writing>, cx: Context<Resources>) -> Result<WritingUpdate, NodeError> {
    let task = &state.tree.node(&turn.node).unwrap().payload.info;
    match (task.task_type, task.goal.as_str()) {
        (TaskType::Search, goal) => {
            let result = ActionResult::new("book", format!("The book says: {goal}."));
            Ok(turn.done(TaskAction::Execute, result))
        }
        _ => take(TaskAction::Execute, ATTEMPTS, turn, state, cx).await,
    }
}

#[tokio::test]
async fn an_action_of_ones_own_takes_the_place_of_searches_alone() {
    let options = Options::new().replace_task(EXECUTE, execute);
    let ran = finished(options, Arc::new(script().model())).await;
    assert_eq!(ran.tree.status(), TreeStatus::Done);
    let of = |kind: TaskType| {
        let nodes = ran.tree.nodes().filter(move |node| node.payload.info.task_type == kind);
        nodes.filter_map(|node| node.payload.results.get(&TaskAction::Execute)).collect::<Vec<_>>()
    };
    let searched = of(TaskType::Search);
    assert_eq!(searched.len(), 1);
    assert!(searched[0].agent == "book" && searched[0].text.starts_with("The book says: "), "{searched:?}");
    assert!(of(TaskType::Write)[0].text.contains("Text of: "), "{:?}", of(TaskType::Write));
    let calls = calls(&ran);
    assert!(calls.keys().any(|agent| agent.starts_with("execute/write")), "{calls:?}");
    assert!(!calls.keys().any(|agent| agent.starts_with("execute/search")), "no model is asked: {calls:?}");
}

#[tokio::test]
async fn an_action_of_ones_own_that_fails_fails_its_task_and_not_the_run() {
    let refuse = async |turn: Turn, _: Snapshot<Writing>| {
        Ok::<_, NodeError>(turn.failed(TaskAction::Execute, "the book is lost"))
    };
    let ran = finished(Options::new().replace_task(EXECUTE, refuse), Arc::new(script().model())).await;
    let finished = ran.finished.as_ref().unwrap();
    assert!(!finished.is_done() && finished.explanation.contains("the book is lost"), "{finished:?}");
    assert!(ran.notes.iter().any(|note| note.contains("`execute` failed: the book is lost")), "{:?}", ran.notes);
}

/// A model that is down for the first three texts.
fn rests() -> Arc<dyn ChatModel> {
    let (script, asked) = (script(), AtomicU32::new(0));
    let down = ModelError::Server {
        model: "script".into(),
        status: 503,
        message: "down".into(),
        retry_after: None,
        request_id: None,
    };
    Arc::new(Scripted::from_fn(move |request| {
        if rendered(request).contains("<article>") && asked.fetch_add(1, Ordering::SeqCst) < 3 {
            return Err(down.clone());
        }
        Ok(Reply::text(script.reply(request)))
    }))
}

#[tokio::test]
async fn an_action_has_as_many_attempts_as_the_options_say() {
    let usual = finished(Options::new(), rests()).await;
    assert!(!usual.finished.as_ref().unwrap().is_done(), "two attempts are too few");
    let patient = finished(Options::new().retry(EXECUTE, Retry::immediate(4)), rests()).await;
    assert!(patient.finished.as_ref().unwrap().is_done(), "{:?}", patient.finished);
}

#[test]
fn a_node_that_is_not_there_is_named_with_those_that_are() {
    let error = graph_with(Options::new().retry(Node::named("exekute"), Retry::immediate(2))).unwrap_err().to_string();
    assert!(
        error.contains("the option `retry` names `exekute`, which is no node; nodes: `begin`, `execute`, "),
        "{error}"
    );
}
