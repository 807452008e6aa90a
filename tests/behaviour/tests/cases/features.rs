//! Features that no numbered case is about.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::store::{Namespace, PutOptions};
use graphloom_core_graph::{
    ChildOutcome, Context, EventKind, EventMode, FromRef, JsonField, JsonLayout, JsonReducer, JsonState, JsonUpdate,
    Lag, Log, Mode, Node, NodeDefaults, NodeError, Outcome, Retry, RunError, START, Snapshot, State, StateGraph, Step,
    Task, entry_point,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Notify;

use crate::ground::{Ground, on_every_store};
use crate::work::{Calls, Work, Worked, add_nodes, done, failed, line, says, status, steps, waiting, warnings};

on_every_store!(
    feature_an_input_is_folded_like_any_update,
    feature_an_edge_and_a_router_to_one_node_run_it_once,
    feature_ephemeral_fields_live_for_a_step_and_untracked_ones_are_not_stored,
    feature_a_value_that_cannot_be_stored_names_its_field,
    feature_a_question_that_is_swallowed_waits_all_the_same,
    feature_a_vanished_node_with_a_question_is_told,
    feature_breakpoints_stop_before_and_after_their_nodes,
    feature_a_child_leads_its_parent_on,
    feature_resources_of_a_child_come_from_its_parent,
    feature_a_durable_step_is_not_repeated_by_retries_questions_and_failures,
    feature_an_idempotency_key_is_of_the_task,
    feature_the_long_term_store_outlives_threads,
    feature_modes_filter_events,
    feature_a_slow_reader_is_told_what_it_lost,
    feature_the_journal_is_read_on_from_any_place,
    feature_a_copy_is_a_thread_of_its_own,
    feature_defaults_serve_nodes_that_state_nothing,
    feature_eager_goes_on_past_a_slow_sibling,
    feature_many_threads_run_at_once,
    feature_nodes_are_told_what_is_left,
    feature_a_join_of_what_is_reached_does_not_starve,
    feature_an_entry_point_runs_its_tasks_once,
    feature_a_state_of_run_time_fields_is_stored_like_any_other,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const ASK: Node = Node::named("ask");

async fn feature_an_input_is_folded_like_any_update(ground: &Ground) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Worked::Ok(Work::update().sum(10)) });
    graph.add_edge(START, A);
    let thread = ground.thread(graph);
    for expected in [11, 22] {
        assert_eq!(done(thread.run(Work::update().sum(1)).await).sum, expected);
    }
}

async fn feature_an_edge_and_a_router_to_one_node_run_it_once(ground: &Ground) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    graph.add_edge(START, A).add_edge(A, B);
    graph.add_conditional_edges(A, B, |_: &Work| B);
    let thread = ground.thread(graph);
    done(thread.run(Work::update()).await);
    assert_eq!(steps(&thread).await, ["a", "b"]);
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Passing {
    #[state(append)]
    seen: Log<(u32, u32)>,
    #[state(ephemeral)]
    hint: u32,
    #[state(untracked)]
    #[serde(skip)]
    #[schemars(skip)]
    cache: u32,
}

async fn feature_ephemeral_fields_live_for_a_step_and_untracked_ones_are_not_stored(ground: &Ground) {
    let mut graph = StateGraph::<Passing>::new("g");
    for (node, before) in [(A, START), (B, A), (C, B)] {
        let first = node == A;
        graph.add_node(node.clone(), move |state: Snapshot<Passing>| {
            let update = Passing::update().seen([(state.hint, state.cache)]);
            let update = if first { update.hint(2u32).cache(7u32) } else { update };
            async move { Ok::<_, NodeError>(update) }
        });
        graph.add_edge(before, node);
    }
    let thread = ground.thread(graph);
    let state = thread.run(Passing::update().hint(1u32)).await.unwrap().done().unwrap();
    assert_eq!(state.seen.iter().copied().collect::<Vec<_>>(), [(1, 0), (2, 7), (0, 7)]);
    assert_eq!(thread.state().await.unwrap().state.cache, 0, "it is not in the store");
}

