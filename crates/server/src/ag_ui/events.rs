//! From the log to events.

use graphloom_core_graph::{Clock, SystemClock};
use serde_json::{Value, json};

use crate::ag_ui::event;
use crate::ag_ui::input::RunAgentInput;
use crate::ag_ui::messages::shown;
use crate::ag_ui::open_parts::OpenParts;
use crate::chat::question;
use crate::graph::Fields;
use crate::log::{Entry, Interrupt, LogEvent};
use crate::messages::Usage;

/// Tells a run to a client.
pub(super) struct Teller {
    thread: String,
    run: String,
    open: OpenParts,
    /// The state as the client has it.
    known: Value,
    messages: Option<Value>,
    usage: Usage,
    is_over: bool,
}

/// A state without its messages, which are told on their own.
fn state_of(values: &Fields) -> Value {
    let mut state = values.clone();
    state.shift_remove(crate::chat::MESSAGES);
    Value::Object(state)
}

impl Teller {
    pub(super) fn new(input: &RunAgentInput, values: &Fields) -> Self {
        Self {
            thread: input.thread_id.clone(),
            run: input.run_id.clone(),
            open: OpenParts::default(),
            known: state_of(values),
            messages: shown(values),
            usage: Usage::default(),
            is_over: false,
        }
    }

    /// Whether the run's last event was told.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The events with which every run begins.
    pub(super) fn started(&self) -> Vec<Value> {
        let time = SystemClock.now();
        vec![
            event("RUN_STARTED", time, json!({"threadId": self.thread, "runId": self.run})),
            event("STATE_SNAPSHOT", time, json!({"snapshot": self.known})),
        ]
    }

    /// The events of a run that is refused.
    pub(super) fn refused(&mut self, code: &str, message: &str) -> Vec<Value> {
        let mut told =
            vec![event("RUN_STARTED", SystemClock.now(), json!({"threadId": self.thread, "runId": self.run}))];
        told.extend(self.failed(code, message));
        told
    }

    /// The events with which a run fails.
    pub(super) fn failed(&mut self, code: &str, message: &str) -> Vec<Value> {
        self.is_over = true;
        let (mut told, time) = (Vec::new(), SystemClock.now());
        self.open.end_all(time, &mut told);
        told.push(event("RUN_ERROR", time, json!({"message": message, "code": code})));
        told
    }

    /// The events of an entry.
    pub(super) fn tell(&mut self, entry: &Entry) -> Vec<Value> {
        let (mut told, time) = (Vec::new(), entry.time);
        match &entry.event {
            LogEvent::TaskStarted { node, .. } => self.open.begin_step(&step_of(entry, node), time, &mut told),
            LogEvent::Update { node, .. } | LogEvent::TaskFailed { node, .. } | LogEvent::TaskRetry { node, .. } => {
                self.open.end_step(&step_of(entry, node), time, &mut told);
            }
            LogEvent::Interrupted { node, .. } | LogEvent::AskedAgain { node, .. } => {
                self.open.end_step(&step_of(entry, node), time, &mut told);
            }
            LogEvent::Message { chunk, .. } => {
                if let Some(usage) = chunk.usage {
                    self.usage.input_tokens += usage.input_tokens;
                    self.usage.output_tokens += usage.output_tokens;
                    self.usage.total_tokens += usage.total_tokens;
                }
                self.open.piece(chunk, time, &mut told);
            }
            LogEvent::Custom { node, name, payload, .. } => {
                let name = if name.is_empty() { node } else { name };
                told.push(event("CUSTOM", time, json!({"name": name, "value": payload})));
            }
            LogEvent::Commit(commit) if entry.ns.is_empty() => {
                let state = state_of(&commit.values);
                let delta = json_patch::diff(&self.known, &state);
                if !delta.0.is_empty() {
                    told.push(event("STATE_DELTA", time, json!({"delta": delta})));
                }
                self.known = state;
                self.messages = shown(&commit.values);
            }
            LogEvent::Warning { message } => {
                told.push(event("CUSTOM", time, json!({"name": "warning", "value": message})));
            }
            LogEvent::RunEnded { status, failure, interrupts } => {
                self.is_over = true;
                self.end(status, failure.as_ref(), interrupts, time, &mut told);
            }
            _ => {}
        }
        told
    }

    fn end(
        &mut self,
        status: &str,
        failure: Option<&crate::records::RunFailure>,
        interrupts: &[Interrupt],
        time: u64,
        told: &mut Vec<Value>,
    ) {
        self.open.end_all(time, told);
        // Snapshots come before the end: a client that was told pieces is sure of the whole.
        told.push(event("STATE_SNAPSHOT", time, json!({"snapshot": self.known})));
        if let Some(messages) = &self.messages {
            told.push(event("MESSAGES_SNAPSHOT", time, json!({"messages": messages})));
        }
        if let Some(failure) = failure {
            told.push(event("RUN_ERROR", time, json!({"message": failure.message, "code": failure.error})));
            return;
        }
        let outcome = if status == "interrupted" {
            json!({"type": "cancelled"})
        } else if interrupts.is_empty() {
            json!({"type": "success"})
        } else {
            json!({"type": "interrupt", "interrupts": interrupts.iter().map(interrupt_of).collect::<Vec<_>>()})
        };
        let mut finished = json!({"threadId": self.thread, "runId": self.run, "outcome": outcome});
        if self.usage != Usage::default() {
            finished["usage"] = json!([{
                "inputTokens": self.usage.input_tokens, "outputTokens": self.usage.output_tokens,
                "totalTokens": self.usage.total_tokens,
            }]);
        }
        told.push(event("RUN_FINISHED", time, finished));
    }
}

/// The name of a step: the node, with those that lead to it.
fn step_of(entry: &Entry, node: &str) -> String {
    let outer = entry.ns.split('/').filter(|segment| !segment.is_empty());
    let outer = outer.map(|segment| segment.rsplit_once(':').map_or(segment, |(name, _)| name));
    outer.chain([node]).collect::<Vec<_>>().join("/")
}

fn interrupt_of(interrupt: &Interrupt) -> Value {
    let mut told = json!({
        "id": interrupt.id, "reason": interrupt.key, "message": question(interrupt),
        "metadata": {"value": interrupt.value},
    });
    if let Some(schema) = &interrupt.response_schema {
        told["responseSchema"] = schema.clone();
    }
    told
}
