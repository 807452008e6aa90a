//! Running the command in a directory of its own, and killing it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use graphloom_test_support::command::{ProgramDir, committed_calls};
use serde_json::Value;

pub(crate) use graphloom_test_support::command::text;

/// The conversation.
pub(crate) const THREAD: &str = "journey";
/// Where the program logs which calls it committed.
const LOG: &str = "calls.log";

/// A directory with a corpus and a data directory. Each process records its calls in a file of its own.
pub(crate) struct TestDir {
    dir: ProgramDir,
    recordings: usize,
}

impl TestDir {
    pub(crate) fn new() -> Self {
        let dir = ProgramDir::new(env!("CARGO_BIN_EXE_pocketflow"));
        let documents = super::documents::fill(&dir.path("corpus"));
        assert!(documents > 15, "{documents} documents");
        Self { dir, recordings: 0 }
    }

    /// The command on the embedded model and the corpus.
    fn on_the_model(&mut self, args: &[&str]) -> Command {
        self.recordings += 1;
        let recording = format!("{}.jsonl", self.recordings);
        let common = ["--corpus", "corpus", "--model", "embedded", "--log", LOG, "--record", &recording];
        self.dir.command(&[args, &common].concat())
    }

    /// Runs a command that looks at the conversation, and reads what it prints.
    pub(crate) fn look(&self, args: &[&str]) -> String {
        let output = self.dir.run(args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Runs a command with the model to its end.
    pub(crate) fn run(&mut self, args: &[&str]) -> Output {
        self.on_the_model(args).output().unwrap()
    }

    /// Runs a command and kills it after the first call that it commits under a key that begins like this.
    pub(crate) fn kill_after(&mut self, args: &[&str], key: &str) {
        let before = self.committed_under(key);
        let mut child = self.on_the_model(args).spawn().unwrap();
        wait(&mut child, || self.committed_under(key) > before);
        kill(child);
    }

    /// Talks in `chat`, which shows what it waits for, and kills it when it has answered with more of the same and listens
    /// again.
    pub(crate) fn kill_between_turns(&mut self, message: &str, answer: &str) {
        let told = std::fs::File::create(self.dir.path("told")).unwrap();
        let mut command = self.on_the_model(&["chat", THREAD]);
        let mut child = command.stdin(Stdio::piped()).stderr(told).spawn().unwrap();
        // The pipe stays open, so that the program listens for more.
        let mut stdin = child.stdin.take().unwrap();
        writeln!(stdin, "{message}").unwrap();
        stdin.flush().unwrap();
        wait(&mut child, || std::fs::read_to_string(self.dir.path("told")).unwrap().matches(answer).count() > 1);
        kill(child);
        drop(stdin);
    }

    /// How often each call was committed, by its task and key.
    pub(crate) fn committed(&self) -> BTreeMap<String, u32> {
        committed_calls(&self.log())
    }

    fn committed_under(&self, key: &str) -> usize {
        let key = format!("key={key}");
        self.committed().keys().filter(|call| call.contains(&key)).count()
    }

    /// The lines of the log, empty before there is one.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path(LOG)).unwrap_or_default()
    }

    /// Every request that a process of this dir made and was answered, oldest process first.
    pub(crate) fn requests(&self) -> Vec<String> {
        let recordings = (1..=self.recordings).map(|number| format!("{number}.jsonl"));
        let mut requests = Vec::new();
        for recording in recordings {
            let lines = std::fs::read_to_string(self.dir.path(&recording)).unwrap_or_default();
            // The last line of a process that was killed may be torn.
            let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            requests
                .extend(lines.map(|line| line["request"].clone()).filter(Value::is_object).map(|one| one.to_string()));
        }
        requests
    }
}

/// Waits until something is so, while the process runs.
fn wait(child: &mut Child, is_so: impl Fn() -> bool) {
    while !is_so() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// SIGKILL; nothing is left to run in the process.
fn kill(mut child: Child) {
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), None, "it ended before it was killed: {status}");
}