/// A value that refuses to be written.
#[derive(Clone, Debug, Default, JsonSchema)]
struct Stubborn(bool);

impl Serialize for Stubborn {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 { Err(serde::ser::Error::custom("it refuses")) } else { serializer.serialize_bool(false) }
    }
}

impl<'de> Deserialize<'de> for Stubborn {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bool::deserialize(deserializer).map(Self)
    }
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Holding {
    held: Stubborn,
}

async fn feature_a_value_that_cannot_be_stored_names_its_field(ground: &Ground) {
    let mut graph = StateGraph::<Holding>::new("g");
    graph.add_node(A, |_: Snapshot<Holding>| async { Ok::<_, NodeError>(Holding::update().held(Stubborn(true))) });
    graph.add_edge(START, A);
    let thread = ground.thread(graph);
    let error = thread.run(Holding::update()).await.unwrap_err().to_string();
    assert!(error.contains("`held` cannot be encoded: ") && error.contains("it refuses"), "{error}");
    assert!(!thread.state().await.unwrap().state.held.0, "the thread can be read");
}

/// A node that asks under `go` and logs the answer.
fn add_asking(graph: &mut StateGraph<Work>, node: Node) {
    graph
        .add_node(node, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", &()).await?;
            Worked::Ok(line(answer))
        })
        .asks::<String>("go");
}

async fn feature_a_question_that_is_swallowed_waits_all_the_same(ground: &Ground) {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer = cx.ask::<String>("go", &()).await.unwrap_or_else(|_| "swallowed".to_owned());
            Worked::Ok(line(answer))
        })
        .asks::<String>("go");
    graph.add_edge(START, ASK);
    let thread = ground.thread(graph);
    let questions = waiting(thread.run(Work::update()).await);
    assert_eq!(thread.state().await.unwrap().state.story(), "");
    assert!(warnings(&thread).await[0].starts_with("node `ask` asked a question and did not pass the suspension on"));
    assert_eq!(done(thread.resume(questions.answer("go", "yes").unwrap()).await).story(), "yes");
}

async fn feature_a_vanished_node_with_a_question_is_told(ground: &Ground) {
    let graph = |node: Node| {
        let mut graph = StateGraph::<Work>::new("g");
        add_asking(&mut graph, node.clone());
        graph.add_edge(START, node);
        graph
    };
    let id = ground.id();
    let questions = waiting(ground.threads(graph(ASK)).thread(id.clone()).run(Work::update()).await);
    let renamed = ground.threads(graph(B)).thread(id.clone());
    let error = renamed.resume(questions.answer("go", "yes").unwrap()).await.unwrap_err();
    assert!(matches!(error, RunError::GraphMismatch { .. }), "{error}");
    assert!(error.to_string().contains("a task waits at node `ask`, which the graph no longer has"), "{error}");
    let again = ground.threads(graph(ASK)).thread(id);
    assert_eq!(done(again.resume(questions.answer("go", "yes").unwrap()).await).story(), "yes");
}

async fn feature_breakpoints_stop_before_and_after_their_nodes(ground: &Ground) {
    for (policy, stop) in [(ground.policy().break_before(B), "a"), (ground.policy().break_after(B), "a b")] {
        let mut graph = StateGraph::<Work>::new("g");
        add_nodes(&mut graph, &[A, B, C]);
        graph.add_edge(START, A).add_edge(A, B).add_edge(B, C);
        let thread = ground.thread(graph).policy(policy);
        let Outcome::Drained { state, .. } = thread.run(Work::update()).await.unwrap() else { panic!("it stops") };
        assert_eq!(state.story(), stop);
        assert_eq!(thread.state().await.unwrap().state.story(), stop);
        assert_eq!(done(thread.continue_().await).story(), "a b c", "it is passed once");
    }
}

