use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::providers::openai_chat::OpenAiChat;

fn events(chunks: Vec<Result<Vec<u8>, String>>) -> Vec<Result<ChatEvent, ModelError>> {
    futures::executor::block_on(decode_stream(&OpenAiChat, futures::stream::iter(chunks), "m", None).collect())
}

fn whole(body: &str) -> Vec<Result<ChatEvent, ModelError>> {
    events(vec![Ok(body.as_bytes().to_vec())])
}

/// Bodies as several servers write them, each with the expected events in short.
fn bodies() -> Vec<(String, &'static str)> {
    let data = |values: &[Value]| values.iter().map(|value| format!("data: {value}\n\n")).collect::<String>();
    let delta = |delta: Value| json!({"model": "m-1", "choices": [{"index": 0, "delta": delta}]});
    let finish = |word: &str| json!({"choices": [{"index": 0, "delta": {}, "finish_reason": word}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}});
    vec![
        (
            data(&[
                delta(json!({"role": "assistant", "content": null})),
                delta(json!({"content": "größe "})),
                delta(json!({"content": "日本"})),
                finish("stop"),
                usage.clone(),
            ]) + "data: [DONE]\n\n",
            "text größe 日本 | stop | 5+2",
        ),
        (
            // This body has comments, named events, no space after the colon, CRLF, two finish reasons and no end mark.
            format!(
                ": PROCESSING\r\n\r\nevent:x\r\ndata:{}\r\n\r\nid: 1\r\ndata: {}\r\n\r\ndata: {}\r\n\r\n",
                delta(json!({"reasoning": "hm", "content": "a"})),
                finish("length"),
                finish("stop")
            ),
            "think hm | text a | length | 0+0",
        ),
        (
            data(&[
                delta(json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}]})),
                delta(json!({"content": [{"type": "text", "text": "u"}]})),
                finish("stop"),
            ]),
            "think t | text u | stop | 0+0",
        ),
        (
            data(&[
                delta(json!({"tool_calls": [{"index": 0, "id": "c0", "function": {"name": "f", "arguments": ""}}]})),
                delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"a\""}}]})),
                delta(json!({"tool_calls": [{"index": 1, "id": "c1", "function": {"name": "g", "arguments": "{}"}}]})),
                delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]})),
                finish("tool_calls"),
                usage,
            ]) + "data: [DONE]\n\n",
            "call c0 f {\"a\":1} | call c1 g {} | tool_calls | 5+2",
        ),
        (data(&[delta(json!({"content": "half"}))]), "text half | error stream_interrupted half"),
        (
            data(&[delta(json!({"content": "half"})), json!({"error": {"message": "m", "code": 502}})]),
            "text half | error stream_interrupted half",
        ),
        (data(&[json!({"error": {"message": "m", "code": 429}})]), "error rate_limited "),
        (data(&[delta(json!({"refusal": "no"})), finish("stop")]), "error refused "),
        (data(&[delta(json!({"content": "x"}))]) + "data: {broken\n\n", "text x | error stream_interrupted x"),
        (String::new(), "error unreadable "),
        ("<html>busy</html>".to_owned(), "error parse "),
        (data(&[delta(json!({"content": "x"})), finish("error")]), "text x | error stream_interrupted x"),
    ]
}

/// The events in short: adjacent text joined, then calls, the reason and the tokens.
fn short(events: &[Result<ChatEvent, ModelError>]) -> String {
    let (mut text, mut thoughts, mut rest) = (String::new(), String::new(), Vec::new());
    for event in events {
        match event {
            Ok(ChatEvent::TextDelta { text: more }) => text += more,
            Ok(ChatEvent::ReasoningDelta { text: more }) => thoughts += more,
            Ok(ChatEvent::Restart { message }) => rest.push(format!("restart {message}")),
            Ok(ChatEvent::ToolCall(call)) => rest.push(format!("call {} {} {}", call.id, call.name, call.arguments)),
            Ok(ChatEvent::Done(response)) => {
                assert_eq!(response.text(), text);
                let word = serde_json::to_value(&response.finish).unwrap();
                rest.push(word.as_str().unwrap().to_owned());
                rest.push(format!("{}+{}", response.usage.input, response.usage.output));
            }
            Err(error) => {
                let partial = match error {
                    ModelError::StreamInterrupted { partial, .. } => partial.as_str(),
                    _ => "",
                };
                rest.push(format!(
                    "error {} {partial}",
                    serde_json::to_value(error).unwrap()["error"].as_str().unwrap()
                ));
            }
        }
    }
    let mut all = Vec::new();
    if !thoughts.is_empty() {
        all.push(format!("think {thoughts}"));
    }
    if !text.is_empty() {
        all.push(format!("text {text}"));
    }
    all.extend(rest);
    all.join(" | ")
}

#[test]
fn bodies_of_several_servers_are_read() {
    for (body, expected) in bodies() {
        assert_eq!(short(&whole(&body)), expected, "{body}");
    }
}

#[test]
fn half_a_tool_call_is_not_given_out() {
    let body = concat!(
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n",
    );
    assert_eq!(short(&whole(body)), "length | 0+0");
}

#[test]
fn a_broken_connection_keeps_the_words() {
    let first = b"data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n".to_vec();
    let got = events(vec![Ok(first), Err("reset by peer".to_owned())]);
    let Some(Err(ModelError::StreamInterrupted { partial, message, .. })) = got.last() else { panic!("{got:?}") };
    assert_eq!((partial.as_str(), message.as_str()), ("half", "reset by peer"));
}

proptest! {
    #[test]
    fn events_do_not_depend_on_how_bytes_are_cut(cuts in prop::collection::vec(1_usize..9, 1..40)) {
        for (body, _) in bodies() {
            let mut rest = body.as_bytes();
            let mut chunks = Vec::new();
            for size in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (head, tail) = rest.split_at((*size).min(rest.len()));
                chunks.push(Ok(head.to_vec()));
                rest = tail;
            }
            let (cut, uncut) = (events(chunks), whole(&body));
            prop_assert_eq!(cut, uncut, "{}", body);
        }
    }
}

#[test]
fn a_byte_order_mark_is_left_out_however_it_is_cut() {
    for (body, short) in bodies() {
        let marked: Vec<u8> = [b"\xEF\xBB\xBF", body.as_bytes()].concat();
        for cut in 0..6 {
            let (first, rest) = marked.split_at(cut.min(marked.len()));
            let events = events(vec![Ok(first.to_vec()), Ok(rest.to_vec())]);
            assert_eq!(format!("{events:?}"), format!("{:?}", whole(&body)), "{short}, cut at {cut}");
        }
    }
}

#[test]
fn an_event_without_an_end_is_an_error_and_not_held() {
    let endless = std::iter::once(b"data: ".to_vec()).chain(std::iter::repeat_with(|| vec![b'x'; 1 << 20]));
    let chunks = endless.take(2 * (MAX_GATHERED >> 20)).map(Ok).collect();
    let error = events(chunks).pop().unwrap().unwrap_err();
    assert!(error.to_string().contains("an event is longer than"), "{error}");
}
