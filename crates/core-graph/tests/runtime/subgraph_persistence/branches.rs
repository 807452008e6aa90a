//! Forks, copies, and what retention leaves.

use super::*;

use crate::log::Build;

#[tokio::test]
async fn a_fork_or_a_replay_has_the_child_where_it_stood() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (thread, _) = stored(parent(quiet(), Persistence::PerThread));
        let thread = thread.policy(RunPolicy::default().durability(durability));
        let mut ends = Vec::new();
        for _ in 0..3 {
            turn(&thread).await;
            ends.push(thread.state().await.unwrap().checkpoint.unwrap().number);
        }
        thread.at(ends[0]).fork().await.unwrap();
        assert_eq!(turn(&thread).await, "1 1+2", "the turns after the fork are unknown to the branch");
        let branch = thread.state().await.unwrap().checkpoint.unwrap().number;
        assert_eq!(turn(&thread).await, "1 1+2 1+2+3");
        thread.at(ends[2]).fork().await.unwrap();
        assert_eq!(turn(&thread).await, "1 1+2 1+2+3 1+2+3+4", "the branch that was left is as it was");
        thread.at(branch).fork().await.unwrap();
        assert_eq!(turn(&thread).await, "1 1+2 1+2+3");
        if durability == Durability::Exit {
            continue;
        }
        for _ in 0..2 {
            let replayed = done(thread.at(ends[1] - 1).replay().await).story();
            assert_eq!(replayed, "1 1+2", "the second turn runs again on what the first left");
        }
        assert_eq!(done(thread.at(1).replay().await).story(), "1", "before the first call it begins with nothing");
        assert_eq!(turn(&thread).await, "1 1+2");
    }
}

#[tokio::test]
async fn an_input_at_a_checkpoint_has_the_child_where_it_stood_there() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (thread, _) = stored(parent(quiet(), Persistence::PerThread));
        let thread = thread.policy(RunPolicy::default().durability(durability));
        let mut ends = Vec::new();
        for _ in 0..3 {
            turn(&thread).await;
            ends.push(thread.state().await.unwrap().checkpoint.unwrap().number);
        }
        let from = |number: u64| thread.at(number).run(Work::update());
        assert_eq!(done(from(ends[0]).await).story(), "1 1+2", "{durability:?}");
        assert_eq!(done(from(ends[1]).await).story(), "1 1+2 1+2+3", "{durability:?}");
        assert_eq!(done(from(0).await).story(), "1", "before the first input it stood nowhere");
        assert_eq!(turn(&thread).await, "1 1+2", "{durability:?}: and goes on from there");
        assert_eq!(done(from(ends[2]).await).story(), "1 1+2 1+2+3 1+2+3+4", "the branch that was left is as it was");
    }
}

#[tokio::test]
async fn an_input_at_a_checkpoint_leaves_an_open_call_of_the_child_behind() {
    let (thread, _) = stored(parent(asking(2), Persistence::PerThread));
    assert_eq!(turn(&thread).await, "1");
    let end = thread.state().await.unwrap().checkpoint.unwrap().number;
    for _ in 0..2 {
        // The child has counted to 2 and asks; from the end of the first turn it counts to 2 again.
        for number in [end, thread.state().await.unwrap().checkpoint.unwrap().number] {
            let outcome = thread.at(number).run(Work::update()).await.unwrap();
            let Outcome::Waiting(asked) = outcome else { panic!("it asks") };
            assert_eq!(asked.iter().next().unwrap().payload, 2);
        }
    }
    let questions = thread.questions().await.unwrap();
    assert_eq!(done(thread.resume(questions.answer("word", "two").unwrap()).await).story(), "1 1+two");
    let Outcome::Done(anew) = thread.at(0).run(Work::update()).await.unwrap() else { panic!("it counts to 1") };
    assert_eq!(anew.story(), "1");
}

#[tokio::test]
async fn copies_have_children_of_their_own() {
    let (thread, store) = stored(parent(quiet(), Persistence::PerThread));
    turn(&thread).await;
    let first = thread.state().await.unwrap().checkpoint.unwrap().number;
    turn(&thread).await;
    let copy = thread.copy_to("copy").await.unwrap();
    assert_eq!(turn(&copy).await, "1 1+2 1+2+3");
    fork_thread(&*store, "t", first, "early", false).await.unwrap();
    let threads = parent(quiet(), Persistence::PerThread).built().with_context(());
    let early = threads.with_shared_checkpointer(Arc::clone(&store)).thread("early");
    assert_eq!(turn(&early).await, "1 1+2");
    assert_eq!(turn(&thread).await, "1 1+2 1+2+3", "neither moved the child of the original");
    store.delete_thread("t").await.unwrap();
    assert_eq!(turn(&thread).await, "1");
}

