//! Updates that come as JSON.

use graphloom_core_graph::json::{JsonField, JsonLayout, JsonReducer, JsonState};
use graphloom_core_graph::{Compiled, Node, NodeError, START, Snapshot, StateGraph};
use serde_json::{Value, json};

use super::*;

const ONLY: Node = Node::named("only");

fn compiled<S: State>(mut graph: StateGraph<S>) -> Compiled<S> {
    graph.add_node(ONLY, async |_: Snapshot<S>| Ok::<_, NodeError>(Step::<S>::end()));
    graph.add_edge(START, ONLY);
    graph.compile().expect("it compiles")
}

/// The state after an update that came as JSON.
fn after<S: State>(graph: &Compiled<S>, layout: &S::Layout, values: &Value) -> Result<Value, String> {
    let update = graph.update_of(values.as_object().expect("an object")).map_err(|error| error.to_string())?;
    let mut state = S::initial(layout);
    state.apply(layout, update, &mut FieldSet::default());
    Ok(serde_json::to_value(&state).expect("JSON"))
}

#[test]
fn an_object_means_what_the_reducer_of_each_field_folds() {
    let graph = compiled(StateGraph::<Draft>::new("draft"));
    let state = after(
        &graph,
        &(),
        &json!({
            "topic": "rivers", "notes": ["a", "b"], "tokens": 7, "cost": 0.5, "outline": {"Add": "Sources"},
            "longest": "word", "source": "here", "verdict": "yes", "hint": 3, "alarms": [1, 2],
        }),
    )
    .unwrap();
    let expected = [
        ("topic", json!("rivers")),
        ("notes", json!(["a", "b"])),
        ("tokens", json!(7)),
        ("cost", json!(0.5)),
        ("outline", json!({"titles": ["Sources"], "renames": 0})),
        ("longest", json!("word")),
        ("source", json!("here")),
        ("verdict", json!("yes")),
        ("hint", json!(3)),
        ("alarms", json!([1, 2])),
    ];
    for (field, value) in expected {
        assert_eq!(state[field], value, "{field}");
    }
}

#[test]
fn a_dynamic_state_reads_the_same_object_as_a_derived_one() {
    let layout = JsonLayout::new([
        JsonField::new("last"),
        JsonField::new("any").reducer(JsonReducer::Any),
        JsonField::new("list").reducer(JsonReducer::Append),
        JsonField::new("table").reducer(JsonReducer::Merge),
        JsonField::new("sum").reducer(JsonReducer::Add),
        JsonField::new("most").reducer(JsonReducer::Max),
        JsonField::new("least").reducer(JsonReducer::Min),
    ])
    .unwrap();
    let graph = compiled(StateGraph::<JsonState>::with_layout("dynamic", layout.clone()));
    let values =
        json!({"last": [1], "any": {"x": 1}, "list": [[1], 2], "table": {"a": [1]}, "sum": 2, "most": 5, "least": "b"});
    assert_eq!(after(&graph, &layout, &values).unwrap(), values);
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let graph = compiled(StateGraph::<Draft>::new("draft"));
    let cases = [
        (json!({"topics": 1}), "field `topics` cannot be updated: it is no field; did you mean `topic`"),
        (json!({"topic": 1}), "field `topic` cannot be decoded"),
        (json!({"notes": ["a", 7]}), "field `notes` cannot be decoded: at `[1]`"),
        (json!({"tokens": "many"}), "field `tokens` cannot be decoded"),
    ];
    for (values, expected) in cases {
        let error = after(&graph, &(), &values).unwrap_err();
        assert!(error.starts_with(expected), "{values}: {error}");
    }
}
