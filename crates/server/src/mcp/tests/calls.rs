//! Tools, their results, progress and cancellation.

use std::collections::BTreeMap;

use rmcp::ServiceError;
use rmcp::model::{ErrorCode, Tool};

use super::*;
use crate::records::AssistantCreate;

#[tokio::test]
async fn every_assistant_is_a_tool_with_schemas() {
    let storage = Storage::default();
    let server = storage.start().await;
    for (name, description) in [("my report", Some("Writes it")), ("pipeline", None)] {
        let new = AssistantCreate {
            graph_id: "pipeline".to_owned(),
            name: Some(name.to_owned()),
            description: description.map(str::to_owned),
            ..AssistantCreate::default()
        };
        storage.records().assistants.create(new).await.unwrap();
    }
    for generation in GENERATIONS {
        let client = connect(&server, generation, &Person::new()).await;
        let tools: BTreeMap<String, Tool> =
            client.list_all_tools().await.unwrap().into_iter().map(|tool| (tool.name.to_string(), tool)).collect();
        let mut names: Vec<_> = tools.keys().map(String::as_str).collect();
        let second = names.iter().position(|name| name.starts_with("pipeline_")).expect("another of the same name");
        names.remove(second);
        assert_eq!(
            names,
            [
                "answer",
                "approval",
                "chat_review",
                "echo_chat",
                "fanout",
                "faulty",
                "memory",
                "my_report",
                "nested",
                "pipeline",
                "ticker"
            ]
        );
        let pipeline = &tools["pipeline"];
        for schema in [&pipeline.input_schema, pipeline.output_schema.as_ref().unwrap()] {
            assert_eq!(schema["type"], "object");
            let properties = schema["properties"].as_object().unwrap();
            assert_eq!(properties.keys().collect::<Vec<_>>(), ["topic", "items", "count"]);
            assert!(schema.get("required").is_none(), "{schema:?}");
        }
        let description = pipeline.description.as_deref().unwrap();
        assert!(description.contains("`finish`, `plan`, `work`"), "{description}");
        assert_eq!(tools["my_report"].description.as_deref(), Some("Writes it"));
        let result = client.call_tool(call("my_report", json!({"topic": "a"}))).await.unwrap();
        assert_eq!(structured(&result)["count"], 3);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_result_is_structured_and_text_and_a_failure_says_what_happened() {
    let server = Storage::default().start().await;
    for generation in GENERATIONS {
        let client = connect(&server, generation, &Person::new()).await;
        let state = json!({"topic": "a", "items": ["plan:a", "work:a", "finish:a"], "count": 3});
        let mut threads = Vec::new();
        for _ in 0..2 {
            let result = client.call_tool(call("pipeline", json!({"topic": "a"}))).await.unwrap();
            assert_eq!((structured(&result), result.is_error), (&state, Some(false)));
            assert_eq!(serde_json::from_str::<Value>(&text(&result)).unwrap(), state);
            threads.push(result.meta.unwrap()["graphloom/threadId"].clone());
        }
        assert_ne!(threads[0], threads[1], "calls do not share a thread");

        let chat = client.call_tool(call("echo_chat", json!({"messages": ["hi"]}))).await.unwrap();
        assert_eq!(chat.content[0].as_text().unwrap().text, "Echo: hi");
        assert_eq!(structured(&chat)["messages"][0]["content"], "hi");

        let cases = [
            (call("faulty", json!({"mode": "fail"})), "boom: mode=fail"),
            (call("pipeline", json!({"topic": 7})), "topic"),
            (
                call("pipeline", json!({"no": 1})),
                "the input has `no`, which is no field of the graph `pipeline`; fields: `topic`",
            ),
            (call("answer", json!({"thread_id": "x", "answer": 1})), "`answer` cannot be called like this"),
            (call("answer", json!({"thread_id": uuid::Uuid::nil(), "answer": 1})), "has no run"),
            (call("answer", json!({"thread_id": threads[0], "answer": 1})), "asks nothing now"),
        ];
        for (request, expected) in cases {
            let name = request.name.clone();
            let result = client.call_tool(request).await.unwrap();
            let text = text(&result);
            assert!(result.is_error == Some(true) && text.contains(expected), "{name}: {text}");
        }
        let unknown = client.call_tool(call("no_such_tool", json!({}))).await.unwrap_err();
        let ServiceError::McpError(unknown) = unknown else { panic!("{unknown}") };
        assert_eq!((unknown.code, &*unknown.message), (ErrorCode::INVALID_PARAMS, "Unknown tool: no_such_tool"));
    }
    server.stop().await;
}

#[tokio::test]
async fn what_a_run_tells_is_progress() {
    let server = Storage::default().start().await;
    for generation in GENERATIONS {
        let person = Person::new();
        let client = connect(&server, generation, &person).await;
        client.call_tool(call("pipeline", json!({"topic": "a"}))).await.unwrap();
        // Notifications are taken up beside the answer.
        while person.progress.lock().unwrap().len() < 6 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let mut told = person.progress.lock().unwrap().clone();
        told.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (counts, messages): (Vec<_>, Vec<_>) = told.into_iter().unzip();
        assert_eq!(counts, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let custom = |n: u32| json!({"progress": n, "of": 3}).to_string();
        assert_eq!(
            messages,
            ["plan".to_owned(), "work".to_owned(), custom(1), custom(2), custom(3), "finish".to_owned()]
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_cancels_its_run() {
    for generation in GENERATIONS {
        let storage = Storage::default();
        let server = storage.start().await;
        let person = Person::new();
        let client = connect(&server, generation, &person).await;
        tokio::select! {
            _ = client.call_tool(call("ticker", json!({"n": 100_000, "delay_ms": 5}))) => panic!("it takes long"),
            () = person.noticed.notified() => {}
        }
        storage
            .until(|thread| thread["status"] == "interrupted" && thread["metadata"]["mcp_closed"] == "cancelled")
            .await;
        server.stop().await;
    }
}

#[tokio::test]
async fn a_client_of_the_older_generation_that_goes_away_leaves_its_runs_alone() {
    let storage = Storage::default();
    let server = storage.start().await;
    let person = Person::new();
    let client = connect(&server, Generation::Legacy, &person).await;
    let peer = client.peer().clone();
    let calling = tokio::spawn(async move { peer.call_tool(call("ticker", json!({"n": 60, "delay_ms": 10}))).await });
    person.noticed.notified().await;
    client.cancel().await.unwrap();
    drop(calling.await);
    let thread = storage.until(|thread| thread["status"] == "idle").await;
    assert_eq!(thread["values"]["ticks"].as_array().unwrap().len(), 60);
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_stops_leaves_the_runs_of_calls_to_the_next_one() {
    for generation in GENERATIONS {
        let storage = Storage::default();
        let server = storage.start().await;
        let person = Person::new();
        let client = connect(&server, generation, &person).await;
        let calling =
            tokio::spawn(async move { client.call_tool(call("ticker", json!({"n": 60, "delay_ms": 20}))).await });
        person.noticed.notified().await;
        assert_eq!(server.stop().await, 0, "no connection is cut");
        calling.abort();
        let server = storage.start().await;
        let thread = storage.until(|thread| thread["status"] == "idle").await;
        assert_eq!(thread["values"]["ticks"].as_array().unwrap().len(), 60, "{generation:?}");
        server.stop().await;
    }
}

#[tokio::test]
async fn the_guard_stands_before_it() {
    let server = Storage::default().start().await;
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}});
    let post = async |header: (&'static str, &'static str)| {
        let request = reqwest::Client::new()
            .post(format!("http://{}/mcp", server.address()))
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header(header.0, header.1)
            .body(initialize.to_string());
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(post(("x-nothing", "1")).await, 200);
    assert_eq!(post(("host", "evil.example")).await, 421);
    assert_eq!(post(("origin", "https://evil.example")).await, 403);
    server.stop().await;
}
