//! Running the command in a directory of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A directory with a vault and a data directory.
pub(crate) struct TestDir {
    folder: tempfile::TempDir,
}

impl TestDir {
    /// A vault of three notes.
    pub(crate) fn new() -> Self {
        let dir = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in [
            ("Tides.md", "---\ntags: [sea]\n---\nTides are moved by the moon.\n"),
            ("Moon.md", "The moon moves the [[Tides]].\n"),
            ("Soup.md", "Soup is made of water.\n"),
        ] {
            std::fs::create_dir_all(dir.vault()).unwrap();
            std::fs::write(dir.vault().join(path), text).unwrap();
        }
        dir
    }

    /// A vault of real documents.
    pub(crate) fn of_documents() -> (Self, usize) {
        let dir = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(dir.vault()).unwrap();
        let count = crate::documents::fill(&dir.vault());
        (dir, count)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn vault(&self) -> PathBuf {
        self.path("vault")
    }

    /// The command with a data directory of its own and no models or keys from outside.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obsius"));
        command.args(args).current_dir(self.folder.path()).env("GRAPHLOOM_HOME", self.path("home"));
        for name in ["GRAPHLOOM_MODEL", "OBSIUS_VAULT", "LLM_API_KEY", "LLM_BASE_URL", "LLM_MODEL", "RUST_LOG"] {
            command.env_remove(name);
        }
        // One thread: the machine runs other tests at the same time.
        command.env("RAYON_NUM_THREADS", "1").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// A script for `--model scripted:FILE`, one rule a line.
    pub(crate) fn script(&self, name: &str, rules: &[Value]) -> String {
        let lines: Vec<String> = rules.iter().map(Value::to_string).collect();
        std::fs::write(self.path(name), lines.join("\n")).unwrap();
        format!("scripted:{name}")
    }

    /// Every file of the vault with its bytes, without hidden ones.
    pub(crate) fn bytes(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn walk(dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                    continue;
                }
                if path.is_dir() {
                    walk(&path, files);
                } else {
                    files.insert(path.clone(), std::fs::read(&path).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        walk(&self.vault(), &mut files);
        files
    }
}

impl TestDir {
    /// The files of the vault by their names below it.
    pub(crate) fn bytes_by_name(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let vault = self.vault();
        let below = |path: PathBuf| path.strip_prefix(&vault).map(Path::to_owned).unwrap_or(path.clone());
        self.bytes().into_iter().map(|(path, bytes)| (below(path), bytes)).collect()
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The `result` of the last line that `--json` printed.
pub(crate) fn result(output: &Output) -> Value {
    let printed = text(&output.stdout);
    let last: Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    last["result"].clone()
}
