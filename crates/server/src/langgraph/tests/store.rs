//! Items and namespaces.

use serde_json::json;

use super::Served;

#[tokio::test]
async fn items_are_put_found_and_deleted_and_the_servers_own_are_hidden() {
    let served = Served::start().await;
    served.thread().await;
    for n in 1..=3 {
        let item = json!({"namespace": ["a", format!("n{n}")], "key": "k", "value": {"n": n}});
        assert_eq!(served.send("PUT", "/store/items", &item).await.0, 204);
    }
    let all = served.post("/store/items/search", json!({})).await;
    assert_eq!(all["items"].as_array().unwrap().len(), 3, "{all}");
    let some =
        served.post("/store/items/search", json!({"namespace_prefix": ["a"], "filter": {"n": {"$gte": 2}}})).await;
    assert_eq!(super::each(&some["items"], "/value/n"), [2, 3]);
    assert_eq!(some["items"][0]["score"], json!(null));
    let namespaces = async |body| served.post("/store/namespaces", body).await["namespaces"].clone();
    assert_eq!(namespaces(json!({})).await, json!([["a", "n1"], ["a", "n2"], ["a", "n3"]]));
    assert_eq!(namespaces(json!({"max_depth": 1})).await, json!([["a"]]));
    assert_eq!(namespaces(json!({"prefix": ["*", "n2"]})).await, json!([["a", "n2"]]));
    assert_eq!(namespaces(json!({"suffix": ["n3"], "prefix": ["a"]})).await, json!([["a", "n3"]]));
    assert_eq!(namespaces(json!({"limit": 1, "offset": 1})).await, json!([["a", "n2"]]));

    assert_eq!(served.get("/store/items?namespace=a.n1&key=k").await["value"], json!({"n": 1}));
    let name = json!({"namespace": ["a", "n1"], "key": "k"});
    assert_eq!(served.send("DELETE", "/store/items", &name).await.0, 204);
    assert_eq!(served.get("/store/items?namespace=a.n1&key=k").await, json!(null));
}

#[tokio::test]
async fn what_is_no_item_is_refused() {
    let served = Served::start().await;
    let cases = [
        (
            "PUT",
            json!({"namespace": ["graphloom.server"], "key": "k", "value": {}}),
            "`graphloom.server` cannot be a label",
        ),
        (
            "PUT",
            json!({"namespace": [""], "key": "k", "value": {}}),
            "`` cannot be a segment of a namespace: it is empty",
        ),
        ("PUT", json!({"namespace": [], "key": "k", "value": {}}), "`namespace` is empty"),
        ("PUT", json!({"namespace": ["a"], "key": "k", "value": 1}), "Invalid request body at `value`"),
        ("PUT", json!({"namespace": ["a"], "key": "k", "value": {}, "ttl": -1}), "`ttl` is -1, it must be minutes"),
        ("DELETE", json!({"namespace": ["a.b"], "key": "k"}), "`a.b` cannot be a label"),
    ];
    for (method, body, beginning) in cases {
        let (status, detail) = served.refused(method, "/store/items", body.clone()).await;
        assert!(status == 422 && detail.starts_with(beginning), "{body}: {status} {detail}");
    }
    for body in [json!({"limit": 1001}), json!({"filter": {"a": {"$in": []}}}), json!({"namespace_prefix": ["a.b"]})] {
        assert_eq!(served.send("POST", "/store/items/search", &body).await.0, 422, "{body}");
    }
}
