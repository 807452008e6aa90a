//! An update that says what runs next, in the place of all that is pending.

use std::sync::atomic::Ordering;

use graphloom_core_graph::checkpoint::{Checkpointer, HistoryFilter, MemoryCheckpointer, Source, ThreadStatus};
use graphloom_core_graph::{
    Answers, Context, Durability, Mode, Node, Outcome, RunError, RunPolicy, START, Snapshot, StateGraph, Task,
};

use crate::log::{Build, Calls, Noted, Work, done, failed, note, noted, thread, threads};
use crate::statuses::brought_to;
use crate::subgraph_travel::Failing;
use crate::time_travel::Contested;

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const PART: Task<u64> = Task::named("part");

/// `a`, then `b`, then `c`.
fn chain() -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
        graph.add_node(node, note(name));
    }
    graph.add_edge(START, A).add_edge(A, B).add_edge(B, C);
    graph
}

#[tokio::test]
async fn the_update_and_the_tasks_are_one_commit_and_nobody_comes_between() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let store = Contested::default();
        let threads = chain().built().with_checkpointer(store.clone());
        let thread = threads.thread("t").policy(RunPolicy::default().durability(durability));
        done(thread.run(Work::update()).await);
        store.leases.store(0, Ordering::SeqCst);
        assert_eq!(done(thread.update_and_goto([B], noted("go")).await).story(), "a b c go b c", "{durability:?}");
        let rows = thread.history(&HistoryFilter::default()).await.unwrap();
        let update = rows.iter().find(|row| row.source == Source::Update).expect("it is written at once");
        assert_eq!((update.number, update.parent), (5, Some(4)), "{durability:?}");
        let there = thread.at(5).state().await.unwrap();
        assert_eq!((there.state.story().as_str(), there.next), ("a b c go", vec!["b".to_owned()]), "{durability:?}");
        // Several nodes, and one of them twice.
        assert_eq!(done(thread.update_and_goto([C, A, C], noted("go")).await).story(), "a b c go b c go a c b c");
        // None is the end.
        let story = done(thread.update_and_goto([], noted("end")).await).story();
        assert!(story.ends_with(" c end"), "{durability:?}: {story}");
        assert_eq!(store.leases.load(Ordering::SeqCst), 3, "{durability:?}");
        let state = thread.state().await.unwrap();
        assert_eq!((state.status, state.tasks.len()), (ThreadStatus::Done, 0), "{durability:?}");
        assert_eq!(done(thread.run(noted("next")).await).story(), format!("{story} next a b c"), "{durability:?}");
    }
}

#[tokio::test]
async fn sends_from_outside_run_beside_the_nodes_and_no_fan_out_waits_for_them() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph.add_node(B, note("b"));
    graph.add_task(PART, |part: u64, _: Snapshot<Work>| async move { Ok(noted(format!("part{part}"))) });
    graph.add_sends(A, [PART], |_: &Work| vec![PART.send(7, 7)]);
    graph.add_node(C, note("c"));
    graph.add_edge(START, A).add_edge(PART, C).add_edge(C, B);
    let thread = graph.built().with_checkpointer(MemoryCheckpointer::new()).thread("t");
    assert_eq!(done(thread.run(Work::update()).await).story(), "a part7 c b");
    let run = thread.update_and_send([B], [PART.send(1, 1), PART.send(2, 2)], noted("go"));
    assert_eq!(done(run.await).story(), "a part7 c b go b part1 part2 c b");
    let wrong = [Task::<u64>::named("b").send(1, 1), Task::<u64>::named("gone").send(1, 1)];
    for (packet, expected) in wrong.into_iter().zip(["takes no input of its own", "it has no node `gone` to send to"]) {
        let refused = thread.update_and_send([], [packet], Work::update()).await.unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    assert_eq!(thread.state().await.unwrap().state.story(), "a part7 c b go b part1 part2 c b");
}

