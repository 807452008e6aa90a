//! Breakpoints: each kind stops a run, shows what is there, and lets it go on; what can never fit is refused.

use serde_json::json;
use wiremock::ResponseTemplate;

use crate::compatible::report;
use crate::planner::{Scripted, answer};
use crate::support::{TestDir, assert_report, text};

#[test]
fn every_kind_of_breakpoint_stops_the_run_and_it_goes_on() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    for (at, (point, parts)) in [
        ("node=3", vec!["\"node\": \"3\"", "\"stage\": \"before\""]),
        ("goal=recovery,stage=before", vec!["\"node\": \"2\"", "Find how recovery goes"]),
        ("status=NEED_UPDATE", vec!["\"status\": \"NEED_UPDATE\"", "\"action\": \"update\""]),
        ("next=PLAN_DONE,node=root", vec!["\"next\": \"PLAN_DONE\"", "\"inner_graph\""]),
        ("plan>4", vec!["\"stage\": \"after\"", "Order what was found"]),
        ("node=root,stage=prompt", vec!["\"stage\": \"prompt\"", "atomic_task_determination"]),
        ("node=root,stage=reply", vec!["\"stage\": \"reply\"", "complex"]),
        ("node=root,stage=parsed", vec!["\"stage\": \"parsed\"", "\"repairs\""]),
        ("node=root,stage=after,status=READY", vec!["\"stage\": \"after\"", "Say how the log is written"]),
        // How a task comes to an action, by a rule of the table after an action of another task.
        ("status=NOT_READY,node=3", vec!["\"next\": \"NEED_UPDATE\"", "every parent is FINISH", "\"node\": \"3\""]),
        ("next=FINAL_TO_FINISH,node=root", vec!["\"status\": \"DOING\"", "every inner task is FINISH"]),
        ("next=READY,status=NOT_READY", vec!["NOT_READY -> READY (condition: the outer task is DOING"]),
        ("node=4*,next=NEED_POST_REFLECT,status=READY", vec!["\"node\": \"4.0\"", "\"action\": \"execute\""]),
    ]
    .into_iter()
    .enumerate()
    {
        let (thread, out) = (format!("stop{at}"), format!("out{at}"));
        let output = dir.run(&report(&model, &["--out", &out, "--thread", &thread, "--break-at", point]));
        assert_eq!(output.status.code(), Some(3), "{point}: {}", text(&output.stderr));
        let shown = text(&output.stdout);
        parts.iter().for_each(|part| assert!(shown.contains(part), "{point} shows no `{part}`:\n{shown}"));
        assert!(shown.contains(&format!("writehere resume {thread}")), "{shown}");
        let output = dir.run(&["resume", &thread]);
        assert!(output.status.success(), "{point}: {}", text(&output.stderr));
        assert_report(&dir.path(&out));
    }
    // `plan>4` fits no smaller plan.
    let output = dir.run(&report(&model, &["--out", "whole", "--break-at", "plan>5"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_failure_stops_the_run_before_it_is_committed() {
    // The key is refused for one text, which no second try changes.
    let server = Scripted::but(|prompt| {
        let fails = prompt.contains("<article>") && prompt.contains("Say how recovery goes :**You Need To Write**");
        fails.then(|| ResponseTemplate::new(401).set_body_json(json!({"error": {"message": "no key"}})))
    });
    let (dir, model) = (TestDir::new(), server.model());
    let output =
        dir.run(&report(&model, &["--out", "out", "--thread", "failing", "--break-at", "next=FAILED,goal=recovery"]));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for part in ["\"node\": \"5.0\"", "\"next\": \"FAILED\"", "no key", "`5` DOING -> FAILED (inner task `5.0` failed)"]
    {
        assert!(shown.contains(part), "`{part}`:\n{shown}");
    }
    // The same run goes on with a model that answers, as if nothing had failed.
    let better = Scripted::start();
    let output = dir.run(&["resume", "failing", "--model", &better.model()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir.path("out"));
    assert!(!text(&dir.run(&["log", "failing"]).stdout).contains("FAILED"), "the failure was never committed");
}

#[test]
fn the_tasks_of_a_plan_are_counted_as_they_were_written() {
    let tasks: Vec<_> = (1..=12)
        .map(|number| json!({"id": number.to_string(), "task_type": "write", "goal": format!("Part {number}"), "length": "10 words", "dependency": []}))
        .collect();
    let plan = format!("<result>{}</result>", json!({ "sub_tasks": tasks }));
    let server = Scripted::but(move |prompt| prompt.contains("You plan for a team").then(|| answer(&plan)));
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&report(&model, &["--out", "out", "--thread", "many", "--break-at", "plan>10"]));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("Part 12"), "{}", text(&output.stdout));
    let output = dir.run(&report(&model, &["--out", "more", "--break-at", "plan>12"]));
    assert_eq!(output.status.code(), Some(0), "twelve are not more than twelve: {}", text(&output.stderr));
}

#[test]
fn answers_are_checked_before_anything_runs() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let stopped = dir.run(&report(&model, &["--out", "out", "--thread", "stop", "--break-at", "node=3"]));
    assert_eq!(stopped.status.code(), Some(3), "{}", text(&stopped.stderr));
    let calls = server.requests().len();
    for (answer, part) in [
        ("here", "has no `=`; write `--answer KEY=JSON`"),
        ("here=continue", "the answer `continue` to `here` is not JSON"),
        (r#"here="continue""#, "no open question `here`"),
    ] {
        let refused = dir.run(&["resume", "stop", "--answer", answer]);
        assert_eq!(refused.status.code(), Some(2), "{answer}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(part), "{answer}: {}", text(&refused.stderr));
    }
    assert_eq!(server.requests().len(), calls);
}
