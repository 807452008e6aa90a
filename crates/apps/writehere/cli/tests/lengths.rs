//! Lengths are kept: each part is told its share of what is left, and a text that is far too long is asked for once more. The
//! server is scripted.

use serde_json::{Value, json};

use crate::compatible::report;
use crate::planner::{CALLS, Scripted, answer, marks};
use crate::support::{TestDir, assert_report, text};

/// What the prompt for a shorter text asks.
const SHORTER: &str = "Write it again in";

/// A text of so many words that cites what the prompt has to cite.
fn words(count: usize, prompt: &str) -> String {
    let mark = marks(prompt).into_iter().next().unwrap_or_default();
    format!("{} {mark}.", vec!["word"; count].join(" "))
}

fn article(text: &str) -> wiremock::ResponseTemplate {
    answer(&format!("<think>so</think><article>{text}</article>"))
}

/// A server whose first part has 150 words, and whose shorter text of it has `shorter`.
fn verbose(shorter: usize) -> Scripted {
    Scripted::but(move |prompt| {
        let first = prompt.contains("Say how the log is written :**You Need To Write**");
        if prompt.contains(SHORTER) {
            Some(article(&words(shorter, prompt)))
        } else {
            (first && prompt.contains("<article>")).then(|| article(&words(150, prompt)))
        }
    })
}

fn run_json(dir: &TestDir) -> Value {
    serde_json::from_str(&dir.read("out/run.json")).unwrap()
}

/// The prompts that asked for a text, in their order.
fn asked_to_write(server: &Scripted) -> Vec<String> {
    let prompts = server.requests().into_iter().map(|(_, body)| {
        let messages = body["messages"].as_array().unwrap();
        messages.iter().filter_map(|message| message["content"].as_str()).collect::<String>()
    });
    prompts.filter(|prompt| prompt.contains("<article>")).collect()
}

#[test]
fn a_text_that_is_far_too_long_is_asked_for_once_more_and_the_next_has_what_is_left() {
    let (server, dir) = (verbose(70), TestDir::new());
    let output = dir.run(&report(&server.model(), &["--out", "out", "--record", "run.jsonl"]));
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_report(&dir.path("out"));
    let prompts = asked_to_write(&server);
    assert_eq!((prompts.len(), server.requests().len()), (3, CALLS + 1), "one call more");
    assert!(prompts[0].contains("- Length: 60 words") && prompts[0].contains("of the 120 words of the whole, 0 are"));
    assert!(prompts[1].contains("It has 150 words") && prompts[1].contains("Write it again in 60 words"));
    assert!(prompts[2].contains("- Length: 50 words") && prompts[2].contains("the whole, 70 are"), "{}", prompts[2]);

    let run = run_json(&dir);
    assert_eq!((&run["words"], &run["calls"]), (&130.into(), &(CALLS + 1).into()), "{run:#}");
    let note = "task `4.0`: the text has 150 words for a share of 60; it was asked for once more and has 70 now";
    assert_eq!(run["notes"], json!([note]));
    assert_eq!(said.matches(note).count(), 1, "{said}");
    assert!(said.contains("done: 130 words of 120 asked for"), "{said}");
    let tree: Value = serde_json::from_str(&dir.read("out/tree.json")).unwrap();
    let lengths = lengths(&tree);
    assert_eq!(lengths[0], json!({"share": 60, "words": 70, "before": 150}), "{lengths:?}");
    assert_eq!(lengths.last(), Some(&json!({"share": 50, "words": 60})), "{lengths:?}");

    let mut args = report("replay:run.jsonl", &["--out", "again"]);
    args.extend(["--thread", "again"]);
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(dir.read("again/report.md"), dir.read("out/report.md"), "a recording plays back byte for byte");
}

/// All lengths of a tree, in its order.
fn lengths(tree: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut open = vec![tree];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("length").filter(|length| length.is_object()).cloned());
                open.extend(fields.values().rev());
            }
            Value::Array(items) => open.extend(items.iter().rev()),
            _ => {}
        }
    }
    found
}

#[test]
fn a_text_stays_when_no_shorter_one_is_to_be_had() {
    // One is no shorter, one lost nearly everything.
    for (shorter, why) in [(150, "not fewer than 150"), (9, "less than half of 60")] {
        let (server, dir) = (verbose(shorter), TestDir::new());
        let output = dir.run(&report(&server.model(), &["--out", "out"]));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let notes = run_json(&dir)["notes"].to_string();
        assert!(notes.contains("and stays, for no shorter one was to be had") && notes.contains(why), "{notes}");
        assert!(dir.read("out/report.md").contains(&["word"; 150].join(" ")), "nothing is cut off");
        // A part has at least half of its planned length, whatever those before it took.
        let prompts = asked_to_write(&server);
        assert!(prompts[2].contains("- Length: 30 words"), "{}", prompts[2]);
    }
}

#[test]
fn lengths_are_those_of_the_plan_when_they_are_not_kept() {
    let (server, dir) = (verbose(70), TestDir::new());
    let output = dir.run(&report(&server.model(), &["--out", "out", "--set", "settings.length.keep=false"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let prompts = asked_to_write(&server);
    assert_eq!((prompts.len(), server.requests().len()), (2, CALLS));
    assert!(prompts.iter().all(|prompt| prompt.contains("- Length: the `length` of the task")), "{prompts:?}");
    assert_eq!(run_json(&dir)["words"], 210);
    let tree: Value = serde_json::from_str(&dir.read("out/tree.json")).unwrap();
    assert_eq!(lengths(&tree), Vec::<Value>::new());

    // Two and a half times the share is within what is allowed here.
    let (server, dir) = (verbose(70), TestDir::new());
    let output = dir.run(&report(&server.model(), &["--out", "out", "--set", "settings.length.over_percent=150"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!asked_to_write(&server)[1].contains(SHORTER));
}

#[test]
fn the_call_for_a_shorter_text_is_one_of_the_budget_and_is_paid_for_once() {
    let (server, dir) = (verbose(70), TestDir::new());
    let model = server.model();
    let output = dir.run(&report(&model, &["--out", "out", "--thread", "poor", "--budget", "calls=11"]));
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert_eq!(server.requests().len(), 11);
    let output = dir.run(&["resume", "poor", "--budget", "calls=100"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(server.requests().len(), CALLS + 1, "nothing is paid for twice");
    assert_eq!(run_json(&dir)["words"], 130);
}
