//! Replays and forks from checkpoints inside of subgraphs.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, Commit, HistoryFilter, Lease, MemoryCheckpointer, Retention,
    Source, ThreadStatus,
};
use graphloom_core_graph::{
    Answers, ChildOutcome, Compiled, Context, Durability, EventKind, Mode, Node, NodeError, Outcome, Persistence,
    Questions, Run, RunError, RunPolicy, START, Snapshot, StateGraph, Task, Thread,
};

use crate::log::{Build, Calls, Memory, MemoryUpdate, Noted, Work, done, noted};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const CHILD: Node = Node::named("child");
const LAST: Node = Node::named("last");
const PART: Task<String> = Task::named("part");

const KEPT: [Persistence; 2] = [Persistence::PerCall, Persistence::PerThread];

fn told(line: impl Into<String>) -> MemoryUpdate {
    Memory::update().lines([line.into()])
}

/// A chain of three nodes that say their names, and how often they were called. The second asks if it is to.
fn chain(calls: &Calls, asks: bool) -> Compiled<Memory> {
    let mut graph = StateGraph::<Memory>::new("chain");
    for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
        let calls = calls.clone();
        let node = graph.add_node(node, move |memory: Snapshot<Memory>, cx: Context| {
            let calls = calls.clone();
            async move {
                calls.add(name);
                let said = format!("{name}{}", calls.count(name));
                if asks && name == "b" {
                    let word: String = cx.ask("word", &memory.said()).await?;
                    return Ok::<_, NodeError>(told(format!("{name}={word}")));
                }
                Ok(told(said))
            }
        });
        if asks {
            node.asks::<String>("word");
        }
    }
    graph.add_edge(START, A).add_edge(A, B).add_edge(B, C);
    graph.built()
}

fn out(child: ChildOutcome<Memory>) -> Noted {
    Ok(noted(child.done()?.said()))
}

/// Before, the child, and after it.
fn parent(calls: &Calls, child: Compiled<Memory>, persistence: Persistence) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("parent");
    for (node, name) in [(A, "first"), (LAST, "last")] {
        let calls = calls.clone();
        graph.add_node(node, move |_: Snapshot<Work>| {
            calls.add(name);
            let said = format!("{name}{}", calls.count(name));
            async move { Noted::Ok(noted(said)) }
        });
    }
    graph.add_subgraph(CHILD, child, |_: &Work| Memory::update(), out).persistence(persistence);
    graph.add_edge(START, A).add_edge(A, CHILD).add_edge(CHILD, LAST);
    graph
}

fn ns_of(persistence: Persistence) -> &'static str {
    if persistence == Persistence::PerThread { "child" } else { "child:2.0" }
}

fn waiting(outcome: Result<Outcome<Work>, RunError>) -> Questions {
    let Outcome::Waiting(questions) = outcome.expect("the run ends") else { panic!("the run waits") };
    questions
}

