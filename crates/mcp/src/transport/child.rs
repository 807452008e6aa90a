//! A server that is a program on this machine: started in a process group of its own, spoken to over its standard input
//! and output, and ended with everything that it started.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, Command};
use tokio::sync::{mpsc, oneshot, watch};

use super::lines::pass_on;
use crate::event::EventSender;
use crate::{McpEventKind, Place};

/// How long a server may take to end by itself once its input is closed, and again once it was asked to.
const GRACE: Duration = Duration::from_millis(500);
/// The longest line of its errors that is kept, in bytes.
const STDERR_LINE: u64 = 4 * 1024;
/// How many lines of its errors are kept for messages.
const STDERR_LINES: usize = 5;
/// How many lines of its output wait to be read.
const LINES: usize = 4;
/// How many lines of its errors are told.
const STDERR_TOLD: usize = 1_000;

/// The variables of this process that a server gets beside those of the file: none of them holds a key.
const PASSED_ON: [&str; 14] = [
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "SYSTEMROOT",
    "TEMP",
    "USERPROFILE",
];

/// The names of the variables of this process that a server gets beside those that the configuration gives it. None of
/// them holds a key.
pub fn passed_on() -> &'static [&'static str] {
    &PASSED_ON
}

/// A running program. Dropping it ends the program with its process group.
#[derive(Debug)]
pub(crate) struct Child {
    id: Option<u32>,
    ended: watch::Receiver<Option<Result<ExitStatus, String>>>,
    stderr: Arc<Mutex<VecDeque<String>>>,
    end: Mutex<Option<oneshot::Sender<()>>>,
}

/// Ends a process group whatever becomes of the task that watches over it.
struct Group(Option<u32>);

/// Starts a program; gives it with its input and the lines of its output, which are no longer than `line_limit`.
///
/// # Errors
/// The system's words.
pub(crate) fn start(
    place: &Place,
    line_limit: usize,
    events: &EventSender,
) -> std::io::Result<(Child, ChildStdin, mpsc::Receiver<Vec<u8>>)> {
    let Place::Command { command, args, env, folder } = place else {
        return Err(std::io::Error::other("an address is not started"));
    };
    let mut process = prepared(command, args, env, folder.as_deref()).spawn()?;
    let id = process.id();
    let group = Group(id);
    let missing = || std::io::Error::other("it has no standard streams");
    let stdin = process.stdin.take().ok_or_else(missing)?;
    let stdout = process.stdout.take().ok_or_else(missing)?;
    let stderr = process.stderr.take().ok_or_else(missing)?;
    let (passed, lines) = mpsc::channel(LINES);
    let told = events.clone();
    tokio::spawn(async move {
        if let Err(error) = pass_on(stdout, passed, line_limit).await {
            told.tell(McpEventKind::Ended, format!("its output is no longer read: {error}"));
        }
    });
    let kept = Arc::new(Mutex::new(VecDeque::new()));
    let errors_read = tokio::spawn(read_errors(stderr, Arc::clone(&kept), events.clone()));
    let (end, asked_to_end) = oneshot::channel();
    let (sender, ended) = watch::channel(None);
    tokio::spawn(async move {
        let status = attend(&mut process, asked_to_end, &group).await;
        // What it started may hold its errors open.
        drop(group);
        let _ = tokio::time::timeout(GRACE, errors_read).await;
        let _ = sender.send(Some(status.map_err(|error| error.to_string())));
    });
    Ok((Child { id, ended, stderr: kept, end: Mutex::new(Some(end)) }, stdin, lines))
}

fn prepared(command: &str, args: &[String], env: &BTreeMap<String, String>, folder: Option<&Path>) -> Command {
    let mut prepared = Command::new(command);
    prepared.args(args).env_clear();
    for name in PASSED_ON {
        if let Some(value) = std::env::var_os(name) {
            prepared.env(name, value);
        }
    }
    prepared.envs(env).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    if let Some(folder) = folder {
        prepared.current_dir(folder);
    }
    #[cfg(unix)]
    prepared.process_group(0);
    prepared
}

/// Waits until the program ends, or ends it: its input is closed by then, so it first has the time to end by itself.
async fn attend(
    process: &mut tokio::process::Child,
    asked_to_end: oneshot::Receiver<()>,
    group: &Group,
) -> std::io::Result<ExitStatus> {
    tokio::select! {
        status = process.wait() => return status,
        _ = asked_to_end => {}
    }
    if let Ok(status) = tokio::time::timeout(GRACE, process.wait()).await {
        return status;
    }
    group.ask_to_end();
    if let Ok(status) = tokio::time::timeout(GRACE, process.wait()).await {
        return status;
    }
    group.kill();
    process.start_kill()?;
    process.wait().await
}

/// Reads the errors line by line, each up to a limit.
async fn read_errors(stderr: ChildStderr, kept: Arc<Mutex<VecDeque<String>>>, events: EventSender) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    let mut told = 0_usize;
    loop {
        line.clear();
        match (&mut reader).take(STDERR_LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if text.is_empty() {
            continue;
        }
        told += 1;
        if told <= STDERR_TOLD {
            events.tell(McpEventKind::Stderr, text.clone());
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == STDERR_LINES {
            kept.pop_front();
        }
        kept.push_back(text);
    }
}

impl Child {
    /// The id of the process.
    pub(crate) fn id(&self) -> Option<u32> {
        self.id
    }

    /// The last lines of its errors, on one line.
    pub(crate) fn last_words(&self) -> String {
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        Vec::from_iter(kept.iter().map(String::as_str)).join(" / ")
    }

    /// Ends it and waits until it is gone.
    pub(crate) async fn finish(&self) {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut ended = self.ended.clone();
        let _ = ended.wait_for(Option::is_some).await;
    }

    /// How it ended, when it ends within `patience`.
    pub(crate) async fn end_within(&self, patience: Duration) -> Option<String> {
        let mut ended = self.ended.clone();
        let waited = tokio::time::timeout(patience, ended.wait_for(Option::is_some)).await;
        let Ok(Ok(status)) = waited else { return None };
        status.as_ref().map(|status| match status {
            Ok(status) => format!("it ended with {status}"),
            Err(error) => error.clone(),
        })
    }
}

impl Group {
    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        let id = self.0.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(id) = id {
            // There may be none left of it.
            let _ = rustix::process::kill_process_group(id, signal);
        }
    }

    fn ask_to_end(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
    }

    fn kill(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
