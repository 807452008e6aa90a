//! On a terminal: what was typed before the changes were shown approves none, and requests can be edited. The models are
//! scripted.

use graphloom_test_support::terminal::{Terminal, become_the_program};
use serde_json::json;

use crate::support::TestDir;

/// Not a test of its own: [`open`] begins it.
#[test]
fn the_process_that_becomes_the_program() {
    become_the_program();
}

fn open(dir: &TestDir, args: &[&str]) -> Terminal {
    Terminal::open(&dir.command(args), "terminal::the_process_that_becomes_the_program")
}

fn creates_tea(dir: &TestDir) -> String {
    let call = json!([{"id": "1", "name": "create_note", "arguments": {"title": "Tea", "content": "Text."}}]);
    let rules = [json!({"when": "[result", "reply": "It is done."}), json!({"when": "user:", "tool_calls": call})];
    dir.script("tea.jsonl", &rules)
}

#[test]
fn what_was_typed_before_the_changes_were_shown_approves_none_of_them() {
    let dir = TestDir::new();
    let model = creates_tea(&dir);
    let request = ["run", "Create a note about tea", "--vault", "vault", "--model", &model, "--thread", "tea"];
    let mut terminal = open(&dir, &request);
    terminal.types_ahead("y\r");
    let at = terminal.waits_for("Write these changes?", 0);
    let at = terminal.waits_for("is no answer to it", at);
    terminal.waits_for("> ", at);
    // Ctrl-D in an empty line leaves, and the run waits on.
    terminal.types("\u{4}");
    assert_eq!(terminal.ends(), Some(3));
    assert!(!dir.vault().join("Tea.md").exists());

    let mut terminal = open(&dir, &["resume", "tea"]);
    let at = terminal.waits_for("Write these changes?", 0);
    terminal.waits_for("> ", at);
    terminal.types("n\u{7f}y\r");
    assert_eq!(terminal.ends(), Some(0));
    assert!(dir.vault().join("Tea.md").exists());
}

#[test]
fn a_request_of_a_chat_is_edited_before_it_is_sent() {
    let dir = TestDir::new();
    let model = creates_tea(&dir);
    let mut terminal = open(&dir, &["chat", "--vault", "vault", "--model", &model]);
    let at = terminal.waits_for("What is to be done?", 0);
    let at = terminal.waits_for("> ", at);
    terminal.types("Creat note about tea\u{1}\u{1b}[C\u{1b}[C\u{1b}[C\u{1b}[C\u{1b}[Ce a\r");
    let at = terminal.waits_for("Write these changes?", at);
    let at = terminal.waits_for("> ", at);
    terminal.types("y\r");
    let at = terminal.waits_for("What is to be done?", at);
    terminal.waits_for("> ", at);
    assert!(dir.vault().join("Tea.md").exists());
    // The line before comes again.
    terminal.types("\u{1b}[A");
    terminal.shows_line("> Create a note about tea");
    terminal.types("\u{15}/quit\r");
    assert_eq!(terminal.ends(), Some(0));
}
