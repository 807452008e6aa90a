//! Thoughts that a server leaves in the text of an answer, by every wire, whole and as a stream. The server is scripted.

use graphloom_llm::{ChatEvent, ChatRequest, ChatResponse, ModelError};
use serde_json::{Value, json};

use super::support::{exchange, streamed};

/// What each wire's whole answer with this text is.
fn answers(text: &str) -> [(&'static str, &'static str, Value); 5] {
    [
        ("openai-chat", "/v1", json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})),
        (
            "openai",
            "/v1",
            json!({"status": "completed", "output": [
                {"type": "message", "content": [{"type": "output_text", "text": text}]}]}),
        ),
        ("anthropic", "", json!({"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"})),
        (
            "gemini",
            "/v1beta",
            json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]}),
        ),
        ("ollama", "", json!({"message": {"content": text}, "done": true, "done_reason": "stop"})),
    ]
}

/// What a reader has at the end of a stream: its text, its thoughts, and the whole answer.
fn read(events: &[Result<ChatEvent, ModelError>]) -> (String, String, ChatResponse) {
    let (mut text, mut thoughts) = (String::new(), String::new());
    for event in events {
        match event.as_ref().unwrap() {
            ChatEvent::TextDelta { text: more } => text += more,
            ChatEvent::ReasoningDelta { text: more } => thoughts += more,
            ChatEvent::TextTakenBack => text.clear(),
            ChatEvent::Done(response) => return (text, thoughts, response.clone()),
            other => panic!("{other:?}"),
        }
    }
    panic!("the stream has no end: {events:?}")
}

/// Replies with the draft of an answer in their thoughts.
const REPLIES: [&str; 4] = [
    "<think>Maybe <article>nine</article>? No.</think>\n\nTen tides.",
    "Maybe <article>nine</article>? No. </think> Ten tides.",
    "<|channel|>analysis<|message|>Maybe <article>nine</article>? No.<|end|><|start|>assistant<|channel|>final<|message|>Ten tides.",
    "analysisMaybe <article>nine</article>? No.assistantfinalTen tides.",
];

const THOUGHTS: &str = "Maybe <article>nine</article>? No.";

#[tokio::test]
async fn thoughts_in_the_text_are_reasoning_by_every_wire() {
    for reply in REPLIES {
        for (provider, path, answer) in answers(reply) {
            let (response, _) = exchange(provider, path, ChatRequest::user("How many?"), &answer).await;
            let response = response.unwrap();
            assert_eq!(
                (response.text().as_str(), response.thoughts().as_str()),
                ("Ten tides.", THOUGHTS),
                "{provider}"
            );
        }
    }
}

#[tokio::test]
async fn thoughts_in_a_stream_are_reasoning_and_text_that_proves_to_be_thoughts_is_taken_back() {
    for reply in REPLIES {
        let pieces: Vec<String> = reply.chars().map(String::from).collect();
        let event = |piece: &String| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": piece}}]}));
        let mut body: String = pieces.iter().map(event).collect();
        body += &format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}));
        let by_events = streamed("openai-chat", "/v1", &body, "text/event-stream").await;
        let line = |piece: &String| format!("{}\n", json!({"message": {"content": piece}, "done": false}));
        let mut body: String = pieces.iter().map(line).collect();
        body += &json!({"message": {"content": ""}, "done": true, "done_reason": "stop"}).to_string();
        let by_lines = streamed("ollama", "", &body, "application/x-ndjson").await;
        for events in [by_events, by_lines] {
            let (text, thoughts, whole) = read(&events);
            assert_eq!((text.as_str(), thoughts.as_str()), ("Ten tides.", THOUGHTS), "{reply}");
            assert_eq!((whole.text(), whole.thoughts()), (text, thoughts), "{reply}");
        }
    }
}

#[tokio::test]
async fn thoughts_alone_are_no_answer() {
    for reply in ["<think>Nine? I cannot say", "Nine? No.</think>", "<think></think>"] {
        for (provider, path, answer) in answers(reply) {
            let (response, _) = exchange(provider, path, ChatRequest::user("How many?"), &answer).await;
            let response = response.unwrap();
            assert_eq!(
                (response.text().as_str(), response.is_thoughts_only()),
                ("", reply.contains('?')),
                "{provider}"
            );
        }
    }
}
