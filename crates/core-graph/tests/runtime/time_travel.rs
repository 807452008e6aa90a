//! History, states of older checkpoints, forks, replays, updates from outside, copies.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, Commit, HistoryFilter, Lease, MemoryCheckpointer, Source,
    ThreadStatus,
};
use graphloom_core_graph::{
    Context, Durability, Mode, Node, NodeError, Outcome, RunError, RunPolicy, START, Snapshot, StateGraph, Task,
};

use crate::log::{Build, Calls, Noted, Work, done, note, noted, thread, threads};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const LAST: Node = Node::named("last");
const PART: Task<u64> = Task::named("part");

fn chain(calls: &Calls) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
        let calls = calls.clone();
        graph.add_node(node, move |_: Snapshot<Work>, cx: Context| {
            let calls = calls.clone();
            async move {
                let effect = async {
                    calls.add(name);
                    Noted::Ok(noted(name)).map(|_| ())
                };
                cx.once("effect", effect).await?;
                Noted::Ok(noted(name))
            }
        });
    }
    graph.add_edge(START, A).add_edge(A, B).add_edge(B, C);
    graph
}

#[tokio::test]
async fn history_is_newest_first_and_every_checkpoint_can_be_looked_at() {
    let thread = thread(chain(&Calls::default()));
    done(thread.run(Work::update()).await);
    let history = thread.history(&HistoryFilter::default()).await.unwrap();
    assert_eq!(
        history.iter().map(|row| (row.number, row.parent, row.step)).collect::<Vec<_>>(),
        [(4, Some(3), 3), (3, Some(2), 2), (2, Some(1), 1), (1, None, 0)]
    );
    assert_eq!(history.last().unwrap().source, Source::Input);
    for (number, story, next) in [(1, "", "a"), (2, "a", "b"), (3, "a b", "c"), (4, "a b c", "")] {
        let state = thread.at(number).state().await.unwrap();
        assert_eq!((state.state.story().as_str(), state.next.join(" ").as_str()), (story, next));
    }
    let mut filter = HistoryFilter::default();
    (filter.before, filter.limit) = (Some(4), Some(1));
    assert_eq!(thread.history(&filter).await.unwrap()[0].number, 3);
    let unknown = thread.at(9).state().await.unwrap_err();
    insta::assert_snapshot!(unknown, @"thread `t` has no checkpoint 9; `history()` lists them");
}

#[tokio::test]
async fn a_replay_runs_everything_after_its_checkpoint_again_on_a_branch() {
    let calls = Calls::default();
    let thread = thread(chain(&calls));
    done(thread.run(Work::update()).await);
    assert_eq!(done(thread.at(2).replay().await).story(), "a b c");
    assert_eq!(calls.all(), ["a", "b", "c", "b", "c"], "durable steps run again on the branch");
    let history = thread.history(&HistoryFilter::default()).await.unwrap();
    assert_eq!(
        history.iter().map(|row| (row.number, row.parent)).collect::<Vec<_>>()[..3],
        [(7, Some(6)), (6, Some(5)), (5, Some(2))]
    );
    assert_eq!(history[2].source, Source::Fork);
    assert_eq!(thread.at(4).state().await.unwrap().state.story(), "a b c", "the old branch stays");
    assert_eq!(done(thread.at(7).replay().await).story(), "a b c", "nothing comes after the end");
    assert!(thread.at(99).replay().await.is_err());
}

#[tokio::test]
async fn an_update_at_a_checkpoint_is_one_commit_on_a_branch() {
    let calls = Calls::default();
    let thread = thread(chain(&calls));
    done(thread.run(Work::update()).await);
    thread.at(2).update_state(A, noted("edited")).await.unwrap();
    let newest = &thread.history(&HistoryFilter::default()).await.unwrap()[0];
    assert_eq!((newest.number, newest.parent, newest.source), (5, Some(2), Source::Update));
    assert_eq!(thread.at(4).state().await.unwrap().state.story(), "a b c", "the old branch stays");
    assert_eq!(done(thread.continue_().await).story(), "a edited b c");
    assert_eq!(calls.all(), ["a", "b", "c", "b", "c"]);
    assert!(thread.at(99).update_state(A, noted("x")).await.is_err());
    assert!(thread.at(2).update_state(Node::owned("unknown"), noted("x")).await.is_err());
}

