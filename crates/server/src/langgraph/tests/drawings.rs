//! Graphs, laid out to be drawn.

use serde_json::{Value, json};

use super::{Served, each};

#[tokio::test]
async fn a_graph_is_drawn_with_the_subgraphs_that_are_asked_for() {
    let served = Served::start().await;
    let closed = served.get("/assistants/nested/drawing").await;
    assert_eq!(each(&closed["nodes"], "/id"), ["__start__", "prepare", "child", "wrap", "__end__"]);
    assert_eq!(each(&closed["nodes"], "/kind"), ["start", "node", "subgraph", "node", "end"]);
    assert_eq!(each(&closed["nodes"], "/graph")[2], "child");
    let edge = &closed["edges"][1];
    assert_eq!(
        (&edge["source"], &edge["target"], &edge["kind"]),
        (&json!("prepare"), &json!("child"), &json!("always"))
    );
    assert!(edge["label"].is_null() && edge["points"].as_array().unwrap().len() > 1, "{edge}");

    let open = served.get("/assistants/nested/drawing?open=child").await;
    assert_eq!(open["nodes"].as_array().unwrap().len(), 9);
    assert_eq!((&open["nodes"][4]["id"], &open["nodes"][4]["parent"]), (&json!("child:upper"), &json!("child")));
    assert!(open["height"].as_f64().unwrap() > closed["height"].as_f64().unwrap());
    let right = served.get("/assistants/nested/drawing?direction=LR").await;
    assert!(right["width"].as_f64().unwrap() > closed["width"].as_f64().unwrap());

    let cases = [
        ("/assistants/nested/drawing?open=child,none", 422, "`none` is no subgraph; subgraphs: `child`"),
        ("/assistants/ticker/drawing?open=tick", 422, "`tick` is no subgraph; the graph has none"),
        ("/assistants/nested/drawing?direction=UP", 422, "Invalid query at `direction`: unknown variant `UP`"),
        ("/assistants/nope/drawing", 422, "Invalid assistant: 'nope'"),
        ("/assistants/00000000-0000-4000-8000-000000000000/drawing", 404, ""),
    ];
    for (path, status, beginning) in cases {
        let (found, detail) = served.refused("GET", path, Value::Null).await;
        assert!(found == status && detail.starts_with(beginning), "{path}: {found} {detail}");
    }
    let document = served.get("/openapi.json").await;
    let schema = &document["paths"]["/assistants/{assistant_id}/drawing"]["get"]["responses"]["200"];
    assert_eq!(schema["content"]["application/json"]["schema"]["$ref"], "#/components/schemas/Drawing");
}
