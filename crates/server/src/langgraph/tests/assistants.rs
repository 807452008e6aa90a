//! Assistants, their versions, and what is known of their graphs.

use serde_json::json;

use super::{Served, each};

#[tokio::test]
async fn an_assistant_has_versions_and_goes_with_its_threads_when_asked() {
    let served = Served::start().await;
    let made = served.post("/assistants", json!({"graph_id": "memory", "context": {"user_id": "ann"}})).await;
    let path = format!("/assistants/{}", made["assistant_id"].as_str().unwrap());
    assert_eq!(made["config"]["configurable"], json!({"user_id": "ann"}));
    let (status, second) = served.send("PATCH", &path, &json!({"context": {"user_id": "bob"}})).await;
    assert_eq!((status, &second["version"]), (200, &json!(2)));
    let back = served.post(&format!("{path}/latest"), json!({"version": 1})).await;
    assert_eq!(back["context"], json!({"user_id": "ann"}));
    assert_eq!(each(&served.post(&format!("{path}/versions"), json!({})).await, "/version"), [2, 1]);

    let thread = served.thread().await;
    let id = made["assistant_id"].as_str().unwrap();
    assert_eq!(served.run(&thread, id, json!({"input": {"note": "x"}})).await["who"], "ann");
    let cron = served.post("/runs/crons", json!({"assistant_id": id, "schedule": "0 0 1 1 *"})).await;
    let (status, _) = served.send("DELETE", &format!("{path}?delete_threads=true"), &json!(null)).await;
    assert_eq!(status, 204);
    assert_eq!(served.refused("GET", &path, json!(null)).await, (404, "Not Found".to_owned()));
    assert_eq!(served.send("GET", &thread, &json!(null)).await.0, 404);
    let cron = format!("/runs/crons/{}", cron["cron_id"].as_str().unwrap());
    assert_eq!(served.refused("GET", &cron, json!(null)).await, (404, "Not Found".to_owned()));
}

#[tokio::test]
async fn what_names_no_assistant_is_refused() {
    let served = Served::start().await;
    let nobody = "/assistants/00000000-0000-4000-8000-000000000000";
    let cases = [
        ("GET", "/assistants/nope", json!(null), 422, "Invalid assistant ID: must be a UUID"),
        ("GET", "/assistants/nope/graph", json!(null), 422, "Invalid assistant ID: must be a UUID"),
        ("GET", nobody, json!(null), 404, "Not Found"),
        ("GET", &format!("{nobody}/schemas"), json!(null), 404, "Not Found"),
        ("DELETE", nobody, json!(null), 404, "Not Found"),
        ("POST", &format!("{nobody}/versions"), json!({}), 404, "Not Found"),
        (
            "POST",
            "/assistants",
            json!({"graph_id": "nope"}),
            422,
            "Graph 'nope' not found. Expected one of: approval, ",
        ),
        ("POST", "/assistants", json!({}), 422, "Invalid request body: missing field `graph_id`"),
        ("POST", "/assistants/search", json!({"limit": 1001}), 422, "`limit` is 1001, at most 1000 are answered"),
        ("GET", "/assistants/pipeline/graph?xray=deep", json!(null), 422, "Invalid query at `xray`: `deep`"),
    ];
    for (method, path, body, status, beginning) in cases {
        let (found, detail) = served.refused(method, path, body).await;
        assert!(found == status && detail.starts_with(beginning), "{method} {path}: {found} {detail}");
    }
    let schemas = served.get("/assistants/nested/subgraphs?recurse=true").await;
    assert!(schemas["child"]["state_schema"]["properties"]["trail"].is_object(), "{schemas}");
}
