//! A run that lost a part goes on: what failed is tried again, and the run ends as if it had not.

use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::compatible::report;
use crate::planner::{CALLS, Scripted};
use crate::support::{TestDir, assert_report, text};

fn refused() -> ResponseTemplate {
    ResponseTemplate::new(401).set_body_json(json!({"error": {"message": "the account is empty"}}))
}

fn run_json(dir: &TestDir) -> Value {
    serde_json::from_str(&dir.read("out/run.json")).unwrap()
}

/// The report of a run in which nothing failed.
fn whole() -> String {
    let (server, dir) = (Scripted::start(), TestDir::new());
    let output = dir.run(&report(&server.model(), &["--out", "out"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    dir.read("out/report.md")
}

/// Runs on a server that refuses some prompts, then resumes on one that answers all, and tells the calls of the second.
fn broken_then_resumed(refuses: fn(&str) -> bool, status: &str, words: u64) -> (TestDir, usize) {
    let server = Scripted::but(move |prompt| refuses(prompt).then(refused));
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&report(&model, &["--out", "out", "--thread", "broken"]));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the text is not complete"), "{said}");
    let run = run_json(&dir);
    assert_eq!((run["status"].as_str(), run["words"].as_u64()), (Some(status), Some(words)), "{run:#}");

    let better = Scripted::start();
    let output = dir.run(&["resume", "broken", "--model", &better.model()]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("the tasks that failed are tried again"), "{said}");
    assert_report(&dir.path("out"));
    assert!(!dir.read("out/tree.json").contains("\"status\": \"FAILED\""));
    (dir, better.requests().len())
}

#[test]
fn a_part_that_failed_is_written_by_resume() {
    let (dir, calls) = broken_then_resumed(
        |prompt| prompt.contains("<article>") && prompt.contains("Say how recovery goes :**You Need To Write**"),
        "partial",
        60,
    );
    assert_eq!(calls, 1, "only the text that lacked is asked for");
    assert_eq!(dir.read("out/report.md"), whole());
}

#[test]
fn a_run_without_a_word_is_failed_and_goes_on_as_well() {
    let (dir, calls) = broken_then_resumed(|prompt| prompt.contains("<article>"), "failed", 0);
    // The second part waited for the first, so it is judged once more before both are written.
    assert_eq!(calls, 3);
    assert_eq!(dir.read("out/report.md"), whole());
}

#[test]
fn what_was_made_without_a_failed_search_is_made_anew() {
    let (dir, calls) = broken_then_resumed(
        |prompt| prompt.contains("You search in rounds") && prompt.contains("Find how recovery goes"),
        "partial",
        120,
    );
    // Three calls for the search, one to think on it, and two for each of the two parts that rest on that.
    assert_eq!(calls, CALLS - 2 - 3, "the plan and the other search are kept");
    assert_eq!(dir.read("out/report.md"), whole());
}