#[tokio::test]
async fn a_subgraph_runs_again_from_its_checkpoint_and_then_its_parent() {
    for (persistence, durability) in
        KEPT.into_iter().flat_map(|kept| [Durability::Sync, Durability::Async].map(|durability| (kept, durability)))
    {
        let calls = Calls::default();
        let store = MemoryCheckpointer::new();
        let threads = parent(&calls, chain(&calls, false), persistence).built().with_checkpointer(store.clone());
        let thread = threads.thread("t").policy(RunPolicy::default().durability(durability));
        let ns = ns_of(persistence);
        assert_eq!(done(thread.run(Work::update()).await).story(), "first1 a1+b1+c1 last1");
        let before = calls.all().len();

        let replayed = done(thread.at_subgraph(ns, 2).replay().await);
        assert_eq!(replayed.story(), "first1 a1+b2+c2 last2", "{persistence:?}");
        assert_eq!(calls.all()[before..], ["b", "c", "last"], "{persistence:?}");
        let history = thread.history(&HistoryFilter::default()).await.unwrap();
        let rows: Vec<_> = history.iter().map(|row| (row.number, row.parent, row.source)).collect();
        let step = Source::Step;
        assert_eq!(rows[..3], [(7, Some(6), step), (6, Some(5), step), (5, Some(2), Source::Fork)]);
        assert_eq!(thread.at(4).state().await.unwrap().state.story(), "first1 a1+b1+c1 last1", "the old branch stays");

        // The old call is there, and so is that of the branch.
        assert_eq!(done(thread.at_subgraph(ns, 3).replay().await).story(), "first1 a1+b1+c3 last3");
        let (of_branch, number) = if persistence == Persistence::PerThread { (ns, 6) } else { ("child:5.0", 4) };
        assert_eq!(done(thread.at_subgraph(of_branch, number).replay().await).story(), "first1 a1+b2+c4 last4");
        // Where nothing is left to do in the subgraph, its parent goes on; from the input on, all of it runs.
        assert_eq!(done(thread.at_subgraph(ns, 4).replay().await).story(), "first1 a1+b1+c1 last5");
        assert_eq!(done(thread.at_subgraph(ns, 1).replay().await).story(), "first1 a2+b3+c5 last6");
        assert_eq!(done(thread.at_subgraph("", 2).replay().await).story(), "first1 a3+b4+c6 last7", "the root's own");

        // The next turn goes on from the branch.
        let next = done(thread.run(Work::update()).await).story();
        let kept = if persistence == Persistence::PerThread { "a3+b4+c6+a4+b5+c7" } else { "a4+b5+c7" };
        assert_eq!(next, format!("first1 a3+b4+c6 last7 first2 {kept} last8"));
    }
}

#[tokio::test]
async fn a_question_is_asked_again_and_another_answer_goes_through_to_the_parent() {
    for persistence in KEPT {
        let calls = Calls::default();
        let threads = parent(&calls, chain(&calls, true), persistence).built();
        let thread = threads.with_checkpointer(MemoryCheckpointer::new()).thread("t");
        let asked = waiting(thread.run(Work::update()).await);
        assert_eq!(done(thread.resume(asked.answer("word", "one").unwrap()).await).story(), "first1 a1+b=one+c1 last1");
        let again = waiting(thread.at_subgraph(ns_of(persistence), 2).replay().await);
        assert_eq!((again.len(), calls.count("a"), calls.count("first")), (1, 1, 1), "{persistence:?}");
        assert_ne!(again.iter().next().unwrap().id, asked.iter().next().unwrap().id);
        assert_eq!(again.iter().next().unwrap().payload, "a1");
        assert_eq!(done(thread.resume(again.answer("word", "two").unwrap()).await).story(), "first1 a1+b=two+c2 last2");
        // While the thread waits inside of the subgraph, too.
        let third = waiting(thread.at_subgraph(ns_of(persistence), 2).replay().await);
        let fourth = waiting(thread.at_subgraph(ns_of(persistence), 1).replay().await);
        let of_third = Answers::new().and(&third.iter().next().unwrap().id, "-").unwrap();
        assert!(thread.resume(of_third).await.is_err(), "that question is of another branch");
        assert_eq!(
            done(thread.resume(fourth.answer("word", "four").unwrap()).await).story(),
            "first1 a2+b=four+c3 last3"
        );
    }
}

/// The nodes of the steps that a run commits, in order, and how it ends.
async fn committed(mut run: Run<Work>) -> (Vec<String>, Result<Outcome<Work>, RunError>) {
    let mut nodes = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::Committed { tasks, .. } = event.kind {
            nodes.extend(tasks.iter().filter_map(|task| Some(task.rsplit('/').next()?.split(':').next()?.to_owned())));
        }
    }
    (nodes, run.await)
}

/// A level around another: counts, calls it, and puts its own count before what that says.
fn around(key: Node, inner: Compiled<Memory>, persistence: Persistence, mode: Mode) -> Compiled<Memory> {
    let mut graph = StateGraph::<Memory>::new("middle");
    graph.mode(mode);
    graph.add_node(Node::named("count"), |_: Snapshot<Memory>| async { Ok::<_, NodeError>(Memory::update().n(1)) });
    let topic = |child: ChildOutcome<Memory>| Ok::<_, NodeError>(Memory::update().topic(child.done()?.topic.clone()));
    graph.add_subgraph(key.clone(), inner, |_: &Memory| Memory::update(), topic).persistence(persistence);
    graph.add_node(Node::named("tell"), |memory: Snapshot<Memory>| async move {
        Ok::<_, NodeError>(Memory::update().topic(format!("{}/{}", memory.n, memory.topic)))
    });
    graph.add_edge(START, Node::named("count")).add_edge(Node::named("count"), key.clone());
    graph.add_edge(key, Node::named("tell"));
    graph.built()
}

