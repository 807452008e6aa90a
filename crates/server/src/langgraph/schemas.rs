//! What a graph takes and gives, as JSON Schema.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::graph::Outline;

/// The schemas of an assistant's graph.
pub(super) fn assistant_schemas(outline: &Outline) -> Value {
    let mut schemas = of_state(&outline.state_schema, outline.context_schema.as_ref());
    schemas["input_schema"] = outline.input_schema();
    schemas["graph_id"] = outline.name.clone().into();
    schemas
}

/// The schemas of the graphs inside, by the nodes that lead to each, `a|b`: those of the first floor below `at`, or of all
/// floors. A graph that `at` names itself is among them.
pub(super) fn subgraph_schemas(outline: &Outline, at: Option<&str>, recurse: bool) -> BTreeMap<String, Value> {
    let wanted: Vec<&str> = at.into_iter().flat_map(|at| at.split('|')).collect();
    let is_wanted = |path: &[String]| match at {
        None => recurse || path.len() == 1,
        Some(_) => {
            path.iter().map(String::as_str).take(wanted.len()).eq(wanted.iter().copied())
                && (recurse || path.len() == wanted.len())
        }
    };
    let found = outline.subgraph_schemas.iter().filter(|(path, _)| is_wanted(path));
    found.map(|(path, schema)| (path.join("|"), of_state(schema, None))).collect()
}

/// Of an input no field is required; of a state and of what is given back, those are that the state requires.
fn of_state(schema: &Value, context: Option<&Value>) -> Value {
    let mut input = schema.clone();
    if let Some(input) = input.as_object_mut() {
        input.remove("required");
    }
    json!({
        "graph_id": null,
        "input_schema": input,
        "output_schema": schema,
        "state_schema": schema,
        "config_schema": context.cloned().unwrap_or_else(|| json!({})),
        "context_schema": context,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Server;

    #[tokio::test]
    async fn graphs_inside_are_found_by_their_paths() {
        let manager = Server::new().demo().unwrap().open().await.unwrap();
        let mut outline = manager.graph("nested").unwrap().outline().clone();
        let inner = outline.subgraph_schemas.values().next().unwrap().clone();
        outline.subgraph_schemas.insert(vec!["child".to_owned(), "deep".to_owned()], inner);
        let paths = |at, recurse| subgraph_schemas(&outline, at, recurse).into_keys().collect::<Vec<_>>().join(" ");
        let cases = [
            (None, false, "child"),
            (None, true, "child child|deep"),
            (Some("child"), false, "child"),
            (Some("child"), true, "child child|deep"),
            (Some("child|deep"), false, "child|deep"),
            (Some("deep"), true, ""),
        ];
        for (at, recurse, expected) in cases {
            assert_eq!(paths(at, recurse), expected, "{at:?} {recurse}");
        }
        let schemas = assistant_schemas(manager.graph("memory").unwrap().outline());
        assert_eq!(schemas["graph_id"], "memory");
        assert!(
            schemas["input_schema"]["properties"]["note"].is_object() && schemas["input_schema"]["required"].is_null()
        );
        assert!(schemas["context_schema"]["properties"]["user_id"].is_object());
    }
}
