//! A question is a form that a person fills in: a message, and a flat object of simple fields, as the protocol has it.

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema};
use serde_json::{Map, Value, json};

use crate::chat;
use crate::log::Interrupt;

/// The field of a form for a question whose answer is one value.
const ANSWER: &str = "answer";

/// The keys of a question under which the schema of its answer is, and those under which its choices are.
const SCHEMAS: [&str; 2] = ["response_schema", "schema"];
const CHOICES: [&str; 2] = ["options", "choices"];

/// A question as a form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    message: String,
    schema: ElicitationSchema,
    answer: AnswerForm,
}

/// Where the answer is in what a person filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerForm {
    /// All fields are the answer.
    Object,
    /// One field is.
    Field,
    /// One field is, as a text of which nothing is known.
    Text,
}

/// What a person did with a form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply {
    Answered(Value),
    Declined,
    /// The form was put away.
    Dismissed,
    /// It holds no answer.
    Empty,
}

impl Form {
    /// The form of a question: of the schema or the choices that it names, where the protocol has such forms, or else a
    /// free text.
    pub(super) fn of(interrupt: &Interrupt) -> Self {
        let named = interrupt.value.as_object();
        let in_question = || named.and_then(|value| SCHEMAS.iter().find_map(|key| value.get(*key)));
        let schema = interrupt.response_schema.as_ref().or_else(in_question).filter(|one| one.is_object());
        let choices = named.and_then(|value| CHOICES.iter().find_map(|key| value.get(*key)?.as_array()));
        let mut shown = interrupt.clone();
        if let (Value::Object(value), true) = (&mut shown.value, schema.is_some()) {
            value.retain(|key, _| !SCHEMAS.contains(&key.as_str()));
        }
        let mut message = chat::question(&shown);
        if let Some(schema) = schema {
            if let Some(form) = object_form(schema) {
                return Self { message, schema: form, answer: AnswerForm::Object };
            }
            if let Some(form) = field_form(schema) {
                return Self { message, schema: form, answer: AnswerForm::Field };
            }
            message.push_str(&format!("\n\nAnswer with JSON of this schema: {schema}"));
        }
        let choices = choices.filter(|choices| choices.iter().all(Value::is_string) && !choices.is_empty());
        if let Some(form) = choices.and_then(|choices| field_form(&json!({ "type": "string", "enum": choices }))) {
            return Self { message, schema: form, answer: AnswerForm::Field };
        }
        let schema =
            field_form(&json!({ "type": "string" })).unwrap_or_else(|| ElicitationSchema::new(Default::default()));
        Self { message, schema, answer: AnswerForm::Text }
    }

    /// The request that shows the form.
    pub(super) fn request(&self) -> ElicitRequestParams {
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.message.clone(),
            requested_schema: self.schema.clone(),
        }
    }

    /// Reads what a person filled in.
    pub(super) fn read(&self, result: ElicitResult) -> Reply {
        match result.action {
            ElicitationAction::Decline => return Reply::Declined,
            ElicitationAction::Accept => {}
            _ => return Reply::Dismissed,
        }
        let Some(Value::Object(mut fields)) = result.content else { return Reply::Empty };
        let answer = match self.answer {
            AnswerForm::Object => Some(Value::Object(fields)),
            AnswerForm::Field => fields.remove(ANSWER),
            AnswerForm::Text => fields.remove(ANSWER).map(|answer| match answer {
                Value::String(text) => chat::answer(&text),
                other => other,
            }),
        };
        answer.map_or(Reply::Empty, Reply::Answered)
    }
}

/// A form whose fields are the properties of a schema, if the protocol has such fields.
fn object_form(schema: &Value) -> Option<ElicitationSchema> {
    let properties = schema.get("properties")?.as_object()?;
    if properties.is_empty() || !properties.values().all(is_simple) {
        return None;
    }
    let mut form = Map::from_iter([("type".to_owned(), json!("object"))]);
    for key in ["title", "description", "properties", "required"] {
        if let Some(value) = schema.get(key) {
            form.insert(key.to_owned(), value.clone());
        }
    }
    serde_json::from_value(Value::Object(form)).ok()
}

