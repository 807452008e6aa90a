//! Requests of one conversation reach another process each time, whatever their protocol.

use serde_json::{Value, json};

use super::{Processes, new_thread, rest, text, ticks};
use crate::durability::until;
use crate::support::Client;

/// The result of a call of an agent.
async fn agent(client: &Client, method: &str, params: Value) -> Value {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = client.post("/a2a/chat_review", call).await.unwrap().ok();
    assert!(answer["error"].is_null(), "{answer}");
    answer["result"].clone()
}

fn message(says: &str, task: Option<&str>) -> Value {
    json!({"message": {"role": "ROLE_USER", "messageId": says, "parts": [{"text": says}], "taskId": task}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_goes_on_at_another_process_with_each_request() {
    let processes = Processes::start(3).await;
    let [one, two, three] = [0, 1, 2].map(|at| processes.client(at));

    // A task of an agent: its question, its answer, and the next task of its context.
    let asked = agent(one, "SendMessage", message("hi", None)).await["task"].clone();
    assert_eq!(asked["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{asked}");
    let (task, context) = (text(&asked, "id"), text(&asked, "contextId"));
    let found = agent(two, "GetTask", json!({ "id": task })).await;
    assert_eq!((&found["status"]["state"], &found["artifacts"]), (&asked["status"]["state"], &asked["artifacts"]));
    let done = agent(three, "SendMessage", message("send", Some(&task))).await["task"].clone();
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED", "{done}");
    assert!(done.to_string().contains("Reply to hi"), "{done}");
    let mut next = message("again", None);
    next["message"]["contextId"] = json!(context);
    let next = agent(two, "SendMessage", next).await["task"].clone();
    assert!(next["contextId"] == context && next["id"] != task, "{next}");
    assert_eq!(agent(one, "ListTasks", json!({ "contextId": context })).await["tasks"].as_array().unwrap().len(), 2);

    // A response, and the answer to its question.
    let asked = one.post("/v1/responses", json!({"model": "chat_review", "input": "hi"})).await.unwrap().ok();
    let is_call = |item: &&Value| item["type"] == "function_call";
    let call = asked["output"].as_array().unwrap().iter().find(is_call).unwrap()["call_id"].clone();
    let id = text(&asked, "id");
    assert_eq!(two.get(&format!("/v1/responses/{id}")).await.unwrap().ok()["output"], asked["output"]);
    let output = json!([{"type": "function_call_output", "call_id": call, "output": "send"}]);
    let answer = json!({"model": "chat_review", "previous_response_id": id, "input": output});
    let said = three.post("/v1/responses", answer).await.unwrap().ok();
    assert!(said["output"].to_string().contains("Reply to hi"), "{said}");

    // A user interface that asks and resumes.
    let thread = new_thread(one).await;
    let run = |resume: Value| {
        let (state, run) = (json!({"request": "r"}), uuid::Uuid::new_v4());
        json!({"threadId": thread, "runId": run, "state": state, "messages": [], "tools": [], "context": [],
            "forwardedProps": {}, "resume": resume})
    };
    let asked = rest(&mut one.post_stream("/ag-ui/approval", run(Value::Null)).await.unwrap()).await;
    let interrupt = asked.last().unwrap().data["outcome"]["interrupts"][0]["id"].clone();
    assert!(interrupt.is_string(), "{asked:?}");
    let resume = json!([{"interruptId": interrupt, "status": "resolved", "payload": "approve"}]);
    let resumed = rest(&mut two.post_stream("/ag-ui/approval", run(resume)).await.unwrap()).await;
    assert_eq!(resumed.last().unwrap().data["type"], "RUN_FINISHED", "{resumed:?}");
    let state = three.get(&format!("/threads/{thread}/state")).await.unwrap().ok();
    assert_eq!(state["values"]["log"], json!(["draft", "review:approve", "publish"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_and_events_of_a_thread_may_go_to_any_process() {
    let processes = Processes::start(3).await;
    let [one, two, three] = [0, 1, 2].map(|at| processes.client(at));
    let thread = new_thread(one).await;
    let command = async |client: &Client, method: &str, params: Value| {
        let body = json!({"id": 1, "method": method, "params": params});
        let answer = client.post(&format!("/threads/{thread}/commands"), body).await.unwrap();
        assert_eq!(answer.body["type"], "success", "{}", answer.body);
        answer.body["result"].clone()
    };
    let input = json!({"n": 30, "delay_ms": 10});
    let run = text(&command(one, "run.start", json!({"assistant_id": "ticker", "input": input})).await, "run_id");
    let channels = json!({"channels": ["values"]});
    let mut events = two.post_stream(&format!("/threads/{thread}/stream/events"), channels.clone()).await.unwrap();
    let mut last = 0;
    while last < 30 {
        let event = events.next().await.unwrap().expect("the run goes on").data;
        last = event["params"]["data"]["ticks"].as_array().map_or(last, Vec::len);
    }
    // The next one begins at a third process, and is heard by who listens at the second one.
    let join = format!("/threads/{thread}/runs/{run}/join");
    assert_eq!(three.get(&join).await.unwrap().ok()["ticks"].as_array().unwrap().len(), 30);
    command(three, "run.start", json!({"assistant_id": "ticker", "input": {"n": 35, "delay_ms": 0}})).await;
    while last < 35 {
        let event = events.next().await.unwrap().expect("the thread is there").data;
        last = event["params"]["data"]["ticks"].as_array().map_or(last, Vec::len);
    }
    drop(events);

    // Whatever started it, it is a run for all protocols.
    let list = format!("/threads/{thread}/runs");
    let is_done = async || {
        let runs = one.get(&list).await.unwrap().ok();
        runs.as_array().unwrap().iter().filter(|run| run["status"] == "success").count() == 2
    };
    until(is_done, "a run does not end").await;
    let body = json!({"assistant_id": "ticker", "input": {"n": 40, "delay_ms": 0}, "stream_mode": "updates"});
    let more = rest(&mut two.post_stream(&format!("{list}/stream"), body).await.unwrap()).await;
    assert_eq!(ticks(&more), (36..=40).collect::<Vec<_>>());
}
