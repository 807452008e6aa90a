//! What a run is asked for and the graph has not.

use serde_json::json;

use super::Served;

#[tokio::test]
async fn nodes_to_stop_at_that_are_not_there_are_refused_by_their_names() {
    let served = Served::start().await;
    let thread = served.thread().await;
    let cases = [
        (json!(["nope"]), "`interrupt_before` names `nope`, which is no node of the graph `pipeline`; nodes: "),
        (json!(["work", "Plan"]), "`interrupt_before` names `Plan`, which is no node"),
        (json!("nope"), "`interrupt_before` names `nope`"),
    ];
    for (nodes, expected) in cases {
        let body = json!({"assistant_id": "pipeline", "input": {"topic": "a"}, "interrupt_before": nodes});
        for path in [format!("{thread}/runs/wait"), format!("{thread}/runs"), "/runs/stream".to_owned()] {
            let (status, detail) = served.refused("POST", &path, body.clone()).await;
            assert!(status == 422 && detail.starts_with(expected), "{path}: {status} {detail}");
        }
    }
    let cron = json!({"assistant_id": "pipeline", "schedule": "0 0 1 1 *", "interrupt_after": ["nope"]});
    let (status, detail) = served.refused("POST", "/runs/crons", cron).await;
    assert!(status == 422 && detail.starts_with("`interrupt_after` names `nope`"), "{status} {detail}");
    assert_eq!(served.get(&format!("{thread}/runs")).await, json!([]));
    let all = json!({"input": {"topic": "a"}, "interrupt_before": "*"});
    assert_eq!(served.run(&thread, "pipeline", all).await, json!({"topic": "a", "items": []}));
}

#[tokio::test]
async fn a_field_that_the_graph_has_not_is_told() {
    let served = Served::start().await;
    let thread = served.thread().await;
    let told = "the input has `bogus`, which is no field of the graph `approval`; fields: `request`, `draft`, `decision`, `log`";
    let body = json!({"assistant_id": "approval", "input": {"request": "tea", "bogus": 1}, "stream_mode": "values"});
    for way in ["runs/wait", "runs", "runs/stream"] {
        let url = format!("http://{}{thread}/{way}", served.running.address());
        let answer = served.client.post(url).body(body.to_string()).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200);
        let header = answer.headers()["warning"].to_str().unwrap().to_owned();
        assert!(header.starts_with("299 - ") && header.contains(told), "{header}");
        let text = answer.text().await.unwrap();
        if way == "runs/stream" {
            let (_, warning) = text.split_once("event: warning").unwrap_or_else(|| panic!("{text}"));
            assert!(warning.lines().nth(1).unwrap().contains(told), "{text}");
        }
    }
    // Nothing is left of an input that the graph has nothing of, and an update is by somebody who means it.
    let (_, answer) = served
        .send("POST", &format!("{thread}/runs/wait"), &json!({"assistant_id": "approval", "input": {"bogus": 1}}))
        .await;
    assert!(answer["__error__"]["message"].as_str().unwrap().starts_with(told), "{answer}");
    let command = json!({"assistant_id": "approval", "command": {"update": {"request": "milk", "bogus": 1}}});
    let (_, answer) = served.send("POST", &format!("{thread}/runs/wait"), &command).await;
    assert!(answer["__error__"]["message"].as_str().unwrap().starts_with("the update has `bogus`"), "{answer}");
    let update = json!({"values": {"request": "milk", "bogus": 1}, "as_node": "draft"});
    let (status, detail) = served.refused("POST", &format!("{thread}/state"), update).await;
    assert!(status == 400 && detail.starts_with("the update has `bogus`, which is no field"), "{status} {detail}");
}
