//! Scripted models that think aloud before they answer.

use serde_json::{Value, json};

/// What thoughts hold that may reach no result.
pub const DECOY: &str = "DECOY";

/// Forms of thoughts: what stands before them, and what behind.
pub const FORMS: [(&str, &str); 5] = [
    ("<think>", "</think>\n\n"),
    // The server's template has begun them.
    ("", " </think> "),
    ("[THINK]", "[/THINK]"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("analysis", "assistantfinal"),
];

/// An answer behind thoughts of a form. They hold drafts in every form that programs read.
pub fn aloud(form: (&str, &str), answer: &str) -> String {
    let (open, close) = form;
    format!(
        "{open}Maybe <article>{DECOY} draft</article> fits, or <result>\n<atomic_task_determination>\natomic\n\
         </atomic_task_determination>\n</result>, or {{\"text\": \"{DECOY}\", \"sections\": [\"{DECOY}\"]}}. No.{close}{answer}"
    )
}

/// The rules of a script, whose texts and values come behind thoughts of a form.
pub fn thinking(rules: &[Value], form: (&str, &str)) -> Vec<Value> {
    let think = |rule: &Value| {
        let mut rule = rule.clone();
        let answer = match (rule.get("reply").and_then(Value::as_str), rule.get("json")) {
            (Some(text), _) => Some(text.to_owned()),
            (None, Some(value)) => Some(value.to_string()),
            (None, None) => None,
        };
        if let (Some(answer), Some(members)) = (answer, rule.as_object_mut()) {
            members.remove("json");
            members.insert("reply".to_owned(), json!(aloud(form, &answer)));
        }
        rule
    };
    rules.iter().map(think).collect()
}
