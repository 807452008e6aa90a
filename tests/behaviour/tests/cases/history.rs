//! History, replay, forks, edits, branches.

use graphloom_core_graph::checkpoint::{CheckpointRow, HistoryFilter, Source, ThreadStatus};
use graphloom_core_graph::{Context, Imported, Node, RunError, START, Snapshot, StateGraph, Step, Thread};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, add_nodes, done, line, steps, waiting};

on_every_store!(
    case_50_history_is_a_chain_newest_first,
    case_52_a_replay_from_before_a_question_asks_again,
    case_53_an_edit_as_a_node_leads_to_what_follows_it_and_forks_are_apart,
    case_53_an_update_says_which_nodes_run_next,
    case_55_a_fork_does_not_take_over_what_the_node_had_written,
    case_56_an_imported_history_is_that_of_a_run,
    case_58_an_input_at_an_old_checkpoint_begins_a_branch,
    case_58_an_input_at_a_checkpoint_is_one_commit_on_a_branch,
    case_58_an_input_before_the_first_one_begins_anew,
    case_59_an_unknown_checkpoint_is_an_error,
    case_73_each_durability_leaves_its_number_of_checkpoints,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const ASK: Node = Node::named("ask");

fn chain(nodes: &[Node]) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, nodes);
    let mut before = START;
    for node in nodes {
        graph.add_edge(before, node.clone());
        before = node.clone();
    }
    graph
}

async fn history(thread: &Thread<Work>) -> Vec<CheckpointRow> {
    thread.history(&HistoryFilter::default()).await.expect("it reads")
}

/// A thread that has every checkpoint, whatever the durability of the case: each step is a call of its own.
async fn step_by_step(case_store: &CaseStore, nodes: &[Node]) -> Thread<Work> {
    let thread = case_store.thread(chain(nodes));
    let mut at = 0;
    let mut outcome = stopping(case_store, &thread, nodes, at).run(Work::update()).await;
    while !matches!(outcome.as_ref().expect("it runs"), graphloom_core_graph::Outcome::Done(_)) {
        at += 1;
        outcome = stopping(case_store, &thread, nodes, at).continue_().await;
    }
    thread
}

/// The thread, stopping before the node after `at`.
fn stopping(case_store: &CaseStore, thread: &Thread<Work>, nodes: &[Node], at: usize) -> Thread<Work> {
    let policy = case_store.policy();
    let policy = match nodes.get(at) {
        Some(node) => policy.break_before(node.clone()),
        None => policy,
    };
    thread.policy(policy)
}

async fn case_50_history_is_a_chain_newest_first(case_store: &CaseStore) {
    let thread = step_by_step(case_store, &[A, B]).await;
    let rows = history(&thread).await;
    let told: Vec<_> = rows.iter().map(|row| (row.number, row.parent, row.step, row.source)).collect();
    assert_eq!(told, [(3, Some(2), 2, Source::Step), (2, Some(1), 1, Source::Step), (1, None, 0, Source::Input)]);
    for (number, story, next) in [(1, "", "a"), (2, "a", "b"), (3, "a b", "")] {
        let state = thread.at(number).state().await.unwrap();
        assert_eq!((state.state.story().as_str(), state.next.join(" ").as_str()), (story, next));
    }
    let ids: std::collections::BTreeSet<_> = rows.iter().map(|row| &row.id).collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(steps(&thread).await, ["a", "b"], "the journal tells what made each");
    let mut filter = HistoryFilter::default();
    (filter.before, filter.limit) = (Some(3), Some(1));
    assert_eq!(thread.history(&filter).await.unwrap(), rows[1..2]);
    let mut filter = HistoryFilter::default();
    filter.source = Some(Source::Input);
    assert_eq!(thread.history(&filter).await.unwrap(), rows[2..]);
}

async fn case_52_a_replay_from_before_a_question_asks_again(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A]);
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", "?").await?;
            Worked::Ok(line(answer))
        })
        .asks::<String>("go");
    graph.add_edge(START, A).add_edge(A, ASK);
    let thread = case_store.thread(graph);
    let asked = waiting(thread.run(Work::update()).await);
    let before = thread.state().await.unwrap().checkpoint.unwrap().number;
    assert_eq!(done(thread.resume(asked.answer("go", "old").unwrap()).await).story(), "a old");
    let old = thread.state().await.unwrap().checkpoint.unwrap().number;
    for _ in 0..3 {
        let again = waiting(thread.at(before).replay().await);
        let told: Vec<_> = again.iter().map(|question| (question.key.clone(), question.payload.clone())).collect();
        assert_eq!(told, [("go".to_owned(), "?".into())], "the old answer belongs to the old branch");
    }
    let again = thread.questions().await.unwrap();
    assert_eq!(done(thread.resume(again.answer("go", "new").unwrap()).await).story(), "a new");
    assert_eq!(thread.at(old).state().await.unwrap().state.story(), "a old");
}

