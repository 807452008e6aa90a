//! A run that is killed at any moment is finished by `resume`, and no committed call is made again.

use std::time::Instant;

use graphloom_test_support::command::{assert_no_call_repeated, kill_after};
use graphloom_test_support::times;

use crate::support::{TestDir, assert_report, text};

/// Kills, spread over the time that a whole run takes.
const KILLS: usize = 5;

#[test]
fn kills_lose_nothing_and_repeat_nothing() {
    let kills = u32::try_from(times(KILLS)).unwrap();
    for method in ["parallel", "dependency_driving"] {
        let method = format!("execution_method={method}");
        let whole = TestDir::new();
        let begun = Instant::now();
        let output = whole.run(&whole.ask(&["--yes", "--out", "out", "--thread", "whole", "--set", &method]));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let length = begun.elapsed();

        for kill in 1..=kills {
            let dir = TestDir::new();
            let args = dir.ask(&["--yes", "--out", "out", "--thread", "t", "--log", "calls.log", "--set", &method]);
            let moment = length * kill / (kills + 1);
            kill_after(dir.command(&args).spawn().unwrap(), moment);
            let known = dir.run(&["show", "t"]).status.success();
            // One that died before its first commit has nothing to go on with.
            let again = if known { vec!["resume", "t", "--log", "calls.log"] } else { args };
            let output = dir.run(&again);
            assert!(output.status.success(), "kill {kill} at {moment:?}: {}", text(&output.stderr));
            assert_report(&dir, "out");
            assert_eq!(dir.read("out/report.md"), whole.read("out/report.md"), "kill {kill}: the report is the same");
            assert_no_call_repeated(&dir.read("calls.log"));
        }
    }
}
