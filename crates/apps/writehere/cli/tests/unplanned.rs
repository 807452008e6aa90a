//! Plans that are none: they are asked for again, and a report without one still looks its question up.

use serde_json::{Value, json};

use crate::compatible::report;
use crate::planner::{Scripted, answer};
use crate::support::{TestDir, assert_report, text};

fn run_json(dir: &TestDir) -> Value {
    serde_json::from_str(&dir.read("out/run.json")).unwrap()
}

#[test]
fn a_report_that_is_written_in_one_go_searches_once_and_cites() {
    for (what, server, more) in [
        ("judged atomic", Scripted::but(|prompt| verdict(prompt, "atomic")), vec![]),
        ("forced by a limit", Scripted::start(), vec!["--max-depth", "0"]),
        ("an empty plan, twice", Scripted::but(|prompt| plan(prompt, "{\"sub_tasks\": []}")), vec![]),
    ] {
        let (dir, model) = (TestDir::new(), server.model());
        let output = dir.run(&report(&model, &[&["--out", "out"], &more[..]].concat()));
        assert!(output.status.success(), "{what}: {}", text(&output.stderr));
        assert_report(&dir.path("out"));
        let notes = run_json(&dir)["notes"].to_string();
        assert_eq!(notes.matches("without a plan the goal was searched once").count(), 1, "{what}: {notes}");
    }
}

#[test]
fn an_empty_plan_of_a_task_that_needs_one_is_asked_for_again() {
    let server = Scripted::but(|prompt| {
        let again = prompt.contains("the plan breaks it into no other tasks");
        if again {
            None
        } else {
            plan(prompt, "{\"id\": \"\", \"goal\": \"g\", \"task_type\": \"write\", \"sub_tasks\": []}")
        }
    });
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&report(&model, &["--out", "out"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(run_json(&dir)["tasks"], 11, "the second plan was taken");
    assert_report(&dir.path("out"));
}

#[test]
fn a_misspelt_plan_loses_no_task_and_the_run_says_what_was_read() {
    let tasks = json!([
        {"id": "1", "task_type": "search", "goal": "Find how the log is written", "dependency": []},
        {"id": "2", "task_type": "write", "goal": "Say how the log is written", "length": "60 words", "dependency": ["1"]},
        {"id": "3", "task_type": "write", "goal": "Say how recovery goes", "length": "60 words", "dependency": ["1"]},
    ]);
    let misspelt = json!({"id": "", "task_type": "write", "goal": "g", "seb_tasks": tasks}).to_string();
    let broken = misspelt.replace("\"goal\":\"Find", "\"goalo:\"Find");
    for (reply, part) in [(misspelt, "`seb_tasks` is no name of a list of tasks"), (broken, "task `1`: it has no goal")]
    {
        let server = Scripted::but(move |prompt| plan(prompt, &reply));
        let (dir, model) = (TestDir::new(), server.model());
        let output = dir.run(&report(&model, &["--out", "out"]));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let run = run_json(&dir);
        assert!(run["notes"].to_string().contains(part), "{part}: {run:#}");
        assert_eq!((&run["words"], &run["tasks"]), (&120.into(), &7.into()), "all three tasks are done: {run:#}");
    }
}

fn verdict(prompt: &str, word: &str) -> Option<wiremock::ResponseTemplate> {
    let reply = format!("<result><atomic_task_determination>{word}</atomic_task_determination></result>");
    prompt.contains("<atomic_task_determination>").then(|| answer(&reply))
}

fn plan(prompt: &str, plan: &str) -> Option<wiremock::ResponseTemplate> {
    prompt.contains("You plan for a team").then(|| answer(&format!("<think>so</think><result>{plan}</result>")))
}
