//! What a server writes, as messages that the library reads.
//!
//! The library takes a message as a whole or not at all: one member that is not as it should be costs the whole list, or
//! leaves a call without its answer. So a message is mended before the library sees it. What frames it (the version, the
//! id, the error, what a server says of itself at its start) is put right here; a result passes as it is, under the name
//! [`RAW`], and is read [where it is asked for](crate::ask). What is no message is passed over and told once.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, CustomResult, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde_json::{Map, Value, json};

use super::UNREADABLE;
use super::beginning::beginning;
use super::legible::legible;
use super::lines::{TOO_LONG, id_in};
use super::waiting::{Asked, Waiting};
use crate::McpEventKind;
use crate::event::EventSender;

/// The member under which a result passes through the library as it is.
const RAW: &str = "graphloom/raw";
/// How much of a line is told.
const TOLD: usize = 200;

/// Reads what the server of one connection writes.
#[derive(Debug)]
pub(crate) struct Hearing {
    waiting: Waiting,
    events: EventSender,
    /// What was told, and is not told again.
    told: Mutex<BTreeSet<&'static str>>,
}

impl Hearing {
    pub(crate) fn new(events: EventSender) -> Self {
        Self { waiting: Waiting::default(), events, told: Mutex::default() }
    }

    /// Notes what is sent.
    pub(crate) fn sent(&self, message: &ClientJsonRpcMessage) {
        self.waiting.sent(message);
    }

    /// Notes that nobody waits for the answer to a request any more.
    pub(super) fn given_up(&self, message: &ClientJsonRpcMessage) {
        if let ClientJsonRpcMessage::Request(request) = message {
            let _ = self.waiting.answered(Some(&json!(request.id)), |_| false);
        }
    }

