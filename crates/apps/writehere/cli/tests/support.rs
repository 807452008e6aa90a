//! Running the command in a directory of its own.

use std::ops::Deref;
use std::path::Path;

use graphloom_test_support::command::ProgramDir;
use graphloom_test_support::logs::{LOGGING, SYNCING};

pub(crate) use graphloom_test_support::command::text;
pub(crate) use graphloom_test_support::logs::QUESTION;

/// A directory with a corpus, a data directory and room for results.
pub(crate) struct TestDir(ProgramDir);

impl TestDir {
    pub(crate) fn new() -> Self {
        let dir = ProgramDir::new(env!("CARGO_BIN_EXE_writehere"));
        dir.write("corpus/logging.md", &format!("{LOGGING}\n## Syncing\n\n{SYNCING}"));
        Self(dir)
    }

    /// Arguments of a short report on the embedded model.
    pub(crate) fn report<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        let mut args = vec!["report", QUESTION, "--corpus", "corpus", "--length", "90", "--model", "embedded"];
        args.extend(more);
        args
    }
}

impl Deref for TestDir {
    type Target = ProgramDir;

    fn deref(&self) -> &ProgramDir {
        &self.0
    }
}

/// What a run must leave: a text that cites, and all of its citations in the list.
pub(crate) fn assert_report(out: &Path) {
    let text = std::fs::read_to_string(out.join("report.md")).unwrap();
    let faults = graphloom_writehere::cite::verify(&text);
    assert!(faults.is_empty(), "{faults:?}\n{text}");
    assert!(text.contains("## References"), "{text}");
    let run: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(out.join("run.json")).unwrap()).unwrap();
    assert_eq!(run["status"], "done", "{run:#}");
    assert!(run["words"].as_u64().unwrap() > 30, "{run:#}");
    for name in ["tree.json", "tree.mmd"] {
        assert!(std::fs::metadata(out.join(name)).unwrap().len() > 100, "{name}");
    }
}
