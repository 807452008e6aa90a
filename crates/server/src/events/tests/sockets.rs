//! Commands and events over sockets.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::*;

struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    async fn open(server: &Served, path: &str) -> Self {
        let address = server.running.address();
        let stream = TcpStream::connect(address).await.expect("a connection");
        Self(client_async(format!("ws://{address}{path}"), stream).await.expect("a socket").0)
    }

    async fn of_thread(server: &Served, thread: Uuid) -> Self {
        Self::open(server, &format!("/threads/{thread}/stream/events")).await
    }

    async fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.expect("an open socket");
    }

    async fn next(&mut self) -> Message {
        self.0.next().await.expect("an open socket").expect("a message")
    }

    async fn json(&mut self) -> Value {
        loop {
            match self.next().await {
                Message::Text(text) => return parsed(text.as_str()),
                Message::Ping(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// The answer to a command, and the events before it.
    async fn command(&mut self, id: u64, method: &str, params: Value) -> (Value, Vec<Value>) {
        self.send(&json!({"id": id, "method": method, "params": params}).to_string()).await;
        let mut events = Vec::new();
        loop {
            let message = self.json().await;
            if message["type"] != "event" {
                assert_eq!(message["id"], id);
                return (message, events);
            }
            events.push(message);
        }
    }

    async fn until_end(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while !events.last().is_some_and(is_end) {
            events.push(self.json().await);
        }
        events
    }

    async fn close_code(&mut self) -> u16 {
        loop {
            if let Message::Close(frame) = self.next().await {
                return frame.expect("a reason").code.into();
            }
        }
    }
}

#[tokio::test]
async fn a_new_subscription_is_told_what_the_others_have_had() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    let mut socket = Socket::of_thread(&server, thread).await;
    socket.command(1, "subscription.subscribe", json!({"channels": ["lifecycle"]})).await;
    socket.command(2, "run.start", json!({"assistant_id": "pipeline", "input": {"topic": "a"}})).await;
    socket.until_end().await;
    let asked = json!({"channels": ["values", "lifecycle"]});
    socket.command(3, "subscription.subscribe", asked.clone()).await;
    assert_eq!(socket.until_end().await, server.events(thread, asked, 1).await);
    let since = json!({"channels": ["values"], "since": 4096 * 1_000_000_u64});
    socket.command(4, "subscription.subscribe", since).await;
    socket.command(5, "run.start", json!({"assistant_id": "pipeline", "input": {"topic": "b"}})).await;
    let live = socket.until_end().await;
    assert_eq!(data(&live, "values").len(), 4, "each event comes once, whatever asks for it");
}

#[tokio::test]
async fn a_run_ends_for_no_subscription_before_the_next_one_has_told_what_came_before() {
    let server = Served::start().await;
    // The server waits a moment for the next subscription, which can be late on a busy machine.
    loop {
        let thread = Uuid::new_v4();
        let mut socket = Socket::of_thread(&server, thread).await;
        server.run(thread, "pipeline", json!({"topic": "a"})).await;
        server.events(thread, json!({"channels": ["lifecycle"]}), 1).await;
        socket.command(1, "subscription.subscribe", json!({"channels": ["lifecycle"]})).await;
        assert_eq!(socket.json().await["params"]["data"]["event"], "running");
        // A server that does not wait tells the end meanwhile.
        tokio::time::sleep(Duration::from_millis(50)).await;
        let (_, early) =
            socket.command(2, "subscription.subscribe", json!({"channels": ["values", "lifecycle"]})).await;
        if early.is_empty() {
            let events = socket.until_end().await;
            assert_eq!(data(&events, "values").len(), 4);
            return;
        }
    }
}

#[tokio::test]
async fn a_socket_answers_while_a_run_is_under_way() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    let mut socket = Socket::of_thread(&server, thread).await;
    socket.command(1, "run.start", json!({"assistant_id": "ticker", "input": {"n": 10_000, "delay_ms": 1}})).await;
    // The answer to the first waits until the run has ended.
    let wrong = json!({"id": 2, "method": "input.respond", "params": {"interrupt_id": "x", "response": 1}});
    socket.send(&wrong.to_string()).await;
    let (tree, _) = socket.command(3, "agent.getTree", json!({})).await;
    assert_eq!(tree["result"]["tree"]["graph_name"], "ticker");
}

#[tokio::test]
async fn the_namespace_of_a_question_is_checked() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    let mut socket = Socket::of_thread(&server, thread).await;
    socket.command(1, "subscription.subscribe", json!({"channels": ["lifecycle", "input"]})).await;
    socket.command(2, "run.start", json!({"assistant_id": "nested", "input": {"text": "a", "ask": true}})).await;
    let events = socket.until_end().await;
    let id = &data(&events, "input.requested")[0]["interrupt_id"];
    for (namespace, expected) in [(json!(["other"]), json!("no_such_interrupt")), (json!(["child"]), Value::Null)] {
        let params = json!({"namespace": namespace, "interrupt_id": id, "response": "!"});
        let (answer, _) = socket.command(3, "input.respond", params).await;
        assert_eq!(answer["error"], expected, "{namespace}");
    }
}

