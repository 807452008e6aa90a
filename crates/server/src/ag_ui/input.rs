//! What a client sends, and what the graph is asked to do.

use std::collections::BTreeSet;

use graphloom_core_graph::fields::FieldKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::ag_ui::messages::from_client;
use crate::chat::MESSAGES;
use crate::graph::{Fields, Outline, View, interrupt_id};
use crate::runs::{Command, Order};

/// The input of a run, as the protocol names it. Tools of the client are not called.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunAgentInput {
    pub(super) thread_id: String,
    pub(super) run_id: String,
    /// The state as the client has it.
    #[serde(default)]
    pub(super) state: Value,
    #[serde(default)]
    pub(super) messages: Vec<Value>,
    #[serde(default)]
    pub(super) resume: Option<Vec<ResumeEntry>>,
}

/// An answer to an interrupt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResumeEntry {
    pub(super) interrupt_id: String,
    pub(super) status: ResumeStatus,
    #[serde(default)]
    pub(super) payload: Value,
}

impl ResumeEntry {
    fn answer(&self) -> Value {
        match self.status {
            ResumeStatus::Resolved => self.payload.clone(),
            ResumeStatus::Cancelled => Value::Null,
        }
    }
}

/// What became of an interrupt on the side of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ResumeStatus {
    Resolved,
    /// The graph gets `null` for an answer.
    Cancelled,
}

/// What the graph is asked to do.
pub(super) enum Asked {
    Order(Box<Order>),
    Refused { code: &'static str, message: String },
}

fn refused(code: &'static str, message: String) -> Asked {
    Asked::Refused { code, message }
}

/// What the graph is asked to do. The rules of interrupts are those of the protocol: a resume answers every open one, and new input
/// does not come while one is open.
pub(super) fn asked(thread: &str, outline: &Outline, view: &View, input: &RunAgentInput) -> Asked {
    let open: BTreeSet<String> = view.questions.iter().map(|question| interrupt_id(thread, &question.id)).collect();
    let listed = |ids: &BTreeSet<String>| ids.iter().cloned().collect::<Vec<_>>().join(", ");
    let resume = input.resume.as_deref().unwrap_or_default();
    if resume.is_empty() {
        if !open.is_empty() {
            let message = format!("interrupts are open: answer them with `resume`: {}", listed(&open));
            return refused("interrupts_pending", message);
        }
        let values = fields(outline, view, input);
        return Asked::Order(Box::new(Order::input(values)));
    }
    let given: BTreeSet<String> = resume.iter().map(|entry| entry.interrupt_id.clone()).collect();
    if let Some(unknown) = given.difference(&open).next() {
        let message = format!("no open interrupt has the id {unknown}; open: {}", listed(&open));
        return refused("unknown_interrupt", message);
    }
    if given != open {
        let missing = open.difference(&given).cloned().collect();
        return refused(
            "interrupts_pending",
            format!("a resume answers every open interrupt; missing: {}", listed(&missing)),
        );
    }
    let answers: Fields = resume.iter().map(|entry| (entry.interrupt_id.clone(), entry.answer())).collect();
    let command = Command { resume: answers.into(), ..Command::default() };
    let order = Order { command: Some(command), ..Order::default() };
    Asked::Order(Box::new(order))
}

/// The messages, which are known by their ids, and of the state what the client has changed. A field that folds is taken while the
/// thread has nothing in it: later on the client sends back what it was told.
fn fields(outline: &Outline, view: &View, input: &RunAgentInput) -> Fields {
    let mut values = Fields::new();
    if outline.field(MESSAGES).is_some() {
        let messages: Vec<Value> = input.messages.iter().filter_map(from_client).collect();
        values.insert(MESSAGES.to_owned(), messages.into());
    }
    let Value::Object(state) = &input.state else { return values };
    for (name, value) in state {
        let Some(field) = outline.field(name).filter(|_| name != MESSAGES) else { continue };
        let known = view.values.get(name);
        let is_new = match field.kind {
            FieldKind::Last => known != Some(value),
            FieldKind::Reducer => known.is_none_or(is_empty) && !is_empty(value),
        };
        if is_new && !(known.is_none() && value.is_null()) {
            values.insert(name.clone(), value.clone());
        }
    }
    values
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(table) => table.is_empty(),
        _ => false,
    }
}
