//! Servers at addresses that answer nearly right: in every form of an answer, each part is heard.

use graphloom_mcp::{McpError, McpEventKind, McpServers, ServerConfig};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Events, connected};

/// What a server says: the status line, the header of the kind, and the body, for a method and an id.
type Says = fn(&str, &Value) -> (&'static str, &'static str, String);

const OK: &str = "200 OK";
const JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "Content-Type: text/event-stream\r\n";

/// A server at an address of this machine that says so.
async fn served(says: Says, events: &Events) -> McpServers {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(conversation(stream, says));
        }
    });
    connected(vec![ServerConfig::http("odd", address.parse().unwrap())], &events.options()).await
}

/// Answers one request.
async fn conversation(stream: TcpStream, says: Says) {
    let mut stream = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    stream.read_line(&mut first).await.unwrap();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (status, kind, body) = match (first.starts_with("POST"), message.get("id")) {
        (false, _) => ("405 Method Not Allowed", "", String::new()),
        (true, None) => ("202 Accepted", "", String::new()),
        (true, Some(id)) => says(message["method"].as_str().unwrap(), id),
    };
    let head = format!("HTTP/1.1 {status}\r\n{kind}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
}

/// What the server of these tests has: two tools, of which one has no schema, beside one that is none.
fn result(method: &str) -> Value {
    match method {
        "initialize" => json!({"capabilities": {"tools": {}}, "protocolVersion": "2025-06-18"}),
        "tools/list" => json!({"tools": [{"name": "good", "inputSchema": {}}, {"name": "bare"}, {"inputSchema": {}}]}),
        _ => json!({"content": [{"type": "text", "text": "heard"}, {"type": "text", "text": null}], "contents": []}),
    }
}

fn message(method: &str, id: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result(method)}).to_string()
}

#[tokio::test]
async fn every_form_of_an_answer_is_heard() {
    let forms: [Says; 8] = [
        |method, id| (OK, JSON, message(method, id)),
        |method, id| (OK, EVENTS, format!("event: message\ndata: {}\n\n", message(method, id))),
        |method, id| {
            (OK, EVENTS, format!(": hello\n\ndata: ready\n\nevent: answer\ndata: {}\n\n", message(method, id)))
        },
        // Of no kind, or of another one.
        |method, id| (OK, "", message(method, id)),
        |method, id| (OK, "Content-Type: text/plain; charset=utf-8\r\n", format!("\u{feff}{}", message(method, id))),
        // With an id of its own, in a list, and with an error that is none.
        |method, _| (OK, JSON, message(method, &json!("1"))),
        |method, _| (OK, EVENTS, format!("data: [{}]\n\n", message(method, &Value::Null))),
        |method, id| (OK, JSON, format!("{{\"id\":{id},\"error\":null,\"result\":{}}}", result(method))),
    ];
    for (at, says) in forms.into_iter().enumerate() {
        let events = Events::default();
        let servers = served(says, &events).await;
        let report = servers.reports().remove(0);
        let names: Vec<&str> = report.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((report.error, names, report.left_out.len()), (None, vec!["good", "bare"], 1), "{at}");
        let output = servers.call("odd", "bare", json!({"a": 1})).await.unwrap();
        assert_eq!(output.content, "heard\n[not read: a text has no words]", "{at}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_or_did_not_come_is_told_and_the_server_has_not_ended() {
    let calls: [(Says, &str); 6] = [
        (|_, id| (OK, JSON, format!("{{\"id\":{id},\"result\":{{\"content\":")), "cannot be read: it is no JSON"),
        (
            |_, _| (OK, "Content-Type: text/html\r\n", "<html>busy</html>".to_owned()),
            "cannot be read: it is no message: <html>",
        ),
        (|_, _| ("400 Bad Request", JSON, r#"{"error":"no such row"}"#.to_owned()), "refused `good`: no such row"),
        (
            |_, id| ("500 Oops", JSON, format!("{{\"id\":{id},\"error\":{{\"message\":\"no row\"}}}}")),
            "refused `good`: no row",
        ),
        (|_, _| ("503 Busy", "Content-Type: text/html\r\n", "<html>".to_owned()), "did not answer `good`: HTTP 503"),
        (|_, _| ("404 Gone", "", "not here".to_owned()), "did not answer `good`: unexpected server response: HTTP 404"),
    ];
    for (of_call, words) in calls {
        CALL.with(|call| call.set(Some(of_call)));
        let events = Events::default();
        let says: Says = |method, id| match CALL.with(std::cell::Cell::get) {
            Some(of_call) if method == "tools/call" => of_call(method, id),
            _ => (OK, JSON, message(method, id)),
        };
        let servers = served(says, &events).await;
        let error = servers.call("odd", "good", json!({})).await.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert!(!matches!(error, McpError::Ended { .. }), "{error:?}");
        CALL.with(|call| call.set(None));
        assert!(servers.call("odd", "good", json!({})).await.unwrap().content.starts_with("heard"), "{words}");
        assert_eq!(events.of(McpEventKind::Ended), [""; 0]);
        assert_eq!(events.of(McpEventKind::Started).len(), 1);
    }
}

thread_local! {
    /// How the server of a test answers a call, where that is not as the others are. A test runs on one thread.
    static CALL: std::cell::Cell<Option<Says>> = const { std::cell::Cell::new(None) };
}
