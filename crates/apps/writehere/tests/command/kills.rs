//! A run that is killed at any moment is finished by `resume`, and no committed call is made again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::support::{TestDir, assert_report, text};

const KILLS: u32 = 10;

#[test]
fn ten_kills_at_ten_moments_lose_nothing() {
    let whole = TestDir::new();
    let begun = Instant::now();
    let output = whole.run(&whole.report(&["--out", "out", "--thread", "whole"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&whole.path("out"));
    let length = begun.elapsed();

    for kill in 1..=KILLS {
        let dir = TestDir::new();
        let mut child =
            dir.command(&dir.report(&["--out", "out", "--thread", "killed", "--log", "calls.log"])).spawn().unwrap();
        let moment = length * kill / (KILLS + 1);
        let began = Instant::now();
        let mut ended = false;
        while began.elapsed() < moment && !ended {
            ended = child.try_wait().unwrap().is_some();
            std::thread::sleep(Duration::from_millis(5));
        }
        // SIGKILL; nothing is left to run in the process.
        child.kill().unwrap();
        child.wait().unwrap();
        let known = dir.run(&["show", "killed"]).status.success();
        let output = if known {
            dir.run(&["resume", "killed", "--log", "calls.log"])
        } else {
            // It died before its first commit: there is nothing to go on with.
            dir.run(&dir.report(&["--out", "out", "--thread", "killed", "--log", "calls.log"]))
        };
        assert!(output.status.success(), "kill {kill} at {moment:?}: {}", text(&output.stderr));
        assert_report(&dir.path("out"));
        let mut committed = BTreeMap::<String, u32>::new();
        for line in dir.read("calls.log").lines() {
            if let Some((_, step)) = line.split_once("model call committed") {
                *committed.entry(step.trim().to_owned()).or_default() += 1;
            }
        }
        assert!(!committed.is_empty());
        let repeated: Vec<_> = committed.iter().filter(|(_, times)| **times > 1).collect();
        assert!(repeated.is_empty(), "kill {kill}: {repeated:?}");
    }
}
