//! A chat on a terminal: what is typed can be seen and edited, Ctrl-C stops a turn, and what was typed ahead approves
//! nothing.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use graphloom_test_support::terminal::{Terminal, become_the_program};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::support::{DONE, SCRIPTED, TestDir, WAITING};

/// Not a test of its own: [`open`] begins it.
#[test]
fn the_process_that_becomes_the_program() {
    become_the_program();
}

fn open(dir: &TestDir, args: &[&str]) -> Terminal {
    Terminal::open(&dir.command(args), "terminal::the_process_that_becomes_the_program")
}

#[test]
fn what_is_typed_is_seen_and_edited_and_nothing_is_written_over_it() {
    let dir = TestDir::new();
    let mut terminal = open(&dir, &[&["chat", "c1"], &SCRIPTED[..]].concat());
    let at = terminal.waits_for("you: ", 0);
    // A letter is put right, one is put in before the end, and the line is sent.
    terminal.types("tidz\u{7f}s");
    terminal.shows_line("you: tids");
    terminal.types("\u{1b}[De");
    terminal.shows_line("you: tides");
    terminal.types("\r");
    let at = terminal.waits_for("These are the queries for tides", at);
    terminal.waits_for("you: ", at);
    terminal.types("ok, drop the third one");
    terminal.shows_line("you: ok, drop the third one");
    // The line itself may still be on its way; a spinner would never be silent.
    assert!((0..10).any(|_| terminal.is_silent()), "something writes while it is the person's turn");
    terminal.shows_line("you: ok, drop the third one");
    // What is typed by mistake is taken back, and the line before comes again.
    terminal.types(&"\u{7f}".repeat("ok, drop the third one".len()));
    terminal.types("\u{1b}[A");
    terminal.shows_line("you: tides");
    terminal.types(&"\u{7f}".repeat("tides".len()));
    terminal.types("/quit\r");
    assert_eq!(terminal.ends(), Some(WAITING));
    assert!(dir.session()["approvals"]["queries"].is_null());
}

#[test]
fn wide_letters_are_put_right_in_the_middle_of_a_line_and_ctrl_d_leaves() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let mut terminal = open(&dir, &[&["chat", "c1"], &SCRIPTED[..]].concat());
    terminal.waits_for("you: ", 0);
    terminal.types("日本語");
    terminal.shows_line("you: 日本語");
    terminal.types("\u{1b}[D\u{1b}[Dの");
    terminal.shows_line("you: 日の本語");
    terminal.types("\u{7f}\u{1b}[3~");
    terminal.shows_line("you: 日語");
    // In a line that has begun it deletes what is under the cursor; in an empty line it leaves.
    terminal.types("\u{4}");
    terminal.shows_line("you: 日");
    terminal.types("\u{7f}");
    terminal.shows_line("you:");
    terminal.types("\u{4}");
    assert_eq!(terminal.ends(), Some(WAITING));
    assert!(dir.session()["approvals"]["queries"].is_null());
}

#[test]
fn of_lines_that_are_pasted_together_only_the_first_is_about_what_is_shown() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let mut terminal = open(&dir, &[&["chat", "c1"], &SCRIPTED[..]].concat());
    let at = terminal.waits_for("you: ", 0);
    // A terminal that does not mark what is pasted.
    terminal.types("approve\rapprove\rapprove\r");
    let at = terminal.waits_for("This is the proposal", at);
    let at = terminal.waits_for("Your approval of version 1 of the queries was counted already", at);
    let at = terminal.waits_for("Your approval of version 1 of the queries was counted already", at);
    terminal.waits_for("you: ", at);
    assert_eq!(dir.session()["approvals"], serde_json::json!({ "queries": 1, "proposal": null }));
    // One that does, gives lines as one message.
    terminal.types("\u{1b}[200~approve\napprove\u{1b}[201~");
    terminal.shows_line("approve");
    terminal.types("\u{3}");
    assert_eq!(terminal.ends(), Some(WAITING));
    assert_eq!(dir.session()["approvals"], serde_json::json!({ "queries": 1, "proposal": null }));
}

/// A source that answers once it is let go, which the end of the sender does for every answer.
struct Held(Mutex<Receiver<()>>);

impl Respond for Held {
    fn respond(&self, _request: &Request) -> ResponseTemplate {
        self.0.lock().unwrap().recv().unwrap_or_default();
        ResponseTemplate::new(200).set_body_raw(r#"{"meta": {"count": 0}, "results": []}"#, "application/json")
    }
}

/// A source that answers when the sender is dropped. The sender is the later one of the two, so that a test that fails drops it
/// first and the source does not wait for ever.
fn source(runtime: &tokio::runtime::Runtime) -> (MockServer, Sender<()>) {
    let (sender, receiver) = channel();
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(Held(Mutex::new(receiver))).mount(&server).await;
        server
    });
    (server, sender)
}

#[test]
fn ctrl_c_stops_the_turn_and_says_how_to_go_on() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (never, _held) = source(&runtime);
    let address = format!("literature.address={}", never.uri());
    let network = ["--search", "openalex", "--set", &address, "--model", "scripted:model.jsonl"];
    let mut terminal = open(&dir, &[&["chat", "c1"], &network[..]].concat());
    let at = terminal.waits_for("you: ", 0);
    terminal.types("approve\r");
    let at = terminal.waits_for("searching: spring tides", at);
    terminal.types("\u{3}");
    let at = terminal.waits_for("`go on` goes on with it", at);
    let at = terminal.waits_for("you: ", at);
    terminal.types("cancel\r");
    let at = terminal.waits_for("This journey is ended", at);
    terminal.waits_for("you: ", at);
    terminal.types("/quit\r");
    assert_eq!(terminal.ends(), Some(DONE));
    let session = dir.session();
    assert_eq!((&session["status"], &session["artifacts"]["review"]), (&"cancelled".into(), &serde_json::Value::Null));
}

#[test]
fn what_is_typed_while_a_turn_goes_on_is_about_what_was_shown_before_it() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (slow, held) = source(&runtime);
    let address = format!("literature.address={}", slow.uri());
    let both = ["--search", "local,openalex", "--set", &address];
    let mut terminal = open(&dir, &[&["chat", "c1"], &SCRIPTED[..], &both[..]].concat());
    let at = terminal.waits_for("you: ", 0);
    terminal.types("approve\r");
    let at = terminal.waits_for("searching: spring tides", at);
    terminal.types("approve\r");
    // What is typed is shown while the search goes on.
    let at = terminal.waits_for("approve", at);
    drop(held);
    let at = terminal.waits_for("This is the proposal", at);
    let at = terminal.waits_for("Your approval of version 1 of the queries was counted already", at);
    let at = terminal.waits_for("you: ", at);
    assert_eq!(dir.session()["approvals"], serde_json::json!({ "queries": 1, "proposal": null }));
    terminal.types("approve\r");
    let at = terminal.waits_for("The proposal is done", at);
    terminal.waits_for("you: ", at);
    terminal.types("/quit\r");
    assert_eq!(terminal.ends(), Some(DONE));
}
