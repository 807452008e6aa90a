//! Subgraphs of which nothing is stored or told: they run as they do when somebody reads the run, whatever their nodes do.

use std::time::Duration;

use graphloom_core_graph::__private::FastPath;
use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, END, Mode, Node, NodeError, Outcome, Retry, RunPolicy, START, Snapshot,
    StateGraph, Step, Task, Timeout,
};
use proptest::prelude::*;

use crate::log::{Build, Calls, Work, noted};

const CHILD: Node = Node::named("child");
const INNER: Node = Node::named("inner");
const SIDE: Node = Node::named("side");
const PART: Task<u64> = Task::named("part");

/// What a node of the child does, and what follows it.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Leaves a note; an edge leads on.
    Note,
    /// Notes which task it is.
    Name,
    /// Waits before it leaves a note.
    Wait,
    /// The same with a time limit, which it keeps or not.
    Limited { keeps: bool },
    /// Fails, once or for good, and is tried again.
    Fail { times: u32 },
    /// Panics.
    Panic,
    /// Leaves a note in a durable step.
    Once,
    /// Its update makes a reducer panic.
    Burst,
    /// Replaces its edges by the end.
    End,
    /// Routes on, ends there, names what it did not declare, or panics.
    Route { how: u8 },
    /// Leads to a second node beside the one that follows.
    Fork,
    /// Sends to tasks that a join waits for.
    Send { tasks: u64 },
    /// Runs when nothing else is left.
    Deferred,
    /// Belongs to a class of one at a time.
    Classed,
    /// Calls a graph of two nodes.
    Inside { fails: bool },
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => Just(Act::Note),
        2 => Just(Act::Name),
        1 => Just(Act::Wait),
        1 => any::<bool>().prop_map(|keeps| Act::Limited { keeps }),
        1 => (1..3_u32).prop_map(|times| Act::Fail { times }),
        1 => Just(Act::Panic),
        1 => Just(Act::Once),
        1 => Just(Act::Burst),
        1 => Just(Act::End),
        1 => (0..4_u8).prop_map(|how| Act::Route { how }),
        1 => Just(Act::Fork),
        1 => (0..4_u64).prop_map(|tasks| Act::Send { tasks }),
        1 => Just(Act::Deferred),
        1 => Just(Act::Classed),
        1 => any::<bool>().prop_map(|fails| Act::Inside { fails }),
    ]
}

fn name(at: usize) -> Node {
    Node::owned(format!("n{at}"))
}

/// Two nodes in a row, the second of which may fail.
fn inner(fails: bool) -> Compiled<Work> {
    let mut graph = StateGraph::<Work>::new("inner");
    graph.add_node(INNER, |_: Snapshot<Work>, context: Context| async move {
        Ok::<_, NodeError>(noted(context.task().id.to_string()))
    });
    graph.add_node(SIDE, move |_: Snapshot<Work>| async move {
        if fails { Err(NodeError::terminal("inside")) } else { Ok(noted("inside")) }
    });
    graph.add_edge(START, INNER).add_edge(INNER, SIDE);
    graph.built()
}

/// A graph whose nodes follow each other, except where they say otherwise.
fn child(acts: &[Act], mode: Mode) -> Compiled<Work> {
    let mut graph = StateGraph::<Work>::new("child");
    graph.mode(mode).limit("one", 1);
    let side = graph.add_node(SIDE, |_: Snapshot<Work>| async { Ok::<_, NodeError>(noted("side")) });
    if matches!(mode, Mode::Eager) {
        // Several nodes may lead to it.
        side.each();
    }
    graph
        .add_task(PART, |part: u64, _: Snapshot<Work>| async move { Ok::<_, NodeError>(noted(format!("part{part}"))) });
    graph.add_edge(START, name(0));
    // Something leads to both, whatever the nodes do.
    graph.add_conditional_edges(START, [SIDE, END], |_: &Work| END);
    graph.add_sends(SIDE, PART, |_: &Work| Vec::new());
    for (at, act) in acts.iter().copied().enumerate() {
        let calls = Calls::default();
        let node = name(at);
        if let Act::Inside { fails } = act {
            let out = |child: ChildOutcome<Work>| Ok(noted(child.done()?.story()));
            graph.add_subgraph(node.clone(), inner(fails), |_: &Work| Work::update(), out);
        } else {
            let spec = graph.add_node(node.clone(), move |_: Snapshot<Work>, context: Context| {
                let calls = calls.clone();
                async move {
                    calls.add("call");
                    let note = Step::update(noted(format!("n{at}")));
                    Ok(match act {
                        Act::Name => {
                            let task = context.task();
                            let text = format!("{}@{}in{}by{}", task.id, task.step, task.ns, task.attempt);
                            Step::update(noted(text))
                        }
                        Act::Wait | Act::Limited { keeps: true } => {
                            tokio::time::sleep(Duration::from_millis(5)).await;
                            note
                        }
                        Act::Limited { keeps: false } => {
                            tokio::time::sleep(Duration::from_secs(5)).await;
                            note
                        }
                        Act::Fail { times } if calls.count("call") <= times as usize => {
                            return Err(NodeError::retryable("again"));
                        }
                        Act::Panic => panic!("n{at} panics"),
                        Act::Once => {
                            let work = async { Ok::<_, NodeError>(format!("once{at}")) };
                            Step::update(noted(context.once("step", work).await?))
                        }
                        Act::Burst => note.with(Work::update().fragile(13)),
                        Act::End => Step::end().with(noted("end")),
                        _ => note,
                    })
                }
            });
            match act {
                Act::Limited { .. } => spec.timeout(Timeout::attempt(Duration::from_secs(1))),
                Act::Fail { .. } => spec.retry(Retry::exponential(2)),
                Act::Deferred => spec.deferred(),
                Act::Classed => spec.class("one"),
                _ => spec,
            };
        }
        let next = if at + 1 < acts.len() { name(at + 1) } else { END };
        match act {
            Act::Route { how } => {
                graph.add_conditional_edges(node, (next.clone(), END), move |_: &Work| match how {
                    0 => next.clone(),
                    1 => END,
                    2 => SIDE,
                    _ => panic!("the router panics"),
                });
            }
            Act::Fork => {
                graph.add_edge(node.clone(), next).add_edge(node, SIDE);
            }
            Act::Send { tasks } => {
                graph.add_sends(node.clone(), PART, move |_: &Work| (0..tasks).map(|at| PART.send(at, at)).collect());
                graph.add_edge(node, next);
            }
            _ => {
                graph.add_edge(node, next);
            }
        }
    }
    graph.compile().unwrap_or_else(|errors| panic!("{errors}"))
}