#[tokio::test]
async fn pruning_and_taking_back_leave_every_kept_checkpoint_usable() {
    let (thread, store) = stored(parent(quiet(), Persistence::PerThread));
    let mut ends = Vec::new();
    for _ in 0..5 {
        turn(&thread).await;
        ends.push(thread.state().await.unwrap().checkpoint.unwrap().number);
    }
    Retention::default().keep_last(3).drop_finished_subgraphs().prune(&*store, "t", 0).await.unwrap();
    assert_eq!(turn(&thread).await, "1 1+2 1+2+3 1+2+3+4 1+2+3+4+5 1+2+3+4+5+6");
    thread.at(ends[3]).fork().await.unwrap();
    assert_eq!(turn(&thread).await, "1 1+2 1+2+3 1+2+3+4 1+2+3+4+5", "the fourth turn is kept with its child");
    let last = runs(&*store, "t").await.unwrap().last().unwrap().id;
    delete_runs(&*store, "t", &[last]).await.unwrap();
    assert_eq!(turn(&thread).await, "1 1+2 1+2+3 1+2+3+4 1+2+3+4+5");
    for most in [20_000, 0] {
        Retention::default().max_bytes(most).prune(&*store, "t", 0).await.unwrap();
        for row in thread.history(&HistoryFilter::default()).await.unwrap() {
            let story = thread.at(row.number).state().await.unwrap().state.story();
            let calls = if story.is_empty() { 0 } else { story.split(' ').count() };
            let branch = thread.copy_to(&format!("{most}-{}", row.number)).await.unwrap();
            branch.at(row.number).fork().await.unwrap();
            let after = done(branch.abandon().run(Work::update()).await).story();
            let expected: Vec<_> = (1..=calls + 1).map(|n| n.to_string()).collect();
            assert_eq!(after.split(' ').next_back().unwrap(), expected.join("+"), "at {}", row.number);
        }
    }
}

#[tokio::test]
async fn a_child_that_is_gone_is_told_and_not_begun_anew() {
    let (thread, store) = stored(parent(quiet(), Persistence::PerThread));
    turn(&thread).await;
    let lease = store.acquire("t").await.unwrap();
    let cut = Cut { ns: "child".into(), whole: true, ..Cut::default() };
    store.prune(&lease, Pruning { cuts: vec![cut], ..Pruning::default() }).await.unwrap();
    store.release(&lease);
    insta::assert_snapshot!(
        failed(thread.run(Work::update()).await),
        @"node `child` failed: thread `t` has no checkpoint 3 in namespace `child`; its history lists those it has"
    );
    let unknown = CheckpointError::UnknownCheckpoint { thread: "t".to_owned(), ns: "child".to_owned(), number: 3 };
    let refused = fork_thread(&*store, "t", 2, "copy", false).await.unwrap_err();
    assert_eq!(refused.to_string(), unknown.to_string());
}

#[derive(Clone, Debug)]
enum Move {
    Turn,
    /// Fork at a checkpoint, counted from the newest.
    Fork(usize),
    /// A turn at a checkpoint, counted from the newest, or before the first.
    TurnAt(usize),
    Prune(u64),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let step = prop_oneof![
        3 => Just(Move::Turn),
        2 => (0usize..12).prop_map(Move::Fork),
        2 => (0usize..12).prop_map(Move::TurnAt),
        1 => (1u64..6).prop_map(Move::Prune),
    ];
    proptest::collection::vec(step, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// However a thread is forked and pruned, the child has counted as many calls as the branch has made.
    #[test]
    fn a_child_knows_the_calls_of_its_branch(moves in moves()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (thread, store) = stored(parent(quiet(), Persistence::PerThread));
            for step in moves {
                let history = thread.history(&HistoryFilter::default()).await.unwrap();
                match step {
                    Move::Turn | Move::TurnAt(_) => {
                        let run = match step {
                            Move::TurnAt(back) => thread.at(history.get(back).map_or(0, |row| row.number)).run(Work::update()),
                            _ => thread.abandon().run(Work::update()),
                        };
                        let story = done(run.await).story();
                        for (at, note) in story.split(' ').enumerate() {
                            prop_assert_eq!(note.split('+').count(), at + 1, "{}", story);
                        }
                    }
                    Move::Fork(back) if !history.is_empty() => {
                        thread.at(history[back % history.len()].number).fork().await.unwrap();
                    }
                    Move::Prune(last) if !history.is_empty() => {
                        Retention::default().keep_last(last).prune(&*store, "t", 0).await.unwrap();
                    }
                    Move::Fork(_) | Move::Prune(_) => {}
                }
            }
            Ok(())
        })?;
    }
}
