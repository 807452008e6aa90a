//! Several processes on one store, and processes that die.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{Desk, FAILED, WAITING, said, text};

#[test]
fn two_processes_share_a_store() {
    let desk = Desk::new();
    let say = |id: &str, message: &str| {
        let args = ["say", id, message, "--model", "scripted:model.jsonl", "--corpus", "papers"];
        desk.command(&args).spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(|at| say(&format!("c{at}"), "tides")).collect();
    for child in children {
        assert!(said(&child.wait_with_output().unwrap(), WAITING).contains("1. spring tides"));
    }
    let runs = text(&desk.run(&["runs"]).stdout);
    assert!((0..4).all(|at| runs.contains(&format!("c{at} "))), "{runs}");

    // One conversation, two processes: each turn is whole, or is refused and says so.
    let children: Vec<_> = ["approve", "approve"].into_iter().map(|message| say("c1", message)).collect();
    let mut reports = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let out = text(&output.stdout);
        match output.status.code() {
            Some(WAITING) => reports += usize::from(out.contains("This is the proposal")),
            Some(FAILED) => assert!(out.contains("Say it again to try again"), "{out}"),
            // The second approval came after the first turn and approved its proposal.
            Some(0) => assert!(out.contains("The proposal is done."), "{out}"),
            other => panic!("{other:?}: {out}\n{}", text(&output.stderr)),
        }
    }
    assert_eq!(reports, 1, "one turn wrote the proposal");
}

#[test]
fn a_second_process_is_refused_while_a_turn_goes_on_and_a_kill_frees_it() {
    let desk = Desk::new();
    desk.say("tides", WAITING);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // A source that takes its time.
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        let slow = ResponseTemplate::new(200).set_delay(std::time::Duration::from_secs(3600));
        Mock::given(any()).respond_with(slow).mount(&server).await;
        server
    });
    let address = format!("literature.address={}", server.uri());
    let network = ["--search", "openalex", "--set", &address, "--model", "scripted:model.jsonl", "-v"];
    let mut first = desk.command(&[&["say", "c1", "approve"], &network[..]].concat()).spawn().unwrap();
    let mut lines = BufReader::new(first.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("searching: spring tides")), "the first process searches");

    let second = desk.talk(&["say", "c1", "approve"]);
    assert!(said(&second, FAILED).contains("is being written by"), "{}", text(&second.stdout));
    first.kill().unwrap();
    first.wait().unwrap();

    // The turn that was cut off is ended, with the sources of this process.
    assert!(said(&desk.talk(&["resume", "c1"]), WAITING).contains("# Tides in the long run"));
    drop(server);
}

#[test]
fn a_chat_that_is_killed_between_turns_is_gone_on_with() {
    let desk = Desk::new();
    let args = ["chat", "c1", "--model", "scripted:model.jsonl", "--corpus", "papers"];
    let mut chat = desk.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = chat.stdin.take().unwrap();
    input.write_all(b"tides\n").unwrap();
    let mut lines = BufReader::new(chat.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("1. spring tides")));
    chat.kill().unwrap();
    chat.wait().unwrap();
    assert!(desk.say("approve", WAITING).contains("# Tides in the long run"));
}