    /// An error in the place of an answer that is too long to be taken.
    pub(super) fn too_long(&self, id: RequestId) -> ServerJsonRpcMessage {
        let _ = self.waiting.answered(Some(&json!(id)), |_| false);
        ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(TOO_LONG), "too long", None), Some(id))
    }

    /// An error in the place of an answer that cannot be read.
    pub(super) fn unreadable(&self, id: RequestId, reason: String) -> ServerJsonRpcMessage {
        let _ = self.waiting.answered(Some(&json!(id)), |_| false);
        ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(UNREADABLE), reason, None), Some(id))
    }

    /// The messages of a text: one as a rule, several where they stand in a list or behind each other, none where the text
    /// is no message. `of` is the request that the text answers, where that is known without its id.
    pub(crate) fn heard(&self, text: &[u8], of: Option<&RequestId>) -> Vec<ServerJsonRpcMessage> {
        let text = String::from_utf8_lossy(text);
        let text = text.trim_start_matches('\u{feff}').trim();
        let (mut values, rest) = values(text);
        if let Some((rest, reason)) = rest {
            let mended = legible(rest).and_then(|rest| serde_json::from_str(&rest).ok());
            values.push(mended.unwrap_or_else(|| self.in_its_place(rest, of, &reason)));
        }
        values.into_iter().filter_map(|value| self.message(value, of)).collect()
    }

    /// What stands for a text that cannot be read: an error to the request that it answers, else its beginning. A text that
    /// does not begin as a message does answers nothing: it may be a line of a log.
    fn in_its_place(&self, text: &str, of: Option<&RequestId>, reason: &str) -> Value {
        let id = if text.starts_with('{') { id_in(text.as_bytes()) } else { None };
        let answers = text.starts_with('{') && !text.contains("\"method\"");
        let id = id.filter(|id| self.waiting.waits(id)).or_else(|| of.filter(|_| answers).map(|id| json!(id)));
        match id {
            Some(id) => json!({"id": id, "error": {"code": UNREADABLE, "message": reason}}),
            None => Value::String(text.chars().take(TOLD).collect()),
        }
    }

    fn message(&self, value: Value, of: Option<&RequestId>) -> Option<ServerJsonRpcMessage> {
        let Value::Object(mut message) = value else {
            let said = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            self.tell_once("line", &format!("it wrote what is no message, which is passed over: {}", clipped(&said)));
            return None;
        };
        message.insert("jsonrpc".to_owned(), "2.0".into());
        if message.get("method").is_some_and(Value::is_string) {
            self.said(message)
        } else if ["id", "result", "error"].iter().any(|name| message.contains_key(*name)) {
            self.answer(message, of)
        } else {
            let said = Value::Object(message).to_string();
            self.tell_once("line", &format!("it wrote what is no message, which is passed over: {}", clipped(&said)));
            None
        }
    }

    /// A notification or a request of the server.
    fn said(&self, mut message: Map<String, Value>) -> Option<ServerJsonRpcMessage> {
        message
            .retain(|name, value| !(value.is_null() && ["id", "params", "result", "error"].contains(&name.as_str())));
        let text = Value::Object(message.clone()).to_string();
        let read = serde_json::from_value(Value::Object(message.clone())).ok().or_else(|| {
            // A line of the log whose level is none.
            let params = message.get_mut("params").and_then(Value::as_object_mut)?;
            params.insert("level".to_owned(), "info".into());
            params.entry("data").or_insert(Value::Null);
            serde_json::from_value(Value::Object(message)).ok()
        });
        if read.is_none() {
            self.tell_once("said", &format!("it said what cannot be read, which is passed over: {}", clipped(&text)));
        }
        read
    }

    fn answer(&self, mut message: Map<String, Value>, of: Option<&RequestId>) -> Option<ServerJsonRpcMessage> {
        let result = message.shift_remove("result").filter(|result| !result.is_null());
        let is_none = |error: &Value| match error {
            Value::Null => true,
            Value::Bool(false) => result.is_some(),
            Value::String(text) => text.is_empty() && result.is_some(),
            Value::Object(members) => members.is_empty() && result.is_some(),
            _ => false,
        };
        let error = message.shift_remove("error").filter(|error| !is_none(error));
        let fits = |method: &str| error.is_none() && result.as_ref().is_some_and(|result| fits(method, result));
        let given = message.get("id").cloned();
        // The id that it has; else the request that it is known to answer; else the one that it can only be for.
        let named = given.clone().filter(|id| self.waiting.waits(id)).or_else(|| of.map(|id| json!(id)));
        let asked = named.and_then(|id| self.waiting.answered(Some(&id), |_| false));
        let asked = asked.or_else(|| self.waiting.answered(given.as_ref(), fits));
        let Some(Asked { id, method, guessed }) = asked else {
            self.tell_once("answer", "it answered what was not asked, or not any more; the answer is passed over");
            return None;
        };
        if guessed {
            let given = given.unwrap_or_default();
            self.tell_once("id", &format!("it answered `{method}` with the id {given}, which is none that was given; it is taken for that answer"));
        }
        let id = RequestId::Number(id);
        if let Some(error) = error {
            return Some(ServerJsonRpcMessage::error(refusal(&error), Some(id)));
        }
        let result = result.unwrap_or_else(|| json!({}));
        let result = if method == "initialize" {
            match beginning(&result) {
                Ok(read) => ServerResult::InitializeResult(read),
                Err(reason) => return Some(self.unreadable(id, reason)),
            }
        } else {
            ServerResult::CustomResult(CustomResult::new(json!({ RAW: result })))
        };
        Some(ServerJsonRpcMessage::response(result, id))
    }

    fn tell_once(&self, what: &'static str, message: &str) {
        if self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(what) {
            self.events.tell(McpEventKind::Skipped, message);
        }
    }
}

/// A result as the server sent it.
pub(crate) fn raw(result: ServerResult) -> Value {
    let value = match result {
        ServerResult::CustomResult(custom) => custom.0,
        other => serde_json::to_value(other).unwrap_or_default(),
    };
    match value {
        Value::Object(mut members) => members.shift_remove(RAW).unwrap_or(Value::Object(members)),
        other => other,
    }
}

