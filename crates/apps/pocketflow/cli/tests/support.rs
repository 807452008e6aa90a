//! Running the command in a directory of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Deref;
use std::process::{Child, ChildStderr, ChildStdin, Output, Stdio};

use graphloom_test_support::command::ProgramDir;
use serde_json::{Value, json};

pub(crate) use graphloom_test_support::command::{result, text};

/// A directory with a corpus of two documents, a script of a model, and a data directory.
pub(crate) struct TestDir(ProgramDir);

/// The scripted model and the corpus.
pub(crate) const SCRIPTED: [&str; 4] = ["--model", "scripted:model.jsonl", "--corpus", "papers"];

/// Statuses of the command.
pub(crate) const DONE: i32 = 0;
pub(crate) const FAILED: i32 = 1;
pub(crate) const USAGE: i32 = 2;
pub(crate) const WAITING: i32 = 3;
pub(crate) const BUDGET: i32 = 4;

impl TestDir {
    pub(crate) fn new() -> Self {
        let dir = ProgramDir::new(env!("CARGO_BIN_EXE_pocketflow"));
        for (name, words) in [("springs.md", "spring tides"), ("neaps.md", "neap tides")] {
            let text = format!("# On {words}\n\nIn the bay the {words} were measured for a year, twice a day.\n");
            dir.write(&format!("papers/{name}"), &text);
        }
        dir.script("model.jsonl", &script());
        Self(dir)
    }

    /// The command with the scripted model and the corpus.
    pub(crate) fn talk(&self, args: &[&str]) -> Output {
        self.run(&[args, &SCRIPTED].concat())
    }

    /// Says something, and returns what is said back; the status must be as expected.
    pub(crate) fn say(&self, message: &str, status: i32) -> String {
        said(&self.talk(&["say", "c1", message]), status)
    }

    /// The same with something on stdin.
    pub(crate) fn piped(&self, args: &[&str], input: &str) -> Output {
        self.run_with(&[args, &SCRIPTED].concat(), input)
    }

    /// A chat over pipes, with the scripted model and the corpus.
    pub(crate) fn chat(&self, args: &[&str]) -> Chat {
        let mut child = self.command(&[args, &SCRIPTED].concat()).stdin(Stdio::piped()).spawn().unwrap();
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

impl Deref for TestDir {
    type Target = ProgramDir;

    fn deref(&self) -> &ProgramDir {
        &self.0
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
pub(crate) fn script() -> Vec<Value> {
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

/// What a command printed; its status must be as expected, and nothing panicked.
pub(crate) fn said(output: &Output, status: i32) -> String {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{out}\n{err}");
    assert!(!err.contains("panicked"), "{err}");
    out
}
