//! A run that is killed at any moment is finished by `resume`, and no committed call is made again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::support::{TestDir, assert_report, text};

const KILLS: u32 = 8;

#[test]
fn kills_lose_nothing_and_repeat_nothing() {
    for method in ["parallel", "dependency_driving"] {
        let method = format!("execution_method={method}");
        let whole = TestDir::new();
        let begun = Instant::now();
        let output = whole.run(&whole.ask(&["--yes", "--out", "out", "--thread", "whole", "--set", &method]));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let length = begun.elapsed();

        for kill in 1..=KILLS {
            let dir = TestDir::new();
            let args = dir.ask(&["--yes", "--out", "out", "--thread", "t", "--log", "calls.log", "--set", &method]);
            let mut child = dir.command(&args).spawn().unwrap();
            let moment = length * kill / (KILLS + 1);
            let began = Instant::now();
            while began.elapsed() < moment && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(2));
            }
            // SIGKILL; nothing is left to run in the process.
            child.kill().unwrap();
            child.wait().unwrap();
            let known = dir.run(&["show", "t"]).status.success();
            // One that died before its first commit has nothing to go on with.
            let again = if known { vec!["resume", "t", "--log", "calls.log"] } else { args };
            let output = dir.run(&again);
            assert!(output.status.success(), "kill {kill} at {moment:?}: {}", text(&output.stderr));
            assert_report(&dir, "out");
            assert_eq!(dir.read("out/report.md"), whole.read("out/report.md"), "kill {kill}: the report is the same");
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
}
