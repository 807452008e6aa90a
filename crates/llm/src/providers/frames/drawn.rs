//! What a provider may send, drawn from the forms that providers are known to send: whole bodies and streams of every wire,
//! with any reason to finish, any form of an error, signs of life, byte order marks, line ends, broken characters, calls
//! that are glued into one, cut at any byte.
//!
//! Whatever comes, the outcome is the whole text, a text that is known as broken off, or an error with the provider's words.

use graphloom_test_support::draws;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::*;
use crate::FinishReason;
use crate::providers::Wire;

/// The provider's words in every error.
const WORDS: &str = "engine failed near step 7";

/// How an answer ends.
#[derive(Clone, Debug)]
enum End {
    /// With a word that says that it is whole.
    Whole(&'static str),
    /// With a word that says that it is not, and what that is.
    Cut(&'static str, FinishReason),
    /// With a word that says that the provider gave it up.
    GivenUp(&'static str),
    /// With a word that nobody knows.
    Unknown(&'static str),
    /// With an error in this form.
    Error(ErrorForm),
    /// Without a word.
    Nothing,
    /// In the middle of an event.
    Half,
}

#[derive(Clone, Copy, Debug)]
enum ErrorForm {
    Member,
    Text,
    Object,
    Code,
    Named,
    NamedWords,
    Words,
}

/// Signs of life between events.
#[derive(Clone, Copy, Debug)]
enum Life {
    Comment,
    WrappedComment,
    Ping,
    Word,
    Blank,
}

#[derive(Clone, Debug)]
struct Drawn {
    wire: Wire,
    as_stream: bool,
    pieces: Vec<&'static str>,
    end: End,
    lives: Vec<Option<Life>>,
    has_mark: bool,
    has_crlf: bool,
    is_done_told: bool,
    cuts: Vec<usize>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let wire = select(vec![Wire::OpenAiChat, Wire::OpenAiResponses, Wire::Anthropic, Wire::Gemini, Wire::Ollama]);
    // The last two hold what is no character: half a pair of surrogates in an escape, and a byte.
    let piece = select(vec!["The tide ", "größe ", "日本 ", "\u{1f30a}", "a \"quoted\" {x}\n", "\u{1}", "\u{2}"]);
    let word = prop_oneof![
        select(vec!["stop", "STOP", "end_turn", "eos_token", "stop_sequence", "COMPLETE", "end"]).prop_map(End::Whole),
        select(vec!["length", "MAX_TOKENS", "max_output_tokens", "model_length", "model_context_window_exceeded"])
            .prop_map(|word| End::Cut(word, FinishReason::Length)),
        select(vec!["content_filter", "sensitive", "safety", "SAFETY", "RECITATION", "Prohibited_Content"])
            .prop_map(|word| End::Cut(word, FinishReason::ContentFilter)),
        select(vec!["error", "network_error", "abort", "insufficient_system_resource", "OTHER", "Engine_Error"])
            .prop_map(End::GivenUp),
        select(vec!["repetition_truncation", "pause_turn", "brand_new_reason", "Grund 7"]).prop_map(End::Unknown),
        select(vec![
            ErrorForm::Member,
            ErrorForm::Text,
            ErrorForm::Object,
            ErrorForm::Code,
            ErrorForm::Named,
            ErrorForm::NamedWords,
            ErrorForm::Words,
        ])
        .prop_map(End::Error),
        Just(End::Nothing),
        Just(End::Half),
    ];
    let life = prop::option::of(select(vec![Life::Comment, Life::WrappedComment, Life::Ping, Life::Word, Life::Blank]));
    let form = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let lists =
        (prop::collection::vec(piece, 0..6), prop::collection::vec(life, 8), prop::collection::vec(1_usize..40, 1..12));
    (wire, word, form, lists).prop_map(|(wire, end, (as_stream, has_mark, has_crlf, is_done_told), lists)| {
        let (pieces, lives, cuts) = lists;
        Drawn { wire, as_stream, pieces, end, lives, has_mark, has_crlf, is_done_told, cuts }
    })
}

impl Drawn {
    /// The text that a reader must get.
    fn text(&self) -> String {
        self.pieces.concat().replace(['\u{1}', '\u{2}'], "\u{fffd}")
    }

    /// The events that say something of the answer.
    fn events(&self) -> Vec<Value> {
        let mut events: Vec<Value> = self.pieces.iter().map(|piece| self.piece(piece)).collect();
        match &self.end {
            End::Whole(word) | End::Cut(word, _) | End::GivenUp(word) | End::Unknown(word) => {
                events.extend(self.ending(word));
            }
            End::Error(_) | End::Nothing | End::Half => {}
        }
        events
    }

    fn piece(&self, text: &str) -> Value {
        match self.wire {
            Wire::OpenAiChat => json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}),
            Wire::OpenAiResponses => {
                json!({"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "delta": text})
            }
            Wire::Anthropic => {
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
            }
            Wire::Gemini => json!({"candidates": [{"content": {"parts": [{"text": text}]}}]}),
            Wire::Ollama => json!({"message": {"role": "assistant", "content": text}, "done": false}),
        }
    }

    fn ending(&self, word: &str) -> Vec<Value> {
        match self.wire {
            Wire::OpenAiChat => vec![json!({"choices": [{"index": 0, "delta": {}, "finish_reason": word}]})],
            Wire::OpenAiResponses => {
                let (kind, response) = match &self.end {
                    End::Whole(_) => ("response.completed", json!({"status": "completed"})),
                    _ => {
                        let details = json!({"reason": word});
                        ("response.incomplete", json!({"status": "incomplete", "incomplete_details": details}))
                    }
                };
                vec![json!({"type": kind, "response": response})]
            }
            Wire::Anthropic => {
                vec![json!({"type": "message_delta", "delta": {"stop_reason": word}}), json!({"type": "message_stop"})]
            }
            Wire::Gemini => vec![json!({"candidates": [{"finishReason": word}]})],
            Wire::Ollama => vec![json!({"message": {"content": ""}, "done": true, "done_reason": word})],
        }
    }

    /// The whole answer as one body; nothing where the form is that of a stream only.
    fn body(&self) -> Option<Value> {
        let text = self.pieces.concat();
        let word = match &self.end {
            End::Whole(word) | End::Cut(word, _) | End::GivenUp(word) | End::Unknown(word) => *word,
            End::Error(form) => return form.json(),
            End::Nothing | End::Half => return None,
        };
        Some(match self.wire {
            Wire::OpenAiChat => json!({"choices": [{"message": {"content": text}, "finish_reason": word}]}),
            Wire::OpenAiResponses => {
                let output = json!([{"type": "message", "content": [{"type": "output_text", "text": text}]}]);
                match &self.end {
                    End::Whole(_) => json!({"status": "completed", "output": output}),
                    _ => json!({"status": "incomplete", "incomplete_details": {"reason": word}, "output": output}),
                }
            }
            Wire::Anthropic => json!({"content": [{"type": "text", "text": text}], "stop_reason": word}),
            Wire::Gemini => json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": word}]}),
            Wire::Ollama => json!({"message": {"content": text}, "done": true, "done_reason": word}),
        })
    }

    /// The bytes that the server sends.
    fn bytes(&self) -> Vec<u8> {
        let body = self.body().filter(|_| !self.as_stream);
        let mut text = match &body {
            Some(body) => body.to_string(),
            None => self.stream(),
        };
        if self.has_mark {
            text.insert(0, '\u{feff}');
        }
        if self.has_crlf && body.is_none() {
            text = text.replace('\n', "\r\n");
        }
        // Half a pair of surrogates, and a byte that begins nothing.
        let text = text.replace("\\u0001", "\\ud83c");
        let mut bytes = Vec::new();
        for (at, part) in text.split("\\u0002").enumerate() {
            if at > 0 {
                bytes.push(0xFF);
            }
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes
    }

    fn stream(&self) -> String {
        let is_lines = self.wire == Wire::Ollama;
        let framed = |data: &str| if is_lines { format!("{data}\n") } else { format!("data: {data}\n\n") };
        let mut text = String::new();
        let events = self.events();
        for (at, event) in events.iter().enumerate() {
            if let Some(life) = self.lives[at % self.lives.len()] {
                text += &match life {
                    Life::Comment => ": keepalive\n\n".to_owned(),
                    Life::WrappedComment => framed(": keepalive"),
                    Life::Ping => framed("{\"type\":\"ping\"}"),
                    Life::Word => framed("ping"),
                    Life::Blank => "\n".to_owned(),
                };
            }
            text += &framed(&event.to_string());
        }
        match &self.end {
            End::Half => text += &framed(&self.piece("never whole").to_string())[..24],
            End::Error(form) => {
                text += &match (form, form.json()) {
                    (ErrorForm::Named, _) if !is_lines => {
                        format!("event: error\ndata: {}\n\n", json!({"message": WORDS}))
                    }
                    (ErrorForm::NamedWords, _) if !is_lines => format!("event: error\ndata: {WORDS}\n\n"),
                    (_, Some(error)) => framed(&error.to_string()),
                    (_, None) => framed(&format!("error: {WORDS}")),
                }
            }
            End::Nothing => {}
            _ if self.is_done_told && !is_lines => text += "data: [DONE]\n\n",
            _ => {}
        }
        text
    }

    fn outcome(&self) -> Result<ChatResponse, ModelError> {
        let protocol = self.wire.protocol();
        let bytes = self.bytes();
        if !self.as_stream {
            return decode_body(protocol, &bytes, "m");
        }
        let mut rest = bytes.as_slice();
        let mut chunks: Vec<Result<Vec<u8>, String>> = Vec::new();
        for size in self.cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (head, tail) = rest.split_at((*size).min(rest.len()));
            chunks.push(Ok(head.to_vec()));
            rest = tail;
        }
        let stream = decode_stream(protocol, futures::stream::iter(chunks), "m", None);
        let mut events: Vec<_> = futures::executor::block_on(stream.collect());
        let last = events.pop();
        let pieces: String = events
            .iter()
            .map(|event| match event {
                Ok(ChatEvent::TextDelta { text }) => text.as_str(),
                Ok(_) => "",
                Err(error) => panic!("an error is the last event: {error}"),
            })
            .collect();
        match last {
            Some(Ok(ChatEvent::Done(response))) => {
                assert_eq!(pieces, response.text(), "the pieces are the text");
                Ok(response)
            }
            Some(Err(error)) => Err(error),
            other => panic!("a stream ends with its answer or an error: {other:?}"),
        }
    }
}

impl ErrorForm {
    /// The error as JSON; nothing for plain words.
    fn json(self) -> Option<Value> {
        Some(match self {
            Self::Member => json!({"error": {"message": WORDS, "type": "server_error"}}),
            Self::Text => json!({"error": WORDS}),
            Self::Object | Self::Named => json!({"object": "error", "message": WORDS}),
            Self::Code | Self::NamedWords => json!({"code": 500, "msg": WORDS, "success": false}),
            Self::Words => return None,
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: draws(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawn_answers_are_whole_or_known_as_broken_off(drawn in drawn()) {
        let (outcome, text) = (drawn.outcome(), drawn.text());
        match (&drawn.end, outcome) {
            (End::Whole(_), Ok(response)) => {
                prop_assert!(response.finish.is_whole(), "{:?}", response);
                prop_assert_eq!(response.text(), text);
            }
            (End::Cut(_, finish), Ok(response)) => {
                prop_assert_eq!(&response.finish, finish);
                prop_assert_eq!(response.text(), text);
            }
            (End::Cut(word, FinishReason::ContentFilter), Err(ModelError::Refused { message, .. })) => {
                prop_assert!(text.is_empty() && message.contains(word), "{}", message);
            }
            (End::Unknown(word), Ok(response)) => {
                prop_assert!(response.finish.broken_off().is_some_and(|told| told.contains(word)), "{:?}", response);
                prop_assert_eq!(response.text(), text);
            }
            (End::GivenUp(word) | End::Unknown(word), Err(error)) => {
                prop_assert!(error.to_string().contains(word), "{}", error);
                prop_assert!(text.is_empty() || matches!(drawn.end, End::GivenUp(_)), "{}", error);
            }
            (End::Error(_), Err(error)) => prop_assert!(error.to_string().contains(WORDS), "{}", error),
            (End::Nothing | End::Half, Err(error)) => {
                let is_known = matches!(
                    error,
                    ModelError::StreamInterrupted { .. } | ModelError::Unreadable { .. } | ModelError::Parse { .. }
                );
                prop_assert!(is_known, "{}", error);
            }
            (_, outcome) => prop_assert!(false, "{:?}", outcome),
        }
    }

    #[test]
    fn drawn_calls_are_all_made_or_told(
        texts in prop::collection::vec("[a-c\"{} ]{0,4}", 1..4),
        is_wrapped in any::<bool>(),
        is_half in any::<bool>(),
        cuts in prop::collection::vec(1_usize..9, 1..6),
    ) {
        let mut raw: String = texts.iter().map(|text| json!({ "text": text }).to_string()).collect();
        if is_half {
            raw += "{\"text\":";
        }
        if is_wrapped {
            raw = json!(raw).to_string();
        }
        let characters: Vec<char> = raw.chars().collect();
        let mut rest = characters.as_slice();
        let mut body = String::new();
        for size in cuts.iter().cycle() {
            let (head, tail) = rest.split_at((*size).min(rest.len()));
            let piece: String = head.iter().collect();
            let call = json!({"index": 0, "id": "c", "function": {"name": "echo", "arguments": piece}});
            body += &format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}));
            rest = tail;
            if rest.is_empty() {
                break;
            }
        }
        body += "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
        let protocol = Wire::OpenAiChat.protocol();
        let response = decode_body(protocol, body.as_bytes(), "m").unwrap();
        let calls: Vec<_> = response.tool_calls().collect();
        let mut wanted: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
        wanted.dedup();
        if is_half {
            let [call] = calls.as_slice() else { return Err(TestCaseError::fail(format!("{calls:?}"))) };
            prop_assert!(call.arguments.is_string(), "what cannot be read is given to the reader whole: {:?}", call);
        } else {
            let arguments: Vec<Value> = calls.iter().map(|call| call.arguments.clone()).collect();
            prop_assert_eq!(arguments, wanted);
            let ids: std::collections::BTreeSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
            prop_assert_eq!(ids.len(), calls.len(), "each call has an id of its own");
        }
    }
}
