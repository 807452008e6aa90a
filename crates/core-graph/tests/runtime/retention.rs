//! Pruned threads go on as if nothing had happened; runs are taken back with all that they left.

use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, HistoryFilter, Retention, ThreadStatus, delete_runs, fork_thread, runs,
};
use graphloom_core_graph::{
    ChildOutcome, Context, END, Mode, Node, NodeError, Outcome, START, Snapshot, StateGraph, Step, Task, Thread,
};

use crate::log::{Build, Calls, Noted, Work, done, failed, note, noted, threads};

const GO: Node = Node::named("go");
const ASK: Node = Node::named("ask");
const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const CHILD: Task<u64> = Task::named("child");

/// A loop of so many super-steps, each with a note of a hundred bytes.
fn looping(times: usize) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(GO, move |work: Snapshot<Work>| async move {
            let go_on = if (work.notes.len() + 1).is_multiple_of(times) { Step::goto(END) } else { Step::goto(GO) };
            Ok::<_, NodeError>(go_on.with(noted(format!("{:0>100}", work.notes.len()))))
        })
        .may_goto((GO, END));
    graph.add_edge(START, GO);
    graph
}

async fn numbers(thread: &Thread<Work>) -> Vec<u64> {
    thread.history(&HistoryFilter::default()).await.expect("the history reads").iter().map(|row| row.number).collect()
}

#[tokio::test]
async fn every_limit_leaves_a_thread_that_reads_the_same_and_goes_on() {
    let cases = [
        ("all", Retention::default(), 101),
        ("last", Retention::default().keep_last(1), 1),
        ("at least the head", Retention::default().keep_last(0), 1),
        ("some", Retention::default().keep_last(7), 7),
        ("no age", Retention::default().max_age(Duration::ZERO), 1),
        ("a great age", Retention::default().max_age(Duration::MAX), 101),
        ("no bytes", Retention::default().max_bytes(0), 1),
        ("many bytes", Retention::default().max_bytes(u64::MAX), 101),
        ("both", Retention::default().keep_last(7).max_bytes(0), 1),
    ];
    for (name, retention, left) in cases {
        let (thread, store) = stored(looping(100));
        let work = done(thread.run(Work::update()).await);
        let before = store.stats().await.unwrap();
        // Later than any checkpoint.
        let now = u64::MAX / 2;
        let preview = retention.preview(&*store, "t", now).await.unwrap();
        let pruned = retention.prune(&*store, "t", now).await.unwrap();
        assert_eq!(pruned, preview, "{name}");
        let after = store.stats().await.unwrap();
        assert_eq!((after.checkpoints, pruned.checkpoints), (left, 101 - left), "{name}");
        assert_eq!(before.bytes - after.bytes, pruned.bytes, "{name}");
        assert_eq!(numbers(&thread).await.first(), Some(&101), "{name}");
        assert_eq!(*thread.state().await.unwrap().state, *work, "{name}");
        for number in numbers(&thread).await {
            thread.at(number).state().await.unwrap();
        }
        assert_eq!(retention.prune(&*store, "t", now).await.unwrap().records, 0, "{name}: nothing is left to go");
        assert_eq!(done(thread.run(Work::update()).await).notes.len(), 200, "{name}");
    }
}

/// A thread in a new store, and the store.
fn stored(graph: StateGraph<Work>) -> (Thread<Work>, Arc<dyn Checkpointer>) {
    let threads = threads(graph);
    (threads.thread("t"), Arc::clone(threads.checkpointer()))
}

#[tokio::test]
async fn bytes_are_bounded_by_letting_the_oldest_go() {
    let (thread, store) = stored(looping(100));
    done(thread.run(Work::update()).await);
    let all = store.stats().await.unwrap().bytes;
    // The notes make up most of them, and the newest state has all.
    let limit = all * 9 / 10;
    let pruned = Retention::default().max_bytes(limit).prune(&*store, "t", 0).await.unwrap();
    let left = store.stats().await.unwrap();
    assert!(left.bytes <= limit && left.checkpoints > 1, "{left:?} of {all}: {pruned:?}");
    let kept = numbers(&thread).await;
    assert_eq!(kept, (101 - left.checkpoints + 1..=101).rev().collect::<Vec<_>>(), "the newest stay");
}

