//! Running the command in a directory of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The question of all runs.
pub(crate) const QUESTION: &str = "How does a log keep a transaction safe when the power fails?";

const DOCUMENT: &str = "# Write-ahead logging

A write-ahead log keeps a transaction safe because every change is appended to the log before the database file is
touched. When the power fails, the database file still holds its old pages.

## Recovery

On the next start the reader scans the log and replays every frame up to the last commit record. Frames after the last
commit record belong to a transaction that never finished, so they are ignored. A checksum in each frame tells a torn
frame from a whole one.

## Syncing

The commit record counts only when it has reached the disk. A full sync waits for the disk at every commit, so a power
failure loses nothing that was acknowledged. A normal sync waits only at checkpoints, so the last commits may be lost.
";

/// A directory with a corpus, a data directory and room for results.
pub(crate) struct TestDir {
    pub(crate) folder: tempfile::TempDir,
}

impl TestDir {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("corpus")).unwrap();
        std::fs::write(folder.path().join("corpus/logging.md"), DOCUMENT).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command with a data directory of its own and no models or keys from outside.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_writehere"));
        command.args(args).current_dir(self.folder.path()).env("GRAPHLOOM_HOME", self.path("home"));
        for name in ["GRAPHLOOM_MODEL", "LLM_API_KEY", "LLM_BASE_URL", "LLM_MODEL", "RUST_LOG"] {
            command.env_remove(name);
        }
        // One thread: the machine runs other tests at the same time.
        command.env("RAYON_NUM_THREADS", "1").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Arguments of a short report on the embedded model.
    pub(crate) fn report<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        let mut args = vec!["report", QUESTION, "--corpus", "corpus", "--length", "90", "--model", "embedded"];
        args.extend(more);
        args
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
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

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