async fn feature_a_child_leads_its_parent_on(ground: &Ground) {
    let mut inner = StateGraph::<Work>::new("inner");
    inner.add_node(A, |_: Snapshot<Work>| async { Worked::Err(NodeError::terminal("no ink")) });
    inner.add_edge(START, A);
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_subgraph(
            A,
            inner.compile().unwrap(),
            |_: &Work| Work::update(),
            |child: ChildOutcome<Work>| match child {
                ChildOutcome::Failed { error, .. } => Ok(Step::goto(C).with(line(format!("escalated: {error}")))),
                other => Ok(Step::update(line(other.done()?.story()))),
            },
        )
        .may_goto(C);
    add_nodes(&mut graph, &[B, C]);
    graph.add_edge(START, A).add_edge(A, B);
    let work = done(ground.thread(graph).run(Work::update()).await);
    assert_eq!(work.log.iter().collect::<Vec<_>>(), ["escalated: node `a` failed: no ink", "c"]);
}

#[derive(Debug)]
struct Outer(&'static str);

#[derive(Debug)]
struct Inner(String);

impl FromRef<Outer> for Inner {
    fn from_ref(parent: &Arc<Outer>) -> Arc<Self> {
        Arc::new(Self(format!("{} inside", parent.0)))
    }
}

async fn feature_resources_of_a_child_come_from_its_parent(ground: &Ground) {
    let mut inner = StateGraph::<Work, Inner>::new("inner");
    inner
        .add_node(A, |_: Snapshot<Work>, cx: Context<Inner>| async move { Worked::Ok(line(cx.resources().0.clone())) });
    inner.add_edge(START, A);
    let mut graph = StateGraph::<Work, Outer>::new("g");
    graph.add_subgraph(
        A,
        inner.compile().unwrap(),
        |_: &Work| Work::update(),
        |child: ChildOutcome<Work>| Worked::Ok(line(child.done()?.story())),
    );
    graph.add_edge(START, A);
    let threads = graph.compile().unwrap().with_context(Outer("keys")).with_shared_checkpointer(ground.store());
    let outcome = threads.thread(ground.id()).policy(ground.policy()).run(Work::update()).await;
    assert_eq!(done(outcome).story(), "keys inside");
}

async fn feature_a_durable_step_is_not_repeated_by_retries_questions_and_failures(ground: &Ground) {
    let (calls, broken) = (Calls::default(), Arc::new(AtomicBool::new(true)));
    let mut graph = StateGraph::<Work>::new("g");
    let (seen, breaks) = (calls.clone(), Arc::clone(&broken));
    graph
        .add_node(A, move |_: Snapshot<Work>, cx: Context| {
            let (calls, broken) = (seen.clone(), breaks.swap(false, Ordering::SeqCst));
            async move {
                let effect = |name: &'static str| {
                    let calls = calls.clone();
                    async move {
                        calls.add(name);
                        Ok::<_, NodeError>(format!("{name}{}", calls.count(name)))
                    }
                };
                let one = cx.once("one", effect("one")).await?;
                if broken {
                    return Err(NodeError::terminal("broken"));
                }
                if cx.task().attempt == 1 {
                    return Err(NodeError::retryable("busy"));
                }
                let answer: String = cx.ask("go", &()).await?;
                let two = cx.once("two", effect("two")).await?;
                Worked::Ok(line(format!("{one} {answer} {two}")))
            }
        })
        .retry(Retry::immediate(2))
        .asks::<String>("go");
    graph.add_edge(START, A);
    let thread = ground.thread(graph);
    failed(thread.run(Work::update()).await);
    let questions = waiting(thread.continue_().await);
    assert_eq!(done(thread.resume(questions.answer("go", "yes").unwrap()).await).story(), "one1 yes two1");
    assert_eq!(calls.all(), ["one", "two"]);
}

