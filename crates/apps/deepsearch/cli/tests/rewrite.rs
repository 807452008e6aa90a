//! Sections whose writer was out are written later; those that were written stay as they are.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{TestDir, assert_report, text};

const FILES: [&str; 3] = ["report.md", "report.html", "final_result.json"];
/// What the writers of the two sections say.
const LOG: &str = "still holds its old pages [citation:1].";
const SYNC: &str = "counts only when it has reached the disk [citation:1].";

/// The script in which the writers that say something of `out` are out.
fn without(script: &str, out: &[&str]) -> String {
    let lines = script.lines().map(|line| {
        if !out.iter().any(|said| line.contains(said)) {
            return line.to_owned();
        }
        let mut rule: Value = serde_json::from_str(line).unwrap();
        rule.as_object_mut().unwrap().remove("reply");
        rule["error"] = json!({ "error": "quota", "model": "scripted", "message": "nothing left" });
        rule.to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn begin(dir: &TestDir, script: &str, out: &str, method: &str) {
    std::fs::write(dir.path("script.jsonl"), script).unwrap();
    let output = dir.run(&dir.ask(&["--yes", "--out", out, "--thread", out, "--set", method]));
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn rewrite(dir: &TestDir, script: &str, thread: &str) -> String {
    std::fs::write(dir.path("script.jsonl"), script).unwrap();
    let output = dir.run(&["resume", thread, "--rewrite"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stderr)
}

fn assert_same(dir: &TestDir, one: &str, other: &str) {
    for file in FILES {
        assert_eq!(dir.read(&format!("{one}/{file}")), dir.read(&format!("{other}/{file}")), "{file} of {one}");
    }
}

#[test]
fn sections_that_were_only_quoted_are_written_later_and_the_report_is_that_of_a_run_without_the_outage() {
    for method in ["execution_method=parallel", "execution_method=dependency_driving"] {
        let dir = TestDir::new();
        let full = dir.read("script.jsonl");
        begin(&dir, &full, "whole", method);
        for (thread, out, sections) in
            [("sync", &[SYNC][..], "2"), ("log", &[LOG], "1"), ("both", &[LOG, SYNC], "1, 2")]
        {
            let poor = without(&full, out);
            begin(&dir, &poor, thread, method);
            let run = dir.json(&format!("{thread}/run.json"));
            let unwritten: Vec<&str> =
                run["unwritten"].as_array().unwrap().iter().filter_map(|id| id.as_str()).collect();
            assert_eq!(unwritten.join(", "), sections, "{run:#}");
            let quoted = dir.read(&format!("{thread}/report.md"));
            let warned = dir.json(&format!("{thread}/final_result.json"))["warning_info"].to_string();
            assert!(warned.contains("the section is quoted from its documents"), "{warned}");

            // While the writer is out, it stays so.
            let said = rewrite(&dir, &poor, thread);
            assert!(said.contains(&format!("resume {thread} --rewrite")), "the way to go on is told: {said}");
            assert_eq!(dir.read(&format!("{thread}/report.md")), quoted);

            let said = rewrite(&dir, &full, thread);
            assert!(said.contains("not written by a model") && !said.contains("--rewrite` does"), "{said}");
            assert_report(&dir, thread);
            assert_same(&dir, thread, "whole");
            assert_eq!(dir.json(&format!("{thread}/run.json"))["unwritten"], json!([]));

            let nobody = full.lines().last().unwrap();
            let said = rewrite(&dir, nobody, thread);
            assert!(said.contains("every section was written"), "no model is asked: {said}");
            assert_same(&dir, thread, "whole");
        }
    }
}

#[test]
fn a_section_that_was_written_stays_as_it_is() {
    for method in ["execution_method=parallel", "execution_method=dependency_driving"] {
        let dir = TestDir::new();
        let full = dir.read("script.jsonl");
        begin(&dir, &without(&full, &[SYNC]), "t", method);
        let before = dir.read("t/report.md");
        let section = |report: &str| {
            let from = report.find("# 1. The log").unwrap_or_else(|| panic!("no first section: {report}"));
            let rest = &report[from..];
            rest[..rest.find("# 2. The sync").unwrap_or_else(|| panic!("no second section: {report}"))].to_owned()
        };
        // By now the writer would say something else of the first section.
        rewrite(&dir, &full.replace("the database file still holds", "as always, the database file still holds"), "t");
        let after = dir.read("t/report.md");
        assert_eq!(section(&after), section(&before));
        assert!(after != before && after.contains("counts only when it has reached the disk"), "{after}");
        assert!(!after.contains("as always"), "{after}");
    }
}

#[test]
fn a_kill_in_the_middle_is_gone_on_with() {
    for method in ["execution_method=parallel", "execution_method=dependency_driving"] {
        let dir = TestDir::new();
        let full = dir.read("script.jsonl");
        begin(&dir, &full, "whole", method);
        begin(&dir, &without(&full, &[LOG, SYNC]), "timed", method);
        let begun = Instant::now();
        rewrite(&dir, &full, "timed");
        let length = begun.elapsed();
        for kill in 1..=4_u32 {
            let thread = format!("killed-{kill}");
            begin(&dir, &without(&full, &[LOG, SYNC]), &thread, method);
            std::fs::write(dir.path("script.jsonl"), &full).unwrap();
            let mut child = dir.command(&["resume", &thread, "--rewrite"]).spawn().unwrap();
            let moment = length * kill / 5;
            let began = Instant::now();
            while began.elapsed() < moment && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(2));
            }
            // SIGKILL; nothing is left to run in the process.
            child.kill().unwrap();
            child.wait().unwrap();
            let output = dir.run(&["resume", &thread]);
            assert!(output.status.success(), "kill {kill} at {moment:?}: {}", text(&output.stderr));
            // One that was killed before it went back is as it was before.
            if dir.json(&format!("{thread}/run.json"))["unwritten"] != json!([]) {
                rewrite(&dir, &full, &thread);
            }
            assert_same(&dir, &thread, "whole");
        }
    }
}
