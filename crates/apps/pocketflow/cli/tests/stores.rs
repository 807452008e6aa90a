//! Conversations in the stores that `--store` names.

use std::process::{Command, Output};

use graphloom_postgres_server::Server;

use crate::support::{DONE, FAILED, TestDir, USAGE, WAITING, said, text};

const KEY: &str = "1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100";
const OTHER_KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn talk(dir: &TestDir, args: &[&str], set: impl Fn(&mut Command)) -> Output {
    let more: &[&str] = if args[0] == "say" { &["--model", "scripted:model.jsonl", "--corpus", "papers"] } else { &[] };
    let mut command = dir.command(&[args, more].concat());
    set(&mut command);
    command.output().unwrap()
}

#[test]
fn an_encrypted_store_needs_its_key_and_says_nothing_without() {
    let dir = TestDir::new();
    let with = |args: &[&str], key: &str| {
        talk(&dir, &[args, &["--store", "encrypted"]].concat(), |command| {
            command.env("GRAPHLOOM_STORE_KEY", key);
        })
    };
    let missing = dir.run(&["runs", "--store", "encrypted"]);
    assert_eq!(missing.status.code(), Some(USAGE));
    assert!(text(&missing.stderr).contains("openssl rand -hex 32"), "{}", text(&missing.stderr));
    let wrong = with(&["runs"], "not-a-key");
    assert_eq!(wrong.status.code(), Some(USAGE));
    assert!(!text(&wrong.stderr).contains("not-a-key"), "{}", text(&wrong.stderr));

    assert!(said(&with(&["say", "c1", "tides"], KEY), WAITING).contains("1. spring tides"));
    assert!(
        text(&with(&["say", "c1", "tides"], KEY).stderr).contains("--store encrypted"),
        "how to go on is told whole"
    );
    let files: Vec<_> = std::fs::read_dir(dir.path("home")).unwrap().map(|file| file.unwrap().path()).collect();
    let stored: Vec<_> = files.iter().filter(|file| file.is_file()).collect();
    assert!(stored.iter().any(|file| file.ends_with("threads-encrypted.db")), "{files:?}");
    for file in stored {
        let bytes = std::fs::read(file).unwrap();
        for word in ["spring tides", "tides measured"] {
            assert!(!bytes.windows(word.len()).any(|part| part == word.as_bytes()), "{} has `{word}`", file.display());
        }
    }
    let refused = with(&["say", "c1", "approve"], OTHER_KEY);
    assert_eq!(refused.status.code(), Some(FAILED));
    assert!(text(&refused.stderr).contains("was encrypted with the key"), "{}", text(&refused.stderr));
    // A new key before the old one writes, and reads what the old one wrote.
    let rotated = with(&["say", "c1", "approve"], &format!("{OTHER_KEY} {KEY}"));
    assert!(said(&rotated, WAITING).contains("# Tides in the long run"));
    assert!(said(&with(&["say", "c1", "yes"], &format!("{OTHER_KEY} {KEY}")), DONE).contains("The proposal is done."));
    assert_eq!(text(&dir.run(&["runs"]).stdout).lines().count(), 1, "the other store has no run");
}

#[test]
fn conversations_in_postgresql_go_on_at_once_from_anywhere() {
    let (here, there, server) = (TestDir::new(), TestDir::new(), Server::start());
    let with = |dir: &TestDir, args: &[&str]| {
        talk(dir, args, |command| {
            command.env("GRAPHLOOM_STORE", "postgres").env("GRAPHLOOM_POSTGRES_URL", server.url());
        })
    };
    let missing = here.run(&["runs", "--store", "postgres"]);
    assert_eq!(missing.status.code(), Some(USAGE));
    assert!(text(&missing.stderr).contains("GRAPHLOOM_POSTGRES_URL"), "{}", text(&missing.stderr));

    // Each program gives the conversation back at its end, so the next one, elsewhere, need not wait for it.
    assert!(said(&with(&here, &["say", "c1", "tides"]), WAITING).contains("1. spring tides"));
    assert!(said(&with(&there, &["say", "c1", "approve"]), WAITING).contains("# Tides in the long run"));
    assert!(said(&with(&here, &["say", "c1", "yes"]), DONE).contains("The proposal is done."));
    assert!(text(&with(&there, &["runs"]).stdout).contains("c1 "));
    let unknown = with(&there, &["inspect", "c2"]);
    assert!(
        text(&unknown.stderr).contains("there is no conversation `c2` in `postgres://"),
        "{}",
        text(&unknown.stderr)
    );
    assert!(!here.path("home/threads.db").exists(), "nothing is kept in a file");
}
