//! How a run ended is a result: the state as structured content and as text, or an error that says what happened.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::chat;
use crate::graph::Fields;
use crate::log::Interrupt;
use crate::mcp::answer::ANSWER;
use crate::records::RunStatus;
use crate::runs::Ending;

/// The key in the `_meta` of a result under which the thread of its run is: other protocols of the server know it by that.
const THREAD: &str = "graphloom/threadId";

/// The result of a run that waits for no answer.
pub(super) fn result(thread: Uuid, ending: &Ending) -> CallToolResult {
    let values = ending.values.as_ref();
    match (&ending.failure, ending.status) {
        (Some(failure), _) => error(thread, &failure.message, values),
        (None, RunStatus::Interrupted) => error(thread, "The run was cancelled before it was done.", values),
        (None, RunStatus::Timeout) => error(thread, "The run took longer than it may.", values),
        (None, _) => complete(thread, values.cloned().unwrap_or_default()),
    }
}

fn complete(thread: Uuid, values: Fields) -> CallToolResult {
    let said = chat::last_said(&values).map(|message| message.text()).filter(|text| !text.is_empty());
    let values = Value::Object(values);
    let content = said.into_iter().chain([values.to_string()]).map(ContentBlock::text).collect();
    of(thread, CallToolResult::success(content), Some(values))
}

/// A result that says what went wrong.
pub(super) fn error(thread: Uuid, message: &str, values: Option<&Fields>) -> CallToolResult {
    let values = values.cloned().map(Value::Object);
    of(thread, refused(message), values)
}

/// A result of no run.
pub(super) fn refused(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// The questions of a run as a text, with what to do.
pub(super) fn asked(thread: Uuid, interrupts: &[Interrupt], values: Option<&Fields>) -> CallToolResult {
    let text = format!("{}\n\n{}", chat::questions(interrupts), what_to_do(thread, interrupts));
    let values = Value::Object(values.cloned().unwrap_or_default());
    of(thread, CallToolResult::success(vec![ContentBlock::text(text)]), Some(values))
}

/// The questions of a run that a person did not answer.
pub(super) fn unanswered(thread: Uuid, did: &str, interrupts: &[Interrupt], values: Option<&Fields>) -> CallToolResult {
    let text = format!("The user {did}: {}\n\n{}", chat::questions(interrupts), what_to_do(thread, interrupts));
    error(thread, &text, values)
}

fn what_to_do(thread: Uuid, interrupts: &[Interrupt]) -> String {
    let arguments = |question: Option<&Interrupt>| {
        let mut arguments = json!({ "thread_id": thread, "answer": "…" });
        if let Some(question) = question {
            arguments["question_id"] = json!(question.id);
        }
        arguments.to_string()
    };
    match interrupts {
        [_] => format!(
            "The run waits for an answer. To go on, ask the user and call the tool `{ANSWER}` with {}",
            arguments(None)
        ),
        several => {
            let calls: Vec<_> = several.iter().map(|one| format!("- {}", arguments(Some(one)))).collect();
            format!(
                "The run waits for an answer to each. To go on, ask the user and call the tool `{ANSWER}` once for each question, in this order, with\n{}",
                calls.join("\n")
            )
        }
    }
}

fn of(thread: Uuid, mut result: CallToolResult, values: Option<Value>) -> CallToolResult {
    result.structured_content = values;
    let mut meta = MetaObject::new();
    meta.insert(THREAD.to_owned(), json!(thread));
    result.meta = Some(meta);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{RunFailure, ThreadStatus};

    fn ending(status: RunStatus, values: Option<Value>, failure: Option<&str>) -> Ending {
        let values = values.and_then(|values| values.as_object().cloned());
        let failure = failure.map(|message| RunFailure { error: "NodeError".to_owned(), message: message.to_owned() });
        Ending { status, stands: ThreadStatus::Idle, values, interrupts: Vec::new(), failure, is_unread: false }
    }

    fn texts(result: &CallToolResult) -> Vec<&str> {
        result.content.iter().filter_map(|block| Some(block.as_text()?.text.as_str())).collect()
    }

    #[test]
    fn a_result_has_the_state_twice_and_what_a_model_said_first() {
        let thread = Uuid::from_u128(5);
        let plain = json!({"topic": "a", "count": 3});
        let chat = json!({"messages": [{"type": "human", "content": "hi", "id": "1"}, {"type": "ai", "content": "Echo: hi", "id": "2"}]});
        let (plain_text, chat_text) = (plain.to_string(), chat.to_string());
        let cases = [
            (ending(RunStatus::Success, Some(plain.clone()), None), vec![plain_text.as_str()], Some(&plain), false),
            (ending(RunStatus::Success, Some(chat.clone()), None), vec!["Echo: hi", &chat_text], Some(&chat), false),
            (
                ending(RunStatus::Error, Some(plain.clone()), Some("boom: mode=fail")),
                vec!["boom: mode=fail"],
                Some(&plain),
                true,
            ),
            (ending(RunStatus::Error, None, Some("boom")), vec!["boom"], None, true),
            (ending(RunStatus::Interrupted, None, None), vec!["The run was cancelled before it was done."], None, true),
        ];
        for (ending, expected, structured, is_error) in cases {
            let result = result(thread, &ending);
            assert_eq!(texts(&result), expected);
            assert_eq!(result.structured_content.as_ref(), structured);
            assert_eq!(result.is_error, Some(is_error));
            assert_eq!(result.meta.unwrap()[THREAD], json!(thread));
        }
    }

    #[test]
    fn a_question_says_what_to_do() {
        let thread = Uuid::from_u128(5);
        let asked_with = |id: &str, text: &str| Interrupt {
            id: id.to_owned(),
            value: json!({ "question": text }),
            key: String::new(),
            task: String::new(),
            ns: String::new(),
            response_schema: None,
        };
        let one = asked(thread, &[asked_with("a", "Approve?")], None);
        assert_eq!(
            texts(&one),
            [format!(
                "Approve?\n\nThe run waits for an answer. To go on, ask the user and call the tool `answer` with {{\"thread_id\":\"{thread}\",\"answer\":\"…\"}}"
            )]
        );
        assert_eq!((one.is_error, &one.structured_content), (Some(false), &Some(json!({}))));
        let two = asked(thread, &[asked_with("a", "Who?"), asked_with("b", "When?")], None);
        let text = texts(&two)[0].to_owned();
        assert!(text.starts_with("Who?\n\nWhen?\n\n") && text.contains("\"question_id\":\"b\""), "{text}");
        let declined = unanswered(thread, "declined to answer", &[asked_with("a", "Approve?")], None);
        assert_eq!(declined.is_error, Some(true));
        assert!(texts(&declined)[0].starts_with("The user declined to answer: Approve?"));
    }
}
