//! The event streaming protocol over connections that break.

use futures::StreamExt;
use graphloom_client::{ClientError, ProtocolEvent, Response, RunStart, Subscription, ThreadId};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::scripted_server::{Reply, ScriptedServer, lines};

fn thread() -> ThreadId {
    ThreadId(Uuid::from_u128(7))
}

fn event(seq: u64, method: &str, data: &Value) -> String {
    let params = json!({"namespace": [], "timestamp": 1, "data": data});
    let event = json!({"type": "event", "event_id": format!("e{seq}"), "seq": seq, "method": method, "params": params});
    format!("event: {method}\r\nid: {seq}\r\ndata: {event}\r\n\r\n")
}

#[tokio::test]
async fn events_go_on_after_their_place_and_none_is_told_twice() {
    let script = [
        Reply::events([event(1, "lifecycle", &json!({"event": "running"})), event(2, "values", &json!({"a": 1}))])
            .cut(),
        // A server that tells the last event once more.
        Reply::events([
            event(2, "values", &json!({"a": 1})),
            event(3, "input.requested", &json!({"interrupt_id": "i", "payload": "?"})),
        ]),
        Reply::events([event(4, "lifecycle", &json!({"event": "interrupted"}))]).quiet(),
    ];
    let server = ScriptedServer::start(script).await;
    let events = server.client().threads().events(thread());
    let stream = events.subscribe(Subscription::new(["values", "lifecycle", "input"]).depth(1_u64)).await.unwrap();
    let told: Vec<_> = stream.take(4).map(Result::unwrap).collect().await;
    assert_eq!(told.iter().map(|event| event.seq.unwrap()).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let question = told[2].interrupt().unwrap();
    assert_eq!((question.id.as_deref(), question.value), (Some("i"), json!("?")));
    assert_eq!(told.iter().map(ProtocolEvent::is_end_of_run).collect::<Vec<_>>(), [false, false, false, true]);
    let asked = server.asked();
    let since: Vec<_> = asked.iter().map(|asked| asked.json()["since"].as_u64()).collect();
    assert_eq!(since, [None, Some(2), Some(3)]);
    assert_eq!(asked[0].json(), json!({"channels": ["values", "lifecycle", "input"], "depth": 1}));
}

#[tokio::test]
async fn commands_are_numbered_and_their_refusals_have_codes() {
    let run = Uuid::from_u128(9);
    let script = [
        Reply::json(200, &json!({"type": "success", "id": 1, "result": {"run_id": run}, "meta": {}})),
        Reply::json(200, &json!({"type": "success", "id": 2, "result": {}})),
        Reply::json(
            200,
            &json!({"type": "error", "id": 3, "error": "no_such_interrupt", "message": "Unknown interrupt: i"}),
        ),
    ];
    let server = ScriptedServer::start(script).await;
    let events = server.client().threads().events(thread());
    let started = events.start(RunStart::new("approval").input(json!({"request": "x"}))).await.unwrap();
    assert_eq!(started.0, run);
    let answer = Response::new("i", "approve", Vec::new());
    events.respond(answer.clone()).await.unwrap();
    let error = events.respond(answer.strict_resume(true)).await.unwrap_err();
    assert!(matches!(&error, ClientError::Command { code, .. } if code == "no_such_interrupt"), "{error}");
    let asked = server.asked();
    assert_eq!(lines(&asked), vec![format!("POST /threads/{}/commands", thread()); 3]);
    let expected =
        json!({"id": 1, "method": "run.start", "params": {"assistant_id": "approval", "input": {"request": "x"}}});
    assert_eq!(asked[0].json(), expected);
    let params = json!({"interrupt_id": "i", "response": "approve", "namespace": [], "strict_resume": true});
    assert_eq!(asked[2].json(), json!({"id": 3, "method": "input.respond", "params": params}));
}