/// How the run of a graph with this child ends.
async fn run(acts: &[Act], mode: Mode, is_read: bool, policy: RunPolicy) -> String {
    let mut graph = StateGraph::<Work>::new("parent");
    graph.mode(mode);
    graph.add_subgraph(
        CHILD,
        child(acts, mode),
        |_: &Work| noted("in"),
        |child| {
            Ok(noted(match child {
                ChildOutcome::Done(state) => sorted(&state),
                ChildOutcome::Failed { state, error } => format!("{} and then {error}", sorted(&state)),
                other => panic!("{other:?}"),
            }))
        },
    );
    graph.add_edge(START, CHILD);
    let app = graph.built().with_context(());
    let mut run = app.run_once_with(Work::update(), policy);
    while is_read && run.next().await.is_some() {}
    match run.await {
        Ok(Outcome::Done(state)) => state.story(),
        other => format!("{other:?}"),
    }
}

fn sorted(work: &Work) -> String {
    let mut notes: Vec<_> = work.notes.iter().cloned().collect();
    notes.sort();
    notes.join(" ")
}

fn in_virtual_time<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime").block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_child_runs_as_it_does_when_it_is_read(acts in prop::collection::vec(act(), 1..6), eager: bool) {
        let mode = if eager { Mode::Eager } else { Mode::Barrier };
        in_virtual_time(async {
            let inline = run(&acts, mode, false, RunPolicy::default()).await;
            prop_assert_eq!(&inline, &run(&acts, mode, true, RunPolicy::default()).await);
            let machine = RunPolicy::default().without(FastPath::InlineCalls);
            prop_assert_eq!(&inline, &run(&acts, mode, false, machine.clone()).await);
            prop_assert_eq!(&inline, &run(&acts, mode, false, machine.without(FastPath::SingleTasks)).await);
            Ok(())
        })?;
    }
}

#[test]
fn a_child_of_plain_nodes_ends_with_their_notes() {
    let acts = [Act::Note, Act::Name, Act::Wait, Act::Inside { fails: false }, Act::Note];
    let story = in_virtual_time(run(&acts, Mode::Barrier, false, RunPolicy::default()));
    let name = "child:1.0/n1:2.0@1inchild:1.0by1";
    assert_eq!(story, format!("{name} child:1.0/n3:4.0/inner:1.0 inside in n0 n2 n4"));
}

#[tokio::test]
async fn a_child_that_is_always_ready_gives_way_and_is_cancelled() {
    let mut graph = StateGraph::<Work>::new("endless");
    graph.add_node(SIDE, |_: Snapshot<Work>| async { Ok::<_, NodeError>(Work::update().count(1)) });
    graph.add_edge(START, SIDE);
    graph.add_conditional_edges(SIDE, (SIDE, END), |work: &Work| if work.count < 0 { END } else { SIDE });
    let mut parent = StateGraph::<Work>::new("parent");
    let (endless, out) = (graph.built(), |child: ChildOutcome<Work>| Ok(Work::update().count(child.done()?.count)));
    parent.add_subgraph(CHILD, endless, |_: &Work| Work::update(), out);
    parent.add_edge(START, CHILD);
    let run = parent.built().run_once(Work::update()).start();
    let handle = run.handle();
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    handle.cancel();
    assert!(matches!(run.await, Ok(Outcome::Cancelled { .. })));
}
