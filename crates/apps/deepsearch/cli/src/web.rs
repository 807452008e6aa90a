//! Web mode: the messages of the original on stdout, one JSON object a line.

use std::io::{IsTerminal, Write};

use graphloom_cli::frame::ProgramResult;
use graphloom_cli::{ExitStatus, Failure, Session, terminal};
use graphloom_deepsearch::stream::StreamMessage;

/// Writes the messages of a run to stdout in web mode, and nothing otherwise.
pub(crate) struct WebMessages {
    on: bool,
}

impl WebMessages {
    pub(crate) fn new(on: bool) -> Self {
        Self { on }
    }

    /// Whether messages go to stdout.
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// Writes a message.
    pub(crate) fn write(&mut self, message: &StreamMessage) {
        if self.on
            && let Ok(line) = serde_json::to_string(message)
        {
            // A reader that is gone wants no more messages; the run goes on and is saved.
            let mut out = std::io::stdout().lock();
            let line = if out.is_terminal() { terminal::json(&line) } else { line.into() };
            writeln!(out, "{line}").and_then(|()| out.flush()).ok();
        }
    }

    /// Writes the last messages of a stream.
    pub(crate) fn close(&mut self, messages: &[StreamMessage]) {
        messages.iter().for_each(|message| self.write(message));
    }

    /// Prints the result of a run. In web mode the result is a note, because stdout carries messages only.
    pub(crate) fn end(&self, session: &Session, result: &ProgramResult) -> Result<ExitStatus, Failure> {
        if !self.on {
            return result.print(session);
        }
        session.progress.note(&result.text);
        Ok(result.status)
    }
}
