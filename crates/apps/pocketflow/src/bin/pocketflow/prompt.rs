//! The prompt of a chat on a terminal: a line that can be edited, with the lines before it.

use std::io;

use dialoguer::{BasicHistory, Error, Input};

/// The lines before.
pub(crate) struct Prompt {
    before: BasicHistory,
}

impl Prompt {
    pub(crate) fn new() -> Self {
        Self { before: BasicHistory::new() }
    }

    /// Asks for a line; `None` when the person interrupts it, or the terminal is gone.
    pub(crate) fn ask(&mut self) -> io::Result<Option<String>> {
        let input = Input::<String>::new().with_prompt("you").allow_empty(true).history_with(&mut self.before);
        let Error::IO(error) = match input.interact_text() {
            Ok(line) => return Ok(Some(line)),
            Err(error) => error,
        };
        match error.kind() {
            io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof => Ok(None),
            _ => Err(error),
        }
    }
}

/// Gives the terminal back as it was, also when the program is told to end in the middle of a prompt.
pub(crate) struct Terminal {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Terminal {
    /// The terminal as it is.
    pub(crate) fn keep() -> Self {
        Self {
            #[cfg(unix)]
            before: rustix::termios::tcgetattr(io::stdin()).ok(),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            // Nothing can be done about a terminal that is gone.
            rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, before).ok();
        }
    }
}
