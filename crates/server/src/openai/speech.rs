//! A run as somebody who speaks: what it says, what it tells of its work, what it took, and how it ended.

use crate::cancel_on_drop::CancelOnDrop;
use crate::chat::{last_said, progress, questions};
use crate::host::Host;
use crate::http::Problem;
use crate::log::{LogEvent, RunTail};
use crate::messages::Usage;
use crate::records::RunFailure;
use crate::runs::Submitted;

/// A run as somebody who speaks. The run is cancelled when this is dropped before its end: whoever listened is gone.
pub(super) struct Speech {
    on_drop: CancelOnDrop,
    submitted: Submitted,
    tail: RunTail,
    /// Whether something was said.
    has_spoken: bool,
    usage: Usage,
    is_over: bool,
}

/// What is heard next.
pub(super) enum Utterance {
    /// A piece of what it says.
    Text(String),
    /// A line of how far it is, or a piece of what a model thinks.
    Thought(String),
    /// It waits for answers: nothing else is said.
    Asked(Vec<crate::log::Interrupt>),
    Failed(RunFailure),
}

impl Speech {
    pub(super) fn new(host: &Host, submitted: Submitted) -> Self {
        let on_drop = CancelOnDrop::new(host, submitted.record.thread_id, submitted.record.run_id);
        let tail = RunTail::new(&submitted.log, submitted.record.run_id, submitted.before);
        Self { on_drop, submitted, tail, has_spoken: false, usage: Usage::default(), is_over: false }
    }

    /// What the run took so far.
    pub(super) fn usage(&self) -> Usage {
        self.usage
    }

    /// What is heard next; none when it is over.
    pub(super) async fn next(&mut self) -> Option<Utterance> {
        while !self.is_over {
            let entry = match self.tail.next().await {
                Ok(Some(entry)) => entry,
                Ok(None) => return self.fail("Cancelled", "the run was deleted".to_owned()),
                Err(error) => return self.fail("StoreError", error.to_string()),
            };
            match &entry.event {
                LogEvent::Message { chunk, .. } => {
                    if let Some(usage) = chunk.usage {
                        self.usage.input_tokens += usage.input_tokens;
                        self.usage.output_tokens += usage.output_tokens;
                        self.usage.total_tokens += usage.total_tokens;
                    }
                    if let Some(thought) = &chunk.reasoning {
                        return Some(Utterance::Thought(thought.clone()));
                    }
                    if !chunk.content.is_empty() {
                        self.has_spoken = true;
                        return Some(Utterance::Text(chunk.content.clone()));
                    }
                }
                LogEvent::RunEnded { failure, interrupts, .. } => {
                    self.is_over = true;
                    self.on_drop.disarm();
                    // Whoever heard the end may read the run at once, wherever: its end is recorded.
                    let ending = self.submitted.live.ended().await;
                    if let Some(failure) = failure {
                        return Some(Utterance::Failed(failure.clone()));
                    }
                    if !interrupts.is_empty() {
                        return Some(Utterance::Asked(interrupts.clone()));
                    }
                    if self.has_spoken {
                        return None;
                    }
                    // A graph that told no piece of what it says: the newest message of its state.
                    let said = ending.as_ref().and_then(|ending| ending.values.as_ref()).and_then(last_said);
                    return said.map(|message| Utterance::Text(message.text()));
                }
                _ => {
                    if let Some(line) = progress(&entry) {
                        return Some(Utterance::Thought(format!("{line}\n")));
                    }
                }
            }
        }
        None
    }

    fn fail(&mut self, error: &str, message: String) -> Option<Utterance> {
        self.is_over = true;
        Some(Utterance::Failed(RunFailure { error: error.to_owned(), message }))
    }
}

impl Utterance {
    /// What it says, for a wire that has no other way to ask.
    pub(super) fn text(self) -> Result<String, RunFailure> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Asked(interrupts) => Ok(questions(&interrupts)),
            Self::Thought(_) => Ok(String::new()),
            Self::Failed(failure) => Err(failure),
        }
    }
}

/// A run that failed, for a client who waited for its whole answer. A retry does not mend it.
pub(super) fn problem(failure: &RunFailure) -> Problem {
    Problem::unprocessable(format!("{}: {}", failure.error, failure.message)).with_code("run_failed")
}