#[tokio::test]
async fn a_fork_may_take_durable_steps_over() {
    let (calls, failing) = (Calls::default(), Calls::default());
    let mut graph = StateGraph::<Work>::new("g");
    let (seen, tries) = (calls.clone(), failing.clone());
    graph.add_node(A, move |_: Snapshot<Work>, cx: Context| {
        let (calls, tries) = (seen.clone(), tries.clone());
        async move {
            let effect = async {
                calls.add("a");
                Ok::<_, graphloom_core_graph::NodeError>(calls.count("a"))
            };
            let number = cx.once("effect", effect).await?;
            tries.add("try");
            if tries.count("try") == 1 {
                return Err(graphloom_core_graph::NodeError::terminal("broken"));
            }
            Noted::Ok(noted(number.to_string()))
        }
    });
    graph.add_edge(START, A);
    let thread = thread(graph);
    thread.run(Work::update()).await.unwrap_err();
    assert_eq!(done(thread.at(1).reuse_once().replay().await).story(), "1");
    assert_eq!(done(thread.at(1).replay().await).story(), "2");
}

#[tokio::test]
async fn an_update_from_outside_is_like_one_of_a_node() {
    let calls = Calls::default();
    let thread = thread(chain(&calls));
    thread.update_state(B, noted("edited")).await.unwrap();
    let state = thread.state().await.unwrap();
    assert_eq!((state.next.as_slice(), state.status), (["c".to_owned()].as_slice(), ThreadStatus::Drained));
    assert_eq!(done(thread.continue_().await).story(), "edited c");
    thread.update_state(C, noted("end")).await.unwrap();
    assert_eq!(thread.state().await.unwrap().status, ThreadStatus::Done, "nothing follows `c`");
    let unknown = thread.update_state(Node::named("ghost"), noted("-")).await.unwrap_err();
    insta::assert_snapshot!(unknown, @"thread `t` does not fit the graph `g`: it has no node `ghost` to update as; nodes: `a`, `b`, `c`");
}

/// A store that counts leases, and in which somebody else asks for the thread after each commit.
#[derive(Clone, Default)]
pub(crate) struct Contested {
    pub(crate) store: MemoryCheckpointer,
    pub(crate) leases: Arc<AtomicUsize>,
}

#[async_trait]
impl CheckpointerLayer for Contested {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        self.leases.fetch_add(1, Ordering::SeqCst);
        self.store.acquire(thread).await
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        let ends = commit.release;
        self.store.commit(lease, commit).await?;
        let other = self.store.acquire(&lease.thread).await;
        assert_eq!(other.is_ok(), ends, "nobody comes between the commits of one call");
        other.into_iter().for_each(|other| self.store.release(&other));
        Ok(())
    }
}

#[tokio::test]
async fn nobody_comes_between_a_change_and_what_goes_on_from_it() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (calls, store) = (Calls::default(), Contested::default());
        let threads = chain(&calls).built().with_checkpointer(store.clone());
        let thread = threads.thread("t").policy(RunPolicy::default().durability(durability));
        done(thread.run(Work::update()).await);
        let first = thread.history(&HistoryFilter::default()).await.unwrap().last().unwrap().number;
        let leases = || store.leases.swap(0, Ordering::SeqCst);
        leases();
        done(thread.at(first).reuse_once().replay().await);
        assert_eq!(leases(), 1, "{durability:?}");
        assert_eq!(
            done(thread.update_and_continue(A, noted("edited")).await).story().split(' ').next_back(),
            Some("c")
        );
        assert_eq!(leases(), 1, "{durability:?}");
        assert_eq!(
            done(thread.update_and_continue(C, noted("last")).await).story().split(' ').next_back(),
            Some("last")
        );
        assert_eq!((leases(), thread.state().await.unwrap().status), (1, ThreadStatus::Done));
        let unknown = thread.update_and_continue(Node::named("ghost"), noted("-")).await.unwrap_err();
        assert!(unknown.to_string().contains("it has no node `ghost` to update as"), "{unknown}");
    }
}

#[tokio::test]
async fn an_update_that_goes_on_plans_the_other_tasks_of_a_step_anew() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let calls = Calls::default();
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        for (node, name) in [(A, "a"), (B, "b")] {
            let calls = calls.clone();
            graph.add_node(node, move |_: Snapshot<Work>| {
                let calls = calls.clone();
                async move {
                    calls.add(name);
                    if name == "a" { Err(NodeError::terminal("broken")) } else { Noted::Ok(noted("b")) }
                }
            });
        }
        graph.add_node(C, note("c"));
        graph.add_edge(START, A).add_edge(START, B).add_edge(A, C);
        let thread = thread(graph);
        thread.run(Work::update()).await.unwrap_err();
        let work = done(thread.update_and_continue(A, noted("mended")).await);
        assert!(work.story().contains("mended") && work.story().contains('c'), "{mode:?}: {}", work.story());
        assert_eq!(work.notes.iter().filter(|note| *note == "b").count(), 1, "{mode:?}");
        assert_eq!(calls.count("a"), 1, "{mode:?}");
    }
}

