//! A long run is a task.

use rmcp::model::{
    CallToolResponse, CancelTaskParams, DetailedTask, GetTaskParams, InputResponses, TaskPayload, TaskStatus,
    UpdateTaskParams,
};

use super::*;

fn with_tasks(shows_forms: bool) -> Arc<Person> {
    Arc::new(Person { has_tasks: true, shows_forms, ..Person::default() })
}

async fn begin(client: &Client, arguments: Value) -> String {
    let called = client.call_tool_once(call("ticker", arguments)).await.unwrap();
    let CallToolResponse::Task(created) = called else { panic!("{called:?}") };
    assert_eq!(created.task.status, TaskStatus::Working);
    created.task.task_id
}

async fn until(client: &Client, task: &str, status: TaskStatus) -> DetailedTask {
    loop {
        let task = client.get_task(GetTaskParams::new(task)).await.unwrap().task;
        if task.status() == status {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn result_of(task: DetailedTask) -> CallToolResult {
    let TaskPayload::Completed { result } = task.payload else { panic!("{task:?}") };
    serde_json::from_value(Value::Object(result)).unwrap()
}

#[tokio::test]
async fn a_long_run_is_a_task_and_a_short_one_is_not() {
    let storage = Storage::default();
    let server = storage.start().await;
    for generation in GENERATIONS {
        let client = connect(&server, generation, &with_tasks(false)).await;
        let short = client.call_tool_once(call("pipeline", json!({"topic": "a"}))).await.unwrap();
        assert!(matches!(short, CallToolResponse::Complete(_)), "{short:?}");
        let endless = begin(&client, json!({"n": 100_000, "delay_ms": 100})).await;
        let under_way = client.get_task(GetTaskParams::new(endless)).await.unwrap().task.task;
        let message = under_way.status_message.unwrap_or_default();
        assert!(message == "tick" || message.starts_with("{\"tick\":"), "{message}");
        let task = begin(&client, json!({"n": 30, "delay_ms": 100})).await;
        let result = result_of(until(&client, &task, TaskStatus::Completed).await);
        assert_eq!(structured(&result)["ticks"].as_array().unwrap().len(), 30);
        assert_eq!(result.is_error, Some(false));
    }
    server.stop().await;
}

#[tokio::test]
async fn a_task_is_there_after_a_restart_and_goes_on() {
    let storage = Storage::default();
    let server = storage.start().await;
    let client = connect(&server, Generation::Modern, &with_tasks(false)).await;
    let task = begin(&client, json!({"n": 40, "delay_ms": 100})).await;
    client.cancel().await.unwrap();
    server.stop().await;
    let server = storage.start().await;
    let client = connect(&server, Generation::Modern, &with_tasks(false)).await;
    let result = result_of(until(&client, &task, TaskStatus::Completed).await);
    assert_eq!(structured(&result)["ticks"].as_array().unwrap().len(), 40);
    server.stop().await;
}

#[tokio::test]
async fn a_task_is_cancelled() {
    let storage = Storage::default();
    let server = storage.start().await;
    let client = connect(&server, Generation::Modern, &with_tasks(false)).await;
    let task = begin(&client, json!({"n": 100_000, "delay_ms": 100})).await;
    client.cancel_task(CancelTaskParams::new(task.clone())).await.unwrap();
    until(&client, &task, TaskStatus::Cancelled).await;
    storage.until(|thread| thread["status"] == "interrupted").await;
    // One that is done stays done.
    let done = client.call_tool(call("pipeline", json!({"topic": "a"}))).await.unwrap();
    let done = done.meta.unwrap()["graphloom/threadId"].as_str().unwrap().to_owned();
    client.cancel_task(CancelTaskParams::new(done.clone())).await.unwrap();
    until(&client, &done, TaskStatus::Completed).await;
    for unknown in ["x", &uuid::Uuid::nil().to_string()] {
        let error = client.get_task(GetTaskParams::new(unknown)).await.unwrap_err().to_string();
        assert!(error.contains(&format!("Unknown task: {unknown}")), "{error}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_task_asks() {
    let storage = Storage::default();
    let server = storage.start().await;
    let client = connect(&server, Generation::Modern, &with_tasks(true)).await;
    // A call that asks soon is answered in the call; its thread is a task all the same.
    let cases = [
        (json!({"action": "accept", "content": {"answer": "approve"}}), Some("publish")),
        (json!({"action": "decline"}), None),
    ];
    for (reply, last) in cases {
        let asked = client.call_tool_once(call("approval", json!({"request": "r"}))).await.unwrap();
        assert!(matches!(asked, CallToolResponse::InputRequired(_)), "{asked:?}");
        let waiting = storage.records().threads.search(&Default::default()).await.unwrap().items;
        let waiting = waiting
            .iter()
            .find(|thread| thread["status"] == "interrupted" && thread["metadata"]["mcp_closed"].is_null());
        let task = waiting.unwrap()["thread_id"].as_str().unwrap().to_owned();
        let TaskPayload::InputRequired { input_requests } =
            until(&client, &task, TaskStatus::InputRequired).await.payload
        else {
            panic!("it asks")
        };
        let responses: InputResponses = input_requests.keys().map(|id| (id.clone(), reply.clone())).collect();
        client.update_task(UpdateTaskParams::new(task.clone(), responses)).await.unwrap();
        let result = result_of(until(&client, &task, TaskStatus::Completed).await);
        assert_eq!(structured(&result)["log"].get(2).and_then(Value::as_str), last);
        assert_eq!(result.is_error, Some(last.is_none()));
    }
    server.stop().await;
}
