//! Several processes that share their stores: each request may reach another one.

use rmcp::model::{
    CallToolResponse, CancelTaskParams, GetTaskParams, InputResponses, TaskPayload, TaskStatus, UpdateTaskParams,
};

use super::*;
use crate::Cluster;

async fn two() -> [Running; 2] {
    let storage = Storage::default();
    // Without signals: what one did the other finds by looking.
    let start = async || {
        let cluster = Cluster::new().heartbeat(Duration::from_millis(200), Duration::from_secs(3600));
        storage.server().cluster(cluster).start(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap()
    };
    [start().await, start().await]
}

#[tokio::test]
async fn a_question_of_one_process_is_answered_at_another() {
    let servers = two().await;
    let person = Person::answering([]);
    let one = connect(&servers[0], Generation::Modern, &person).await;
    let other = connect(&servers[1], Generation::Modern, &person).await;
    let asked = one.call_tool_once(call("approval", json!({"request": "r"}))).await.unwrap();
    let CallToolResponse::InputRequired(required) = asked else { panic!("{asked:?}") };
    let question = required.input_requests.unwrap().keys().next().unwrap().clone();
    let reply = json!({"action": "accept", "content": {"answer": "approve"}});
    let again = call("approval", json!({"request": "r"}))
        .with_request_state(required.request_state.unwrap())
        .with_input_responses(InputResponses::from_iter([(question, reply)]));
    // Again at the first, for a client that did not hear the answer.
    for client in [&other, &one] {
        let done = client.call_tool_once(again.clone()).await.unwrap();
        let CallToolResponse::Complete(result) = done else { panic!("{done:?}") };
        assert_eq!(structured(&result)["log"], json!(["draft", "review:approve", "publish"]));
    }
    for server in servers {
        server.stop().await;
    }
}

#[tokio::test]
async fn a_task_of_one_process_is_read_answered_and_cancelled_at_another() {
    let servers = two().await;
    let person = Arc::new(Person { has_tasks: true, shows_forms: true, ..Person::default() });
    let one = connect(&servers[0], Generation::Modern, &person).await;
    let other = connect(&servers[1], Generation::Modern, &person).await;
    let until = async |client: &Client, task: &str, status: TaskStatus| {
        loop {
            let found = client.get_task(GetTaskParams::new(task.to_owned())).await.unwrap().task;
            if found.status() == status {
                return found.payload;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let begun = one.call_tool_once(call("ticker", json!({"n": 100_000, "delay_ms": 100}))).await.unwrap();
    let CallToolResponse::Task(long) = begun else { panic!("{begun:?}") };
    let long = long.task.task_id;
    until(&other, &long, TaskStatus::Working).await;
    other.cancel_task(CancelTaskParams::new(long.clone())).await.unwrap();
    for client in [&other, &one] {
        until(client, &long, TaskStatus::Cancelled).await;
    }

    let asked = one.call_tool_once(call("approval", json!({"request": "r"}))).await.unwrap();
    assert!(matches!(asked, CallToolResponse::InputRequired(_)), "{asked:?}");
    let found = threads(&servers[1]).await;
    let task = found.iter().find(|thread| thread["metadata"]["graph_id"] == "approval").unwrap();
    let task = task["thread_id"].as_str().unwrap().to_owned();
    let TaskPayload::InputRequired { input_requests } = until(&other, &task, TaskStatus::InputRequired).await else {
        panic!("it asks")
    };
    let reply = json!({"action": "accept", "content": {"answer": "approve"}});
    let responses: InputResponses = input_requests.keys().map(|id| (id.clone(), reply.clone())).collect();
    other.update_task(UpdateTaskParams::new(task.clone(), responses)).await.unwrap();
    let TaskPayload::Completed { result } = until(&one, &task, TaskStatus::Completed).await else { panic!("it ends") };
    assert_eq!(result["structuredContent"]["log"], json!(["draft", "review:approve", "publish"]));
    for server in servers {
        server.stop().await;
    }
}

/// A client of 2025-11-25 whose process is gone goes on with its session at another one.
#[tokio::test]
async fn a_session_goes_on_at_another_process() {
    let servers = two().await;
    let http = reqwest::Client::new();
    let post = async |server: &Running, session: Option<&str>, body: Value| {
        let mut request = http
            .post(format!("http://{}/mcp", server.address()))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if let Some(session) = session {
            request = request.header("mcp-session-id", session).header("mcp-protocol-version", "2025-11-25");
        }
        request.body(body.to_string()).send().await.unwrap()
    };
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let begun = post(&servers[0], None, begin).await;
    let session = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    drop(begun.text().await.unwrap());
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert!(post(&servers[0], Some(&session), initialized).await.status().is_success());
    let [first, second] = servers;
    first.stop().await;
    let params = json!({"name": "pipeline", "arguments": {"topic": "tea"}});
    let called = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    let answer = post(&second, Some(&session), called).await;
    let (status, body) = (answer.status(), answer.text().await.unwrap());
    assert!(status.is_success() && body.contains("graphloom/threadId"), "{status} {body}");
    second.stop().await;
}

async fn threads(server: &Running) -> Vec<Value> {
    let url = format!("http://{}/threads/search", server.address());
    let request = reqwest::Client::new().post(url).header("content-type", "application/json").body("{}");
    serde_json::from_slice(&request.send().await.unwrap().bytes().await.unwrap()).unwrap()
}
