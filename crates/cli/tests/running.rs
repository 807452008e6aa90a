//! A run that is followed, stopped by the user, resumed, and looked at afterwards.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use graphloom_cli::runs::{RunPath, RunReport, list, summary};
use graphloom_cli::{DataDir, ExitStatus, Interrupt, Progress, RunStore, follow};
use graphloom_core_graph::checkpoint::ThreadFilter;
use graphloom_core_graph::{
    Context, END, EventKind, Node, NodeError, START, Snapshot, State, StateGraph, Step, Threads,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Count {
    #[state(add)]
    rounds: u64,
}

const TURN: Node = Node::named("turn");
const LOOK: Node = Node::named("look");

async fn turn(_: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
    Ok(Count::update().rounds(1_u64))
}

async fn look(count: Snapshot<Count>) -> Result<Step<Count>, NodeError> {
    Ok(if count.rounds < 3 { Step::goto(TURN) } else { Step::goto(END) })
}

/// The first turn lasts until the run is asked to stop.
async fn patient_turn(count: Snapshot<Count>, cx: Context) -> Result<CountUpdate, NodeError> {
    if count.rounds == 0 {
        cx.stopping().await;
    }
    turn(count).await
}

fn threads(dirs: &DataDir, patient: bool) -> Threads<Count> {
    let mut graph = StateGraph::<Count>::new("counting");
    if patient {
        graph.add_node(TURN, patient_turn);
    } else {
        graph.add_node(TURN, turn);
    }
    graph.add_node(LOOK, look).may_goto((TURN, END));
    graph.add_edge(START, TURN).add_edge(TURN, LOOK);
    graph.compile().unwrap().with_shared_checkpointer(RunStore::in_file(dirs).unwrap().checkpointer())
}

fn quiet() -> Progress {
    Progress::to(false, Box::new(std::io::sink()), Box::new(std::io::sink()))
}

#[tokio::test]
async fn a_signal_drains_the_run_and_resume_finishes_it() {
    let place = tempfile::tempdir().unwrap();
    let dirs = DataDir::new(Some(place.path())).unwrap();
    let (signals, count) = watch::channel(0);
    let interrupt = Interrupt::from_watch(count);
    let thread = threads(&dirs, true).thread("t");

    let progress = quiet();
    let outcome = follow(thread.run(Count::update()), &interrupt, &progress, |event| {
        if matches!(event.kind, EventKind::TaskStarted { .. }) {
            signals.send_replace(1);
        }
    });
    assert_eq!(ExitStatus::from(&outcome.await.unwrap()), ExitStatus::Interrupted);
    assert_eq!(thread.state().await.unwrap().state.rounds, 1);
    let stored = summary(&RunStore::in_file(&dirs).unwrap(), "t").await.unwrap();
    assert_eq!((stored.status.as_str(), stored.can_go_on()), ("drained", true));

    let outcome = follow(thread.continue_(), &interrupt, &progress, |_| {}).await.unwrap();
    assert_eq!(ExitStatus::from(&outcome), ExitStatus::Done);
    assert_eq!(thread.state().await.unwrap().state.rounds, 3);
}

#[tokio::test]
async fn stored_runs_are_read_without_their_types() {
    let place = tempfile::tempdir().unwrap();
    let dirs = DataDir::new(Some(place.path())).unwrap();
    threads(&dirs, false).thread("first-run").run(Count::update()).await.unwrap();

    let store = RunStore::in_file(&dirs).unwrap();
    let runs = list(&*store.checkpointer(), &ThreadFilter::default()).await.unwrap();
    let [run] = runs.as_slice() else { panic!("one run is stored: {runs:?}") };
    assert_eq!((run.thread.as_str(), run.graph.as_str(), run.status.as_str()), ("first-run", "counting", "done"));
    assert_eq!((run.tasks, run.can_go_on()), (6, false));

    let report = RunReport::read(&*store.checkpointer(), run.clone()).await.unwrap();
    assert!(report.checkpoints.iter().any(|checkpoint| checkpoint.changed == ["rounds"]));
    let text = report.to_string();
    assert!(text.contains("status   done") && text.contains("run ended done"), "{text}");

    let path = RunPath::of(&report);
    let nodes: Vec<_> = path.nodes.iter().map(|node| (node.name.as_str(), node.runs)).collect();
    assert_eq!(nodes, [("turn", 3), ("START", 0), ("look", 3)]);
    let edges: Vec<_> = path.edges.iter().map(|e| (e.from.as_str(), e.to.as_str(), e.times)).collect();
    assert_eq!(edges, [("START", "turn", 1), ("turn", "look", 3), ("look", "turn", 2)]);
    assert!(path.mermaid().contains("-->|3×|"), "{}", path.mermaid());
    assert!(path.dot().starts_with("digraph run {"));

    let error = summary(&store, "frist-run").await.unwrap_err().to_string();
    assert!(error.contains("did you mean `first-run`?"), "{error}");
}

#[tokio::test]
async fn a_run_that_lives_is_told_from_one_whose_process_died() {
    let place = tempfile::tempdir().unwrap();
    let dirs = DataDir::new(Some(place.path())).unwrap();
    let mut run = threads(&dirs, true).thread("w").run(Count::update());
    while let Some(event) = run.next().await {
        if matches!(event.kind, EventKind::TaskStarted { .. }) {
            break;
        }
    }
    let store = RunStore::in_file(&dirs).unwrap();
    assert_eq!(summary(&store, "w").await.unwrap().status, "running");
    run.handle().drain();
    run.await.unwrap();
    assert_ne!(summary(&store, "w").await.unwrap().status, "running");
}
