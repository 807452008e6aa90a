//! Running the command in a directory of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, Command, Output, Stdio};

use serde_json::{Value, json};

/// A directory with a corpus of two documents, a script of a model, and a data directory.
pub(crate) struct TestDir {
    folder: tempfile::TempDir,
}

/// Statuses of the command.
pub(crate) const DONE: i32 = 0;
pub(crate) const FAILED: i32 = 1;
pub(crate) const USAGE: i32 = 2;
pub(crate) const WAITING: i32 = 3;
pub(crate) const BUDGET: i32 = 4;

impl TestDir {
    pub(crate) fn new() -> Self {
        let dir = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(dir.path("papers")).unwrap();
        for (name, words) in [("springs.md", "spring tides"), ("neaps.md", "neap tides")] {
            let text = format!("# On {words}\n\nIn the bay the {words} were measured for a year, twice a day.\n");
            std::fs::write(dir.path("papers").join(name), text).unwrap();
        }
        let lines: Vec<String> = script().iter().map(Value::to_string).collect();
        std::fs::write(dir.path("model.jsonl"), lines.join("\n")).unwrap();
        dir
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command with a data directory of its own and no models or keys from outside.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pocketflow"));
        command.args(args).current_dir(self.folder.path()).env("GRAPHLOOM_HOME", self.path("home"));
        for name in [
            "GRAPHLOOM_MODEL",
            "LLM_API_KEY",
            "LLM_BASE_URL",
            "LLM_MODEL",
            "RUST_LOG",
            "GRAPHLOOM_STORE",
            "GRAPHLOOM_STORE_KEY",
            "GRAPHLOOM_POSTGRES_URL",
            "OPENALEX_API_KEY",
            "OPENALEX_API_KEY_FOR",
        ] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// The command with the scripted model and the corpus.
    pub(crate) fn talk(&self, args: &[&str]) -> Output {
        self.run(&[args, &["--model", "scripted:model.jsonl", "--corpus", "papers"]].concat())
    }

    /// Says something, and returns what is said back; the status must be as expected.
    pub(crate) fn say(&self, message: &str, status: i32) -> String {
        said(&self.talk(&["say", "c1", message]), status)
    }

    /// The command with something on stdin.
    pub(crate) fn piped(&self, args: &[&str], input: &str) -> Output {
        let args = [args, &["--model", "scripted:model.jsonl", "--corpus", "papers"]].concat();
        let mut child = self.command(&args).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// A chat over pipes, with the scripted model and the corpus.
    pub(crate) fn chat(&self, args: &[&str]) -> Chat {
        let args = [args, &["--model", "scripted:model.jsonl", "--corpus", "papers"]].concat();
        let mut child = self.command(&args).stdin(Stdio::piped()).spawn().unwrap();
        let (input, told) = (child.stdin.take().unwrap(), BufReader::new(child.stderr.take().unwrap()));
        Chat { child, input, told, seen: String::new() }
    }

    /// The name of what the conversation asks.
    pub(crate) fn question(&self) -> String {
        let shown = result(&self.talk(&["resume", "c1", "--no-input", "--json"]));
        shown["questions"][0]["id"].as_str().unwrap().to_owned()
    }

    /// The stored session.
    pub(crate) fn session(&self) -> Value {
        result(&self.run(&["inspect", "c1", "--json"]))["session"].clone()
    }
}

/// A chat that is answered line by line.
pub(crate) struct Chat {
    child: Child,
    input: ChildStdin,
    told: BufReader<ChildStderr>,
    seen: String,
}

impl Chat {
    /// Says a line, and waits until the answer has been shown up to a line with `part`.
    pub(crate) fn says(&mut self, line: &str, part: &str) {
        writeln!(self.input, "{line}").unwrap();
        loop {
            let mut told = String::new();
            assert!(self.told.read_line(&mut told).unwrap() > 0, "it ended before `{part}`: {}", self.seen);
            self.seen.push_str(&told);
            if told.contains(part) {
                return;
            }
        }
    }

    /// Says the last lines. What was printed to stdout, and all of stderr.
    pub(crate) fn ends(mut self, lines: &str) -> (Output, String) {
        self.input.write_all(lines.as_bytes()).unwrap();
        drop(self.input);
        self.told.read_to_string(&mut self.seen).unwrap();
        (self.child.wait_with_output().unwrap(), self.seen)
    }
}

/// A scripted model: it proposes two queries, others when the first are rejected, and goes along with everything.
fn script() -> Vec<Value> {
    let query = |text: &str| json!({ "text": text, "rationale": "it is asked", "aspect": "tides" });
    let section = |heading: &str, text: &str| json!({ "heading": heading, "text": text });
    vec![
        json!({ "when": ["You plan literature searches", "must not come again"],
            "json": { "queries": [query("neap tides")] } }),
        json!({ "when": "You plan literature searches",
            "json": { "queries": [query("spring tides"), query("tides measured")] } }),
        json!({ "when": "You read scientific material",
            "json": { "claim": "Tides were measured.", "limits": "One bay." } }),
        json!({ "when": "You summarise what several records say",
            "json": { "themes": [{ "name": "Measuring", "summary": "It is measured.", "records": [1] }] } }),
        json!({ "when": "You find what research leaves open",
            "json": { "summary": "Little.", "gap": "The long run.", "why": "It matters.", "evidence": [1] } }),
        json!({ "when": ["You write research proposals", "more about cost"],
            "json": { "title": "What tides cost", "sections": [section("Cost", "Little [1].")] } }),
        json!({ "when": "You write research proposals",
            "json": { "title": "Tides in the long run",
                "sections": [section("Background", "Measured [1]."), section("Method", "Measure longer.")] } }),
        json!({ "when": "You answer a question", "json": { "answer": "Because of the moon." } }),
    ]
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a command printed; its status must be as expected, and nothing panicked.
pub(crate) fn said(output: &Output, status: i32) -> String {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{out}\n{err}");
    assert!(!err.contains("panicked"), "{err}");
    out
}

/// The `result` of the last line that `--json` printed.
pub(crate) fn result(output: &Output) -> Value {
    let printed = text(&output.stdout);
    let last: Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    assert_eq!((&last["v"], &last["event"]), (&json!(1), &json!("result")), "{last}");
    last["result"].clone()
}