fn three_levels([a, b, c]: [Persistence; 3], mode: Mode) -> StateGraph<Work> {
    let mut leaf = StateGraph::<Memory>::new("leaf");
    leaf.add_node(Node::named("count"), |_: Snapshot<Memory>| async { Ok::<_, NodeError>(Memory::update().n(1)) });
    leaf.add_node(Node::named("say"), |memory: Snapshot<Memory>| async move {
        Ok::<_, NodeError>(Memory::update().topic(memory.n.to_string()))
    });
    leaf.add_edge(START, Node::named("count")).add_edge(Node::named("count"), Node::named("say"));
    let leaf = leaf.built();
    let mut graph = StateGraph::<Work>::new("root");
    graph.mode(mode);
    let topic = |child: ChildOutcome<Memory>| Noted::Ok(noted(child.done()?.topic.clone()));
    let inside = around(B, around(C, leaf, c, mode), b, mode);
    graph.add_subgraph(A, inside, |_: &Work| Memory::update(), topic).persistence(a);
    graph.add_node(LAST, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(1)) });
    graph.add_edge(START, A).add_edge(A, LAST);
    graph
}

/// The namespace of the leaf's last call.
async fn of_leaf(store: &MemoryCheckpointer) -> String {
    let numbers =
        |ns: &String| -> Vec<u64> { ns.split([':', '.', '/']).filter_map(|part| part.parse().ok()).collect() };
    let all = store.namespaces("t").await.expect("the store reads");
    all.into_iter().filter(|ns| ns.matches('/').count() == 2).max_by_key(numbers).expect("the leaf was called")
}

#[tokio::test]
async fn every_graph_around_it_goes_back_to_where_it_called() {
    let kinds = || KEPT.into_iter();
    let pairs = kinds().flat_map(|a| kinds().map(move |b| (a, b)));
    for kept in pairs.flat_map(|(a, b)| kinds().map(move |c| [a, b, c])) {
        for mode in [Mode::Barrier, Mode::Eager] {
            let store = MemoryCheckpointer::new();
            let thread = three_levels(kept, mode).built().with_checkpointer(store.clone()).thread("t");
            done(thread.run(Work::update()).await);
            let story = done(thread.run(Work::update()).await).story();
            for _ in 0..2 {
                let leaf = of_leaf(&store).await;
                let rows = store.checkpoints("t", &leaf, &HistoryFilter::default()).await.unwrap();
                // The newest is that after `say`.
                let (nodes, ended) = committed(thread.at_subgraph(leaf, rows[1].number).replay()).await;
                assert_eq!(nodes, ["say", "c", "tell", "b", "tell", "a", "last"], "{kept:?}, {mode:?}");
                assert_eq!(done(ended).story(), story, "{kept:?}, {mode:?}");
            }
            let count = |kind| if kind == Persistence::PerThread { 3 } else { 1 };
            let third = kept.map(count).map(|count| count.to_string()).join("/");
            assert_eq!(
                done(thread.run(Work::update()).await).story(),
                format!("{story} {third}"),
                "{kept:?}, {mode:?}"
            );
        }
    }
}

/// Refuses a commit.
#[derive(Clone, Default)]
pub(crate) struct Failing {
    store: MemoryCheckpointer,
    /// Counts down to the commit that fails.
    pub(crate) left: Arc<AtomicI64>,
}

#[async_trait]
impl CheckpointerLayer for Failing {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            return Err(CheckpointError::Full { path: "disk".to_owned(), message: "no room".to_owned() });
        }
        self.store.commit(lease, commit).await
    }
}

