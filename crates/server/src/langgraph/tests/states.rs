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
async fn a_graph_inside_has_states_and_a_history_of_its_own_also_when_it_is_done() {
    let served = Served::start().await;
    let thread = served.ran("nested", json!({"text": " hi ", "ask": true})).await;
    let at = |checkpoint: &Value| json!({"checkpoint": checkpoint});
    let whole = served.get(&format!("{thread}/state?subgraphs=true")).await;
    let shown = &whole["tasks"][0]["state"];
    let named = &served.get(&format!("{thread}/state")).await["tasks"][0]["checkpoint"];
    let inner = served.post(&format!("{thread}/state/checkpoint"), at(named)).await;
    assert_eq!(inner, *shown, "by the checkpoint that its task names");
    let history = served.post(&format!("{thread}/history"), json!({"checkpoint": named, "limit": 10})).await;
    assert_eq!(history[0], inner);
    assert_eq!(each(&history, "/next"), [json!(["confirm"]), json!(["upper"]), json!(["__start__"])]);
    assert_eq!(each(&history, "/metadata/step"), [1, 0, -1]);
    assert_eq!(history[1]["tasks"][0]["result"], json!({"text": "HI", "trail": ["child.upper"]}));
    assert_eq!(history[2]["tasks"][0]["result"], json!({"text": "hi", "ask": true}));
    assert_eq!(each(&history, "/parent_checkpoint_id")[..2], each(&history, "/checkpoint_id")[1..]);
    for state in history.as_array().unwrap() {
        assert_eq!(served.post(&format!("{thread}/state/checkpoint"), at(&state["checkpoint"])).await, *state);
        let before = json!({"checkpoint": named, "before": state["checkpoint"], "limit": 10});
        let older = served.post(&format!("{thread}/history"), before).await;
        let place = history.as_array().unwrap().iter().position(|one| one == state).unwrap();
        assert_eq!(older.as_array().unwrap()[..], history.as_array().unwrap()[place + 1..]);
    }
    let inputs = json!({"checkpoint": named, "metadata": {"source": "input"}, "limit": 10});
    assert_eq!(each(&served.post(&format!("{thread}/history"), inputs).await, "/metadata/step"), [-1]);

    served.run(&thread, "nested", json!({"command": {"resume": "!"}})).await;
    let done = served.post(&format!("{thread}/state/checkpoint"), at(named)).await;
    assert_eq!((&done["values"]["text"], &done["next"]), (&json!("HI!"), &json!([])));
    let older = served.post(&format!("{thread}/history"), json!({"checkpoint": named, "limit": 10})).await;
    let asked = &older[1];
    assert_eq!(asked["checkpoint"], inner["checkpoint"]);
    assert_eq!(asked["interrupts"], inner["interrupts"], "what was asked there");
    assert_eq!(asked["tasks"][0]["result"], json!({"text": "HI!", "trail": ["child.confirm"]}));

    let mut unknown = named.clone();
    unknown["checkpoint_id"] = "00000000-0000-4000-8000-000000000000".into();
    let (status, detail) = served.refused("POST", &format!("{thread}/state/checkpoint"), at(&unknown)).await;
    assert!(status == 404 && detail.starts_with("Checkpoint with ID 00000000"), "{detail}");
    let unknown = json!({"checkpoint_ns": "child"});
    let (status, detail) = served.refused("POST", &format!("{thread}/state/checkpoint"), at(&unknown)).await;
    assert!(status == 404 && detail.contains("a graph inside at `child`"), "{detail}");
}

#[tokio::test]
async fn a_copy_shows_the_graph_inside_as_it_was_when_it_was_copied() {
    let served = Served::start().await;
    let thread = served.ran("nested", json!({"text": " hi ", "ask": true})).await;
    let inside = async |thread: &str| {
        let state = served.get(&format!("{thread}/state?subgraphs=true")).await;
        let inner = &state["tasks"][0]["state"];
        (inner["values"].clone(), inner["next"].clone(), inner["tasks"][0]["interrupts"][0]["value"].clone())
    };
    let path_of = |copy: &Value| format!("/threads/{}", copy["thread_id"].as_str().unwrap());
    let shown = inside(&thread).await;
    assert_eq!(shown.2["question"], "Keep?");
    let first = path_of(&served.post(&format!("{thread}/copy"), json!(null)).await);
    // What the original does later is not of the copy.
    served.run(&thread, "nested", json!({"command": {"resume": "?"}})).await;
    let second = path_of(&served.post(&format!("{first}/copy"), json!(null)).await);
    assert_eq!(inside(&first).await, shown);
    assert_eq!(inside(&second).await, shown, "a copy of a copy");
    let ids = async |thread: &str| {
        served.get(&format!("{thread}/state?subgraphs=true")).await["tasks"][0]["state"]["interrupts"][0]["id"].clone()
    };
    assert_ne!(ids(&first).await, ids(&second).await);
    let answer = json!({"command": {"resume": {ids(&second).await.as_str().unwrap(): "!"}}});
    assert_eq!(served.run(&second, "nested", answer).await["text"], "<HI!>");
    assert_eq!(inside(&first).await, shown);
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
