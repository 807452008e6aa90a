//! The main command on a server with the OpenAI chat-completions interface; the server is scripted.

use serde_json::{Value, json};

use crate::planner::{CALLS, LENGTH, Scripted, answer};
use crate::support::{QUESTION, TestDir, assert_report, text};

pub(crate) fn report<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["report", QUESTION, "--corpus", "corpus", "--length", LENGTH, "--model", model];
    args.extend(more);
    args
}

#[test]
fn a_compatible_server_writes_the_report() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&report(&model, &["--out", "out", "--thread", "served"]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_report(&dir.path("out"));

    let written = dir.read("out/report.md");
    assert!(written.starts_with(&format!("# {QUESTION}\n\nPart one tells")), "{written}");
    assert!(written.contains("Part two tells") && written.contains("corpus/logging.md"), "{written}");
    assert_eq!(text(&output.stdout).trim(), written.trim());

    let requests = server.requests();
    assert_eq!(requests.len(), CALLS);
    for (path, body) in &requests {
        assert_eq!((path.as_str(), body["model"].as_str()), ("/v1/chat/completions", Some("planner")));
        assert!(!body["messages"].as_array().unwrap().is_empty(), "{body:#}");
    }
    let run: Value = serde_json::from_str(&dir.read("out/run.json")).unwrap();
    assert_eq!((&run["calls"], &run["words"], &run["words_asked"]), (&CALLS.into(), &120.into(), &120.into()));
    assert_eq!(run["tokens"]["input"].as_u64(), Some(100 * CALLS as u64), "{run:#}");
    assert_eq!(run["notes"], serde_json::json!([]));
    assert_eq!(run["measured"]["spent"]["calls"].as_u64(), Some(CALLS as u64));
    // The plan stands with the results, as the original's nodes have it.
    let tree: Value = serde_json::from_str(&dir.read("out/tree.json")).unwrap();
    assert_eq!(tree["result"]["plan"]["raw"].as_array().map(Vec::len), Some(5), "{}", tree["result"]);
    assert!(tree["result"]["final_aggregate"]["text"].is_string() && tree["result"]["plan"]["stats"].is_object());
}

#[test]
fn one_action_a_step_gives_the_same_tree_and_text() {
    let server = Scripted::start();
    let model = server.model();
    let made = ["concurrent", "sequential"].map(|schedule| {
        let dir = TestDir::new();
        let output = dir.run(&report(&model, &["--out", "out", "--schedule", schedule]));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let mut tree: Value = serde_json::from_str(&dir.read("out/tree.json")).unwrap();
        forget_times(&mut tree);
        (dir.read("out/report.md"), dir.read("out/tree.mmd"), tree)
    });
    assert_eq!(made[0], made[1]);
}

/// Takes out when each result was made, the only thing in a tree that is measured.
fn forget_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.shift_remove("time");
            fields.values_mut().for_each(forget_times);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_times),
        _ => {}
    }
}

#[test]
fn a_text_that_misses_its_length_says_so() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let mut args = report(&model, &["--out", "out"]);
    let at = args.iter().position(|arg| *arg == LENGTH).unwrap();
    args[at] = "200";
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let run: Value = serde_json::from_str(&dir.read("out/run.json")).unwrap();
    let missed = "the text has 120 words, 40 % fewer than the 200 asked for";
    assert!(run["notes"].as_array().unwrap().contains(&missed.into()), "{run:#}");
    let repair = "plan of task `root`: the lengths add up to 120 words, the task has 200; all were scaled";
    assert!(run["notes"].as_array().unwrap().contains(&repair.into()), "{run:#}");
    let said = text(&output.stderr);
    assert_eq!(said.matches(missed).count(), 1, "a note is told once: {said}");
    assert!(said.contains("done: 120 words of 200 asked for"), "{said}");
}

#[test]
fn a_story_needs_no_corpus_and_cites_nothing() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let args = ["story", "A keeper who counts logs", "--length", LENGTH, "--model", &model, "--out", "out"];
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = dir.read("out/report.md");
    assert!(
        written.contains("Part one") && written.contains("Part two") && !written.contains("References"),
        "{written}"
    );
    let run: Value = serde_json::from_str(&dir.read("out/run.json")).unwrap();
    assert_eq!((&run["status"], &run["request"]["mode"]), (&"done".into(), &"story".into()));
}

#[test]
fn limits_on_depth_and_nodes_end_the_planning() {
    let server = Scripted::start();
    let model = server.model();
    for (limit, tasks, note) in [
        (["--max-depth", "0"], 2, "layer 0 is the deepest allowed"),
        (["--max-nodes", "1"], 2, "the tree has 1 nodes"),
        (["--max-depth", "1"], 11, "layer 1 is the deepest allowed"),
    ] {
        let dir = TestDir::new();
        let output = dir.run(&report(&model, &["--out", "out", limit[0], limit[1]]));
        assert!(output.status.success(), "{limit:?}: {}", text(&output.stderr));
        let run: Value = serde_json::from_str(&dir.read("out/run.json")).unwrap();
        assert_eq!(run["tasks"], tasks, "{limit:?}");
        assert!(run["notes"].to_string().contains(note), "{limit:?}: {run:#}");
    }
}

#[test]
fn limits_hold_for_the_thinking_of_stories_too() {
    let design = |id: &str| json!({"id": id, "task_type": "think", "goal": format!("design {id}"), "dependency": []});
    let mut people = design("1");
    people["sub_tasks"] = json!([design("1.1"), design("1.2"), design("1.3")]);
    let write = json!({"id": "2", "task_type": "write", "goal": "Say how the log is written", "length": "120 words", "dependency": ["1"]});
    let plan = format!("<result>{}</result>", json!({"sub_tasks": [people, write]}));
    let server = Scripted::but(move |prompt| {
        let verdict = if prompt.contains("<goal_updating>") { "atomic" } else { "complex" };
        let verdict = format!("<result><atomic_task_determination>{verdict}</atomic_task_determination></result>");
        let is_verdict = prompt.contains("<atomic_task_determination>");
        is_verdict.then(|| answer(&verdict)).or_else(|| prompt.contains("You plan for a team").then(|| answer(&plan)))
    });
    let model = server.model();
    for (limit, tasks, note) in [
        (None, 10, None),
        (Some(["--max-depth", "1"]), 5, Some("layer 1 is the deepest allowed")),
        (Some(["--max-nodes", "3"]), 5, Some("the tree has 3 nodes")),
    ] {
        let dir = TestDir::new();
        let mut args = vec!["story", "A keeper", "--length", LENGTH, "--model", &model, "--out", "out"];
        args.extend(limit.iter().flatten());
        let output = dir.run(&args);
        assert!(output.status.success(), "{limit:?}: {}", text(&output.stderr));
        let run: Value = serde_json::from_str(&dir.read("out/run.json")).unwrap();
        assert_eq!(run["tasks"], tasks, "{limit:?}");
        assert!(note.is_none_or(|note| run["notes"].to_string().contains(note)), "{limit:?}: {run:#}");
    }
}

#[test]
fn a_report_without_a_corpus_says_that_it_searched_nothing() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&["report", QUESTION, "--length", LENGTH, "--model", &model, "--out", "out"]);
    let said = text(&output.stderr);
    assert!(output.status.success() && said.contains("add `--corpus DIR`"), "{said}");
    let run: Value = serde_json::from_str(&dir.read("out/run.json")).unwrap();
    assert!(run["notes"].to_string().contains("there was nothing to search"), "{run:#}");
}
