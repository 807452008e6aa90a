//! Several processes on one store, and processes that die.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStderr, Stdio};

use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{DONE, FAILED, TestDir, USAGE, WAITING, said, text};

#[test]
fn two_processes_share_a_store() {
    let dir = TestDir::new();
    let say = |id: &str, message: &str| {
        let args = ["say", id, message, "--model", "scripted:model.jsonl", "--corpus", "papers"];
        dir.command(&args).spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(|at| say(&format!("c{at}"), "tides")).collect();
    for child in children {
        assert!(said(&child.wait_with_output().unwrap(), WAITING).contains("1. spring tides"));
    }
    let runs = text(&dir.run(&["runs"]).stdout);
    assert!((0..4).all(|at| runs.contains(&format!("c{at} "))), "{runs}");

    // One conversation, two processes: each turn is whole, or is refused and says so.
    let children: Vec<_> = ["approve", "approve"].into_iter().map(|message| say("c1", message)).collect();
    let mut refused = false;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let out = text(&output.stdout);
        match output.status.code() {
            // The other one, where it came second, is shown the proposal and approves nothing.
            Some(WAITING) => assert!(out.contains("This is the proposal"), "{out}"),
            Some(FAILED) => {
                assert!(out.contains("Your message was not taken"), "{out}");
                refused = true;
            }
            other => panic!("{other:?}: {out}\n{}", text(&output.stderr)),
        }
    }
    let session = dir.session();
    assert_eq!(session["approvals"], serde_json::json!({ "queries": 1, "proposal": null }));
    assert_eq!(session["artifacts"]["proposal"]["version"], 1, "one turn wrote the proposal");
    // Whoever was refused says it again, and is shown what is asked now. Whoever was shown it approves it.
    dir.say("approve", if refused { WAITING } else { DONE });
}

#[test]
fn a_second_process_is_refused_while_a_turn_goes_on_and_a_kill_frees_it() {
    let dir = TestDir::new();
    dir.say("tides", WAITING);
    let slow = Slow::start();
    let (mut first, _lines) = slow.searches(&dir);

    let second = dir.talk(&["say", "c1", "approve"]);
    assert!(said(&second, FAILED).contains("another process"), "{}", text(&second.stdout));
    first.kill().unwrap();
    first.wait().unwrap();

    // The turn that was cut off is ended, with the sources of this process.
    assert!(said(&dir.talk(&["resume", "c1"]), WAITING).contains("# Tides in the long run"));
}

#[test]
fn a_turn_is_stopped_from_another_process_and_both_are_told() {
    let dir = TestDir::new();
    said(&dir.run(&["stop", "c1"]), USAGE);
    dir.say("tides", WAITING);
    assert!(said(&dir.run(&["stop", "c1"]), DONE).contains("No turn of `c1` goes on."));
    let slow = Slow::start();
    let (first, lines) = slow.searches(&dir);
    let stopped = said(&dir.run(&["stop", "c1"]), DONE);
    assert!(stopped.contains("The turn of `c1` is stopped"), "{stopped}");
    let told: Vec<String> = lines.map(Result::unwrap).collect();
    let output = first.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{told:?}");
    assert!(text(&output.stdout).contains("Stopped. What was done so far is kept"), "{}", text(&output.stdout));
    assert!(told.iter().any(|line| line.contains("another process stops this turn")), "{told:?}");
    // It was that turn that was to stop, and no other one.
    assert!(said(&dir.talk(&["resume", "c1"]), WAITING).contains("# Tides in the long run"));

    // Where nobody is at work any more, that is said.
    let dir = slow.killed();
    let nobody = dir.run(&["stop", "c1"]);
    said(&nobody, FAILED);
    assert!(text(&nobody.stderr).contains("pocketflow resume c1"), "{}", text(&nobody.stderr));
}

/// A source that never answers.
struct Slow {
    _runtime: tokio::runtime::Runtime,
    server: MockServer,
}

