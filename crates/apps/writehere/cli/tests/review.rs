//! The review of plans: what is shown, what an answer changes, and what is refused.

use serde_json::{Value, json};

use crate::compatible::report;
use crate::planner::Scripted;
use crate::support::{TestDir, assert_report, text};

const KEY: &str = "plan/root/1";

fn answer(key: &str, verdict: &Value) -> String {
    format!("{key}={verdict}")
}

/// The goals of the tasks directly inside the whole, in order.
fn goals(dir: &TestDir, thread: &str) -> Vec<String> {
    let tree: Value = serde_json::from_slice(&dir.run(&["tree", thread, "--format", "json"]).stdout).unwrap();
    let inner = tree["inner_graph"]["node_list"].as_array().unwrap();
    inner.iter().map(|node| node["task_info"]["goal"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_plan_is_shown_before_it_is_carried_out_and_accepted_as_it_is() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let stopped = dir.run(&report(&model, &["--out", "out", "--thread", "seen", "--review-plan", "whole"]));
    assert_eq!(stopped.status.code(), Some(3), "{}", text(&stopped.stderr));
    let shown = text(&stopped.stdout);
    for part in [KEY, "\"review\": \"plan\"", "Say how recovery goes", "\"types\"", "writehere resume seen"] {
        assert!(shown.contains(part), "no `{part}`:\n{shown}");
    }
    assert_eq!(goals(&dir, "seen"), Vec::<String>::new(), "nothing is planned yet");
    let resumed = dir.run(&["resume", "seen"]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(text(&resumed.stderr).contains("the plan is carried out as it was shown"), "{}", text(&resumed.stderr));
    assert_report(&dir.path("out"));
    assert!(goals(&dir, "seen").contains(&"Say how recovery goes".to_owned()));
}

#[test]
fn a_changed_plan_is_carried_out_and_shown_again_where_something_was_put_right() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let begun = report(&model, &["--out", "out", "--thread", "changed", "--review-plan", "whole"]);
    assert_eq!(dir.run(&begun).status.code(), Some(3));
    let task = |id: &str, goal: &str, waits: &[&str]| json!({ "id": id, "goal": goal, "task_type": "write", "length": "60 words", "dependency": waits, "atom": true });
    // The second task waits for one that is not there.
    let faulty =
        json!({ "decision": "change", "tasks": [task("1", "First the log", &[]), task("2", "Then the file", &["7"])] });
    let again = dir.run(&["resume", "changed", "--answer", &answer(KEY, &faulty)]);
    assert_eq!(again.status.code(), Some(3), "{}", text(&again.stderr));
    let shown = text(&again.stdout);
    assert!(shown.contains("plan/root/2") && shown.contains("put_right") && shown.contains("`7`"), "{shown}");
    for (verdict, part) in [
        (json!({ "tasks": [] }), "decision"),
        (json!({ "decision": "perhaps" }), "perhaps"),
        (json!({ "decision": "change", "tasks": [{ "goal": 7 }] }), "`tasks[0].goal`"),
    ] {
        let refused = dir.run(&["resume", "changed", "--answer", &answer("plan/root/2", &verdict)]);
        assert_eq!(refused.status.code(), Some(2), "{verdict}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(part), "{verdict}: {}", text(&refused.stderr));
    }
    let better =
        json!({ "decision": "change", "tasks": [task("1", "First the log", &[]), task("2", "Then the file", &["1"])] });
    let resumed = dir.run(&["resume", "changed", "--answer", &answer("plan/root/2", &better)]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert_eq!(goals(&dir, "changed"), ["First the log", "Then the file"]);
    assert!(text(&resumed.stderr).contains("was changed in a review"), "{}", text(&resumed.stderr));
}

#[test]
fn a_plan_without_tasks_lets_the_whole_be_written_at_once() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let begun = report(&model, &["--out", "out", "--thread", "whole", "--review-plan", "all"]);
    assert_eq!(dir.run(&begun).status.code(), Some(3));
    let none = json!({ "decision": "change", "tasks": [] });
    let resumed = dir.run(&["resume", "whole", "--answer", &answer(KEY, &none)]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert_report(&dir.path("out"));
}
