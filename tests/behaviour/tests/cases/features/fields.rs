//! Inputs, fields that are not kept, and states of run-time fields.

use graphloom_core_graph::{
    JsonField, JsonLayout, JsonReducer, JsonState, JsonUpdate, Log, Node, NodeError, Outcome, START, Snapshot, State,
    StateGraph,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, done};

on_every_store!(
    feature_an_input_is_folded_like_any_update,
    feature_ephemeral_fields_live_for_a_step_and_untracked_ones_are_not_stored,
    feature_a_value_that_cannot_be_stored_names_its_field,
    feature_a_state_of_run_time_fields_is_stored_like_any_other,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");

async fn feature_an_input_is_folded_like_any_update(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Worked::Ok(Work::update().sum(10)) });
    graph.add_edge(START, A);
    let thread = case_store.thread(graph);
    for expected in [11, 22] {
        assert_eq!(done(thread.run(Work::update().sum(1)).await).sum, expected);
    }
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct EphemeralFields {
    #[state(append)]
    seen: Log<(u32, u32)>,
    #[state(ephemeral)]
    hint: u32,
    #[state(untracked)]
    #[serde(skip)]
    #[schemars(skip)]
    cache: u32,
}

async fn feature_ephemeral_fields_live_for_a_step_and_untracked_ones_are_not_stored(case_store: &CaseStore) {
    let mut graph = StateGraph::<EphemeralFields>::new("g");
    for (node, before) in [(A, START), (B, A), (C, B)] {
        let first = node == A;
        graph.add_node(node.clone(), move |state: Snapshot<EphemeralFields>| {
            let update = EphemeralFields::update().seen([(state.hint, state.cache)]);
            let update = if first { update.hint(2u32).cache(7u32) } else { update };
            async move { Ok::<_, NodeError>(update) }
        });
        graph.add_edge(before, node);
    }
    let thread = case_store.thread(graph);
    let state = thread.run(EphemeralFields::update().hint(1u32)).await.unwrap().done().unwrap();
    assert_eq!(state.seen.iter().copied().collect::<Vec<_>>(), [(1, 0), (2, 7), (0, 7)]);
    assert_eq!(thread.state().await.unwrap().state.cache, 0, "it is not in the store");
}

/// A value that refuses to be written.
#[derive(Clone, Debug, Default, JsonSchema)]
struct Unwritable(bool);

impl Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 { Err(serde::ser::Error::custom("it refuses")) } else { serializer.serialize_bool(false) }
    }
}

impl<'de> Deserialize<'de> for Unwritable {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bool::deserialize(deserializer).map(Self)
    }
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct UnwritableField {
    held: Unwritable,
}

async fn feature_a_value_that_cannot_be_stored_names_its_field(case_store: &CaseStore) {
    let mut graph = StateGraph::<UnwritableField>::new("g");
    graph.add_node(A, |_: Snapshot<UnwritableField>| async {
        Ok::<_, NodeError>(UnwritableField::update().held(Unwritable(true)))
    });
    graph.add_edge(START, A);
    let thread = case_store.thread(graph);
    let error = thread.run(UnwritableField::update()).await.unwrap_err().to_string();
    assert!(error.contains("`held` cannot be encoded: ") && error.contains("it refuses"), "{error}");
    assert!(!thread.state().await.unwrap().state.held.0, "the thread can be read");
}

async fn feature_a_state_of_run_time_fields_is_stored_like_any_other(case_store: &CaseStore) {
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
    let thread = case_store.thread(graph);
    assert!(matches!(thread.run(JsonUpdate::new()).await.unwrap(), Outcome::Done(_)));
    let stored = serde_json::to_value(&*thread.state().await.unwrap().state).unwrap();
    assert_eq!(stored, json!({"log": ["a", "b"], "sum": 5, "last": "b"}));
}
