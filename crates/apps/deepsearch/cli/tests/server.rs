//! A scripted server with the chat-completions interface.

use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

/// Answers by the rules of a script.
pub(crate) struct Rules(pub(crate) Vec<Value>);

impl Respond for Rules {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = request.body_json().unwrap();
        let messages = body["messages"].to_string();
        let is_answered = messages.contains("\"role\":\"tool\"");
        let holds = |words: &Value| match words {
            Value::Array(words) => words.iter().all(|word| messages.contains(word.as_str().unwrap())),
            word => messages.contains(word.as_str().unwrap_or_default()),
        };
        let fits = |rule: &&Value| holds(&rule["when"]) && !(is_answered && rule.get("unless").is_some());
        let Some(rule) = self.0.iter().find(fits) else { return ResponseTemplate::new(500) };
        let mut message = json!({ "role": "assistant", "content": rule["reply"] });
        if let Some(answer) = rule.get("json") {
            message["content"] = json!(answer.to_string());
        }
        if let Some(calls) = rule["tool_calls"].as_array() {
            let call = |call: &Value| {
                let function = json!({ "name": call["name"], "arguments": call["arguments"].to_string() });
                json!({ "id": call["id"], "type": "function", "function": function })
            };
            message["tool_calls"] = calls.iter().map(call).collect();
        }
        if rule.get("error").is_some() {
            return ResponseTemplate::new(400);
        }
        let choice = json!({ "index": 0, "finish_reason": "stop", "message": message });
        ResponseTemplate::new(200).set_body_json(json!({ "model": "m", "choices": [choice] }))
    }
}