#[tokio::test]
async fn a_client_that_comes_back_learns_how_its_run_stands() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    let run = server.run(thread, "pipeline", json!({"topic": "a"})).await;
    let seen = server.events(thread, json!({"channels": ["values", "lifecycle"]}), 1).await;
    let mut socket = Socket::of_thread(&server, thread).await;
    let subscribed = json!({"channels": ["values"], "since": 4096 * 1_000_000_u64});
    socket.command(1, "subscription.subscribe", subscribed).await;
    let last = &seen[2]["event_id"];
    let params = json!({"run_id": run, "last_event_id": last, "subscriptions": ["subscription-1"]});
    let (answer, _) = socket.command(2, "subscription.reconnect", params).await;
    let root = json!([{"namespace": [], "status": "completed"}]);
    assert_eq!(answer["result"], json!({"restored": true, "missed_events": 0, "current_namespaces": root}));
    socket.command(3, "subscription.unsubscribe", json!({"subscription_id": "subscription-1"})).await;
    let params =
        json!({"run_id": run, "last_event_id": seen[seen.len() - 2]["event_id"], "subscriptions": ["subscription-1"]});
    let (answer, _) = socket.command(4, "subscription.reconnect", params).await;
    assert_eq!((&answer["result"]["restored"], &answer["result"]["missed_events"]), (&json!(false), &json!(1)));
}

#[tokio::test]
async fn what_is_no_command_is_answered_without_an_end() {
    let server = Served::start().await;
    let mut socket = Socket::of_thread(&server, Uuid::new_v4()).await;
    for (text, id) in [("{", Value::Null), ("[]", Value::Null), ("{\"id\":7}", json!(7))] {
        socket.send(text).await;
        let answer = socket.json().await;
        assert_eq!((&answer["error"], &answer["id"]), (&json!("invalid_argument"), &id), "{text}");
    }
    assert_eq!(socket.command(8, "no.such", json!({})).await.0["error"], "unknown_command");
}

#[tokio::test]
async fn the_path_of_the_agent_protocol_takes_sockets_and_streams() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    let mut socket = Socket::open(&server, &format!("/threads/{thread}/stream")).await;
    socket.command(1, "subscription.subscribe", json!({"channels": ["lifecycle"]})).await;
    socket.command(2, "run.start", json!({"assistant_id": "pipeline", "input": {"topic": "a"}})).await;
    assert_eq!(data(&socket.until_end().await, "lifecycle").len(), 2);
    let stream = server.http.get(server.url(&format!("/threads/{thread}/stream"))).send().await.expect("an answer");
    assert_eq!(stream.headers()["content-type"], "text/event-stream; charset=utf-8", "without an upgrade");
}

#[tokio::test]
async fn a_socket_is_closed_with_what_http_would_answer() {
    let server = Served::start().await;
    let mut bad = Socket::open(&server, "/threads/no-uuid/stream/events").await;
    assert_eq!(bad.close_code().await, 4422);
    let mut open = Socket::of_thread(&server, Uuid::new_v4()).await;
    open.0.send(Message::binary(vec![1])).await.expect("an open socket");
    assert_eq!(open.close_code().await, 1003);
    let plain = server.http.get(server.url(&format!("/threads/{}/stream/events", Uuid::new_v4()))).send().await;
    assert_eq!(plain.expect("an answer").status(), 426);
    let mut open = Socket::of_thread(&server, Uuid::new_v4()).await;
    open.command(1, "subscription.subscribe", json!({"channels": ["lifecycle"]})).await;
    let stopping = tokio::spawn(server.running.stop());
    assert_eq!(open.close_code().await, 1001);
    drop(open);
    assert_eq!(stopping.await.expect("a stop"), 0);
}
