//! What a user sees while an application works: progress on stderr, the result on stdout.

mod live;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anstyle::{AnsiColor, Style as Colour};
use clap::ColorChoice;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{BaseArgs, ExitStatus, Failure, terminal};
use live::Live;

/// The version of the lines that `--json` prints.
pub const JSON_VERSION: u32 = 1;

/// Where progress and results go. Clones write to the same places.
///
/// On a terminal there is a live phase line, and a live block of lines below it for a tree; elsewhere plain lines. With
/// `--json` events go to stdout, one a line, and the result is the last of them. What goes to a terminal is cleaned by
/// [`terminal`]; what goes elsewhere keeps every byte. With colours, the words `warning:` and `error:` have one.
#[derive(Clone)]
pub struct Progress(Arc<Inner>);

struct Inner {
    style: Style,
    json: bool,
    out: Mutex<Place>,
    err: Mutex<Place>,
    /// Whether words on stderr are coloured.
    coloured: bool,
    phase: Mutex<String>,
    ended: AtomicBool,
    /// A write to stdout met a reader who went away.
    unread: AtomicBool,
}

/// Where text goes, and whether a terminal shows it.
struct Place {
    to: Box<dyn Write + Send>,
    is_terminal: bool,
}

impl Place {
    fn write(&mut self, text: &str, clean: fn(&str) -> Cow<'_, str>) -> io::Result<()> {
        let text = if self.is_terminal { clean(text) } else { Cow::Borrowed(text) };
        self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush())
    }
}

enum Style {
    Quiet,
    Plain,
    Live(Live),
}

