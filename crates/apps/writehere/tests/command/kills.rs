//! A run that is killed at any moment is finished by `resume`, and no committed call is made again.

use std::time::Instant;

use graphloom_test_support::command::{assert_no_call_repeated, kill_after};

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
        let begins = dir.report(&["--out", "out", "--thread", "killed", "--log", "calls.log"]);
        let moment = length * kill / (KILLS + 1);
        kill_after(dir.command(&begins).spawn().unwrap(), moment);
        let known = dir.run(&["show", "killed"]).status.success();
        let output = if known {
            dir.run(&["resume", "killed", "--log", "calls.log"])
        } else {
            // It died before its first commit: there is nothing to go on with.
            dir.run(&begins)
        };
        assert!(output.status.success(), "kill {kill} at {moment:?}: {}", text(&output.stderr));
        assert_report(&dir.path("out"));
        assert_no_call_repeated(&dir.read("calls.log"));
    }
}
