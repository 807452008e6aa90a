//! The program's log: warnings and, with `-v`, more on stderr; everything in the file of `--log`.
//!
//! With the feature `otel`, spans go to a collector, too.
//!
//! With `--log-format json` a line is an object with `timestamp`, `level`, `target`, `fields` and `spans`.

use std::io::{self, Write};
use std::sync::Mutex;

use clap::ValueEnum;
use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::spans::Spans;
use crate::{BaseArgs, CliError, Progress, private};

/// How a log is written.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines for people
    #[default]
    Text,
    /// A JSON object a line
    Json,
}

/// Sets up logging for the whole program. A second call changes nothing.
///
/// `RUST_LOG` says more exactly what is logged than `-v` can.
///
/// # Errors
/// [`CliError::Io`] when the file of `--log` cannot be written.
pub(crate) fn start(args: &BaseArgs, progress: &Progress, spans: &Spans) -> Result<(), CliError> {
    let level = match (args.quiet, args.verbose) {
        (true, _) => "error",
        (_, 0) => "warn",
        (_, 1) => "warn,graphloom=info,writehere=info",
        (_, 2) => "info,graphloom=debug,writehere=debug",
        _ => "debug,graphloom=trace,writehere=trace",
    };
    let lines = Lines(progress.clone());
    let terminal = match args.log_format {
        LogFormat::Text => {
            let layer = tracing_subscriber::fmt::layer().without_time().with_target(args.verbose > 1);
            layer.with_ansi(false).with_writer(lines).boxed()
        }
        LogFormat::Json => line_layer(LogFormat::Json, lines),
    };
    let terminal = terminal.with_filter(filter(level));
    let file = match &args.log {
        None => None,
        Some(path) => {
            let file = private::append(path).map_err(CliError::io("write the log", path))?;
            let layer = line_layer(args.log_format, Mutex::new(file));
            Some(layer.with_filter(filter("info,graphloom=debug,writehere=debug")))
        }
    };
    // A program that embeds an application may have set up its own.
    tracing_subscriber::registry().with(terminal).with(file).with(spans.layer()).try_init().ok();
    Ok(())
}

/// A layer that writes whole lines, with the time.
fn line_layer<S, W>(format: LogFormat, to: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(to);
    match format {
        LogFormat::Text => layer.boxed(),
        LogFormat::Json => layer.json().boxed(),
    }
}

fn filter(level: &str) -> EnvFilter {
    let asked = std::env::var("RUST_LOG").ok().filter(|asked| !asked.trim().is_empty());
    let filter = EnvFilter::builder().parse_lossy(asked.as_deref().unwrap_or(level));
    // Below this it writes the codes of logins.
    match "rmcp::transport::auth=info".parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => filter,
    }
}

/// Writes whole lines without disturbing a live display.
struct Lines(Progress);

struct Line {
    progress: Progress,
    text: Vec<u8>,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { progress: self.0.clone(), text: Vec::new() }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if !self.text.is_empty() {
            self.progress.line(String::from_utf8_lossy(&self.text).trim());
        }
    }
}
