//! The forms in which messages are read, and the one in which they are written.

use graphloom_server::messages::{Content, Message, MessageKind, Messages};
use serde_json::{Value, json};

fn read(value: Value) -> Message {
    Message::try_from(value).expect("a message")
}

fn refused(value: Value) -> String {
    Message::try_from(value).expect_err("no message").to_string()
}

#[test]
fn every_form_of_a_message_is_read() {
    let forms = [
        (json!("hi"), MessageKind::Human),
        (json!(["user", "hi"]), MessageKind::Human),
        (json!(["ai", "hi"]), MessageKind::Ai),
        (json!({ "role": "user", "content": "hi" }), MessageKind::Human),
        (json!({ "role": "assistant", "type": "message", "content": "hi" }), MessageKind::Ai),
        (json!({ "role": "developer", "content": "hi" }), MessageKind::System),
        (json!({ "type": "human", "content": "hi" }), MessageKind::Human),
        (json!({ "type": "ai", "content": "hi" }), MessageKind::Ai),
        (json!({ "type": "AIMessageChunk", "content": "hi" }), MessageKind::Ai),
        (json!({ "type": "system", "content": [{ "type": "text", "text": "hi" }] }), MessageKind::System),
        (json!({ "type": "tool", "content": "hi", "tool_call_id": "c1" }), MessageKind::Tool),
        (json!({ "type": "human", "data": { "content": "hi", "type": "human" } }), MessageKind::Human),
        (
            json!({
                "lc": 1,
                "type": "constructor",
                "id": ["langchain_core", "messages", "AIMessage"],
                "kwargs": { "content": "hi", "type": "ai" },
            }),
            MessageKind::Ai,
        ),
    ];
    for (form, kind) in forms {
        let message = read(form.clone());
        assert_eq!((message.kind(), message.text().as_str()), (kind, "hi"), "{form}");
        assert!(uuid::Uuid::parse_str(message.id()).is_ok(), "{form} gets the id {}", message.id());
        assert_ne!(message.id(), read(form).id(), "each gets an id of its own");
    }
}

#[test]
fn keys_are_written_in_a_fixed_order_and_unknown_ones_are_kept() {
    let given = json!({
        "zebra": 1,
        "id": "m1",
        "usage_metadata": { "total_tokens": 3 },
        "apple": { "b": 1, "a": 2 },
        "role": "assistant",
        "response_metadata": { "model": "x" },
        "content": "hi",
        "tool_calls": [{ "name": "add", "args": {}, "id": "c1", "type": "tool_call" }],
    });
    let message = read(given);
    let written = serde_json::to_string(&message).unwrap();
    let expected = concat!(
        r#"{"content":"hi","additional_kwargs":{},"response_metadata":{"model":"x"},"type":"ai","name":null,"id":"m1","#,
        r#""tool_calls":[{"name":"add","args":{},"id":"c1","type":"tool_call"}],"invalid_tool_calls":[],"#,
        r#""usage_metadata":{"total_tokens":3},"zebra":1,"apple":{"b":1,"a":2}}"#,
    );
    assert_eq!(written, expected);
    assert_eq!(serde_json::from_str::<Message>(&written).unwrap(), message);
    assert_eq!(message.tool_calls().len(), 1);
    assert_eq!(message.get("zebra"), Some(&json!(1)));
}

#[test]
fn constructors_write_what_is_read_of_the_same() {
    let made = [
        (Message::human("a"), json!({ "role": "user", "content": "a" })),
        (Message::ai("b"), json!({ "role": "assistant", "content": "b" })),
        (Message::system("c"), json!({ "role": "system", "content": "c" })),
        (Message::tool("call", "d"), json!({ "role": "tool", "content": "d", "tool_call_id": "call" })),
        (Message::remove("x"), json!({ "type": "remove", "id": "x" })),
    ];
    for (message, form) in made {
        assert_eq!(read(form).with_id(message.id()), message);
    }
}

#[test]
fn the_encoded_form_of_a_state_keeps_a_message() {
    let messages = Messages::from([
        Message::human(vec![json!("a"), json!({ "type": "image_url", "image_url": "u" })]),
        Message::tool("c", "7"),
    ]);
    let bytes = rmp_serde::to_vec_named(&messages).unwrap();
    assert_eq!(rmp_serde::from_slice::<Messages>(&bytes).unwrap(), messages);
}

