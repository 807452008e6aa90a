//! Crons on the wire.

use serde_json::json;

use super::{Served, each};

#[tokio::test]
async fn a_cron_is_made_changed_found_and_deleted() {
    let served = Served::start().await;
    let thread = served.thread().await;
    let body =
        json!({"assistant_id": "pipeline", "schedule": "0 0 1 1 *", "input": {"topic": "a"}, "metadata": {"x": 1}});
    let alone = served.post("/runs/crons", body.clone()).await;
    let on_thread = served.post(&format!("{thread}/runs/crons"), body).await;
    assert_eq!((&alone["thread_id"], &alone["on_run_completed"]), (&json!(null), &json!("delete")));
    assert_eq!(alone["payload"], json!({"input": {"topic": "a"}}));
    assert_eq!(on_thread["on_run_completed"], json!(null));
    let path = format!("/runs/crons/{}", alone["cron_id"].as_str().unwrap());
    let (status, changed) = served.send("PATCH", &path, &json!({"enabled": false, "input": {"topic": "b"}})).await;
    assert_eq!((status, &changed["enabled"], &changed["payload"]["input"]["topic"]), (200, &json!(false), &json!("b")));
    let found = served.post("/runs/crons/search", json!({"thread_id": on_thread["thread_id"]})).await;
    assert_eq!(each(&found, "/cron_id"), [on_thread["cron_id"].clone()]);
    assert_eq!(served.post("/runs/crons/count", json!({})).await, 2);
    assert_eq!(served.send("DELETE", &path, &json!(null)).await.0, 204);
    assert_eq!(served.refused("DELETE", &path, json!(null)).await, (404, "Not Found".to_owned()));
    assert_eq!(served.send("DELETE", &thread, &json!(null)).await.0, 204);
    assert_eq!(served.post("/runs/crons/count", json!({})).await, 0, "the crons of a thread go with it");
}

#[tokio::test]
async fn what_cannot_run_by_the_calendar_is_refused() {
    let served = Served::start().await;
    let base = |more: serde_json::Value| {
        let mut body = json!({"assistant_id": "pipeline", "schedule": "* * * * *"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let cases = [
        (base(json!({"schedule": "nope"})), 422, "`schedule` is `nope` with 1 fields"),
        (base(json!({"timezone": "Mars/Olympus"})), 422, "`timezone` is `Mars/Olympus`"),
        (base(json!({"end_time": "soon"})), 422, "`end_time` is `soon`"),
        (base(json!({"assistant_id": "nope"})), 422, "Invalid assistant: 'nope'"),
        (base(json!({"assistant_id": "00000000-0000-4000-8000-000000000000"})), 404, ""),
        (base(json!({"multitask_strategy": "later"})), 422, "Invalid request body at `multitask_strategy`"),
        (base(json!({"command": {"resume": 1}})), 400, "`command.resume` needs a thread"),
    ];
    for (body, status, beginning) in cases {
        let (found, detail) = served.refused("POST", "/runs/crons", body.clone()).await;
        assert!(found == status && detail.starts_with(beginning), "{body}: {found} {detail}");
    }
    let nowhere = "/threads/00000000-0000-4000-8000-000000000000/runs/crons";
    assert_eq!(served.send("POST", nowhere, &base(json!({}))).await.0, 404);
    assert_eq!(served.post("/runs/crons/count", json!({})).await, 0);
}
