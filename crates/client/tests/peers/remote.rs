//! A graph of the server as a node of a local one.

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_client::{RemoteGraph, RunSearch, ThreadId};
use graphloom_core_graph::{EventKind, Log, Node, NodeError, Outcome, RunError, START, State, StateGraph, Threads};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{client, new_thread};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Work {
    input: Value,
    left: Value,
    #[state(append)]
    threads: Log<String>,
}

const REMOTE: Node = Node::named("remote");

fn work(graph: &str, change: impl FnOnce(RemoteGraph<Work>) -> RemoteGraph<Work>) -> StateGraph<Work> {
    let remote = RemoteGraph::new(
        client(),
        graph,
        |work: &Work| Ok(work.input.clone()),
        |state| Ok::<_, NodeError>(Work::update().threads([state.thread.to_string()]).left(state.values)),
    );
    let mut local = StateGraph::<Work>::new("work");
    local.add_node(REMOTE, change(remote)).asks::<Value>("remote");
    local.add_edge(START, REMOTE);
    local
}

fn threads(graph: StateGraph<Work>, folder: &tempfile::TempDir) -> Threads<Work> {
    let store = SqliteCheckpointer::open(folder.path().join("work.db")).unwrap();
    graph.compile().unwrap().with_checkpointer(store)
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn a_remote_graph_is_heard_and_its_state_folded() {
    let folder = tempfile::tempdir().unwrap();
    let thread = threads(work("pipeline", |remote| remote), &folder).thread("t");
    let mut run = thread.run(Work::update().input(json!({"topic": "hills"})));
    let mut heard = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::Custom { payload, .. } = event.kind {
            heard.push(payload.json());
        }
    }
    let Outcome::Done(work) = run.await.unwrap() else { panic!("not done") };
    assert_eq!((work.left["count"].clone(), heard.len()), (json!(3), 3));
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn a_question_is_answered_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let input = json!({"names": ["ann", "bob"], "ask": true});
    let Outcome::Waiting(questions) =
        threads(work("fanout", |remote| remote), &folder).thread("t").run(Work::update().input(input)).await.unwrap()
    else {
        panic!("no question")
    };
    let asked: Vec<_> = questions.iter().map(|question| question.payload["name"].clone()).collect();
    assert_eq!(asked.len(), 2);
    let answers = questions.answer("remote", asked[0].as_str().unwrap().to_uppercase()).unwrap();
    let answers = answers.and("remote/2", asked[1].as_str().unwrap().to_uppercase()).unwrap();
    let thread = threads(work("fanout", |remote| remote), &folder).thread("t");
    let Outcome::Done(work) = thread.resume(answers).await.unwrap() else { panic!("not done") };
    assert_eq!(work.left["results"], json!(["ann:ANN", "bob:BOB", "total:2"]));
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn a_failure_has_its_kind_and_message() {
    let folder = tempfile::tempdir().unwrap();
    let thread = threads(work("faulty", |remote| remote), &folder).thread("t");
    let error = thread.run(Work::update().input(json!({"mode": "fail"}))).await.unwrap_err();
    let RunError::TaskFailed { message, .. } = &error else { panic!("{error}") };
    assert!(message.contains("boom: mode=fail"), "{message}");
    // Another attempt goes on there, and fails anew: it is another run.
    assert!(thread.continue_().await.is_err());
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn a_run_is_joined_or_cancelled_and_taken_up() {
    for cancels in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let remote_thread: ThreadId = new_thread();
        let change = |remote: RemoteGraph<Work>| remote.on_thread(move |_| remote_thread).cancel_with_run(cancels);
        let thread = threads(work("ticker", change), &folder).thread("t");
        let mut run = thread.run(Work::update().input(json!({"n": 30, "delay_ms": 50})));
        while let Some(event) = run.next().await {
            if matches!(event.kind, EventKind::Custom { .. }) {
                thread.cancel();
            }
        }
        assert!(matches!(run.await.unwrap(), Outcome::Cancelled { .. }));
        let thread = threads(work("ticker", change), &folder).thread("t");
        let Outcome::Done(work) = thread.continue_().await.unwrap() else { panic!("not done") };
        assert_eq!(work.left["ticks"], json!((1..=30).collect::<Vec<_>>()));
        let runs = client().runs().list(remote_thread, RunSearch::new()).await.unwrap();
        assert_eq!(runs.len(), if cancels { 2 } else { 1 });
    }
}