async fn case_53_an_edit_as_a_node_leads_to_what_follows_it_and_forks_are_apart(case_store: &CaseStore) {
    let thread = step_by_step(case_store, &[A, B, C]).await;
    // Before `b`, which is checkpoint 2.
    thread.at(2).fork().await.unwrap();
    thread.update_state(A, line("edit")).await.unwrap();
    let state = thread.state().await.unwrap();
    assert_eq!(
        (state.next.join(" "), state.checkpoint.as_ref().map(|row| row.source)),
        ("b".to_owned(), Some(Source::Update))
    );
    assert_eq!(done(thread.continue_().await).story(), "a edit b c");
    let edited = thread.state().await.unwrap().checkpoint.unwrap().number;

    thread.at(2).fork().await.unwrap();
    thread.update_state(B, line("asb")).await.unwrap();
    assert_eq!(thread.state().await.unwrap().next, ["c"]);
    assert_eq!(done(thread.continue_().await).story(), "a asb c");
    assert_eq!(thread.at(edited).state().await.unwrap().state.story(), "a edit b c");
    assert_eq!(thread.at(4).state().await.unwrap().state.story(), "a b c");
}

async fn case_53_an_update_says_which_nodes_run_next(case_store: &CaseStore) {
    let mut graph = chain(&[A, B, C]);
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", "?").await?;
            Worked::Ok(line(answer))
        })
        .asks::<String>("go");
    graph.add_edge(A, ASK);
    let thread = case_store.thread(graph);
    waiting(thread.run(Work::update()).await);
    let before = thread.state().await.unwrap();
    let story = done(thread.update_and_goto([B], line("edit")).await).story();
    assert_eq!(story, format!("{} edit b c", before.state.story()), "the question is dropped");
    let number = before.checkpoint.unwrap().number;
    let update = history(&thread).await.into_iter().find(|row| row.source == Source::Update).expect("it is a commit");
    assert_eq!((update.number, update.parent), (number + 1, Some(number)));
    assert_eq!(thread.state().await.unwrap().questions.len(), 0);
    assert_eq!(done(thread.update_and_goto([], line("end")).await).story(), format!("{story} end"));
    assert_eq!(thread.state().await.unwrap().status, ThreadStatus::Done);
}

async fn case_55_a_fork_does_not_take_over_what_the_node_had_written(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, sum) in [(A, 10), (B, 100)] {
        graph.add_node(node, move |_: Snapshot<Work>| async move { Worked::Ok(Work::update().sum(sum)) });
    }
    graph.add_edge(START, A).add_edge(A, B);
    let thread = case_store.thread(graph);
    let stopped = thread.policy(case_store.policy().break_before(A));
    stopped.run(Work::update().sum(1)).await.unwrap();
    let before = thread.state().await.unwrap().checkpoint.unwrap().number;
    assert_eq!(done(thread.continue_().await).sum, 111);
    thread.at(before).fork().await.unwrap();
    thread.update_state(A, Work::update().sum(20)).await.unwrap();
    assert_eq!(done(thread.continue_().await).sum, 121);
}

async fn case_56_an_imported_history_is_that_of_a_run(case_store: &CaseStore) {
    let here = case_store.thread(chain(&[A, B]));
    done(here.run(Work::update()).await);
    let there = case_store.thread(chain(&[A, B]));
    let made = [Imported::new(A, Step::<Work>::update(line("a"))), Imported::new(B, Step::update(line("b")))];
    assert_eq!(there.import(Work::update(), made).await.unwrap(), ThreadStatus::Done);
    let told = |rows: Vec<CheckpointRow>| -> Vec<_> {
        rows.into_iter().map(|row| (row.number, row.parent, row.step, row.source)).collect()
    };
    assert_eq!(told(history(&there).await), told(history(&here).await));
    assert_eq!(there.state().await.unwrap().state, here.state().await.unwrap().state);
    assert_eq!(steps(&there).await, steps(&here).await);
    let part = case_store.thread(chain(&[A, B]));
    part.import(Work::update(), [Imported::new(A, Step::<Work>::update(line("elsewhere")))]).await.unwrap();
    assert_eq!(done(part.continue_().await).story(), "elsewhere b", "what is left runs here");
}