/// A form of one field, if the protocol has such a field.
fn field_form(schema: &Value) -> Option<ElicitationSchema> {
    if !is_simple(schema) {
        return None;
    }
    let form = json!({ "type": "object", "properties": { ANSWER: schema }, "required": [ANSWER] });
    serde_json::from_value(form).ok()
}

/// Whether a form may have a field of this schema: it says all in its own words, and is no object or list of such.
fn is_simple(schema: &Value) -> bool {
    let is_plain = |kind: &str| matches!(kind, "string" | "number" | "integer" | "boolean");
    schema.get("type").and_then(Value::as_str).is_some_and(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(value: Value) -> Form {
        let empty = String::new;
        Form::of(&Interrupt { id: empty(), value, key: empty(), task: empty(), ns: empty(), response_schema: None })
    }

    fn accepted(content: Value) -> ElicitResult {
        ElicitResult::new(ElicitationAction::Accept).with_content(content)
    }

    #[test]
    fn a_form_has_the_fields_that_the_question_names() {
        let free = json!({"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]});
        let choice = json!({"type": "object", "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}}, "required": ["answer"]});
        let object = json!({"type": "object", "properties": {"decision": {"type": "string", "enum": ["yes", "no"]}, "score": {"type": "integer"}}, "required": ["decision"]});
        let number = json!({"type": "object", "properties": {"answer": {"type": "integer", "minimum": 1}}, "required": ["answer"]});
        let nested = json!({"type": "object", "properties": {"who": {"type": "object"}}});
        let cases = [
            (json!({"question": "Approve?", "draft": "d"}), "Approve?\n\ndraft: d".to_owned(), &free),
            (json!("Go on?"), "Go on?".to_owned(), &free),
            (json!({"question": "Approve?", "response_schema": object}), "Approve?".to_owned(), &object),
            (
                json!({"question": "How many?", "schema": {"type": "integer", "minimum": 1}}),
                "How many?".to_owned(),
                &number,
            ),
            (
                json!({"question": "Sure?", "options": ["yes", "no"]}),
                "Sure?\n\noptions: [\n  \"yes\",\n  \"no\"\n]".to_owned(),
                &choice,
            ),
            (
                json!({"question": "Who?", "response_schema": nested}),
                format!("Who?\n\nAnswer with JSON of this schema: {nested}"),
                &free,
            ),
            (json!({"question": "Sure?", "options": []}), "Sure?\n\noptions: []".to_owned(), &free),
        ];
        for (value, message, schema) in cases {
            let form = form(value);
            let request = serde_json::to_value(form.request()).unwrap();
            assert_eq!(request["message"], json!(message));
            assert_eq!(&request["requestedSchema"], schema, "{message}");
        }
    }

    #[test]
    fn an_answer_is_read_as_the_form_has_it() {
        let free = form(json!("Go on?"));
        let object = form(json!({"question": "?", "schema": {"properties": {"decision": {"type": "string"}}}}));
        let number = form(json!({"question": "?", "schema": {"type": "integer"}}));
        let answered = |value| Reply::Answered(value);
        let cases = [
            (&free, accepted(json!({"answer": "approve"})), answered(json!("approve"))),
            (&free, accepted(json!({"answer": "{\"decision\": \"no\"}"})), answered(json!({"decision": "no"}))),
            (&free, accepted(json!({"answer": true})), answered(json!(true))),
            (&free, accepted(json!({"other": "approve"})), Reply::Empty),
            (&free, ElicitResult::new(ElicitationAction::Accept), Reply::Empty),
            (&object, accepted(json!({"decision": "no"})), answered(json!({"decision": "no"}))),
            (&number, accepted(json!({"answer": 3})), answered(json!(3))),
            (&number, ElicitResult::new(ElicitationAction::Decline), Reply::Declined),
            (&number, ElicitResult::new(ElicitationAction::Cancel), Reply::Dismissed),
        ];
        for (form, result, expected) in cases {
            assert_eq!(form.read(result), expected);
        }
    }
}
