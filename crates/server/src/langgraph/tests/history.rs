//! What the state of a thread was before.

use serde_json::{Value, json};

use super::{Served, each};

async fn history(served: &Served, thread: &str, body: Value) -> Value {
    served.post(&format!("{thread}/history"), body).await
}

#[tokio::test]
async fn a_history_goes_back_to_the_input_with_the_results_of_tasks() {
    let served = Served::start().await;
    let thread = served.ran("fanout", json!({"names": ["a", "b"]})).await;
    let states = history(&served, &thread, json!({"limit": 10})).await;
    assert_eq!(each(&states, "/metadata/step"), [3, 2, 1, 0, -1]);
    let next = [json!([]), json!(["join"]), json!(["worker", "worker"]), json!(["split"]), json!(["__start__"])];
    assert_eq!(each(&states, "/next"), next);
    let results = |at: usize| each(&states[at]["tasks"], "/result");
    assert_eq!(results(1), [json!({"results": ["total:2"]})]);
    assert_eq!(results(2), [json!({"results": ["a:ok"]}), json!({"results": ["b:ok"]})]);
    assert_eq!(results(3), [json!({})]);
    assert_eq!(results(4), [json!({"names": ["a", "b"]})]);
    assert_eq!(states[4]["values"], json!({"results": []}));
    let ids = each(&states, "/checkpoint_id");
    let mut parents = ids[1..].to_vec();
    parents.push(Value::Null);
    assert_eq!(each(&states, "/parent_checkpoint_id"), parents);
}

#[tokio::test]
async fn a_second_turn_follows_the_first_one() {
    let served = Served::start().await;
    let thread = served.ran("pipeline", json!({"topic": "a"})).await;
    served.run(&thread, "pipeline", json!({"input": {"topic": "b"}})).await;
    let states = history(&served, &thread, json!({"limit": 20})).await;
    assert_eq!(each(&states, "/metadata/step"), [8, 7, 6, 5, 4, 3, 2, 1, 0, -1]);
    assert_eq!((&states[4]["values"]["topic"], &states[4]["next"]), (&json!("a"), &json!(["__start__"])));
    assert_eq!((&states[3]["values"]["topic"], &states[3]["next"]), (&json!("b"), &json!(["plan"])));
    let runs = each(&states, "/metadata/run_id");
    assert!(runs[..5].iter().all(|run| *run == runs[0]) && runs[5..].iter().all(|run| *run == runs[9]));
    assert_ne!(runs[0], runs[9]);
    let inputs = history(&served, &thread, json!({"limit": 20, "metadata": {"source": "input"}})).await;
    assert_eq!(each(&inputs, "/metadata/step"), [4, -1]);
    // Every place can be a place to go on before.
    for (at, state) in states.as_array().unwrap().iter().enumerate() {
        let before = state["checkpoint_id"].clone();
        let older = history(&served, &thread, json!({"limit": 20, "before": before})).await;
        assert_eq!(each(&older, "/checkpoint_id"), each(&states, "/checkpoint_id")[at + 1..], "before {at}");
        let one = history(&served, &thread, json!({"checkpoint": state["checkpoint"]})).await;
        assert_eq!(one, json!([state]), "at {at}");
    }
}

#[tokio::test]
async fn answered_questions_stay_in_the_history() {
    let served = Served::start().await;
    let thread = served.ran("approval", json!({"request": "r"})).await;
    served.run(&thread, "approval", json!({"command": {"resume": "no"}})).await;
    let states = history(&served, &thread, json!({"limit": 10})).await;
    let review =
        &states.as_array().unwrap().iter().find(|state| state["next"] == json!(["review"])).unwrap()["tasks"][0];
    assert_eq!(review["interrupts"][0]["value"]["question"], "Approve?");
    assert_eq!(review["result"], json!({"decision": "no", "log": ["review:no"]}));
}

#[tokio::test]
async fn a_long_history_has_the_results_of_all_tasks_on_every_page() {
    let served = Served::start().await;
    let thread = served.thread().await;
    let count = |n: u64| json!({"input": {"n": n, "delay_ms": 0}, "config": {"recursion_limit": 1000}});
    served.run(&thread, "ticker", count(300)).await;
    served.run(&thread, "ticker", count(600)).await;
    let states = history(&served, &thread, json!({"limit": 1000})).await;
    let told = |states: &Value| {
        let ticks = states.as_array().unwrap().iter().filter(|state| state["next"] == json!(["tick"]));
        ticks.map(|state| state["tasks"][0]["result"]["ticks"][0].as_u64()).collect::<Vec<_>>()
    };
    let all: Vec<_> = (1..=600).rev().map(Some).collect();
    assert_eq!(told(&states), all);
    let mut pages = Vec::new();
    while pages.len() < states.as_array().unwrap().len() {
        let before = pages.last().map(|last: &Value| last["checkpoint_id"].clone());
        let page = history(&served, &thread, json!({"limit": 37, "before": before})).await;
        pages.extend(page.as_array().unwrap().iter().cloned());
    }
    assert_eq!(json!(pages), states);
    // What went on from there, from an older checkpoint, is not told of the one before.
    let old = &pages[500]["checkpoint"];
    let mut fork = count(620);
    fork["checkpoint"] = old.clone();
    fork["input"] = Value::Null;
    served.run(&thread, "ticker", fork).await;
    let before = pages[440]["checkpoint_id"].clone();
    let page = history(&served, &thread, json!({"limit": 37, "before": before})).await;
    assert_eq!(page, json!(pages[441..478]));
    let one = served.post(&format!("{thread}/state/checkpoint"), json!({"checkpoint": pages[470]["checkpoint"]})).await;
    assert_eq!(one["tasks"], pages[470]["tasks"]);
}

#[tokio::test]
async fn what_cannot_be_listed_is_refused() {
    let served = Served::start().await;
    let thread = served.ran("pipeline", json!({"topic": "a"})).await;
    let cases = [
        (json!({"limit": 1001}), 422, "`limit` is 1001"),
        (json!({"before": "nope"}), 422, "Invalid checkpoint ID: must be a UUID"),
        (json!({"before": "00000000-0000-4000-8000-000000000000"}), 404, "Checkpoint with ID 00000000"),
        (json!({"checkpoint": {"checkpoint_ns": "child:x"}}), 404, "No run of thread"),
        (json!({"select": ["nope"]}), 422, "`select` names `nope`"),
    ];
    for (body, status, beginning) in cases {
        let (found, detail) = served.refused("POST", &format!("{thread}/history"), body.clone()).await;
        assert!(found == status && detail.starts_with(beginning), "{body}: {found} {detail}");
    }
    let fresh = served.thread().await;
    assert_eq!(history(&served, &fresh, json!(null)).await, json!([]));
}
