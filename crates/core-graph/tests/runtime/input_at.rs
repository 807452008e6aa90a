//! An input at an older checkpoint: one commit, on a branch.

use std::sync::atomic::Ordering;

use graphloom_core_graph::checkpoint::{HistoryFilter, Source, ThreadStatus};
use graphloom_core_graph::{
    Answers, Context, Durability, EventKind, Mode, Node, Outcome, RunError, RunPolicy, START, Snapshot, StateGraph,
    Task, Thread,
};

use crate::log::{Build, Noted, Work, done, failed, note, noted, thread, threads};
use crate::statuses::brought_to;
use crate::subgraph_travel::Failing;
use crate::time_travel::Contested;

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const LAST: Node = Node::named("last");
const PART: Task<u64> = Task::named("part");

fn chain() -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph.add_node(B, note("b"));
    graph.add_edge(START, A).add_edge(A, B);
    graph
}

/// Number, parent and source of the checkpoints after `number`, oldest first.
async fn after(thread: &Thread<Work>, number: u64) -> Vec<(u64, Option<u64>, Source)> {
    let mut rows = thread.history(&HistoryFilter::default()).await.expect("it reads");
    rows.reverse();
    let rows = rows.into_iter().filter(|row| row.number > number);
    rows.map(|row| (row.number, row.parent, row.source)).collect()
}

#[tokio::test]
async fn it_is_one_commit_whose_parent_is_that_checkpoint_and_nobody_comes_between() {
    for (durability, steps) in [(Durability::Sync, true), (Durability::Async, true), (Durability::Exit, false)] {
        let store = Contested::default();
        let threads = chain().built().with_checkpointer(store.clone());
        // All checkpoints are there to go back to.
        let thread = threads.thread("t");
        done(thread.run(noted("one")).await);
        let thread = thread.policy(RunPolicy::default().durability(durability));
        store.leases.store(0, Ordering::SeqCst);
        assert_eq!(done(thread.at(2).run(noted("two")).await).story(), "one a two a b", "{durability:?}");
        assert_eq!(store.leases.load(Ordering::SeqCst), 1, "{durability:?}");
        let made = after(&thread, 3).await;
        let step = |number: u64| (number, Some(number - 1), Source::Step);
        match steps {
            true => assert_eq!(made, [(4, Some(2), Source::Input), step(5), step(6)], "{durability:?}"),
            false => assert_eq!(made, [(6, Some(2), Source::Step)]),
        }
        assert_eq!(thread.at(3).state().await.unwrap().state.story(), "one a b", "the old branch stays");
        store.leases.store(0, Ordering::SeqCst);
        assert_eq!(done(thread.at(0).run(noted("new")).await).story(), "new a b", "{durability:?}");
        assert_eq!(store.leases.load(Ordering::SeqCst), 1, "{durability:?}");
        let made = after(&thread, 6).await;
        match steps {
            true => assert_eq!(made, [(7, None, Source::Input), step(8), step(9)], "{durability:?}"),
            false => assert_eq!(made, [(9, None, Source::Step)]),
        }
        assert_eq!(thread.at(9).state().await.unwrap().checkpoint.unwrap().step, 2, "{durability:?}: steps count anew");
        assert_eq!(done(thread.run(noted("on")).await).story(), "new a b on a b", "{durability:?}");
        assert_eq!(done(thread.at(6).run(noted("back")).await).story(), "one a two a b back a b", "{durability:?}");
    }
}

#[tokio::test]
async fn it_is_a_run_like_any_other_to_its_readers() {
    let thread = thread(chain());
    done(thread.run(noted("one")).await);
    let mut run = thread.at(1).run(noted("two"));
    let mut told = Vec::new();
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::RunStarted { how, .. } => told.push(how),
            EventKind::Committed { checkpoint, next, .. } => told.push(format!("{checkpoint} {}", next.join(" "))),
            EventKind::RunEnded { status, .. } => told.push(format!("{status:?}")),
            _ => {}
        }
    }
    done(run.await);
    assert_eq!(told, ["input", "4 a", "5 b", "6 ", "Done"]);
}

#[tokio::test]
async fn a_thread_of_any_status_takes_it() {
    use ThreadStatus::{BudgetSpent, Cancelled, Done, Drained, Failed, New, Waiting};
    for status in [Done, Waiting, Failed, Cancelled, Drained, BudgetSpent] {
        let thread = brought_to(status).await;
        let newest = thread.state().await.unwrap().checkpoint.unwrap().number;
        for (at, story) in [(1, "x"), (0, "x")] {
            match thread.at(at).run(noted("x")).await.unwrap() {
                Outcome::Waiting(questions) => {
                    assert_eq!(status, Waiting);
                    assert_eq!(done(thread.resume(questions.answer("name", "Ada").unwrap()).await).story(), "x Ada b");
                }
                outcome => assert_eq!(outcome.done().unwrap().story(), format!("{story} a b"), "{status:?} at {at}"),
            }
        }
        let inputs = after(&thread, newest).await.into_iter().filter(|(.., source)| *source == Source::Input);
        assert_eq!(inputs.map(|(_, parent, _)| parent).collect::<Vec<_>>(), [Some(1), None], "{status:?}");
    }
    // Before its first input stands a thread that has none, too.
    assert_eq!(done(brought_to(New).await.at(0).run(noted("x")).await).story(), "x a b");
}