impl Progress {
    /// What the options and the terminal ask for.
    pub fn new(args: &BaseArgs) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let style = if args.quiet {
            Style::Quiet
        } else if io::stderr().is_terminal() && !dumb && args.verbose == 0 {
            Style::Live(Live::new())
        } else {
            Style::Plain
        };
        let out = Place { is_terminal: io::stdout().is_terminal(), to: Box::new(io::stdout()) };
        let err = Place { is_terminal: io::stderr().is_terminal(), to: Box::new(io::stderr()) };
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let coloured = match args.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => err.is_terminal && !dumb && !no_colour,
        };
        Self::with(style, args.json, coloured, out, err)
    }

    /// Plain lines to the given places, for tests and for programs that embed an application.
    pub fn to(json: bool, out: Box<dyn Write + Send>, err: Box<dyn Write + Send>) -> Self {
        let place = |to| Place { to, is_terminal: false };
        Self::with(Style::Plain, json, false, place(out), place(err))
    }

    fn with(style: Style, json: bool, coloured: bool, out: Place, err: Place) -> Self {
        let (out, err) = (Mutex::new(out), Mutex::new(err));
        Self(Arc::new(Inner {
            style,
            json,
            out,
            err,
            coloured,
            phase: Mutex::default(),
            ended: AtomicBool::new(false),
            unread: AtomicBool::new(false),
        }))
    }

    /// Whether `--json` was given.
    pub fn is_json(&self) -> bool {
        self.0.json
    }

    /// Whether there is a live display, so that a tree is worth drawing at every change.
    pub fn is_live(&self) -> bool {
        matches!(self.0.style, Style::Live(_))
    }

    /// A line that stays. Not with `-q`.
    pub fn note(&self, text: impl AsRef<str>) {
        if !matches!(self.0.style, Style::Quiet) {
            self.line(text.as_ref());
        }
    }

    /// A line that stays and is shown with `-q` too.
    pub fn warn(&self, text: impl AsRef<str>) {
        self.labelled("warning:", AnsiColor::Yellow, text.as_ref());
    }

    /// A line of a conversation with a person, shown with `-q` too; the live display is taken away for it.
    ///
    /// # Errors
    /// When it cannot be written, so that nobody takes it for read.
    pub fn tell(&self, text: &str) -> io::Result<()> {
        self.clear();
        let mut err = self.0.err.lock().unwrap_or_else(PoisonError::into_inner);
        err.write(&format!("{}\n", text.trim_end_matches('\n')), terminal::plain)
    }

    /// Whether stdout took everything written so far. A closed pipe is no error, but its reader has read nothing.
    pub fn is_stdout_open(&self) -> bool {
        !self.0.unread.load(Ordering::SeqCst)
    }

    /// What the program is doing now: the live line, or a plain line when it is another one than before.
    pub fn phase(&self, text: impl Into<String>) {
        let text = text.into();
        match &self.0.style {
            Style::Quiet => {}
            Style::Live(live) => live.phase(&text),
            Style::Plain => {
                let mut phase = self.0.phase.lock().unwrap_or_else(PoisonError::into_inner);
                if *phase != text {
                    self.line(&text);
                    *phase = text;
                }
            }
        }
    }

    /// The live block of lines below the phase; nothing without a live display.
    pub fn tree(&self, text: impl Into<String>) {
        if let Style::Live(live) = &self.0.style {
            live.tree(&text.into());
        }
    }

    /// How far a transfer is: a live line, or a plain line for every quarter.
    pub fn transfer(&self, what: &str, done: u64, total: u64) {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        let percent = done.saturating_mul(100).checked_div(total).unwrap_or(100);
        let shown = if self.is_live() { percent } else { percent / 25 * 25 };
        if self.is_live() {
            self.phase(format!("{what}: {:.1} of {:.1} MB, {shown} %", megabytes(done), megabytes(total)));
        } else {
            self.phase(format!("{what}: {shown} % of {:.1} MB", megabytes(total)));
        }
    }

    /// An event of the run, with `--json` a line on stdout.
    pub fn event(&self, event: &impl Serialize) {
        if self.0.json {
            self.json_line(event);
        }
    }

    /// The result: `text` on stdout, or with `--json` a last line that holds the status and `value`.
    ///
    /// # Errors
    /// When stdout cannot be written, except that a reader who went away is no error.
    pub fn result(&self, status: ExitStatus, text: &str, value: &impl Serialize) -> io::Result<()> {
        self.clear();
        self.0.ended.store(true, Ordering::SeqCst);
        if self.0.json {
            let value = serde_json::to_value(value).map_err(io::Error::other)?;
            return self.write_out(&result_line(status, "result", value), terminal::json);
        }
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        self.write_out(&format!("{text}{end}"), terminal::plain)
    }

    /// Tells a failure: on stderr for people, and with `--json` as the last line where there was no result.
    pub fn failure(&self, failure: &Failure) {
        self.clear();
        self.labelled("error:", AnsiColor::Red, &failure.to_string());
        if self.0.json && !self.0.ended.swap(true, Ordering::SeqCst) {
            let line = result_line(failure.status(), "error", json!(failure.messages()));
            // Nobody is left to tell when stdout is gone as well.
            self.write_out(&line, terminal::json).ok();
        }
    }

    /// Takes the live display away.
    pub fn clear(&self) {
        if let Style::Live(live) = &self.0.style {
            live.clear();
        }
    }

    /// Runs `ask` while the live display is away, so that it can talk on the terminal.
    pub fn suspend<T>(&self, ask: impl FnOnce() -> T) -> T {
        match &self.0.style {
            Style::Live(live) => live.suspend(ask),
            _ => ask(),
        }
    }

    /// A line that stays, with no label, and is shown with `-q` too.
    pub fn line(&self, text: &str) {
        self.write_line("", text);
    }

    fn labelled(&self, label: &str, colour: AnsiColor, text: &str) {
        let style = if self.0.coloured { Colour::new().bold().fg_color(Some(colour.into())) } else { Colour::new() };
        self.write_line(&format!("{style}{label}{style:#} "), text);
    }

    /// Writes a line. `beginning` is written as it is, so it may hold codes that a terminal obeys.
    fn write_line(&self, beginning: &str, text: &str) {
        let text = text.trim_end_matches('\n');
        self.suspend(|| {
            let mut err = self.0.err.lock().unwrap_or_else(PoisonError::into_inner);
            let text = if err.is_terminal { terminal::plain(text) } else { Cow::Borrowed(text) };
            // Progress that cannot be shown is not worth a run.
            err.write(&format!("{beginning}{text}\n"), |line| Cow::Borrowed(line)).ok();
        });
    }

    fn json_line(&self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            Ok(line) => {
                if let Err(error) = self.write_out(&format!("{line}\n"), terminal::json) {
                    tracing::warn!("an event could not be written to stdout: {error}");
                }
            }
            Err(error) => tracing::warn!("an event has no JSON form: {error}"),
        }
    }

    fn write_out(&self, text: &str, clean: fn(&str) -> Cow<'_, str>) -> io::Result<()> {
        let mut out = self.0.out.lock().unwrap_or_else(PoisonError::into_inner);
        match out.write(text, clean) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.0.unread.store(true, Ordering::SeqCst);
                Ok(())
            }
            other => other,
        }
    }
}

