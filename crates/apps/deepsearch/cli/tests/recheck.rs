//! What nobody could check while a run was done is checked later, and nothing else changes.

use crate::support::{TestDir, assert_report, text};

/// What the section says besides its quotation: one sentence that the judge accepts, one that it does not.
const MORE: &str = " Old pages survive because changes go to the log first [citation:1]. Nothing at all can be lost \
                    [citation:1].";
const JUDGE: &str = "whether a passage supports";

/// The script with a judge, and with `line` in place of it.
fn scripts(dir: &TestDir, line: Option<&str>) -> (String, String) {
    let quoted = "still holds its old pages [citation:1].";
    let script = dir.read("script.jsonl").replace(quoted, &format!("{quoted}{MORE}"));
    let others: Vec<&str> = script.lines().filter(|line| !line.contains(JUDGE)).collect();
    let accepts = format!("{{\"when\":[\"{JUDGE}\",\"Old pages survive\"],\"json\":{{\"judgements\":[\"entails\"]}}}}");
    let rejects = format!("{{\"when\":\"{JUDGE}\",\"json\":{{\"judgements\":[\"neither\"]}}}}");
    let with = |judge: &[&str]| judge.iter().chain(&others).copied().collect::<Vec<_>>().join("\n");
    (with(&[&accepts, &rejects]), with(line.as_slice()))
}

const FILES: [&str; 3] = ["report.md", "report.html", "final_result.json"];

#[test]
fn what_was_not_checked_is_checked_later_and_nothing_else_changes() {
    let garbage = format!("{{\"when\":\"{JUDGE}\",\"reply\":\"I would say yes\"}}");
    for (method, out_of_order) in
        [("parallel", None), ("dependency_driving", None), ("parallel", Some(garbage.as_str()))]
    {
        let method = format!("execution_method={method}");
        let dir = TestDir::new();
        let (judged, unjudged) = scripts(&dir, out_of_order);
        let run = |out: &str, thread: &str, script: &str| {
            std::fs::write(dir.path("script.jsonl"), script).unwrap();
            let output = dir.run(&dir.ask(&["--yes", "--out", out, "--thread", thread, "--set", &method]));
            assert!(output.status.success(), "{}", text(&output.stderr));
        };
        run("whole", "whole", &judged);
        assert_report(&dir, "whole");
        run("out", "t", &unjudged);
        let before = dir.json("out/final_result.json");
        let open = before["citation_messages"]["data"].as_array().unwrap();
        assert_eq!(open.iter().filter(|one| one["verdict"] == "not_checked").count(), 2, "{before:#}");
        assert!(before["exception_info"].as_str().unwrap().contains("not checked"), "{before:#}");

        std::fs::write(dir.path("script.jsonl"), &judged).unwrap();
        let output = dir.run(&["resume", "t", "--recheck"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        for file in FILES {
            assert_eq!(dir.read(&format!("out/{file}")), dir.read(&format!("whole/{file}")), "{file}");
        }
        assert!(dir.read("out/report.md").contains("*(not found in its source)*"), "the verdict is shown");

        // There is nothing left to check, and no model is asked.
        std::fs::write(dir.path("script.jsonl"), unjudged).unwrap();
        let output = dir.run(&["resume", "t", "--recheck"]);
        assert!(text(&output.stderr).contains("everything was checked"), "{}", text(&output.stderr));
        assert_eq!(dir.read("out/final_result.json"), dir.read("whole/final_result.json"));
    }
}

#[test]
fn what_cannot_be_checked_again_is_refused() {
    let dir = TestDir::new();
    let (judged, unjudged) = scripts(&dir, None);
    std::fs::write(dir.path("script.jsonl"), unjudged).unwrap();
    let off = ["--set", "workflow_human_in_the_loop=false", "--set", "outline_interaction_enabled=false"];
    let mut args = dir.ask(&["--out", "out", "--thread", "t", "--set", "user_feedback_processor_enable=true"]);
    args.extend(off);
    assert_eq!(dir.run(&args).status.code(), Some(3));
    std::fs::write(dir.path("script.jsonl"), judged).unwrap();
    for option in ["--recheck", "--rewrite"] {
        let output = dir.run(&["resume", "t", option]);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains("`t` is not done") && said.contains(option), "{said}");
    }

    let changed = r##"user_feedback_processor={"action":"sync","selected_text":"# My own report\n\nIt is mine."}"##;
    assert_eq!(dir.run(&["resume", "t", "--answer", changed]).status.code(), Some(3));
    let finish = r#"user_feedback_processor={"action":"finish"}"#;
    assert!(dir.run(&["resume", "t", "--answer", finish]).status.success());
    let report = dir.read("out/report.md");
    assert!(report.contains("It is mine.†"), "what a person writes is theirs: {report}");
    for option in ["--recheck", "--rewrite"] {
        let output = dir.run(&["resume", "t", option]);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains("was changed after"), "{said}");
        assert_eq!(dir.read("out/report.md"), report, "and nothing is lost");
    }
}