#[tokio::test]
async fn a_task_in_flight_keeps_the_state_that_it_was_dispatched_on() {
    let saw = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    let seen = saw.clone();
    graph
        .add_node(ASK, move |work: Snapshot<Work>, cx: Context| {
            seen.add(work.story());
            async move {
                let answer: String = cx.ask("word", "?").await?;
                Noted::Ok(noted(answer))
            }
        })
        .asks::<String>("word");
    for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
        graph.add_node(node, note(name));
    }
    graph.add_edge(START, ASK).add_edge(START, A).add_edge(A, B).add_edge(B, C);
    let (thread, store) = stored(graph);
    let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it asks") };
    let untouched = thread.copy_to("copy").await.unwrap();
    Retention::default().keep_last(1).prune(&*store, "t", 0).await.unwrap();
    let kept = numbers(&thread).await;
    assert_eq!(kept.len(), 2, "the head, and what the question was asked on: {kept:?}");
    assert_eq!(thread.questions().await.unwrap().len(), 1);
    let answered = questions.answer("word", "yes".to_owned()).unwrap();
    let expected = done(untouched.resume(answered.clone()).await);
    assert_eq!(*done(thread.resume(answered).await), *expected);
    let saw = saw.all();
    assert_eq!(saw[1], saw[2], "the same state with and without pruning");
}

/// Two calls of a subgraph; the second asks.
fn calling() -> StateGraph<Work> {
    let mut child = StateGraph::<Work>::new("child");
    child
        .add_node(ASK, |work: Snapshot<Work>, cx: Context| async move {
            if work.count == 1 {
                return Noted::Ok(noted("plain"));
            }
            let answer: String = cx.ask("word", "?").await?;
            Noted::Ok(noted(answer))
        })
        .asks::<String>("word");
    child.add_node(A, note("first"));
    child.add_edge(START, A).add_edge(A, ASK);
    let child = child.built();
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(GO, |_: Snapshot<Work>| async {
            Ok::<_, NodeError>(Step::<Work>::send([CHILD.send("1", 1), CHILD.send("2", 2)]))
        })
        .may_send(CHILD);
    graph.mode(Mode::Eager);
    let out = |child: ChildOutcome<Work>| Noted::Ok(noted(child.done()?.story()));
    graph.add_subgraph_task(CHILD, child, |number: u64, _: &Work| Work::update().count(number as i64), out);
    graph.add_node(B, note("b"));
    graph.add_edge(START, GO).add_join(CHILD, B);
    graph
}

#[tokio::test]
async fn finished_calls_of_subgraphs_go_and_unfinished_ones_stay() {
    let (thread, store) = stored(calling());
    let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("one call asks") };
    assert_eq!(store.namespaces("t").await.unwrap().len(), 3);
    let retention = Retention::default().keep_last(1).drop_finished_subgraphs();
    assert_eq!(retention.prune(&*store, "t", 0).await.unwrap().namespaces, 1);
    let left = store.namespaces("t").await.unwrap();
    assert!(left.len() == 2 && left[1].starts_with("child:"), "{left:?}");
    let work = done(thread.resume(questions.answer("word", "yes".to_owned()).unwrap()).await);
    assert!(work.story().contains("first yes") && work.story().ends_with('b'), "{}", work.story());
    retention.prune(&*store, "t", 0).await.unwrap();
    assert_eq!(store.namespaces("t").await.unwrap(), [""]);
}

/// Two nodes with a durable effect each; `b` fails while `last` is "bad".
fn two(calls: &Calls) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b")] {
        let calls = calls.clone();
        graph.add_node(node, move |work: Snapshot<Work>, cx: Context| {
            let calls = calls.clone();
            async move {
                let effect = async {
                    calls.add(name);
                    Ok::<_, NodeError>(())
                };
                cx.once("effect", effect).await?;
                if name == "b" && work.last == "bad" {
                    return Err(NodeError::terminal("it is bad"));
                }
                Noted::Ok(noted(name))
            }
        });
    }
    graph.add_edge(START, A).add_edge(A, B);
    graph
}

#[tokio::test]
async fn a_run_is_taken_back_with_all_that_it_left() {
    let calls = Calls::default();
    let (thread, store) = stored(two(&calls));
    let first = done(thread.run(Work::update().last("good".to_owned())).await);
    failed(thread.run(Work::update().last("bad".to_owned())).await);
    let all = runs(&*store, "t").await.unwrap();
    assert_eq!(all.iter().map(|run| run.how.as_str()).collect::<Vec<_>>(), ["input", "input"]);
    assert_eq!(all[0].ended, Some((ThreadStatus::Done, String::new())));
    assert_eq!(all[1].ended.as_ref().map(|(status, _)| *status), Some(ThreadStatus::Failed));
    assert_eq!((all[0].checkpoints.len(), all[1].checkpoints.len()), (3, 2));

    let pruned = delete_runs(&*store, "t", &[all[1].id, 999]).await.unwrap();
    assert_eq!((pruned.checkpoints, pruned.tasks), (2, 2), "the results of its tasks go, too");
    let state = thread.state().await.unwrap();
    assert_eq!((state.status, &*state.state), (ThreadStatus::Done, &*first));
    assert!(runs(&*store, "t").await.unwrap()[1].checkpoints.is_empty());
    assert_eq!(delete_runs(&*store, "t", &[all[1].id]).await.unwrap().checkpoints, 0);

    let before = calls.all().len();
    let again = done(thread.run(Work::update().last("good".to_owned())).await);
    assert_eq!(again.story(), "a b a b");
    assert_eq!(calls.all().len(), before + 2, "no result of the run that was taken back is used");
}