#[tokio::test]
async fn an_update_of_a_waiting_thread_plans_the_other_tasks_anew() {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b")] {
        graph
            .add_node(node, move |_: Snapshot<Work>, cx: Context| async move {
                let answer: String = cx.ask("name", name).await?;
                Noted::Ok(noted(format!("{name}={answer}")))
            })
            .asks::<String>("name");
    }
    graph.add_node(C, note("c"));
    graph.add_edge(START, A).add_edge(START, B).add_edge(A, C);
    let thread = thread(graph);
    assert!(matches!(thread.run(Work::update()).await.unwrap(), Outcome::Waiting(_)));
    thread.update_state(A, noted("a=edited")).await.unwrap();
    assert_eq!(thread.state().await.unwrap().next, ["b", "c"], "`a` has been done from outside, `b` is planned anew");
    let Outcome::Waiting(questions) = thread.continue_().await.unwrap() else { panic!("`b` asks again") };
    assert_eq!(questions.len(), 1);
    let work = done(thread.resume(questions.answer("name", "Bob").unwrap()).await);
    assert_eq!(work.story(), "a=edited b=Bob c");
}

#[tokio::test]
async fn an_update_as_a_sent_task_ends_its_fan_out() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph
        .add_task(PART, |_: u64, _: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("name", "?").await?;
            Noted::Ok(noted(answer))
        })
        .asks::<String>("name");
    graph.add_node(LAST, note("last"));
    graph.add_edge(START, A);
    graph.add_sends(A, PART, |_: &Work| vec![PART.send(1, 1), PART.send(2, 2)]);
    graph.add_join(PART, LAST);
    let thread = thread(graph);
    assert!(matches!(thread.run(Work::update()).await.unwrap(), Outcome::Waiting(_)));
    thread.update_state(Node::named("part"), noted("both")).await.unwrap();
    assert_eq!(done(thread.continue_().await).story(), "a both last");
}

#[tokio::test]
async fn a_copy_is_a_thread_of_its_own() {
    let threads = threads(chain(&Calls::default()));
    let first = threads.thread("first");
    done(first.run(Work::update()).await);
    let second = first.copy_to("second").await.unwrap();
    assert_eq!(done(second.run(Work::update()).await).story(), "a b c a b c");
    assert_eq!(first.state().await.unwrap().state.story(), "a b c");
    assert!(matches!(
        first.copy_to("second").await.unwrap_err(),
        RunError::Checkpoint(CheckpointError::ThreadExists { .. })
    ));
}

#[tokio::test]
async fn a_thread_of_another_graph_or_with_a_vanished_node_is_refused() {
    let store = graphloom_core_graph::checkpoint::MemoryCheckpointer::new();
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(A, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("name", "?").await?;
            Noted::Ok(noted(answer))
        })
        .asks::<String>("name");
    graph.add_edge(START, A);
    let thread = graph.built().with_checkpointer(store.clone()).thread("t");
    assert!(matches!(thread.run(Work::update()).await.unwrap(), Outcome::Waiting(_)));
    let renamed = |name: &str, node: Node| {
        let mut graph = StateGraph::<Work>::new(name);
        graph.add_node(node.clone(), note("x"));
        graph.add_edge(START, node);
        graph.built().with_checkpointer(store.clone()).thread("t")
    };
    let other = renamed("other", A).state().await.unwrap_err();
    insta::assert_snapshot!(other, @"thread `t` does not fit the graph `other`: it belongs to the graph `g`; open it with that graph, or choose another id");
    let vanished = renamed("g", B);
    let refused = vanished.state().await.unwrap_err();
    insta::assert_snapshot!(refused, @"thread `t` does not fit the graph `g`: a task waits at node `a`, which the graph no longer has; add the node back, or drop all unfinished tasks with `abandon().run(…)`");
    assert_eq!(vanished.resume(Default::default()).await.unwrap_err().to_string(), refused.to_string());
    assert_eq!(done(vanished.abandon().run(Work::update()).await).story(), "x");
}
