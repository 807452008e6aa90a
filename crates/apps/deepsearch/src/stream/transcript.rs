//! The messages of a run from its first event to `ALL END`.

use graphloom_core_graph::{Event, Outcome, RunError};

use crate::status::StatusCode;

use super::{ALL_END, MessageEvent, MessageKind, StreamMessage, message_of};

/// The agent of messages that no node sent.
const FRAMEWORK: &str = "framework";

/// The message of a run that failed outside of its nodes. The step limit has a status code.
pub fn failure_message(error: &RunError) -> String {
    match error {
        RunError::StepLimit { limit, next } => {
            let code = StatusCode::StepLimit;
            format!("[{code}]after {limit} steps `{next}` would be next; raise `workflow_recursion_limit` and go on")
        }
        error => error.to_string(),
    }
}

/// Reads the messages of a run and closes its stream: whatever happens, the last message is `ALL END`, unless the run
/// waits for its user.
#[derive(Debug)]
pub struct Transcript {
    conversation: String,
    ended: bool,
    last: u64,
}

impl Transcript {
    /// The stream of a thread.
    pub fn new(thread: impl Into<String>) -> Self {
        Self { conversation: thread.into(), ended: false, last: 0 }
    }

    /// Takes an event, and returns the message that it carries.
    pub fn observe(&mut self, event: &Event) -> Option<StreamMessage> {
        self.last = self.last.max(event.time);
        let message = message_of(event)?;
        self.ended |= message.content == ALL_END;
        Some(message)
    }

    /// The last messages of the stream for an outcome of the run.
    pub fn close<S>(self, outcome: &Result<Outcome<S>, RunError>) -> Vec<StreamMessage> {
        match outcome {
            Ok(Outcome::Waiting(_)) => Vec::new(),
            Ok(Outcome::Done(_)) if self.ended => Vec::new(),
            Ok(Outcome::Done(_)) => vec![self.end()],
            Ok(Outcome::Cancelled { .. } | Outcome::Drained { .. }) => {
                let cancelled = self.message(MessageEvent::Cancel, "the run was stopped; it can be resumed");
                vec![cancelled, self.end()]
            }
            Ok(_) => self.failed("the run stopped before its end; it can be resumed"),
            Err(error) => self.failed(&failure_message(error)),
        }
    }

    /// An error, and the end.
    pub fn failed(self, message: &str) -> Vec<StreamMessage> {
        vec![self.message(MessageEvent::Error, message), self.end()]
    }

    fn end(&self) -> StreamMessage {
        self.message(MessageEvent::SummaryResponse, ALL_END)
    }

    fn message(&self, event: MessageEvent, content: &str) -> StreamMessage {
        let mut message = StreamMessage::new(FRAMEWORK, event, content).kind(MessageKind::System).turn(FRAMEWORK);
        message.conversation_id.clone_from(&self.conversation);
        message.created_time = self.last;
        message
    }
}
