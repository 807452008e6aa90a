//! States of older versions: what is read of them, what is stored after that, and what is refused.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::{
    ChildOutcome, Context, END, Log, Node, NodeError, Outcome, Persistence, RunError, START, Snapshot, State,
    StateGraph, Step, Thread,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::{Build, Calls};

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct TripOf1 {
    days: u32,
    #[state(append)]
    notes: Log<String>,
    city: String,
}

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Trip {
    city: String,
    nights: u32,
    #[state(append)]
    notes: Log<Note>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Note {
    text: String,
}

const NOTE: Node = Node::named("note");
const SLIP: Node = Node::named("slip");
const CHILD: Node = Node::named("child");

impl Trip {
    fn shown(&self) -> String {
        let notes: Vec<_> = self.notes.iter().map(|note| note.text.as_str()).collect();
        format!("{} {} {}", self.city, self.nights, notes.join("+"))
    }
}

fn today(old: TripOf1) -> Result<Trip, NodeError> {
    if old.city.is_empty() {
        return Err(NodeError::terminal("there is no city"));
    }
    let notes = old.notes.iter().map(|text| Note { text: text.clone() }).collect();
    Ok(Trip { city: old.city, nights: old.days.saturating_sub(1), notes })
}

fn first() -> StateGraph<TripOf1> {
    let mut graph = StateGraph::<TripOf1>::new("trip");
    graph.add_node(NOTE, |trip: Snapshot<TripOf1>| async move {
        Ok::<_, NodeError>(TripOf1::update().days(trip.days + 1).notes([format!("d{}", trip.days)]))
    });
    graph.add_edge(START, NOTE);
    graph
}

/// The same graph over today's state. `calls` notes each migration.
fn second(calls: &Calls) -> StateGraph<Trip> {
    let mut graph = StateGraph::<Trip>::new("trip");
    let calls = calls.clone();
    graph.versions(1, 2).migrate(1, move |old: TripOf1| {
        calls.add("migrated");
        today(old)
    });
    graph.add_node(NOTE, |trip: Snapshot<Trip>| async move {
        Ok::<_, NodeError>(Trip::update().notes([Note { text: format!("n{}", trip.nights) }]))
    });
    graph.add_edge(START, NOTE);
    graph
}

fn open<S: State>(graph: StateGraph<S>, store: &Arc<MemoryCheckpointer>) -> Thread<S> {
    let store: Arc<dyn Checkpointer> = Arc::clone(store) as Arc<dyn Checkpointer>;
    graph.built().with_shared_checkpointer(store).thread("t")
}

/// A thread of three turns in a city, as the first version left it.
async fn left(store: &Arc<MemoryCheckpointer>, city: &str) {
    let thread = open(first(), store);
    for _ in 0..3 {
        thread.run(TripOf1::update().city(city)).await.expect("the run ends").done().expect("the run is done");
    }
}

#[tokio::test]
async fn an_older_state_is_read_as_it_was_and_stored_as_it_is_now() {
    let (store, calls) = (Arc::default(), Calls::default());
    left(&store, "Lisbon").await;
    let thread = open(second(&calls), &store);
    assert_eq!(thread.state().await.unwrap().state.shown(), "Lisbon 2 d0+d1+d2");
    // The end of the second turn.
    let middle = 4;
    assert_eq!(thread.at(middle).state().await.unwrap().state.shown(), "Lisbon 1 d0+d1");

    let before = calls.count("migrated");
    thread.run(Trip::update()).await.unwrap().done().unwrap();
    assert_eq!(calls.count("migrated"), before + 1, "a run reads once");
    let kept = thread.state().await.unwrap();
    assert_eq!(kept.state.shown(), "Lisbon 2 d0+d1+d2+n2");
    assert_eq!(calls.count("migrated"), before + 1, "what it left is of today");
    let row = kept.checkpoint.unwrap();
    assert_eq!(row.state_version, 2);
    let fields: Vec<_> = row.fields.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(fields, ["city", "nights", "notes", "#frontier"], "nothing of the old state");

    thread.at(middle).fork().await.unwrap();
    thread.run(Trip::update()).await.unwrap().done().unwrap();
    assert_eq!(thread.state().await.unwrap().state.shown(), "Lisbon 1 d0+d1+n1", "an old branch goes on, too");
}

#[tokio::test]
async fn a_migration_that_fails_leaves_the_thread_as_it_was() {
    for how in ["refuses", "panics"] {
        let store = Arc::default();
        left(&store, "").await;
        let mut graph = StateGraph::<Trip>::new("trip");
        graph.versions(1, 2).migrate(1, move |old: TripOf1| {
            assert!(how != "panics", "no city");
            today(old)
        });
        graph.add_node(NOTE, |_: Snapshot<Trip>| async { Ok::<_, NodeError>(()) });
        graph.add_edge(START, NOTE);
        let thread = open(graph, &store);
        for error in [thread.state().await.unwrap_err(), thread.run(Trip::update()).await.unwrap_err()] {
            assert!(matches!(error, RunError::Migration { version: 1, checkpoint: 6, .. }), "{error}");
            let (text, why) = (error.to_string(), if how == "panics" { "it panicked: no city" } else { "no city" });
            assert!(text.contains("thread `t` at checkpoint 6") && text.contains(why), "{text}");
        }
        let old = open(first(), &store);
        assert_eq!(old.state().await.unwrap().state.days, 3);
        old.run(TripOf1::update()).await.unwrap().done().unwrap();
    }
}

#[tokio::test]
async fn a_newer_state_is_refused_and_a_version_without_a_migration_is_read_as_it_is() {
    let (store, calls) = (Arc::default(), Calls::default());
    left(&store, "Lisbon").await;
    let mut graph = first();
    graph.versions(1, 3);
    let unmigrated = open(graph, &store);
    assert_eq!(unmigrated.state().await.unwrap().state.days, 3);
    unmigrated.run(TripOf1::update()).await.unwrap().done().unwrap();
    let error = open(second(&calls), &store).state().await.unwrap_err();
    assert!(matches!(error, RunError::GraphMismatch { .. }), "{error}");
    assert!(error.to_string().contains("its state was written in version 3, this program has version 2"), "{error}");
    assert_eq!(calls.all(), [""; 0]);
}

#[test]
fn migrations_that_are_never_used_are_mistakes() {
    let mut graph = second(&Calls::default());
    graph.migrate(2, |trip: Trip| Ok(trip)).migrate(1, today);
    insta::assert_snapshot!(graph.compile().unwrap_err(), @"
    the graph `trip` cannot be compiled:
      - the migration from state version 2 is never used: the state has version 2; state a newer one with `versions`
      - the migration from state version 1 is never used: there is another one; keep one of them
    ");
}

/// One task ends, the other fails: the step waits, with what the first wrote.
fn slipping<S: State>(
    mut graph: StateGraph<S>,
    calls: &Calls,
    broken: bool,
    note: impl Fn() -> S::Update + Clone + Send + Sync + 'static,
) -> StateGraph<S> {
    let (ends, slips) = (calls.clone(), note.clone());
    graph.add_node(NOTE, move |_: Snapshot<S>, cx: Context| {
        let (calls, note) = (ends.clone(), note.clone());
        async move {
            calls.add("note");
            let effect = async {
                calls.add("effect");
                Ok::<_, NodeError>(())
            };
            cx.once("effect", effect).await?;
            Ok::<_, NodeError>(Step::<S>::update(note()))
        }
    });
    graph.add_node(SLIP, move |_: Snapshot<S>| {
        let note = slips.clone();
        async move {
            if broken {
                return Err(NodeError::terminal("slipped"));
            }
            Ok(Step::<S>::update(note()))
        }
    });
    graph.add_edge(START, NOTE).add_edge(START, SLIP).add_edge(NOTE, END).add_edge(SLIP, END);
    graph
}

#[tokio::test]
async fn what_a_task_wrote_of_the_old_state_is_done_again_and_its_durable_steps_are_not() {
    let (store, calls) = (Arc::default(), Calls::default());
    let old =
        slipping(StateGraph::<TripOf1>::new("trip"), &calls, true, || TripOf1::update().notes(["old".to_owned()]));
    open(old, &store).run(TripOf1::update().city("Faro").days(4)).await.unwrap_err();
    assert_eq!((calls.count("note"), calls.count("effect")), (1, 1));

    let mut graph = StateGraph::<Trip>::new("trip");
    graph.versions(1, 2).migrate(1, today);
    let new = slipping(graph, &calls, false, || Trip::update().notes([Note { text: "new".to_owned() }]));
    let outcome = open(new, &store).continue_().await.unwrap();
    assert_eq!(outcome.done().unwrap().shown(), "Faro 3 new+new");
    assert_eq!((calls.count("note"), calls.count("effect")), (2, 1));
}

/// The fields of [`TripOf1`] in another order.
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Sorted {
    city: String,
    days: u32,
    #[state(append)]
    notes: Log<String>,
}

#[tokio::test]
async fn what_a_task_wrote_goes_to_its_field_wherever_that_stands_now() {
    let (store, calls) = (Arc::default(), Calls::default());
    let old =
        slipping(StateGraph::<TripOf1>::new("trip"), &calls, true, || TripOf1::update().notes(["old".to_owned()]));
    open(old, &store).run(TripOf1::update().city("Faro")).await.unwrap_err();
    let new = slipping(StateGraph::<Sorted>::new("trip"), &calls, false, || Sorted::update().notes(["new".to_owned()]));
    let outcome = open(new, &store).continue_().await.unwrap();
    let state = outcome.done().unwrap();
    assert_eq!(state.notes.iter().collect::<Vec<_>>(), ["old", "new"]);
    assert_eq!((state.city.as_str(), calls.count("note")), ("Faro", 1));
}

#[tokio::test]
async fn the_state_of_a_subgraph_is_migrated_as_well() {
    let (store, calls) = (Arc::default(), Calls::default());
    #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    struct Parent {
        said: String,
    }
    fn parent<C: State>(child: StateGraph<C>, said: fn(&C) -> String) -> StateGraph<Parent> {
        let mut graph = StateGraph::<Parent>::new("parent");
        let out = move |child: ChildOutcome<C>| Ok::<_, NodeError>(Parent::update().said(said(&*child.done()?)));
        graph
            .add_subgraph(CHILD, child.built(), |_: &Parent| C::Update::default(), out)
            .persistence(Persistence::PerThread);
        graph.add_edge(START, CHILD);
        graph
    }
    let mut child = first();
    child.add_node(SLIP, |_: Snapshot<TripOf1>| async { Ok::<_, NodeError>(TripOf1::update().city("Sintra")) });
    child.add_edge(NOTE, SLIP);
    let old = open(parent(child, |trip: &TripOf1| trip.days.to_string()), &store);
    assert!(matches!(old.run(Parent::update()).await.unwrap(), Outcome::Done(parent) if parent.said == "1"));
    let new = open(parent(second(&calls), Trip::shown), &store);
    let Outcome::Done(parent) = new.run(Parent::update()).await.unwrap() else { panic!("the run is done") };
    assert_eq!((parent.said.as_str(), calls.count("migrated")), ("Sintra 0 d0+n0", 1));
}