async fn feature_an_idempotency_key_is_of_the_task(ground: &Ground) {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph
        .add_node(A, move |_: Snapshot<Work>, cx: Context| {
            seen.add(cx.idempotency_key());
            async move { if cx.task().attempt == 1 { Err(NodeError::retryable("busy")) } else { Worked::Ok(line("a")) } }
        })
        .retry(Retry::immediate(2));
    graph.add_edge(START, A);
    let thread = ground.thread(graph);
    done(thread.run(Work::update()).await);
    done(thread.run(Work::update()).await);
    let keys = calls.all();
    assert!(keys[0] == keys[1] && keys[2] == keys[3] && keys[0] != keys[2], "{keys:?}");
    assert!(keys.iter().all(|key| key.starts_with(thread.id())));
}

async fn feature_the_long_term_store_outlives_threads(ground: &Ground) {
    let mut graph = StateGraph::<Work>::new("g");
    let mine = Namespace::new(["cases", &ground.id()]).unwrap();
    let place = mine.clone();
    graph.add_node(A, move |_: Snapshot<Work>, cx: Context| {
        let mine = place.clone();
        async move {
            let store = cx.store().expect("the threads have one");
            let before = store.get(&mine, "times").await?.map_or(0, |item| item.value.as_i64().unwrap_or(0));
            store.put(&mine, "times", (before + 1).into(), PutOptions::default()).await?;
            Worked::Ok(Work::update().x(before + 1))
        }
    });
    graph.add_edge(START, A);
    let threads = ground.threads(graph);
    for expected in 1..=3 {
        assert_eq!(done(threads.thread(ground.id()).policy(ground.policy()).run(Work::update()).await).x, expected);
    }
}

async fn feature_modes_filter_events(ground: &Ground) {
    let graph = || {
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_node(A, |_: Snapshot<Work>, cx: Context| async move {
            cx.emit("word", "hello").await;
            Worked::Ok(line("a"))
        });
        graph.add_edge(START, A);
        graph
    };
    for (mode, expected) in [
        (EventMode::Values, 2),
        (EventMode::Updates, 1),
        (EventMode::Custom, 1),
        (EventMode::Tasks, 1),
        (EventMode::Checkpoints, 2),
        (EventMode::Debug, 7),
    ] {
        let mut run = ground.thread(graph()).run(Work::update()).only([mode]);
        let mut told = Vec::new();
        while let Some(event) = run.next().await {
            assert!(event.kind.is_in(mode));
            if !matches!(event.kind, EventKind::RunStarted { .. } | EventKind::RunEnded { .. }) {
                told.push(event.kind);
            }
        }
        assert_eq!(told.len(), expected, "{mode:?}: {told:?}");
    }
}

async fn feature_a_slow_reader_is_told_what_it_lost(ground: &Ground) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>, cx: Context| async move {
        for number in 0..3000 {
            cx.emit("n", number).await;
        }
        Worked::Ok(line("a"))
    });
    graph.add_edge(START, A);
    let thread = ground.thread(graph);
    let mut run = thread.run(Work::update()).lag(Lag::DropOldest);
    let (mut heard, mut lost) = (0, 0);
    let count = |kind: &EventKind, heard: &mut u64, lost: &mut u64| match kind {
        EventKind::Lagged { lost: more } => *lost += more,
        _ => *heard += 1,
    };
    count(&run.next().await.unwrap().kind, &mut heard, &mut lost);
    // The run ends without its reader.
    while status(&thread).await != ThreadStatus::Done {
        tokio::task::yield_now().await;
    }
    while let Some(event) = run.next().await {
        count(&event.kind, &mut heard, &mut lost);
    }
    assert!(lost > 0);
    // Two of the run, one of the task, its update, two checkpoints and two values, and what was emitted.
    assert_eq!(heard + lost, 3000 + 8);
}

async fn feature_the_journal_is_read_on_from_any_place(ground: &Ground) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    graph.add_edge(START, A).add_edge(A, B);
    let thread = ground.thread(graph);
    done(thread.run(Work::update()).await);
    done(thread.run(Work::update()).await);
    let all: Vec<_> = thread.journal(0, usize::MAX).await.unwrap().iter().map(|event| event.seq.unwrap()).collect();
    assert_eq!(all, (1..=all.len() as u64).collect::<Vec<_>>());
    for from in 0..=all.len() {
        let rest: Vec<_> =
            thread.journal(from as u64, 2).await.unwrap().iter().map(|event| event.seq.unwrap()).collect();
        assert_eq!(rest, all.iter().skip(from).take(2).copied().collect::<Vec<_>>());
    }
}