fn result_line(status: ExitStatus, key: &str, value: Value) -> String {
    let mut line = json!({"v": JSON_VERSION, "event": "result", "status": status.word()});
    line[key] = value;
    format!("{line}\n")
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = match self.0.style {
            Style::Quiet => "quiet",
            Style::Plain => "plain",
            Style::Live(_) => "live",
        };
        f.debug_struct("Progress").field("style", &style).field("json", &self.0.json).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for SharedBuffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl SharedBuffer {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    fn progress(json: bool) -> (Progress, SharedBuffer, SharedBuffer) {
        let (out, err) = (SharedBuffer::default(), SharedBuffer::default());
        (Progress::to(json, Box::new(out.clone()), Box::new(err.clone())), out, err)
    }

    #[test]
    fn stdout_holds_the_result_only() {
        let (progress, out, err) = progress(false);
        progress.phase("planning");
        progress.phase("planning");
        progress.tree("a\n  b");
        progress.note("kept in `out`");
        progress.event(&json!({"event": "committed"}));
        progress.result(ExitStatus::Done, "# Report", &json!({"words": 2})).unwrap();
        assert_eq!(out.text(), "# Report\n");
        assert_eq!(err.text(), "planning\nkept in `out`\n");
    }

    #[test]
    fn json_ends_with_the_result() {
        let (progress, out, _) = progress(true);
        progress.event(&json!({"event": "committed"}));
        progress.result(ExitStatus::BudgetSpent, "ignored", &json!({"words": 2})).unwrap();
        progress.failure(&Failure::usage("too late to be the result"));
        let lines: Vec<Value> = out.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1], json!({"v": 1, "event": "result", "status": "budget_spent", "result": {"words": 2}}));
    }

    #[test]
    fn a_failure_is_told_to_people_and_programs() {
        let (progress, out, err) = progress(true);
        progress.failure(&Failure::usage("`--budget` makes no sense"));
        assert_eq!(err.text(), "error: `--budget` makes no sense\n");
        let line: Value = serde_json::from_str(&out.text()).unwrap();
        assert_eq!((&line["status"], &line["error"][0]), (&json!("usage"), &json!("`--budget` makes no sense")));
    }

    #[test]
    fn what_nobody_took_is_known_not_to_be_read() {
        struct ClosedPipe;

        impl Write for ClosedPipe {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        let (shown, _, _) = progress(false);
        shown.result(ExitStatus::Done, "text", &json!({})).unwrap();
        assert!(shown.is_stdout_open());
        let gone = Progress::to(false, Box::new(ClosedPipe), Box::new(ClosedPipe));
        assert!(gone.tell("text").is_err());
        gone.result(ExitStatus::Done, "text", &json!({})).unwrap();
        assert!(!gone.is_stdout_open());
    }

    #[test]
    fn transfers_are_told_in_quarters() {
        let (progress, _, err) = progress(false);
        for done in 0..=100 {
            progress.transfer("weights", done * 1_000_000, 100_000_000);
        }
        assert_eq!(err.text().lines().count(), 5, "{}", err.text());
        assert!(err.text().ends_with("weights: 100 % of 100.0 MB\n"));
    }
}
