//! Streams of server-sent events.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;

const ALL: [&str; 10] =
    ["values", "updates", "messages", "tools", "lifecycle", "input", "checkpoints", "tasks", "custom", "trace"];

/// How many runs end in these events.
fn ends(events: &[Value]) -> usize {
    let is_end = |event: &&Value| {
        let of_run = event["method"] == "lifecycle" && event["params"]["namespace"] == json!([]);
        of_run && event["params"]["data"]["event"] != "running"
    };
    events.iter().filter(is_end).count()
}

#[tokio::test]
async fn events_are_the_same_in_the_next_process_and_from_any_number_on() {
    let machine = Machine::default();
    let first = machine.start().await;
    let thread = Uuid::new_v4();
    first.run(thread, "nested", json!({"text": "a"})).await;
    first.events(thread, json!({"channels": ALL}), 1).await;
    let hello = json!({"messages": [{"role": "user", "content": "hi there"}]});
    first.run(thread, "echo_chat", hello).await;
    let live = first.events(thread, json!({"channels": ALL}), 2).await;
    assert!(live.len() > 30, "{}", live.len());
    first.running.stop().await;

    let second = machine.start().await;
    assert_eq!(second.events(thread, json!({"channels": ALL}), 2).await, live);
    for at in [0, 1, live.len() / 2, live.len() - 2] {
        let request = json!({"channels": ALL, "since": live[at]["seq"]});
        let rest = second.events(thread, request, ends(&live[at + 1..])).await;
        assert_eq!(rest, live[at + 1..], "after {at}");
    }
}

#[tokio::test]
async fn states_of_tasks_are_left_out_for_who_asks_for_none() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    server.run(thread, "pipeline", json!({"topic": "a".repeat(2000)})).await;
    let whole = server.events(thread, json!({"channels": ["tasks", "lifecycle"]}), 1).await;
    let request = json!({"channels": ["tasks", "lifecycle"], "task_states": false});
    let bare = server.events(thread, request, 1).await;
    let inputs = |events: &[Value]| {
        let begun = data(events, "tasks").into_iter().filter(|task| !task["triggers"].is_null());
        begun.map(|task| task.get("input").is_some_and(Value::is_object)).collect::<Vec<_>>()
    };
    let (with, without) = (inputs(&whole), inputs(&bare));
    assert!(with.len() > 1 && with.iter().all(|has| *has), "{with:?}");
    assert!(without.len() == with.len() && without.iter().skip(1).all(|has| !has), "{without:?}");
    let seqs = |events: &[Value]| events.iter().map(|event| event["seq"].clone()).collect::<Vec<_>>();
    assert_eq!(seqs(&bare), seqs(&whole));
}

#[tokio::test]
async fn a_browser_goes_on_after_the_last_event_it_saw() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    server.run(thread, "pipeline", json!({"topic": "a"})).await;
    let seen = server.events(thread, json!({"channels": ["values", "lifecycle"]}), 1).await;
    let body = json!({"channels": ["values", "lifecycle"]}).to_string();
    let request = server.http.post(server.url(&format!("/threads/{thread}/stream")));
    let request = request.header("last-event-id", seen[3]["seq"].to_string()).body(body);
    let mut answer = request.send().await.expect("an answer");
    let chunk = answer.chunk().await.expect("a chunk").expect("events");
    let first = String::from_utf8_lossy(&chunk);
    assert!(first.contains(&format!("id: {}\r\n", seen[4]["seq"])), "{first}");
    assert!(!first.contains(&format!("id: {}\r\n", seen[3]["seq"])), "{first}");
}

#[tokio::test]
async fn a_client_that_stops_reading_holds_no_run_up() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    let body = json!({"channels": ALL}).to_string();
    let request = format!(
        "POST /threads/{thread}/stream/events HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
        server.running.address(),
        body.len(),
    );
    let mut silent = TcpStream::connect(server.running.address()).await.expect("a connection");
    silent.write_all(request.as_bytes()).await.expect("a server that reads");
    let mut status = [0; 12];
    silent.read_exact(&mut status).await.expect("a status");
    assert_eq!(&status, b"HTTP/1.1 200");

    // More than the buffers of a connection hold.
    server.run(thread, "pipeline", json!({"topic": "x".repeat(2 << 20)})).await;
    let events = server.events(thread, json!({"channels": ["lifecycle"]}), 1).await;
    assert_eq!(data(&events, "lifecycle").last().expect("an end")["event"], "completed");
}

#[tokio::test]
async fn who_hears_of_the_end_finds_the_thread_at_rest() {
    let server = Served::start().await;
    for _ in 0..20 {
        let thread = Uuid::new_v4();
        server.run(thread, "approval", json!({"request": "r"})).await;
        server.events(thread, json!({"channels": ["lifecycle"]}), 1).await;
        // An input on a thread that waits is the answer.
        server.run(thread, "approval", json!("approve")).await;
        let events = server.events(thread, json!({"channels": ["values", "lifecycle"]}), 2).await;
        let log = &data(&events, "values").last().expect("values")["log"];
        assert_eq!(log, &json!(["draft", "review:approve", "publish"]));
    }
}
