//! Whole runs on a scripted model, and looking at them.

use crate::support::{TestDir, assert_report, text};

#[test]
fn both_graphs_write_their_files() {
    for method in ["parallel", "dependency_driving"] {
        let dir = TestDir::new();
        let method = format!("execution_method={method}");
        let output = dir.run(&dir.ask(&["--yes", "--out", "out", "--thread", "t", "--set", &method]));
        assert!(output.status.success(), "{method}: {}", text(&output.stderr));
        assert_report(&dir, "out");
        let printed = text(&output.stdout);
        assert!(printed.starts_with("# Logs and power failures") && printed.contains("# 2. The sync"), "{printed}");
        let run = dir.json("out/run.json");
        assert_eq!(run["sections"].as_array().unwrap().len(), 2);
        assert!(run["citations"]["supported"].as_u64().unwrap() >= 2, "{run:#}");
        assert_eq!(run["engines"], serde_json::json!(["local"]), "{run:#}");

        let listed = text(&dir.run(&["runs"]).stdout);
        assert!(listed.contains("deepsearch") && listed.contains("done"), "{listed}");
        let shown = text(&dir.run(&["show", "t"]).stdout);
        assert!(shown.contains("1. The log") && shown.contains("[x]") && shown.contains("checkpoint"), "{shown}");
        let again = dir.run(&["resume", "t", "--out", "again"]);
        assert!(again.status.success(), "{}", text(&again.stderr));
        assert_eq!(dir.read("again/report.md"), dir.read("out/report.md"));
    }
}

#[test]
fn statistics_are_told_when_they_are_turned_on() {
    let dir = TestDir::new();
    let quiet = text(&dir.run(&dir.ask(&["--yes", "--out", "quiet"])).stderr);
    let mut args = dir.ask(&["--yes", "--out", "out"]);
    for key in ["stats_info_node_duration=true", "stats_info_llm=true", "stats_info_search=true"] {
        args.extend(["--set", key]);
    }
    let told = text(&dir.run(&args).stderr);
    for line in ["node `reporter`: 1 times, ", "node `plan_reasoning`: ", " calls (", "section 2: 1 queries, "] {
        assert!(told.contains(line) && !quiet.contains(line), "{line}: {told}");
    }
}

#[test]
fn the_last_line_of_json_is_the_result() {
    let dir = TestDir::new();
    let output = dir.run(&dir.ask(&["--yes", "--out", "out", "--json"]));
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.last().unwrap();
    assert_eq!((&last["event"], &last["status"]), (&"result".into(), &"done".into()));
    assert_eq!(last["result"]["title"], "Logs and power failures");
    let told = |name: &str| lines.iter().any(|line| line["event"] == "custom" && line["payload"]["agent"] == name);
    assert!(told("outline") && told("end"), "messages are events");
}

#[test]
fn a_failed_run_ends_with_1_and_goes_on_from_before_its_failure() {
    let dir = TestDir::new();
    let script = dir.read("script.jsonl");
    let broken: Vec<&str> = script.lines().filter(|line| !line.contains("You make outlines")).collect();
    std::fs::write(dir.path("script.jsonl"), broken.join("\n")).unwrap();
    let output = dir.run(&dir.ask(&["--yes", "--out", "out", "--thread", "t"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("[211800]"), "{}", text(&output.stderr));
    assert!(dir.json("out/final_result.json")["exception_info"].as_str().unwrap().starts_with("[211800]"));

    std::fs::write(dir.path("script.jsonl"), script).unwrap();
    let output = dir.run(&["resume", "t"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir, "out");
}

#[test]
fn a_limit_of_steps_stops_a_run_which_goes_on_with_a_higher_one() {
    let dir = TestDir::new();
    let limit = "workflow_recursion_limit=3";
    let output = dir.run(&dir.ask(&["--yes", "--out", "out", "--thread", "t", "--set", limit]));
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(
        told.contains("[212415]after 3 steps `editor_team` would be next; raise `workflow_recursion_limit`"),
        "{told}"
    );
    let output = dir.run(&["resume", "t", "--set", "workflow_recursion_limit=30"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir, "out");
}

#[test]
fn a_spent_budget_delivers_what_there_is() {
    let dir = TestDir::new();
    let output = dir.run(&dir.ask(&["--yes", "--out", "out", "--budget", "calls=16"]));
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(dir.read("out/report.md").contains("# 1. "), "{}", text(&output.stderr));
    assert_eq!(dir.json("out/run.json")["status"], "budget_spent");
}

#[test]
fn a_run_that_is_done_is_the_whole_run_whatever_its_budget() {
    let dir = TestDir::new();
    let output = dir.run(&dir.ask(&["--yes", "--out", "whole"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let calls = dir.json("whole/run.json")["measured"]["spent"]["calls"].as_u64().unwrap();
    let mut ends = std::collections::BTreeSet::new();
    for limit in [calls / 4, calls / 2, calls - 4, calls - 1, calls + 1, 2 * calls] {
        let (budget, out) = (format!("calls={limit}"), format!("out{limit}"));
        let output = dir.run(&dir.ask(&["--yes", "--out", &out, "--budget", &budget]));
        let same = dir.read(&format!("{out}/report.md")) == dir.read("whole/report.md");
        match output.status.code() {
            Some(0) => assert!(same, "{limit} of {calls}: something was left out, and the run says that it is done"),
            status => assert_eq!(status, Some(4), "{limit} of {calls}: {}", text(&output.stderr)),
        }
        ends.insert(output.status.code());
    }
    assert_eq!(ends.len(), 2, "some are cut short, some are not: {ends:?}");
}
