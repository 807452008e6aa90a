//! A model that thinks aloud before each answer: the report is the one of a model that does not. The models are scripted.

use graphloom_test_support::thinking::{DECOY, FORMS, aloud, thinking};
use serde_json::json;

use crate::support::{TestDir, assert_report, script, text};

#[test]
fn no_thoughts_are_in_a_report() {
    let dir = TestDir::new();
    let plain = dir.run(&dir.ask(&["--yes", "--out", "plain"]));
    assert!(plain.status.success(), "{}", text(&plain.stderr));
    for (number, form) in FORMS.into_iter().enumerate() {
        dir.script("script.jsonl", &thinking(&script(), form));
        let out = format!("out-{number}");
        let output = dir.run(&dir.ask(&["--yes", "--out", &out]));
        assert!(output.status.success(), "{form:?}: {}", text(&output.stderr));
        assert_report(&dir, &out);
        for file in ["report.md", "report.html"] {
            assert!(!dir.read(&format!("{out}/{file}")).contains(DECOY), "{form:?}: {file}");
        }
        let [thought, said] = [&out, "plain"].map(|out| dir.json(&format!("{out}/final_result.json")));
        assert_eq!(thought["response_content"], said["response_content"], "{form:?}");
    }
}

#[test]
fn a_section_of_thoughts_alone_is_asked_for_three_times_at_most_and_told() {
    let dir = TestDir::new();
    let mut rules = script();
    let thoughts = aloud(("<think>", ""), "");
    rules.insert(0, json!({ "when": ["You write one section", "old pages"], "reply": thoughts }));
    dir.script("script.jsonl", &rules);
    let output = dir.run(&dir.ask(&["--yes", "--out", "out", "--record", "run.jsonl"]));
    assert!(!dir.read("out/report.md").contains(DECOY));
    let said = text(&output.stderr);
    assert!(said.contains("no model wrote: 1"), "{said}");
    assert!(dir.read("out/run.json").contains("the model answered nothing, 3 times"), "{}", dir.read("out/run.json"));
    let recorded = dir.read("run.jsonl");
    let asked = recorded.lines().filter(|line| line.contains("You write one section") && line.contains("old pages"));
    assert!((1..=3).contains(&asked.count()), "{said}");
}