#[tokio::test]
async fn what_is_not_there_is_refused_and_a_bad_input_changes_nothing() {
    let threads = threads(chain());
    let thread = threads.thread("t");
    let unknown = thread.at(1).run(noted("x")).await.unwrap_err();
    assert!(matches!(unknown, RunError::UnknownCheckpoint { number: 1, .. }), "{unknown}");
    assert_eq!(thread.state().await.unwrap().status, ThreadStatus::New);
    done(thread.run(noted("one")).await);
    let before = thread.state().await.unwrap();
    let unknown = thread.at(9).run(noted("x")).await.unwrap_err();
    assert!(matches!(unknown, RunError::UnknownCheckpoint { number: 9, .. }), "{unknown}");
    for at in [0, 2] {
        let refused = failed(thread.at(at).run(Work::update().fragile(13)).await);
        assert!(refused.contains("the reducer dislikes 13"), "{refused}");
    }
    let after = thread.state().await.unwrap();
    assert_eq!((after.checkpoint, after.status), (before.checkpoint, ThreadStatus::Done));
}

/// Two parts that ask, joined into the last node.
fn asking(mode: Mode) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    graph.add_node(A, note("a"));
    graph
        .add_task(PART, |part: u64, _: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("word", &part).await?;
            Noted::Ok(noted(answer))
        })
        .asks::<String>("word");
    graph.add_node(LAST, note("last"));
    graph.add_edge(START, A);
    graph.add_sends(A, PART, |_: &Work| vec![PART.send(1, 1), PART.send(2, 2)]);
    graph.add_join(PART, LAST);
    graph
}

#[tokio::test]
async fn what_is_pending_there_is_dropped_and_stays_on_the_branch_that_is_left() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let thread = thread(asking(mode));
        let Outcome::Waiting(asked) = thread.run(Work::update()).await.unwrap() else { panic!("both ask") };
        let [first, second] = [0, 1].map(|at| asked.iter().nth(at).unwrap().id.clone());
        // One of two parts is done, so that the fan-out is open half-way.
        thread.resume(Answers::new().and(&first, "one").unwrap()).await.unwrap();
        let left = thread.state().await.unwrap();
        let number = left.checkpoint.as_ref().unwrap().number;
        let Outcome::Waiting(again) = thread.at(number).run(noted("x")).await.unwrap() else { panic!("{mode:?}") };
        assert_eq!(again.len(), 2, "{mode:?}: the parts of the new input");
        let stale = failed(thread.resume(Answers::new().and(&second, "late").unwrap()).await);
        assert!(stale.starts_with(&format!("no open question `{second}`")), "{mode:?}: {stale}");
        let there = thread.at(number).state().await.unwrap();
        assert_eq!((there.tasks, there.questions.len()), (left.tasks, left.questions.len()), "{mode:?}: as it was");
        let both = again.iter().fold(Answers::new(), |answers, question| answers.and(&question.id, "yes").unwrap());
        let story = done(thread.resume(both).await).story();
        let before = left.state.story();
        assert_eq!(story, format!("{before} x a yes yes last"), "{mode:?}: the join fires once");
    }
}

#[tokio::test]
async fn a_crash_at_any_commit_leaves_it_as_it_was_or_with_the_input() {
    for at in [0, 2] {
        let expected = if at == 0 { "x a b" } else { "one a x a b" };
        let mut refused = Vec::new();
        for fails in 1_i64.. {
            let store = Failing::default();
            let open = || chain().built().with_checkpointer(store.clone()).thread("t");
            done(open().run(noted("one")).await);
            store.left.store(fails, Ordering::SeqCst);
            let ended = open().at(at).run(noted("x")).await;
            store.left.store(0, Ordering::SeqCst);
            let Err(error) = ended else {
                assert_eq!(done(ended).story(), expected);
                break;
            };
            assert!(matches!(error, RunError::Checkpoint(_)), "{error}");
            let state = open().state().await.unwrap();
            refused.push((state.status, state.state.story()));
            let ended = match state.status {
                ThreadStatus::Done => open().at(at).run(noted("x")).await,
                _ => open().continue_().await,
            };
            assert_eq!(done(ended).story(), expected, "commit {fails}");
            let made = after(&open(), 3).await;
            let parent = Some(at).filter(|at| *at > 0);
            assert_eq!(made[0], (4, parent, Source::Input), "commit {fails}");
            assert_eq!(made.len(), 3, "commit {fails}");
        }
        let begun = expected.trim_end_matches(" a b");
        let steps = ["", " a"].map(|step| (ThreadStatus::Running, format!("{begun}{step}")));
        assert_eq!(refused[0], (ThreadStatus::Done, "one a b".to_owned()), "the input itself");
        assert_eq!(refused[1..], steps, "at {at}");
    }
}