async fn feature_a_copy_is_a_thread_of_its_own(ground: &Ground) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A]);
    graph.add_edge(START, A);
    let thread = ground.thread(graph);
    done(thread.run(Work::update()).await);
    let copy = thread.copy_to(&ground.id()).await.unwrap();
    assert_eq!(done(copy.run(Work::update()).await).story(), "a a");
    assert_eq!(thread.state().await.unwrap().state.story(), "a");
    assert_eq!(
        copy.journal(0, usize::MAX).await.unwrap().len(),
        2 * thread.journal(0, usize::MAX).await.unwrap().len()
    );
}

async fn feature_defaults_serve_nodes_that_state_nothing(ground: &Ground) {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph.defaults(NodeDefaults::default().retry(Retry::immediate(3)));
    graph.default_error_handler(|failure: graphloom_core_graph::Failure, _: Snapshot<Work>| async move {
        Worked::Ok(line(format!("handled {} after {}", failure.node, failure.attempts)))
    });
    for node in [A, B] {
        let (calls, name) = (calls.clone(), node.as_str().to_owned());
        let spec = graph.add_node(node.clone(), move |_: Snapshot<Work>| {
            calls.add(&*name);
            async { Worked::Err(NodeError::retryable("busy")) }
        });
        if node == B {
            spec.retry(Retry::immediate(1));
        }
        graph.add_edge(START, node);
    }
    let work = done(ground.thread(graph).run(Work::update()).await);
    assert_eq!(work.log.iter().collect::<Vec<_>>(), ["handled a after 3", "handled b after 1"]);
    assert_eq!((calls.count("a"), calls.count("b")), (3, 1));
}

async fn feature_eager_goes_on_past_a_slow_sibling(ground: &Ground) {
    let next_ran = Arc::new(Notify::new());
    let (waits, tells) = (Arc::clone(&next_ran), next_ran);
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    graph.add_node(A, move |_: Snapshot<Work>| {
        let waits = Arc::clone(&waits);
        async move {
            waits.notified().await;
            Worked::Ok(line("slow"))
        }
    });
    graph.add_node(B, says("fast"));
    graph.add_node(C, move |_: Snapshot<Work>| {
        tells.notify_one();
        async { Worked::Ok(line("next")) }
    });
    graph.add_edge(START, A).add_edge(START, B).add_edge(B, C);
    let thread = ground.thread(graph);
    done(thread.run(Work::update()).await);
    let steps = steps(&thread).await;
    assert_eq!((steps[0].as_str(), steps.len()), ("b", 3), "each task commits by itself: {steps:?}");
}

async fn feature_many_threads_run_at_once(ground: &Ground) {
    const PART: Task<u64> = Task::named("part");
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    graph.add_task(PART, |_: u64, _: Snapshot<Work>| async { Worked::Ok(Work::update().sum(1)) });
    graph.add_edge(START, A);
    graph.add_sends(A, PART, |work: &Work| (0..work.x.unsigned_abs()).map(|at| PART.send(at, at)).collect());
    graph.add_join(PART, B);
    let threads = ground.threads(graph);
    let runs = (0..20).map(|number| {
        let thread = threads.thread(ground.id()).policy(ground.policy());
        async move {
            let work = done(thread.run(Work::update().x(number)).await);
            assert_eq!((work.sum, work.story().as_str()), (number, "a b"));
            assert_eq!(thread.state().await.unwrap().state.sum, number);
        }
    });
    futures::future::join_all(runs).await;
}

