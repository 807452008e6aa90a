//! The state of a thread: its keys, its tasks, the graphs inside.

use serde_json::{Value, json};

use super::{Served, each};

#[tokio::test]
async fn a_state_has_its_keys_in_their_order_and_names_its_run() {
    let served = Served::start().await;
    let thread = served.ran("pipeline", json!({"topic": "a"})).await;
    let state = served.get(&format!("{thread}/state")).await;
    let keys: Vec<&str> = state.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = "values next tasks metadata created_at checkpoint parent_checkpoint interrupts checkpoint_id \
                    parent_checkpoint_id";
    assert_eq!(keys.join(" "), expected);
    let runs = served.get(&format!("{thread}/runs")).await;
    assert_eq!(state["metadata"]["run_id"], runs[0]["run_id"]);
    assert_eq!((&state["metadata"]["source"], &state["metadata"]["step"]), (&json!("loop"), &json!(3)));
    let at = served.get(&format!("{thread}/state/{}", state["checkpoint_id"].as_str().unwrap())).await;
    assert_eq!(at, state);
    let unknown = "00000000-0000-4000-8000-000000000000";
    let (status, detail) = served.refused("GET", &format!("{thread}/state/{unknown}"), json!(null)).await;
    assert!(status == 404 && detail.starts_with(&format!("Checkpoint with ID {unknown} not found")), "{detail}");
    let fresh = served.thread().await;
    let state = served.get(&format!("{fresh}/state")).await;
    assert_eq!((&state["values"], &state["checkpoint"]), (&json!({}), &json!(null)));
}

#[tokio::test]
async fn each_send_is_a_task_and_what_has_answered_is_no_longer_next() {
    let served = Served::start().await;
    let thread = served.ran("fanout", json!({"names": ["a", "b"], "ask": true})).await;
    let state = served.get(&format!("{thread}/state")).await;
    assert_eq!(state["next"], json!(["worker", "worker"]));
    assert_eq!(
        each(&state["tasks"], "/path"),
        [json!(["__pregel_push", 0, false]), json!(["__pregel_push", 1, false])]
    );
    let first = state["interrupts"][0]["id"].as_str().unwrap();
    served.run(&thread, "fanout", json!({"command": {"resume": {first: "yes"}}})).await;
    let state = served.get(&format!("{thread}/state")).await;
    assert_eq!(state["next"], json!(["worker"]), "{state}");
    assert_eq!(each(&state["interrupts"], "/value/name"), ["b"]);
}

#[tokio::test]
async fn a_failure_is_at_its_task() {
    let served = Served::start().await;
    let thread = served.ran("faulty", json!({"mode": "fail"})).await;
    let state = served.get(&format!("{thread}/state")).await;
    assert_eq!((&state["next"], &state["tasks"][0]["name"]), (&json!(["boom"]), &json!("boom")));
    let error: Value = serde_json::from_str(state["tasks"][0]["error"].as_str().unwrap()).unwrap();
    assert_eq!(error, json!({"error": "NodeError", "message": "boom: mode=fail"}));
    let fixed = json!({"values": {"mode": "go"}, "as_node": "before"});
    served.post(&format!("{thread}/state"), fixed).await;
    assert_eq!(served.get(&thread).await["status"], "interrupted");
    let done = served.run(&thread, "faulty", json!({"input": null})).await;
    assert_eq!(done["log"], json!(["before", "boom"]));
    let history = served.post(&format!("{thread}/history"), json!({"limit": 10})).await;
    let failed = history.as_array().unwrap().iter().filter(|state| !state["tasks"][0]["error"].is_null());
    assert_eq!(failed.count(), 1, "the task of the branch that was left keeps its error: {history}");
}

#[tokio::test]
async fn the_state_of_a_graph_inside_is_shown_at_its_task() {
    let served = Served::start().await;
    let thread = served.ran("nested", json!({"text": " hi ", "ask": true})).await;
    let state = served.get(&format!("{thread}/state?subgraphs=true")).await;
    let task = &state["tasks"][0];
    let (inner, ns) = (&task["state"], format!("child:{}", task["id"].as_str().unwrap()));
    assert_eq!(inner["values"], json!({"text": "HI", "trail": ["child.upper"], "ask": true}));
    assert_eq!((&inner["next"], &inner["metadata"]["step"]), (&json!(["confirm"]), &json!(1)));
    assert_eq!(inner["checkpoint"]["checkpoint_ns"], ns);
    let map = json!({"": state["checkpoint_id"], ns.as_str(): inner["checkpoint_id"]});
    assert_eq!(inner["checkpoint"]["checkpoint_map"], map);
    assert_eq!(inner["metadata"]["parents"], json!({"": state["checkpoint_id"]}));
    assert_eq!(inner["tasks"][0]["interrupts"], task["interrupts"]);
    let thread_of = served.get(&thread).await;
    assert_eq!(
        thread_of["interrupts"][task["id"].as_str().unwrap()],
        task["interrupts"],
        "by the task of the root graph"
    );
    let plain = &served.get(&format!("{thread}/state")).await["tasks"][0];
    assert_eq!((&plain["state"], &plain["checkpoint"]["checkpoint_ns"]), (&json!(null), &json!(ns)));
}

#[tokio::test]
async fn a_state_gives_what_is_selected() {
    let served = Served::start().await;
    let thread = served.ran("pipeline", json!({"topic": "a"})).await;
    let path = format!("{thread}/state?select=values.count&select=next");
    assert_eq!(served.get(&path).await, json!({"values": {"count": 3}, "next": []}));
    let (status, detail) = served.refused("GET", &format!("{thread}/state?select=value"), json!(null)).await;
    assert!(status == 422 && detail.starts_with("`select` names `value`"), "{detail}");
}
