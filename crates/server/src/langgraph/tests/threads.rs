//! Threads: copied, pruned, made with a past, measured.

use serde_json::json;

use super::{Served, each};

#[tokio::test]
async fn a_copy_has_the_history_under_ids_of_its_own_and_goes_on_by_itself() {
    let served = Served::start().await;
    let thread = served.ran("approval", json!({"request": "r"})).await;
    let copy = served.post(&format!("{thread}/copy"), json!(null)).await;
    let path = format!("/threads/{}", copy["thread_id"].as_str().unwrap());
    assert_eq!((&copy["status"], &copy["metadata"]["graph_id"]), (&json!("interrupted"), &json!("approval")));
    let history = async |thread: &str| served.post(&format!("{thread}/history"), json!({"limit": 10})).await;
    let (old, new) = (history(&thread).await, history(&path).await);
    for same in ["/values", "/next", "/metadata/step", "/tasks/0/result"] {
        assert_eq!(each(&new, same), each(&old, same), "{same}");
    }
    for own in ["/checkpoint_id", "/checkpoint/thread_id"] {
        assert!(each(&new, own).iter().all(|id| !each(&old, own).contains(id)), "{own}");
    }
    let asked = served.get(&format!("{path}/state")).await["interrupts"][0]["id"].clone();
    assert_ne!(asked, served.get(&format!("{thread}/state")).await["interrupts"][0]["id"]);
    let resume = json!({"command": {"resume": {asked.as_str().unwrap(): "approve"}}});
    assert_eq!(served.run(&path, "approval", resume).await["log"], json!(["draft", "review:approve", "publish"]));
    assert_eq!(served.get(&format!("{thread}/state")).await["values"]["log"], json!(["draft"]));
}

#[tokio::test]
async fn pruning_leaves_the_newest_state_or_nothing() {
    let served = Served::start().await;
    let (kept, gone) = (served.ran("pipeline", json!({"topic": "a"})).await, served.thread().await);
    let id = |path: &str| path.trim_start_matches("/threads/").to_owned();
    let body = json!({"thread_ids": [id(&kept), "00000000-0000-4000-8000-000000000000"], "strategy": "keep_latest"});
    assert_eq!(served.post("/threads/prune", body).await, json!({"pruned_count": 1}));
    let history = served.post(&format!("{kept}/history"), json!({"limit": 10})).await;
    assert_eq!(each(&history, "/metadata/step"), [3]);
    assert_eq!(served.run(&kept, "pipeline", json!({"input": {"topic": "b"}})).await["count"], 6);
    // The state before the second input is the one that was kept.
    let history = served.post(&format!("{kept}/history"), json!({"limit": 10})).await;
    assert_eq!(each(&history, "/values/count"), [6, 3, 3, 3, 3, 3].map(|n| json!(n)));

    assert_eq!(served.post("/threads/prune", json!({"thread_ids": [id(&gone)]})).await, json!({"pruned_count": 1}));
    assert_eq!(served.send("GET", &gone, &json!(null)).await.0, 404);
}

#[tokio::test]
async fn a_thread_is_made_with_a_past_or_not_at_all() {
    let served = Served::start().await;
    let past = |as_node: &str, values: serde_json::Value| {
        json!({"metadata": {"graph_id": "pipeline"}, "supersteps": [
            {"updates": [{"values": {"topic": "t"}, "as_node": "__input__"}]},
            {"updates": [{"values": values, "as_node": as_node}]},
        ]})
    };
    let made = served.post("/threads", past("plan", json!({"items": ["plan:t"]}))).await;
    assert_eq!(
        (&made["status"], &made["values"]),
        (&json!("interrupted"), &json!({"topic": "t", "items": ["plan:t"]}))
    );
    let path = format!("/threads/{}", made["thread_id"].as_str().unwrap());
    assert_eq!(served.get(&format!("{path}/state")).await["next"], json!(["work"]));
    let done = served.run(&path, "pipeline", json!({"input": null})).await;
    assert_eq!(done["items"], json!(["plan:t", "work:t", "finish:t"]));

    let count = served.post("/threads/count", json!({})).await;
    let unknown = served.refused("POST", "/threads", past("nope", json!({}))).await;
    assert_eq!(unknown, (400, "Node nope does not exist".to_owned()));
    let unfit = served.refused("POST", "/threads", past("plan", json!({"count": "many"}))).await;
    assert_eq!(unfit.0, 422, "{unfit:?}");
    let nowhere = served.refused("POST", "/threads", json!({"supersteps": [{"updates": [{"values": {}}]}]})).await;
    assert_eq!(nowhere.0, 422, "{nowhere:?}");
    assert_eq!(served.post("/threads/count", json!({})).await, count, "what is refused leaves no thread");
}

#[tokio::test]
async fn a_thread_is_measured_and_its_time_to_live_told() {
    let served = Served::start().await;
    let thread = served.ran("pipeline", json!({"topic": "a"})).await;
    let storage = served.get(&format!("{thread}/storage")).await;
    assert_eq!(storage["checkpoints"]["count"], 4);
    assert!(storage["channel_values"]["by_channel"]["items"]["bytes"].as_u64().unwrap() > 0, "{storage}");
    let sum = |part: &str| storage[part]["bytes"].as_u64().unwrap();
    let total = sum("checkpoints") + sum("channel_values") + sum("pending_writes");
    assert_eq!(storage["total_bytes"], total);

    let body = json!({"ttl": {"ttl": 60, "strategy": "keep_latest"}});
    let made = served.post("/threads", body).await;
    let path = format!("/threads/{}?include=ttl", made["thread_id"].as_str().unwrap());
    assert_eq!(served.get(&path).await["ttl"]["strategy"], "keep_latest");
    let (status, detail) = served.refused("POST", "/threads", json!({"ttl": {"ttl": 0}})).await;
    assert_eq!((status, detail.as_str()), (422, "`ttl.ttl` is 0, it must be minutes above 0"));
}