#[tokio::test]
async fn a_crash_at_any_commit_goes_on_from_the_checkpoint() {
    for persistence in KEPT {
        let mut refused = 0;
        for fails in 1_i64.. {
            let (calls, store) = (Calls::default(), Failing::default());
            let open = || {
                let graph = parent(&calls, chain(&calls, false), persistence).built();
                graph.with_checkpointer(store.clone()).thread("t")
            };
            done(open().run(Work::update()).await);
            store.left.store(fails, Ordering::SeqCst);
            let ended = open().at_subgraph(ns_of(persistence), 2).replay().await;
            store.left.store(0, Ordering::SeqCst);
            let work = match ended {
                Ok(outcome) => {
                    done(Ok(outcome));
                    break;
                }
                Err(RunError::Checkpoint(_)) if open().state().await.unwrap().status == ThreadStatus::Done => {
                    assert_eq!(fails, 1, "the fork itself");
                    done(open().at_subgraph(ns_of(persistence), 2).replay().await)
                }
                Err(error) => {
                    assert!(matches!(error, RunError::Checkpoint(_)), "{error}");
                    refused += 1;
                    done(open().continue_().await)
                }
            };
            assert!(work.story().starts_with("first1 a1+b") && work.notes.len() == 3, "{fails}: {}", work.story());
            assert_eq!((calls.count("a"), calls.count("first")), (1, 1), "{persistence:?}, commit {fails}");
        }
        assert_eq!(refused, 5, "{persistence:?}: the branch of the child, its two steps, and the parent's");
    }
}

#[tokio::test]
async fn a_fork_waits_for_another_process_and_keeps_what_it_goes_on_from() {
    for persistence in KEPT {
        let (calls, store) = (Calls::default(), MemoryCheckpointer::new());
        let open = || {
            let graph = parent(&calls, chain(&calls, false), persistence).built();
            graph.with_checkpointer(store.clone()).thread("t")
        };
        done(open().run(Work::update()).await);
        open().at_subgraph(ns_of(persistence), 2).fork().await.unwrap();
        let state = open().state().await.unwrap();
        assert_eq!((state.status, state.next.as_slice()), (ThreadStatus::Drained, &["child".to_owned()][..]));
        let all = Retention::default().keep_last(1).drop_finished_subgraphs();
        all.prune(&store, "t", 0).await.unwrap();
        assert_eq!(done(open().continue_().await).story(), "first1 a1+b2+c2 last2", "{persistence:?}");
    }
}

#[tokio::test]
async fn durable_steps_are_taken_over_if_asked() {
    for persistence in KEPT {
        for reuse in [false, true] {
            let calls = Calls::default();
            let mut inner = StateGraph::<Memory>::new("inner");
            inner.add_node(A, |_: Snapshot<Memory>| async { Ok::<_, NodeError>(told("a")) });
            let paid = calls.clone();
            inner.add_node(B, move |_: Snapshot<Memory>, cx: Context| {
                let calls = paid.clone();
                async move {
                    let effect = async {
                        calls.add("paid");
                        Ok(calls.count("paid"))
                    };
                    let number = cx.once("effect", effect).await?;
                    Ok::<_, NodeError>(told(number.to_string()))
                }
            });
            inner.add_edge(START, A).add_edge(A, B);
            let graph = parent(&calls, inner.built(), persistence);
            let thread = graph.built().with_checkpointer(MemoryCheckpointer::new()).thread("t");
            done(thread.run(Work::update()).await);
            let at = thread.at_subgraph(ns_of(persistence), 2);
            let at = if reuse { at.reuse_once() } else { at };
            let paid = if reuse { "1" } else { "2" };
            assert_eq!(done(at.replay().await).story(), format!("first1 a+{paid} last2"), "{persistence:?}");
        }
    }
}