#[tokio::test]
async fn a_thread_of_any_status_takes_it() {
    use ThreadStatus::{BudgetSpent, Cancelled, Done, Drained, Failed, New, Waiting};
    for status in [New, Done, Waiting, Failed, Cancelled, Drained, BudgetSpent] {
        let thread = brought_to(status).await;
        let before = thread.state().await.unwrap().state.story();
        let story = done(thread.update_and_goto([B], noted("go")).await).story();
        assert_eq!(story, format!("{before} go b").trim_start(), "{status:?}: `a` is not pending any more");
        let ended = brought_to(status).await;
        assert_eq!(done(ended.update_and_goto([], noted("go")).await).story(), format!("{before} go").trim_start());
        assert_eq!(ended.state().await.unwrap().status, Done, "{status:?}");
        assert!(ended.continue_().await.is_err(), "{status:?}: nothing is left");
    }
}

/// Two parts of which the second asks, joined into the last node; beside them a node that asks, and a join that waits for
/// it.
fn asking(mode: Mode, calls: &Calls) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    graph.add_node(A, note("a"));
    let seen = calls.clone();
    graph
        .add_task(PART, move |part: u64, _: Snapshot<Work>, cx: Context| {
            let calls = seen.clone();
            async move {
                calls.add(format!("part {part}"));
                if part == 1 {
                    return Noted::Ok(noted("one"));
                }
                let answer: String = cx.ask("word", &part).await?;
                Noted::Ok(noted(answer))
            }
        })
        .asks::<String>("word");
    graph.add_node(B, note("b"));
    graph.add_node(C, note("c"));
    graph.add_edge(START, A).add_edge(A, B);
    graph.add_sends(A, PART, |_: &Work| vec![PART.send(1, 1), PART.send(2, 2)]);
    graph.add_join((PART, B), C);
    graph
}

#[tokio::test]
async fn what_is_pending_is_dropped_with_its_question_its_fan_out_and_its_join() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let calls = Calls::default();
        let store = MemoryCheckpointer::new();
        let open = || asking(mode, &calls).built().with_checkpointer(store.clone()).thread("t");
        let Outcome::Waiting(asked) = open().run(Work::update()).await.unwrap() else { panic!("a part asks") };
        let id = asked.iter().next().unwrap().id.clone();
        let before = open().state().await.unwrap().state.story();
        // `b` arrives at the join, whose other half came from nothing that is still there.
        let story = done(open().update_and_goto([B], noted("go")).await).story();
        assert_eq!(story, format!("{before} go b"), "{mode:?}: the join does not fire");
        let state = open().state().await.unwrap();
        assert_eq!((state.status, state.questions.len()), (ThreadStatus::Done, 0), "{mode:?}");
        assert!(open().resume(Answers::new().and(&id, "late").unwrap()).await.is_err(), "{mode:?}");
        assert_eq!(store.open_records("t", "").await.unwrap(), [], "{mode:?}: nothing is left of what was dropped");
        // The graph runs as ever afterwards.
        let Outcome::Waiting(asked) = open().run(Work::update()).await.unwrap() else { panic!("{mode:?}") };
        let story = done(open().resume(asked.answer("word", "two").unwrap()).await).story();
        assert!(story.ends_with(" c"), "{mode:?}: {story}");
        assert_eq!(calls.count("part 1"), 2, "{mode:?}");
        // Where nothing follows, too.
        assert!(matches!(open().run(Work::update()).await.unwrap(), Outcome::Waiting(_)), "{mode:?}");
        assert_ne!(store.open_records("t", "").await.unwrap(), [], "{mode:?}");
        done(open().update_and_goto([], Work::update()).await);
        assert_eq!(store.open_records("t", "").await.unwrap(), [], "{mode:?}");
    }
}

