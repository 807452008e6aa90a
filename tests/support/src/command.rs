//! A program as a user runs it: a process of its own, in a folder of its own, without models and keys from outside.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Variables that would change what a program does.
const FROM_OUTSIDE: [&str; 13] = [
    "GRAPHLOOM_MODEL",
    "GRAPHLOOM_POSTGRES_URL",
    "GRAPHLOOM_STORE",
    "GRAPHLOOM_STORE_KEY",
    "LLM_API_KEY",
    "LLM_BASE_URL",
    "LLM_MODEL",
    "OBSIUS_VAULT",
    "OPENALEX_API_KEY",
    "OPENALEX_API_KEY_FOR",
    "RUST_LOG",
    "SERPER_API_KEY",
    "TAVILY_API_KEY",
];

/// A folder in which a program runs, with its data directory in `home`.
#[derive(Debug)]
pub struct ProgramDir {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl ProgramDir {
    /// An empty folder for a program, which cargo names as `CARGO_BIN_EXE_…`.
    ///
    /// # Panics
    /// When no folder can be made.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), program: program.into() }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A file or folder in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// The program with arguments, its streams piped and nothing on stdin.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).current_dir(self.root()).env("GRAPHLOOM_HOME", self.path("home"));
        for name in FROM_OUTSIDE {
            command.env_remove(name);
        }
        // One thread: the machine runs other tests at the same time.
        command.env("RAYON_NUM_THREADS", "1").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    ///
    /// # Panics
    /// When it cannot be run.
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the program runs")
    }

    /// Runs the program with something on stdin.
    ///
    /// # Panics
    /// When it cannot be run or does not read what it is given.
    pub fn run_with(&self, args: &[&str], input: &str) -> Output {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().expect("the program runs");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
        child.wait_with_output().expect("the program ends")
    }

    /// Writes a file, with the folders that it is in.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&path)).expect("a folder");
        std::fs::write(path, text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    /// Writes a script of a model, one rule a line, and gives its name after `--model`.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn script(&self, name: &str, rules: &[Value]) -> String {
        self.write(name, &rules.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"));
        format!("scripted:{name}")
    }

    /// The text of a file.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// What is in a file of JSON.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

/// Bytes of a stream for people.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The `result` of the last line that `--json` printed.
///
/// # Panics
/// When the last line is no result.
pub fn result(output: &Output) -> Value {
    let printed = text(&output.stdout);
    let last = printed.lines().last().unwrap_or_default();
    let last: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {printed}"));
    assert_eq!((&last["v"], &last["event"]), (&1.into(), &"result".into()), "{last}");
    last["result"].clone()
}

/// Lets a program work for a time, or to its end where that comes first, and kills it: nothing is left to run in it.
///
/// # Panics
/// When it cannot be killed.
pub fn kill_after(mut child: Child, time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time && child.try_wait().expect("a process").is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a process is killed");
    child.wait().expect("a process ends");
}

/// How often each call of a model was committed, by its task and key, as a log tells it.
pub fn committed_calls(log: &str) -> BTreeMap<String, u32> {
    let mut committed = BTreeMap::new();
    for (_, call) in log.lines().filter_map(|line| line.split_once("model call committed ")) {
        *committed.entry(call.trim().to_owned()).or_default() += 1;
    }
    committed
}

/// Checks that a log tells of calls of a model, and that none was committed twice.
///
/// # Panics
/// When it does not.
pub fn assert_no_call_repeated(log: &str) {
    let committed = committed_calls(log);
    assert!(!committed.is_empty(), "no call was committed: {log}");
    let repeated: Vec<_> = committed.iter().filter(|(_, times)| **times > 1).collect();
    assert!(repeated.is_empty(), "{repeated:?}");
}
