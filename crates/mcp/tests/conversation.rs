//! A model that uses the tools of servers. The model is scripted; the servers are published ones.

use std::sync::Arc;

use graphloom_agents::{Conversation, ConverseOptions, Direct, Prompts, Risk, StopReason, ToolRegistry, converse};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{Capabilities, Message, Part, Role, Scripted, StructuredSupport, ToolCall};
use serde_json::{Value, json};

use crate::support::{bad, connected, patient, python, stdio};

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments }
}

#[tokio::test]
async fn a_model_uses_two_servers_beside_each_other_and_sees_an_image() {
    let (Some(everything), Some(thinking)) = (stdio("everything", &["stdio"]), stdio("sequential-thinking", &[]))
    else {
        return;
    };
    let servers = connected(vec![everything, thinking], &patient()).await;
    let registry = ToolRegistry::new(Risk::Read).with_source(Arc::new(servers));
    let model = Scripted::from_fn(|request| {
        let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert!(names.contains(&"get-tiny-image") && names.contains(&"sequentialthinking"), "{names:?}");
        assert!(!names.contains(&"toggle-simulated-logging"), "it changes something");
        Ok(match request.messages.last().map(|message| message.role) {
            Some(Role::User) if request.messages.len() == 1 => Reply::tools([
                call("1", "get-sum", json!({"a": "2", "b": 3})),
                call("2", "get-tiny-image", json!({})),
                call(
                    "3",
                    "sequentialthinking",
                    json!({"thought": "x", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}),
                ),
            ]),
            _ => Reply::text("Five, and a picture."),
        })
    })
    .with_capabilities(Capabilities {
        structured: StructuredSupport::Prompted,
        tools: true,
        images: true,
        documents: false,
        sampling: true,
        context: None,
        local: true,
    });
    let prompts = Prompts::new(&[]).unwrap();
    let mut options = ConverseOptions::default();
    options.parallel = 4;
    let opening = vec![Message::user("What is two and three?")];
    let conversation = Conversation::new(&model, &registry, &prompts, opening).with_options(options);
    let transcript = converse(conversation, &Direct).await.unwrap();
    assert_eq!(transcript.stop, StopReason::Answered);
    assert!(transcript.calls.iter().all(|call| call.outcome.is_success()), "{:?}", transcript.calls);
    let ids: Vec<&str> = transcript.calls.iter().map(|call| call.outcome.call.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(transcript.calls[0].outcome.content(), "The sum of 2 and 3 is 5.");
    // Question, calls, three results, the image, the answer.
    let roles: Vec<Role> = transcript.messages.iter().map(|message| message.role).collect();
    let expected = [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Tool, Role::User, Role::Assistant];
    assert_eq!(roles, expected);
    assert!(matches!(transcript.messages[5].parts.as_slice(), [Part::Image { .. }]));
    let Part::ToolResult(result) = &transcript.messages[2].parts[0] else { panic!("{transcript:?}") };
    assert!(result.content.contains("from: MCP server everything, tool get-sum"), "{}", result.content);
}

#[tokio::test]
async fn a_tool_that_a_server_gets_meanwhile_is_offered_in_the_next_turn() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let servers = connected(vec![bad("bad", "", &folder.path().join("heard"))], &patient()).await;
    let registry = ToolRegistry::new(Risk::Read).with_source(Arc::new(servers));
    let model = Scripted::from_fn(|request| {
        let grown = request.tools.iter().any(|tool| tool.name == "grown");
        let turn = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        Ok(match turn {
            0 => Reply::tools([call("1", "grow", json!({}))]),
            // The list comes on its own time, so other calls are made until it is there.
            _ if !grown => Reply::tools([call("2", "wait", json!({}))]),
            _ => Reply::text("It has grown."),
        })
    });
    let prompts = Prompts::new(&[]).unwrap();
    let opening = vec![Message::user("Grow.")];
    let transcript = converse(Conversation::new(&model, &registry, &prompts, opening), &Direct).await.unwrap();
    assert_eq!(transcript.answer.as_deref(), Some("It has grown."));
}