/// The values of a text, and what follows them and is none, with the reason.
fn values(text: &str) -> (Vec<Value>, Option<(&str, String)>) {
    let mut read = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut found = Vec::new();
    loop {
        let begin = read.byte_offset();
        match read.next() {
            // Messages in a list, as one of the earlier protocols has them.
            Some(Ok(Value::Array(messages))) => found.extend(messages),
            Some(Ok(value @ Value::Object(_))) => found.push(value),
            Some(Ok(_)) => return (found, Some((text[begin..].trim_start(), "it is no message".to_owned()))),
            Some(Err(error)) => return (found, Some((text[begin..].trim_start(), format!("it is no JSON: {error}")))),
            None => return (found, None),
        }
    }
}

/// Whether a result is one to a request: it has a member that only such a result has.
fn fits(method: &str, result: &Value) -> bool {
    let members: &[&str] = match method {
        "initialize" => &["protocolVersion", "capabilities", "serverInfo"],
        "tools/list" => &["tools"],
        "tools/call" => &["content", "structuredContent", "isError"],
        "resources/list" => &["resources"],
        "resources/read" => &["contents"],
        "prompts/list" => &["prompts"],
        "prompts/get" => &["messages"],
        _ => &[],
    };
    members.iter().any(|name| result.get(name).is_some())
}

