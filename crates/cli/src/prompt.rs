//! A prompt on the terminal: a line that can be edited, with the lines before it.

use std::io::{self, BufRead, IsTerminal};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{
    Behavior, Cmd, ConditionalEventHandler, Config, Editor, Event, EventContext, EventHandler, RepeatCount,
};

use crate::Progress;

/// Nobody has read a question sooner after it was shown and begun to answer it.
const SOONEST: Duration = Duration::from_millis(100);

/// Asks a person on the terminal, line after line. Lines are kept for the arrow keys as long as the prompt lives, and
/// nowhere else.
///
/// What is pasted is one line, with its line ends. While nobody is asked, the terminal is in its usual mode.
pub struct Prompt {
    asking: Arc<Mutex<Asking>>,
    progress: Progress,
    _terminal: Restored,
}

/// What a thread needs that waits for a line.
struct Asking {
    editor: Editor<(), MemHistory>,
    first: FirstKey,
}

/// A line that a person typed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Typed {
    /// The line, without its end.
    pub text: String,
    /// It was begun before anybody can have read the question: typed ahead, or pasted together with the line before.
    pub ahead: bool,
}

/// The next line of stdin, where there is no terminal to ask on; `None` at its end.
///
/// # Errors
/// When stdin cannot be read.
pub async fn next_line() -> io::Result<Option<String>> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map(|bytes| (bytes > 0).then_some(line))
    });
    read.await.map_err(io::Error::other)?
}

impl Prompt {
    /// A prompt; `None` unless the standard input and the progress go to a terminal.
    ///
    /// # Errors
    /// When the terminal cannot be opened.
    pub fn open(progress: &Progress) -> io::Result<Option<Self>> {
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return Ok(None);
        }
        let terminal = Restored::keep();
        // The standard output may be a file.
        let config = Config::builder().behavior(Behavior::PreferTerm).auto_add_history(true).build();
        let history = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history).map_err(failed)?;
        let first = FirstKey::default();
        editor.bind_sequence(Event::Any, EventHandler::Conditional(Box::new(first.clone())));
        let asking = Arc::new(Mutex::new(Asking { editor, first }));
        Ok(Some(Self { asking, progress: progress.clone(), _terminal: terminal }))
    }

    /// Shows the label and waits for a line; `None` when the person leaves by Ctrl-C, or by Ctrl-D in an empty line, or
    /// the terminal is gone. The live display of the progress is taken away first.
    ///
    /// Who drops the future does not want to ask any more: the thread that waits takes the next line with it.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub async fn ask(&mut self, label: &str) -> io::Result<Option<Typed>> {
        self.progress.clear();
        let (asking, label) = (Arc::clone(&self.asking), label.to_owned());
        let asked =
            tokio::task::spawn_blocking(move || asking.lock().unwrap_or_else(PoisonError::into_inner).line(&label));
        asked.await.map_err(io::Error::other)?
    }

    /// As [`ask`](Self::ask), for a question that was just shown: what was typed ahead is no answer to it, which is told, and
    /// the next line is waited for.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub async fn answer(&mut self, label: &str) -> io::Result<Option<String>> {
        while let Some(typed) = self.ask(label).await? {
            if !typed.ahead {
                return Ok(Some(typed.text));
            }
            self.progress.note("what was typed before the question was shown is no answer to it; please answer now");
        }
        Ok(None)
    }
}

impl Asking {
    fn line(&mut self, label: &str) -> io::Result<Option<Typed>> {
        self.first.forget();
        let asked = Instant::now();
        match self.editor.readline(label) {
            Ok(text) => Ok(Some(Typed { text, ahead: self.first.is_before(asked + SOONEST) })),
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompt").finish_non_exhaustive()
    }
}

fn failed(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// When the first key of a line was taken in. Clones are the same.
#[derive(Clone, Default)]
struct FirstKey(Arc<Mutex<Option<Instant>>>);

impl FirstKey {
    fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn is_before(&self, time: Instant) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|first| first < time)
    }
}

impl ConditionalEventHandler for FirstKey {
    /// Only looks: the key does what it does.
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
        None
    }
}

/// Gives the terminal back as it was, also when the program is told to end in the middle of a prompt.
struct Restored {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Restored {
    /// The terminal as it is.
    fn keep() -> Self {
        Self {
            #[cfg(unix)]
            before: rustix::termios::tcgetattr(io::stdin()).ok(),
        }
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            // Nothing can be done about a terminal that is gone.
            rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, before).ok();
        }
    }
}
