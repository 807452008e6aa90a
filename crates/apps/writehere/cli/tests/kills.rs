//! A run that is killed at any moment is finished by `resume`, and no committed call is made again.

use std::time::Instant;

use graphloom_test_support::command::{assert_no_call_repeated, kill_after};
use graphloom_test_support::times;

use crate::support::{TestDir, assert_report, text};

/// Kills, spread over the time that a whole run takes.
const KILLS: usize = 5;

#[test]
fn kills_lose_nothing_and_repeat_nothing() {
    let whole = TestDir::new();
    let begun = Instant::now();
    let output = whole.run(&whole.report(&["--out", "out", "--thread", "whole"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&whole.path("out"));
    let length = begun.elapsed();

    let kills = u32::try_from(times(KILLS)).unwrap();
    for kill in 1..=kills {
        let dir = TestDir::new();
        let begins = dir.report(&["--out", "out", "--thread", "killed", "--log", "calls.log"]);
        let moment = length * kill / (kills + 1);
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