/// The error of an answer, whatever its form.
fn refusal(error: &Value) -> ErrorData {
    let whole = |value: &Value| match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let code = error.get("code").and_then(whole).and_then(|code| i32::try_from(code).ok());
    let data = error.get("data").filter(|data| !data.is_null()).cloned();
    let message = match error {
        Value::String(text) => text.clone(),
        Value::Object(members) => match members.get("message") {
            Some(Value::String(text)) => text.clone(),
            Some(other) if !other.is_null() => other.to_string(),
            _ if data.is_some() => "an error without a message".to_owned(),
            _ => error.to_string(),
        },
        other => other.to_string(),
    };
    ErrorData::new(code.map_or(ErrorCode::INTERNAL_ERROR, ErrorCode), message, data)
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(TOLD) {
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};

    use super::*;

    /// What is heard of a text while two calls, 4 and 5, wait; and what is told.
    fn heard(text: &str, of: Option<i64>) -> (Vec<ServerJsonRpcMessage>, Vec<String>) {
        let told = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&told);
        let watch: crate::McpWatch = Arc::new(move |event| kept.lock().unwrap().push(event.message.clone()));
        let hearing = Hearing::new(EventSender { server: "s".into(), watch: Some(watch) });
        for id in [4, 5] {
            let call = ClientRequest::CallToolRequest(CallToolRequest::new(CallToolRequestParams::new("tool")));
            hearing.sent(&ClientJsonRpcMessage::request(call, RequestId::Number(id)));
        }
        let messages = hearing.heard(text.as_bytes(), of.map(RequestId::Number).as_ref());
        drop(hearing);
        let told = told.lock().unwrap().clone();
        (messages, told)
    }

    /// An answer in short: its id with its result or its error.
    fn answer(message: &ServerJsonRpcMessage) -> (i64, Value) {
        // The way over an event stream is one through a text.
        let text = serde_json::to_string(message).unwrap();
        match serde_json::from_str(&text).unwrap() {
            ServerJsonRpcMessage::Response(response) => (whole_id(&response.id), raw(response.result)),
            ServerJsonRpcMessage::Error(error) => {
                let data = error.error.data.unwrap_or_default();
                (whole_id(&error.id.unwrap()), json!([error.error.code.0, error.error.message, data]))
            }
            other => panic!("{other:?}"),
        }
    }

    fn whole_id(id: &RequestId) -> i64 {
        let RequestId::Number(id) = id else { panic!("{id:?}") };
        *id
    }

    #[test]
    fn an_answer_is_heard_whatever_frames_it() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":4,"result":{"tools":[{}],"x":1}}"#, (4, json!({"tools": [{}], "x": 1}))),
            (r#"{"id":"4","result":{"content":[]},"error":null}"#, (4, json!({"content": []}))),
            (r#"{"jsonrpc":1.0,"id":4.0,"result":null}"#, (4, json!({}))),
            (r#"{"id":4}"#, (4, json!({}))),
            (r#"{"id":4,"result":"a text","error":{}}"#, (4, json!("a text"))),
            (r#"{"id":4,"result":{"n":NaN}}"#, (4, json!({"n": null}))),
            (r#"[{"id":5,"result":{"resultType":"complete"}}]"#, (5, json!({"resultType": "complete"}))),
            ("\u{feff}{\"id\":4,\"result\":{}} trailing words", (4, json!({}))),
            (r#"{"id":4,"error":"no such row"}"#, (4, json!([-32603, "no such row", null]))),
            (
                r#"{"id":4,"error":{"code":"-32001","data":{"row":7}}}"#,
                (4, json!([-32001, "an error without a message", {"row": 7}])),
            ),
            (r#"{"id":4,"error":{"code":7,"message":["a"]},"result":null}"#, (4, json!([7, "[\"a\"]", null]))),
        ] {
            let (messages, _) = heard(text, None);
            let answers: Vec<_> = messages.iter().map(answer).collect();
            assert_eq!(answers, [expected], "{text}");
        }
    }

    #[test]
    fn an_answer_that_is_no_json_is_an_error_at_once() {
        let deep = format!("{{\"id\":4,\"result\":{}", "[".repeat(500));
        for text in [r#"{"id":4,"result":{"content":[{"type":"text","text":"half"#, r#"{'id': 4, "id": 4, }"#, &deep] {
            let (messages, told) = heard(text, None);
            let answers: Vec<_> = messages.iter().map(answer).collect();
            assert_eq!((answers.len(), answers[0].0, &answers[0].1[0]), (1, 4, &json!(UNREADABLE)), "{text}");
            assert_eq!(told, [""; 0], "{text}");
        }
        // Over HTTP it is known what a text answers.
        let (messages, _) = heard("{\"result\":", Some(5));
        assert_eq!(messages.iter().map(answer).map(|(id, _)| id).collect::<Vec<_>>(), [5]);
        let (messages, told) = heard("ready", Some(5));
        assert!(messages.is_empty() && told.len() == 1, "an event may be no answer: {messages:?} {told:?}");
        let (messages, _) = heard(r#"{"id":null,"result":{}}"#, Some(5));
        assert_eq!(messages.iter().map(answer).collect::<Vec<_>>(), [(5, json!({}))]);
    }

    #[test]
    fn what_is_no_message_is_passed_over_and_told() {
        for text in ["listening on stdio", "42 files", "[1, 2]", "{}", "{\"level\":\"info\",\"msg\":\"up\"}", "\"id\""]
        {
            let (messages, told) = heard(text, None);
            assert!(messages.is_empty(), "{text}: {messages:?}");
            assert_eq!(told.len(), 1, "{text}: {told:?}");
            assert!(told[0].starts_with("it wrote what is no message"), "{text}: {told:?}");
        }
        let (messages, told) = heard(" \r", None);
        assert!(messages.is_empty() && told.is_empty(), "{messages:?} {told:?}");
        let (messages, told) = heard(r#"{"id":2,"result":{}}"#, None);
        assert!(messages.is_empty() && told.len() == 1, "{messages:?} {told:?}");
    }

    #[test]
    fn what_a_server_says_unasked_is_heard_though_it_has_no_id() {
        for text in [
            r#"{"method":"notifications/tools/list_changed","id":null,"params":null}"#,
            r#"{"method":"notifications/message","params":{"level":"loud"}}"#,
            r#"{"method":"notifications/of/its/own","params":{"a":1}}"#,
        ] {
            let (messages, told) = heard(text, None);
            assert!(matches!(messages.as_slice(), [ServerJsonRpcMessage::Notification(_)]), "{text}: {messages:?}");
            assert!(told.is_empty(), "{told:?}");
        }
    }
}
