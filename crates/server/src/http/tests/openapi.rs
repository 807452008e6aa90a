//! The document says what the routes do.

use serde_json::{Value, json};

use super::Served;

#[tokio::test]
async fn the_document_is_made_of_the_routes() {
    let served = Served::start(|_| {}).await;
    let document: Value = serde_json::from_str(&served.get("/openapi.json", &[]).await.text).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = &document["paths"];

    let search = &paths["/search"]["post"];
    let of_search = json!({ "$ref": "#/components/schemas/Search" });
    assert_eq!(search["summary"], "Searches");
    assert_eq!(
        search["requestBody"],
        json!({ "required": true, "content": { "application/json": { "schema": of_search } } })
    );
    assert_eq!(search["responses"]["200"]["content"]["application/json"]["schema"], of_search);
    assert_eq!((&search["x-scope"], &search["tags"]), (&json!("read"), &json!(["Samples"])));
    assert_eq!(paths["/optional"]["post"]["requestBody"]["required"], false);
    assert_eq!(document["components"]["schemas"]["Search"]["properties"]["limit"]["description"], "At most so many.");

    let run = &paths["/threads/{thread_id}/runs/{run_id}"]["get"]["parameters"];
    let id = json!({ "type": "string", "format": "uuid" });
    assert_eq!(
        *run,
        json!([
            { "name": "thread_id", "in": "path", "required": true, "schema": id },
            { "name": "run_id", "in": "path", "required": true, "schema": id },
        ])
    );
    let modes = paths["/modes"]["get"]["parameters"].as_array().unwrap();
    let names: Vec<_> =
        modes.iter().map(|parameter| (&parameter["name"], &parameter["in"], &parameter["required"])).collect();
    assert_eq!(
        names,
        [(&json!("stream_mode"), &json!("query"), &json!(false)), (&json!("wait"), &json!("query"), &json!(false))]
    );
    assert!(paths["/ok"]["get"].get("security").is_none());
    assert!(paths["/flood"]["get"]["responses"]["200"]["content"].get("text/event-stream").is_some());

    // Every route of the document is one of the router.
    for (path, operations) in paths.as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            if path == "/flood" || path == "/silent" || path == "/late" {
                continue;
            }
            let answer = served.send(&method.to_uppercase(), path, &[], "{}").await;
            assert!(![404, 405].contains(&answer.status), "{method} {path}: {}", answer.status);
        }
    }
}