#[tokio::test]
async fn at_an_older_checkpoint_it_is_a_branch_and_the_old_one_stays() {
    for durability in [Durability::Sync, Durability::Async] {
        let thread = thread(chain()).policy(RunPolicy::default().durability(durability));
        done(thread.run(Work::update()).await);
        let end = thread.state().await.unwrap().checkpoint.unwrap().number;
        assert_eq!(done(thread.at(2).update_and_send([C], [], noted("go")).await).story(), "a go c");
        let rows = thread.history(&HistoryFilter::default()).await.unwrap();
        let update = rows.iter().find(|row| row.source == Source::Update).unwrap();
        assert_eq!((update.number, update.parent), (end + 1, Some(2)), "{durability:?}");
        assert_eq!(thread.at(end).state().await.unwrap().state.story(), "a b c", "{durability:?}");
        // Before the first input there is nothing.
        assert_eq!(done(thread.at(0).update_and_send([B], [], noted("new")).await).story(), "new b c");
        let message = failed(thread.at(99).update_and_send([B], [], noted("new")).await);
        assert!(message.contains("no checkpoint 99"), "{message}");
    }
}

#[tokio::test]
async fn a_node_that_cannot_be_gone_to_and_a_bad_update_change_nothing() {
    let thread = thread(asking(Mode::Barrier, &Calls::default()));
    assert!(matches!(thread.run(Work::update()).await.unwrap(), Outcome::Waiting(_)));
    let before = thread.state().await.unwrap();
    let unknown = thread.update_and_goto([B, Node::named("ghost")], noted("-")).await.unwrap_err();
    insta::assert_snapshot!(unknown, @"thread `t` does not fit the graph `g`: it has no node `ghost` to go to; nodes: `a`, `b`, `c`, `part`");
    let task = thread.update_and_goto([Node::named("part")], noted("-")).await.unwrap_err();
    insta::assert_snapshot!(task, @"thread `t` does not fit the graph `g`: its node `part` runs what is sent to it, and nothing was; go to a node that sends to it");
    let refused = thread.update_and_goto([B], Work::update().fragile(13)).await.unwrap_err();
    assert!(matches!(refused, RunError::BadUpdate { .. }), "{refused}");
    let after = thread.state().await.unwrap();
    assert_eq!((after.checkpoint, after.tasks), (before.checkpoint, before.tasks));
    assert_eq!((after.status, after.questions.len()), (ThreadStatus::Waiting, 1));
    let fresh = threads(chain()).thread("new");
    assert!(failed(fresh.update_and_goto([A], Work::update().fragile(13)).await).contains("dislikes 13"));
    assert_eq!(fresh.state().await.unwrap().status, ThreadStatus::New);
}

#[tokio::test]
async fn a_crash_at_any_commit_leaves_it_as_it_was_or_goes_on_from_there() {
    let mut refused = Vec::new();
    for fails in 1_i64.. {
        let store = Failing::default();
        let open = || chain().built().with_checkpointer(store.clone()).thread("t");
        done(open().run(Work::update()).await);
        store.left.store(fails, Ordering::SeqCst);
        let ended = open().update_and_goto([B], noted("go")).await;
        store.left.store(0, Ordering::SeqCst);
        let Err(error) = ended else {
            assert_eq!(done(ended).story(), "a b c go b c");
            break;
        };
        assert!(matches!(error, RunError::Checkpoint(_)), "{error}");
        let state = open().state().await.unwrap();
        refused.push(state.state.story());
        let ended = match state.status {
            ThreadStatus::Done => open().update_and_goto([B], noted("go")).await,
            _ => open().continue_().await,
        };
        assert_eq!(done(ended).story(), "a b c go b c", "commit {fails}");
        let rows = open().history(&HistoryFilter::default()).await.unwrap();
        assert_eq!(rows.iter().filter(|row| row.source == Source::Update).count(), 1, "commit {fails}");
    }
    assert_eq!(refused, ["a b c", "a b c go", "a b c go b"]);
}