impl Slow {
    fn start() -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let server = runtime.block_on(async {
            let server = MockServer::start().await;
            let slow = ResponseTemplate::new(200).set_delay(std::time::Duration::from_secs(3600));
            Mock::given(any()).respond_with(slow).mount(&server).await;
            server
        });
        Self { _runtime: runtime, server }
    }

    /// A process that has approved the queries and searches, and what else it tells.
    fn searches(&self, dir: &TestDir) -> (Child, Lines<BufReader<ChildStderr>>) {
        let address = format!("literature.address={}", self.server.uri());
        let network = ["--search", "openalex", "--set", &address, "--model", "scripted:model.jsonl", "-v"];
        let mut child = dir.command(&[&["say", "c1", "approve"], &network[..]].concat()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("searching: spring tides")), "it searches");
        (child, lines)
    }

    /// A conversation whose approved search was killed.
    fn killed(&self) -> TestDir {
        let dir = TestDir::new();
        dir.say("tides", WAITING);
        let (mut child, _lines) = self.searches(&dir);
        child.kill().unwrap();
        child.wait().unwrap();
        dir
    }
}

#[test]
fn after_a_kill_a_message_is_read_before_the_turn_goes_on() {
    let slow = Slow::start();
    let dir = slow.killed();
    let again = dir.say("approve", WAITING);
    assert!(again.contains("Your approval of version 1 of the queries was counted already"), "{again}");
    assert!(again.contains("This is the proposal") && !again.contains("The proposal is done"), "{again}");
    assert_eq!(dir.session()["approvals"], serde_json::json!({ "queries": 1, "proposal": null }));
    let why = text(&dir.run(&["inspect", "c1"]).stdout);
    assert!(why.contains("queries-approved") && why.contains("    about: queries-1-"), "{why}");
    assert!(why.contains("    read by: "), "{why}");
    assert!(dir.say("approve", 0).contains("The proposal is done."), "this time it was shown");

    for (message, status, part) in [
        ("cancel", 0, "This journey is ended."),
        ("remove 2", WAITING, "1. spring tides (it is asked)\n\nSay"),
        ("reject: only neap tides", WAITING, "1. neap tides"),
    ] {
        let dir = slow.killed();
        let output = dir.talk(&["say", "c1", message]);
        assert!(said(&output, status).contains(part), "{message}: {}", text(&output.stdout));
        assert!(!text(&output.stderr).contains("searching"), "nothing is searched: {}", text(&output.stderr));
        assert!(dir.session()["artifacts"]["review"].is_null(), "{message}");
    }
}

#[test]
fn an_approval_that_was_typed_ahead_is_of_nothing_that_was_not_shown() {
    let dir = TestDir::new();
    let ahead = dir.piped(&["chat", "c1"], "tides\napprove\napprove\napprove\n");
    said(&ahead, WAITING);
    assert!(text(&ahead.stderr).contains("before you were shown this"), "{}", text(&ahead.stderr));
    let session = dir.session();
    assert_eq!(session["approvals"], serde_json::json!({ "queries": null, "proposal": null }));
    // The first of these is about the queries, which were shown by the chat before.
    said(&dir.piped(&["chat", "c1"], "approve\napprove\napprove\n"), WAITING);
    assert_eq!(dir.session()["approvals"], serde_json::json!({ "queries": 1, "proposal": null }));
    // What is written to a reader who is gone was not shown.
    let mut gone = dir.command(&["say", "c1", "reject: say more about cost", "--model", "scripted:model.jsonl"]);
    let (read, write) = std::io::pipe().unwrap();
    drop(read);
    gone.stdout(write).status().unwrap();
    let shown = dir.say("approve", WAITING);
    assert!(shown.contains("# What tides cost"), "{shown}");
    assert!(dir.session()["approvals"]["proposal"].is_null());
    assert!(dir.say("approve", 0).contains("The proposal is done."));
}

#[test]
fn a_chat_that_is_killed_between_turns_is_gone_on_with() {
    let dir = TestDir::new();
    let args = ["chat", "c1", "--model", "scripted:model.jsonl", "--corpus", "papers"];
    let mut chat = dir.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = chat.stdin.take().unwrap();
    input.write_all(b"tides\n").unwrap();
    let mut lines = BufReader::new(chat.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("1. spring tides")));
    chat.kill().unwrap();
    chat.wait().unwrap();
    // Whether the record that it was shown was written is a matter of luck; now it is.
    assert!(said(&dir.talk(&["resume", "c1"]), WAITING).contains("1. spring tides"));
    assert!(dir.say("approve", WAITING).contains("# Tides in the long run"));
}