#[tokio::test]
async fn an_earlier_run_is_taken_back_without_the_later_ones() {
    let (thread, store) = stored(two(&Calls::default()));
    for _ in 0..3 {
        done(thread.run(Work::update()).await);
    }
    let all = runs(&*store, "t").await.unwrap();
    delete_runs(&*store, "t", &[all[0].id]).await.unwrap();
    assert_eq!(numbers(&thread).await, [9, 8, 7, 6, 5, 4]);
    assert_eq!(done(thread.run(Work::update()).await).story(), "a b a b a b a b");
    let all: Vec<u64> = runs(&*store, "t").await.unwrap().iter().map(|run| run.id).collect();
    delete_runs(&*store, "t", &all).await.unwrap();
    assert_eq!(store.thread("t").await.unwrap(), None, "a thread without checkpoints is gone");
}

#[tokio::test]
async fn a_thread_that_is_written_or_not_there_is_refused() {
    let threads = threads(two(&Calls::default()));
    done(threads.thread("t").run(Work::update()).await);
    let store = Arc::clone(threads.checkpointer());
    let lease = store.acquire("t").await.unwrap();
    let busy = Retention::default().keep_last(1).prune(&*store, "t", 0).await.unwrap_err();
    assert!(matches!(busy, CheckpointError::ThreadBusy { .. }), "{busy}");
    let busy = delete_runs(&*store, "t", &[1]).await.unwrap_err();
    assert!(matches!(busy, CheckpointError::ThreadBusy { .. }), "{busy}");
    store.release(&lease);
    let unknown = Retention::default().prune(&*store, "nobody", 0).await.unwrap_err();
    assert!(matches!(unknown, CheckpointError::UnknownThread { .. }), "{unknown}");
    assert_eq!(delete_runs(&*store, "nobody", &[1]).await.unwrap().checkpoints, 0);
    // What a writer read before a pruning is not what it may build on.
    let late = store.acquire("t").await.unwrap();
    store.release(&late);
    Retention::default().keep_last(1).cut_journal().prune(&*store, "t", 0).await.unwrap();
    assert!(store.commit(&late, Default::default()).await.is_err());
    assert_eq!(store.journal("t", 0, 1).await.unwrap()[0].seq, 1, "the run that made the head stays whole");
    done(threads.thread("t").run(Work::update()).await);
    Retention::default().keep_last(1).cut_journal().prune(&*store, "t", 0).await.unwrap();
    assert!(store.journal("t", 0, 1).await.unwrap()[0].seq > 1, "the earlier run is no longer told");
}

#[tokio::test]
async fn a_thread_is_forked_to_a_new_one_without_its_types() {
    for reuse in [false, true] {
        let calls = Calls::default();
        let threads = threads(two(&calls));
        done(threads.thread("t").run(Work::update()).await);
        let store = &**threads.checkpointer();
        fork_thread(store, "t", 2, "f", reuse).await.unwrap();
        let fork = threads.thread("f");
        let state = fork.state().await.unwrap();
        assert_eq!((state.status, state.next.join(" ").as_str()), (ThreadStatus::Drained, "b"));
        assert_eq!(state.detail, "forked from `t` at checkpoint 2");
        assert_eq!(done(fork.continue_().await).story(), "a b");
        assert_eq!(calls.count("b"), if reuse { 1 } else { 2 });
        assert_eq!(threads.thread("t").history(&HistoryFilter::default()).await.unwrap().len(), 3);
        let history = fork.history(&HistoryFilter::default()).await.unwrap();
        assert_eq!((history[0].number, history[0].parent), (4, Some(2)), "the old branch stays there");

        fork_thread(store, "t", 3, "end", reuse).await.unwrap();
        assert_eq!(threads.thread("end").state().await.unwrap().status, ThreadStatus::Done);
        for (from, number, to) in [("t", 9, "x"), ("nobody", 1, "x"), ("t", 2, "f")] {
            assert!(fork_thread(store, from, number, to, reuse).await.is_err(), "{from} {number} {to}");
        }
        assert_eq!(store.thread("x").await.unwrap(), None);
    }
}