#[tokio::test]
async fn siblings_of_the_call_run_again_from_their_beginning() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let calls = Calls::default();
        let mut inner = StateGraph::<Memory>::new("inner");
        for (node, name) in [(A, "a"), (B, "b")] {
            let calls = calls.clone();
            inner.add_node(node, move |memory: Snapshot<Memory>| {
                calls.add(format!("{name} {}", memory.topic));
                async move { Ok::<_, NodeError>(told(format!("{}{name}", memory.topic))) }
            });
        }
        inner.add_edge(START, A).add_edge(A, B);
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        graph.add_subgraph_task(PART, inner.built(), |topic: String, _: &Work| Memory::update().topic(topic), out);
        graph.add_sends(START, PART, |_: &Work| ["x", "y"].map(|key| PART.send(key, key.to_owned())).to_vec());
        let thread = graph.built().with_checkpointer(MemoryCheckpointer::new()).thread("t");
        let first = done(thread.run(Work::update()).await);
        let before = calls.all().len();
        let again = done(thread.at_subgraph("part:1.1", 2).replay().await);
        let mut notes: [Vec<_>; 2] = [&first, &again].map(|work| work.notes.iter().cloned().collect());
        notes.iter_mut().for_each(|notes| notes.sort());
        assert_eq!(notes[0], notes[1], "{mode:?}");
        let mut ran = calls.all()[before..].to_vec();
        ran.sort();
        assert_eq!(ran, ["a x", "b x", "b y"], "{mode:?}");
    }
}

#[tokio::test]
async fn in_eager_mode_the_parent_goes_back_to_what_the_call_saw() {
    let calls = Calls::default();
    let mut graph = parent(&calls, chain(&calls, true), Persistence::PerCall);
    graph.mode(Mode::Eager);
    for (node, name) in [(B, "b"), (C, "c")] {
        let calls = calls.clone();
        graph.add_node(node, move |_: Snapshot<Work>| {
            calls.add(format!("root {name}"));
            async move { Noted::Ok(noted(name)) }
        });
    }
    graph.add_edge(A, B).add_edge(B, C);
    let thread = graph.built().with_checkpointer(MemoryCheckpointer::new()).thread("t");
    let asked = waiting(thread.run(Work::update()).await);
    done(thread.resume(asked.answer("word", "one").unwrap()).await);
    let call = asked.iter().next().unwrap().task.split('/').next().unwrap().to_owned();
    let again = waiting(thread.at_subgraph(call, 2).replay().await);
    assert_eq!(thread.state().await.unwrap().state.story(), "first1 b c", "what ran beside the call ran again");
    assert_eq!((calls.count("root b"), calls.count("root c"), calls.count("first"), calls.count("a")), (2, 2, 1, 1));
    assert_eq!(done(thread.resume(again.answer("word", "two").unwrap()).await).story(), "first1 b c a1+b=two+c2 last2");
}

#[tokio::test]
async fn what_is_not_there_is_refused_and_changes_nothing() {
    let calls = Calls::default();
    let store = MemoryCheckpointer::new();
    let graph = parent(&calls, chain(&calls, false), Persistence::PerCall).built();
    let thread = graph.with_checkpointer(store.clone()).thread("t");
    done(thread.run(Work::update()).await);
    let before = thread.state().await.unwrap().checkpoint;
    let unknown = thread.at_subgraph("child:2.0", 9).replay().await.unwrap_err();
    insta::assert_snapshot!(unknown, @"thread `t` has no checkpoint 9 in namespace `child:2.0`; its history lists those it has");
    let nowhere = thread.at_subgraph("child:7.0", 1).fork().await.unwrap_err();
    insta::assert_snapshot!(nowhere, @"thread `t` has no checkpoint 1 in namespace `child:7.0`; its history lists those it has");
    assert_eq!(thread.state().await.unwrap().checkpoint, before);
    Retention::default().keep_last(1).prune(&store, "t", 0).await.unwrap();
    let pruned = thread.at_subgraph("child:2.0", 4).replay().await.unwrap_err();
    insta::assert_snapshot!(pruned, @"thread `t` has no checkpoint 2; `history()` lists them");

    let stateless = parent(&calls, chain(&calls, false), Persistence::Stateless).built();
    let thread: Thread<Work> = stateless.with_checkpointer(MemoryCheckpointer::new()).thread("t");
    done(thread.run(Work::update()).await);
    let stateless = thread.at_subgraph("child:2.0", 1).replay().await.unwrap_err();
    insta::assert_snapshot!(stateless, @"thread `t` has no checkpoint 1 in namespace `child:2.0`; its history lists those it has");
}
