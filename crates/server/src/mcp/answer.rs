//! The tool `answer`, for clients that show no forms: it answers a question that the run of another tool asked.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::log::Interrupt;

/// The name of the tool. No assistant's tool has it.
pub(super) const ANSWER: &str = "answer";

/// What the tool is given.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    pub(super) thread_id: Uuid,
    pub(super) answer: Value,
    /// Which question, where the thread asks several.
    #[serde(default)]
    pub(super) question_id: Option<String>,
}

/// Why an answer is not taken, in words that a model can follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadAnswer {
    #[error("`answer` cannot be called like this: {0}; give `thread_id` and `answer` as the question's text says")]
    Arguments(String),
    #[error("thread {0} asks nothing now: its question was answered, or it never asked")]
    NothingAsked(Uuid),
    #[error("thread {thread} asks no question `{question}`; it asks {open}")]
    UnknownQuestion { thread: Uuid, question: String, open: String },
    #[error("thread {thread} asks {open}: say with `question_id` which one is answered")]
    WhichQuestion { thread: Uuid, open: String },
}

/// The tool.
pub(super) fn tool() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "thread_id": { "type": "string", "format": "uuid", "description": "The thread that asks, as its question said." },
            "answer": { "description": "The answer: a text, or any JSON that the question asks for." },
            "question_id": { "type": "string", "description": "Which question, where the thread asks several." },
        },
        "required": ["thread_id", "answer"],
        "additionalProperties": false,
    });
    let Value::Object(schema) = schema else { return Tool::default() };
    let description = "Answers a question with which another tool of this server stopped, and goes on with that tool: gives its \
                       result, or its next question. The answer is the user's: ask the user, do not invent it.";
    let mut tool = Tool::new(ANSWER, description, schema);
    tool.title = Some("Answer a question".to_owned());
    tool.annotations = Some(ToolAnnotations::new().read_only(false).idempotent(false));
    tool
}

impl Answer {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// [`BadAnswer::Arguments`].
    pub(super) fn read(arguments: Option<JsonObject>) -> Result<Self, BadAnswer> {
        let arguments = Value::Object(arguments.unwrap_or_default());
        serde_path_to_error::deserialize(arguments).map_err(|error| BadAnswer::Arguments(error.to_string()))
    }

    /// The id of the question that is answered.
    ///
    /// # Errors
    /// [`BadAnswer`] where there is none, or it is not clear which.
    pub(super) fn question<'o>(&self, open: &'o [Interrupt]) -> Result<&'o Interrupt, BadAnswer> {
        let thread = self.thread_id;
        let names = || open.iter().map(|one| format!("`{}`", one.id)).collect::<Vec<_>>().join(", ");
        match (&self.question_id, open) {
            (_, []) => Err(BadAnswer::NothingAsked(thread)),
            (None, [one]) => Ok(one),
            (None, _) => Err(BadAnswer::WhichQuestion { thread, open: names() }),
            (Some(id), _) => open.iter().find(|one| one.id == *id).ok_or_else(|| BadAnswer::UnknownQuestion {
                thread,
                question: id.chars().take(100).collect(),
                open: names(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(id: &str) -> Interrupt {
        Interrupt {
            id: id.to_owned(),
            value: json!("?"),
            key: String::new(),
            task: String::new(),
            ns: String::new(),
            response_schema: None,
        }
    }

    #[test]
    fn an_answer_finds_its_question() {
        let thread = Uuid::from_u128(7);
        let read = |more: Value| {
            let mut arguments = json!({"thread_id": thread, "answer": "yes"});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            Answer::read(arguments.as_object().cloned())
        };
        let plain = read(json!({})).unwrap();
        let named = read(json!({"question_id": "b"})).unwrap();
        let (a, b) = (asked("a"), asked("b"));
        assert_eq!(plain.question(std::slice::from_ref(&a)), Ok(&a));
        assert_eq!(named.question(&[a.clone(), b.clone()]), Ok(&b));
        assert_eq!(plain.question(&[]), Err(BadAnswer::NothingAsked(thread)));
        let (two, one) = ([a.clone(), b], [a]);
        let cases = [
            (plain.question(&two), "asks `a`, `b`: say with `question_id`"),
            (named.question(&one), "asks no question `b`; it asks `a`"),
        ];
        for (refused, expected) in cases {
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
        }
        for bad in [read(json!({"thread_id": "x"})), read(json!({"more": 1})), Answer::read(None)] {
            assert!(matches!(bad, Err(BadAnswer::Arguments(_))), "{bad:?}");
        }
    }
}