async fn feature_nodes_are_told_what_is_left(ground: &Ground) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>, cx: Context| async move {
        let last = if cx.is_last_step() { "!" } else { "" };
        Worked::Ok(line(format!("{}{last}", cx.remaining_steps().unwrap_or(99))))
    });
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, A, |work: &Work| (work.log.len() < 3).then_some(A));
    let thread = ground.thread(graph).policy(ground.policy().max_steps(3));
    assert_eq!(done(thread.run(Work::update()).await).story(), "2 1 0!", "the last step is the one that is");
}

async fn feature_a_join_of_what_is_reached_does_not_starve(ground: &Ground) {
    for (x, expected) in [(1, "c a last"), (2, "c b last"), (3, "c a b last")] {
        let mut graph = StateGraph::<Work>::new("g");
        add_nodes(&mut graph, &[A, B, C]);
        let last = Node::named("last");
        add_nodes(&mut graph, std::slice::from_ref(&last));
        graph.add_edge(START, C);
        graph.add_conditional_edges(C, [A, B], |work: &Work| {
            [(1, A), (2, B)].into_iter().filter(|(bit, _)| work.x & bit > 0).map(|(_, node)| node).collect::<Vec<_>>()
        });
        graph.add_join_reached([A, B], last);
        let thread = ground.thread(graph);
        assert_eq!(done(thread.run(Work::update().x(x)).await).story(), expected);
        assert!(warnings(&thread).await.is_empty());
    }
}

async fn feature_an_entry_point_runs_its_tasks_once(ground: &Ground) {
    let calls = Calls::default();
    let seen = calls.clone();
    let essay = entry_point("essay", move |topic: String, cx: Context| {
        let calls = seen.clone();
        async move {
            calls.add("body");
            let parts = ["a", "b"].map(|part| {
                let (calls, text) = (calls.clone(), format!("{topic} {part}"));
                cx.spawn(part, async move {
                    calls.add(&*text);
                    Ok::<String, NodeError>(text)
                })
            });
            let mut written = Vec::new();
            for part in parts {
                written.push(part.await?);
            }
            let verdict: String = cx.ask("verdict", &written).await?;
            Ok(format!("{}: {verdict}", written.join(", ")))
        }
    });
    let app = essay.with(|node| node.asks::<String>("verdict")).compile().unwrap();
    let threads = app.with_context(()).with_shared_checkpointer(ground.store());
    let thread = threads.thread(ground.id()).policy(ground.policy());
    let Outcome::Waiting(questions) = thread.run("tea".to_owned().into()).await.unwrap() else { panic!("it asks") };
    let outcome = thread.resume(questions.answer("verdict", "good").unwrap()).await.unwrap();
    let Outcome::Done(state) = outcome else { panic!("{outcome:?}") };
    assert_eq!(state.output().map(String::as_str), Some("tea a, tea b: good"));
    assert_eq!((calls.count("body"), calls.count("tea a"), calls.count("tea b")), (2, 1, 1));
}

async fn feature_a_state_of_run_time_fields_is_stored_like_any_other(ground: &Ground) {
    let layout = JsonLayout::new([
        JsonField::new("log").reducer(JsonReducer::Append),
        JsonField::new("sum").reducer(JsonReducer::Add).initial(1),
        JsonField::new("last").initial(""),
    ])
    .unwrap();
    let mut graph = StateGraph::with_layout("g", layout);
    for (node, before) in [(A, START), (B, A)] {
        let name = node.as_str().to_owned();
        graph.add_node(node.clone(), move |_: Snapshot<JsonState>| {
            let update = JsonUpdate::try_from(json!({"log": [name], "sum": 2, "last": name}));
            async move { Ok::<JsonUpdate, NodeError>(update?) }
        });
        graph.add_edge(before, node);
    }
    let thread = ground.thread(graph);
    assert!(matches!(thread.run(JsonUpdate::new()).await.unwrap(), Outcome::Done(_)));
    let stored = serde_json::to_value(&*thread.state().await.unwrap().state).unwrap();
    assert_eq!(stored, json!({"log": ["a", "b"], "sum": 5, "last": "b"}));
}
