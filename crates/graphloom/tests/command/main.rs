//! The `graphloom` command as a user runs it: a process of its own, without keys, in directories of its own.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

#[cfg(feature = "mcp")]
mod agent;
#[cfg(all(feature = "serve", unix))]
mod applications;
#[cfg(all(feature = "serve", unix))]
mod by_engine;
mod described;
mod doctor;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "embedded")]
mod model;
#[cfg(unix)]
mod new;
mod options;
mod output;
mod runs;
#[cfg(all(feature = "serve", unix))]
mod serve;
#[cfg(feature = "mcp")]
mod thinking;
#[cfg(all(feature = "serve", unix))]
mod workers;

use std::path::Path;
use std::process::{Command, Output};

/// The command with nothing of this machine's environment that could change what it does.
fn graphloom(place: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_graphloom"));
    command.args(arguments).env_clear().current_dir(place);
    command.env("HOME", place.join("user")).env("GRAPHLOOM_HOME", place.join("home")).env("LLM_PROBE", "0");
    command
}

fn run(place: &Path, arguments: &[&str]) -> (i32, String, String) {
    told(graphloom(place, arguments).output().unwrap())
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The last line of `--json`.
fn result(stdout: &str) -> serde_json::Value {
    serde_json::from_str(stdout.lines().last().unwrap()).unwrap()
}

#[test]
fn a_wrong_command_line_ends_with_two() {
    let place = tempfile::tempdir().unwrap();
    for arguments in [&["nonsense"][..], &["doctor", "--model", "gpt-6"], &["runs"], &["runs", "show"], &[]] {
        let (status, stdout, stderr) = run(place.path(), arguments);
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(!stderr.is_empty());
    }
    let (status, stdout, _) = run(place.path(), &["--help"]);
    assert_eq!(status, 0);
    for command in ["cluster", "doctor", "runs", "serve", "worker"] {
        assert!(stdout.lines().any(|line| line.trim_start().starts_with(&format!("{command} "))), "{stdout}");
    }
}