async fn case_58_an_input_at_an_old_checkpoint_begins_a_branch(case_store: &CaseStore) {
    let thread = step_by_step(case_store, &[A, B]).await;
    thread.at(2).fork().await.unwrap();
    assert_eq!(done(thread.abandon().run(line("new")).await).story(), "a new a b");
    assert_eq!(thread.at(3).state().await.unwrap().state.story(), "a b");
}

/// Number, parent and source of the checkpoints after `number`, newest first.
async fn after(thread: &Thread<Work>, number: u64) -> Vec<(u64, Option<u64>, Source)> {
    let rows = history(thread).await.into_iter().filter(|row| row.number > number);
    rows.map(|row| (row.number, row.parent, row.source)).collect()
}

async fn case_58_an_input_at_a_checkpoint_is_one_commit_on_a_branch(case_store: &CaseStore) {
    let thread = step_by_step(case_store, &[A, B]).await;
    // `b` is pending there.
    assert_eq!(done(thread.at(2).run(line("new").sum(5)).await).story(), "a new a b");
    let made = after(&thread, 3).await;
    if case_store.keeps_steps() {
        let input = (4, Some(2), Source::Input);
        assert_eq!(made, [(6, Some(5), Source::Step), (5, Some(4), Source::Step), input]);
    } else {
        assert_eq!(made, [(6, Some(2), Source::Step)]);
    }
    let again = chain(&[A, B]).compile().unwrap().with_shared_checkpointer(case_store.opened_again().await);
    let again = again.thread(thread.id());
    for (number, story, sum) in [(3, "a b", 0), (6, "a new a b", 5)] {
        let state = again.at(number).state().await.unwrap().state;
        assert_eq!((state.story().as_str(), state.sum), (story, sum), "both branches are there");
    }
    assert_eq!(done(again.at(3).run(line("old")).await).story(), "a b old a b");
}

async fn case_58_an_input_before_the_first_one_begins_anew(case_store: &CaseStore) {
    let thread = step_by_step(case_store, &[A, B]).await;
    let input = line("new").x(7).parts([(1, "one".to_owned())]).whole(vec!["w".to_owned()]);
    assert_eq!(done(thread.at(0).run(input).await).story(), "new a b");
    let made = after(&thread, 3).await;
    if case_store.keeps_steps() {
        let input = (4, None, Source::Input);
        assert_eq!(made, [(6, Some(5), Source::Step), (5, Some(4), Source::Step), input]);
    } else {
        assert_eq!(made, [(6, None, Source::Step)]);
    }
    let again = chain(&[A, B]).compile().unwrap().with_shared_checkpointer(case_store.opened_again().await);
    let state = again.thread(thread.id()).state().await.unwrap();
    assert_eq!((state.state.story().as_str(), state.state.x, state.checkpoint.unwrap().step), ("new a b", 7, 2));
    assert_eq!((state.state.parts.len(), state.state.whole.as_slice()), (1, &["w".to_owned()][..]));
    assert_eq!(thread.at(3).state().await.unwrap().state.story(), "a b", "the old branch stays");
    let fresh = case_store.thread(chain(&[A, B]));
    assert_eq!(done(fresh.at(0).run(line("first")).await).story(), "first a b", "a new thread stands there, too");
}

async fn case_59_an_unknown_checkpoint_is_an_error(case_store: &CaseStore) {
    let thread = step_by_step(case_store, &[A]).await;
    let missing = |error: &RunError| matches!(error, RunError::UnknownCheckpoint { number: 9, .. });
    let read = thread.at(9).state().await.unwrap_err();
    let forked = thread.at(9).fork().await.unwrap_err();
    let replayed = thread.at(9).replay().await.unwrap_err();
    let run = thread.at(9).run(Work::update()).await.unwrap_err();
    for error in [read, forked, replayed, run] {
        assert!(missing(&error), "{error}");
    }
    assert_eq!(thread.state().await.unwrap().status, ThreadStatus::Done);
}

async fn case_73_each_durability_leaves_its_number_of_checkpoints(case_store: &CaseStore) {
    let thread = case_store.thread(chain(&[A, B]));
    assert_eq!(done(thread.run(Work::update()).await).story(), "a b");
    let rows = history(&thread).await;
    if case_store.keeps_steps() {
        assert_eq!(rows.len(), 3, "an input and two steps");
    } else {
        assert_eq!(rows.iter().map(|row| (row.step, row.source)).collect::<Vec<_>>(), [(2, Source::Step)]);
    }
    assert_eq!(thread.state().await.unwrap().state.story(), "a b");
    assert_eq!(steps(&thread).await, ["a", "b"], "the journal is whole in every durability");
}
