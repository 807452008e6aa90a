//! What a model writes on a terminal: the program runs in a pseudo-terminal, on a server whose replies hold what a
//! terminal would obey.

#![cfg(unix)]

use std::process::{Command, ExitStatus};

use graphloom_test_support::terminal::written_by;
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::planner::Scripted;
use crate::support::{TestDir, text};

/// Writes to the clipboard, begins a link, hides, colours, moves: in sequences of seven and of eight bits.
const HOSTILE: &str = "A lamp \u{1b}]52;c;ZXZpbA==\u{7}burns \u{1b}]8;;http://evil.example\u{1b}\\here\u{1b}]8;;\u{1b}\\ \
\u{1b}[31mred\u{1b}[0m and \u{9b}31mgreen\rgone \u{202e}backwards\u{202c}.";

/// What the person is to see of it.
const SHOWN: &str = "A lamp ␛]52;c;ZXZpbA==␇burns ␛]8;;http://evil.example␛\\here␛]8;;␛\\ ␛[31mred␛[0m and \
\u{fffd}31mgreen␍gone \u{fffd}backwards\u{fffd}.";

fn server() -> Scripted {
    let reply = format!("<think>so</think><article>{HOSTILE}</article>");
    Scripted::answering(ResponseTemplate::new(200).set_body_json(json!({
        "id": "answer", "object": "chat.completion", "created": 1, "model": "planner",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}],
    })))
}

/// Runs a command whose stdout and stderr are a terminal; everything that the terminal got.
fn in_terminal(command: Command) -> (ExitStatus, String) {
    let (status, got) = written_by(command);
    (status, text(&got))
}

fn story<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["story", "A lamp", "--length", "60", "--max-depth", "0", "--model", model, "--out", "out"];
    args.extend(more);
    args
}

#[test]
fn nothing_that_a_model_writes_is_obeyed_by_a_terminal() {
    let server = server();
    let model = server.model();
    for term in ["dumb", "xterm-256color"] {
        let dir = TestDir::new();
        let mut command = dir.command(&story(&model, &[]));
        command.env("TERM", term);
        let (status, got) = in_terminal(command);
        assert!(status.success(), "{got}");
        assert!(got.contains(SHOWN), "{term}: {got:?}");
        for sequence in ["\u{1b}]", "\u{1b}[31m", "\u{9b}", "\u{202e}", "\u{7}"] {
            assert!(!got.contains(sequence), "{term}: {sequence:?} in {got:?}");
        }
        if term == "dumb" {
            // Without a live display the program itself writes no sequences either. The terminal ends lines with `\r\n`.
            let left = got.replace("\r\n", "\n").chars().filter(|char| char.is_control() && *char != '\n').count();
            assert_eq!(left, 0, "{got:?}");
        }
        assert!(dir.read("out/report.md").contains(HOSTILE), "a file keeps every byte");
    }
}

#[test]
fn what_was_stored_is_shown_as_harmless_and_json_keeps_its_value() {
    let server = server();
    let model = server.model();
    let dir = TestDir::new();
    let piped = dir.run(&story(&model, &["--thread", "lamp"]));
    assert!(piped.status.success(), "{}", text(&piped.stderr));
    assert!(text(&piped.stdout).contains(HOSTILE), "a pipe gets every byte");

    let shown = |args: &[&str]| {
        let (status, got) = in_terminal(dir.command(args));
        assert!(status.success(), "{got}");
        assert!(!got.contains('\u{1b}') && !got.contains('\u{9b}') && !got.contains('\u{202e}'), "{got:?}");
        got
    };
    shown(&["show", "lamp"]);
    shown(&["log", "lamp"]);
    let got = shown(&["show", "lamp", "--json", "-q"]);
    let last = got.lines().rfind(|line| line.starts_with('{')).unwrap();
    let value: serde_json::Value = serde_json::from_str(last).unwrap();
    assert!(value.to_string().contains("evil.example"), "{value:#}");
}
