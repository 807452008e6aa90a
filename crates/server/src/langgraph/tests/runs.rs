//! Runs of all threads.

use serde_json::{Value, json};

use super::{Served, each};

/// A page of runs and how many there are, as the header says.
async fn search(served: &Served, body: Value) -> (Value, String) {
    let url = format!("http://{}/runs/search", served.running.address());
    let answer = served.client.post(url).body(body.to_string()).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 200, "{body}");
    let total = answer.headers()["x-pagination-total"].to_str().unwrap().to_owned();
    (serde_json::from_str(&answer.text().await.unwrap()).unwrap(), total)
}

#[tokio::test]
async fn a_run_that_is_found_tells_its_graph_its_times_and_its_steps() {
    let served = Served::start().await;
    let thread = served.ran("pipeline", json!({"topic": "a"})).await;
    served.run(&thread, "pipeline", json!({"input": {"topic": "b"}, "metadata": {"user": "ann"}})).await;
    served.ran("approval", json!({"request": "r"})).await;
    served.ran("fanout", json!({"names": ["x", "y", "z"]})).await;

    let (all, total) = search(&served, json!({"sort_order": "asc"})).await;
    assert_eq!(total, "4");
    assert_eq!(each(&all, "/graph_id"), ["pipeline", "pipeline", "approval", "fanout"]);
    assert_eq!(each(&all, "/status"), ["success", "success", "success", "success"]);
    // Approval stops at its question after the draft; the tasks of a fan-out are one step.
    assert_eq!(each(&all, "/steps"), [3, 3, 1, 3]);
    for run in all.as_array().unwrap() {
        let time = |field: &str| run[field].as_str().unwrap_or_else(|| panic!("{field}: {run}")).to_owned();
        assert!(time("created_at") <= time("started_at") && time("started_at") <= time("ended_at"), "{run}");
    }
    let (found, total) = search(&served, json!({"graph_id": "pipeline", "limit": 1})).await;
    assert_eq!((total.as_str(), each(&found, "/metadata/user")), ("2", vec![json!("ann")]));
    let (found, total) = search(&served, json!({"query": "ANN", "status": "success"})).await;
    assert_eq!((total.as_str(), each(&found, "/graph_id")), ("1", vec![json!("pipeline")]));

    let ticking = json!({"assistant_id": "ticker", "input": {"n": 1000, "delay_ms": 20}});
    let run = served.post(&format!("{}/runs", served.thread().await), ticking).await;
    let (found, _) = search(&served, json!({"status": "running"})).await;
    assert_eq!(each(&found, "/run_id"), [run["run_id"].clone()]);
    assert!(found[0]["started_at"].is_string() && found[0]["ended_at"].is_null() && found[0]["steps"].is_null());

    let (status, detail) = served.refused("POST", "/runs/search", json!({"sort_by": "colour"})).await;
    assert!(status == 422 && detail.starts_with("`sort_by` names `colour`"), "{status} {detail}");
    let (status, detail) = served.refused("POST", "/runs/search", json!({"status": "odd"})).await;
    assert!(status == 422 && detail.starts_with("Invalid request body at `status`"), "{status} {detail}");
}