#[test]
fn the_text_of_a_message_is_that_of_its_text_blocks() {
    let blocks = vec![
        json!("One, "),
        json!({ "type": "text", "text": "two" }),
        json!({ "type": "image_url", "image_url": { "url": "u" } }),
        json!({ "type": "reasoning", "text": "hidden" }),
        json!({ "type": "text", "text": "." }),
    ];
    let message = Message::ai(blocks.clone());
    assert_eq!(message.text(), "One, two.");
    assert_eq!(message.content(), &Content::Blocks(blocks));
}

#[test]
fn tool_calls_in_the_form_of_openai_are_read() {
    let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "add", "arguments": arguments } });
    let message = read(json!({
        "role": "assistant",
        "content": null,
        "tool_calls": [call("c1", r#"{"a":1}"#), call("c2", ""), call("c3", "{"), call("c4", "[]")],
    }));
    assert_eq!(message.text(), "");
    let valid = [
        json!({ "name": "add", "args": { "a": 1 }, "id": "c1", "type": "tool_call" }),
        json!({ "name": "add", "args": {}, "id": "c2", "type": "tool_call" }),
    ];
    assert_eq!(message.tool_calls(), valid);
    let invalid = message.get("invalid_tool_calls").unwrap().as_array().unwrap();
    let told: Vec<_> =
        invalid.iter().map(|call| (call["id"].as_str().unwrap(), call["args"].as_str().unwrap())).collect();
    assert_eq!(told, [("c3", "{"), ("c4", "[]")]);
}

#[test]
fn what_is_no_message_is_refused_with_a_reason() {
    let refusals = [
        (json!(7), "this is a number"),
        (json!(["user"]), "this is a list of 1"),
        (json!([{ "a": 1 }, "hi"]), "this is a list of 2"),
        (json!({ "content": "hi" }), "neither `role` nor `type`"),
        (json!(["waiter", "hi"]), "`waiter` is no role"),
        (json!({ "role": 7, "content": "hi" }), "`7` is no role"),
        (json!({ "role": "user" }), "`content` of a message of type `human` must be a text or a list of blocks"),
        (json!({ "role": "user", "content": { "text": "hi" } }), "`content` of a message of type `human`"),
        (json!({ "role": "user", "content": [7] }), "`content` of a message of type `human`"),
        (json!({ "role": "user", "content": "hi", "id": {} }), "`id` of a message of type `human` must be a text"),
        (json!({ "role": "user", "content": "hi", "name": 7 }), "`name` of a message of type `human` must be a text"),
        (json!({ "role": "tool", "content": "hi" }), "`tool_call_id` of a message of type `tool`"),
        (json!({ "role": "ai", "tool_calls": {} }), "`tool_calls` of a message of type `ai` must be a list"),
        (
            json!({ "role": "ai", "response_metadata": [] }),
            "`response_metadata` of a message of type `ai` must be an object",
        ),
        (json!({ "type": "remove" }), "`id` of a message of type `remove` must be the id of the message to remove"),
    ];
    for (value, reason) in refusals {
        let message = refused(value.clone());
        assert!(message.contains(reason), "{value}: {message}");
    }
}

#[test]
fn a_list_may_be_one_message() {
    let texts = |value: Value| -> Vec<(MessageKind, String)> {
        let messages = Messages::try_from(value).unwrap();
        messages.iter().map(|message| (message.kind(), message.text())).collect()
    };
    let hi = |kind| vec![(kind, "hi".to_owned())];
    assert_eq!(texts(json!("hi")), hi(MessageKind::Human));
    assert_eq!(texts(json!({ "role": "assistant", "content": "hi" })), hi(MessageKind::Ai));
    assert_eq!(texts(json!(["assistant", "hi"])), hi(MessageKind::Ai));
    assert_eq!(texts(json!([["assistant", "hi"]])), hi(MessageKind::Ai));
    assert_eq!(texts(json!(["hello", "hi"])).len(), 2, "two texts are two messages");
    assert_eq!(texts(json!([])), []);
    assert!(serde_json::from_value::<Messages>(json!([7])).unwrap_err().to_string().contains("this is a number"));
}

#[test]
fn the_schema_of_messages_is_a_list_of_objects() {
    let schema = serde_json::to_value(schemars::schema_for!(Messages)).unwrap();
    assert_eq!((&schema["type"], &schema["items"]["type"]), (&json!("array"), &json!("object")));
    assert!(schema["items"]["properties"]["content"].is_object());
}
