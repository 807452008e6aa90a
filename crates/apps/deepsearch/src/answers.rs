//! What answers to the questions of a run look like.

use serde_json::{Value, json};

use crate::feedback::USER_FEEDBACK;
use crate::nodes::{FEEDBACK, OUTLINE_FEEDBACK};

/// The JSON schemas of answers, by the keys of their questions: whoever shows a question makes a form of its schema.
pub fn answers() -> [(&'static str, Value); 3] {
    [(FEEDBACK, questions_schema()), (OUTLINE_FEEDBACK, outline_schema()), (USER_FEEDBACK, change_schema())]
}

/// Answers to the questions before research.
fn questions_schema() -> Value {
    json!({
        "title": "Answers to the questions",
        "type": "object",
        "properties": {
            "feedback": {
                "type": "string",
                "description": "What you answer, in your own words; `FINISH TASK` ends the run without a report",
            },
        },
        "required": ["feedback"],
    })
}

/// Answers to an outline.
fn outline_schema() -> Value {
    json!({
        "title": "What you say to the outline",
        "type": "object",
        "properties": {
            "interrupt_feedback": {
                "type": "string",
                "enum": ["accepted", "revise_comment", "revise_outline", "cancel"],
                "description": "Accept it, have it changed as you say, give one of your own, or end the run without a report",
            },
            "feedback": {
                "type": "string",
                "default": "",
                "description": "What to change, or an outline of your own as JSON",
            },
        },
        "required": ["interrupt_feedback"],
    })
}

/// Changes of a finished report.
fn change_schema() -> Value {
    json!({
        "title": "What to change in the report",
        "type": "object",
        "properties": {
            "action": {
                "type": "string",
                "enum": ["expand", "shorten", "polish", "supplementary_search", "new_task", "sync", "finish"],
            },
            "selected_text": { "type": "string" },
            "start_offset": { "type": "integer", "minimum": 0 },
            "end_offset": { "type": "integer", "minimum": 0 },
            "offset_unit": { "type": "string", "enum": ["code_points", "bytes", "utf16"], "default": "code_points" },
            "user_instruction": { "type": "string" },
            "rewrite_scope": { "type": "string", "enum": ["selected_only", "selected_and_related"] },
        },
        "required": ["action"],
    })
}
