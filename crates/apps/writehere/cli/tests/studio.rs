//! `--studio`: a run is shown while it lasts, stopped and answered there. The model is scripted.

use std::time::Duration;

use graphloom_test_support::studio::Shown;
use serde_json::json;

use crate::compatible::report;
use crate::planner::Scripted;
use crate::support::{TestDir, assert_report, text};

/// A program whose run stops before its third task, with its question.
fn asking(dir: &TestDir, model: &str, thread: &str, more: &[&str]) -> Shown {
    let stops = ["--out", "out", "--thread", thread, "--break-at", "node=3,next=PLAN_DONE", "--studio", "--json"];
    let mut shown = Shown::start(dir.command(&[&report(model, &stops)[..], more].concat()));
    shown.until("question");
    shown
}

#[test]
fn a_run_is_shown_while_it_lasts_and_its_question_is_answered_there() {
    let server = Scripted::start();
    let dir = TestDir::new();
    let shown = asking(&dir, &server.model(), "shown", &[]);
    let link = shown.told["url"].as_str().unwrap();
    assert!(
        link.starts_with("http://127.0.0.1:") && link.ends_with(&format!("/studio/#/threads/{}", shown.thread_id()))
    );
    assert!(shown.get("/studio/").contains("<title>"));
    assert!(shown.get("/assistants/writehere/graph").contains("final"), "the graph is served");

    // The run so far: a record, a state, tasks, and the question.
    let thread = shown.after_run();
    assert_eq!((&thread["status"], &thread["metadata"]["run"]), (&json!("interrupted"), &json!("shown")), "{thread:#}");
    let waiting = thread["interrupts"].as_object().unwrap().values().next().unwrap();
    assert_eq!(waiting[0]["value"]["node"], "3", "{thread:#}");
    assert!(waiting[0].to_string().contains("Go on from the breakpoint"), "it has a form: {thread:#}");
    let state = shown.thread("/state");
    assert_eq!(state["values"]["request"]["mode"], "report");
    let history = shown.thread("/history?limit=100");
    assert!(history.as_array().unwrap().len() > 3, "{history:#}");
    let run = shown.newest_run();
    let tasks = shown.get(&format!("/threads/{}/runs/{run}/stream?stream_mode=tasks", shown.thread_id()));
    assert!(tasks.contains("event: tasks") && tasks.contains("\"name\":\"plan\""), "{tasks}");

    // Another run is none of this program's.
    let (_, other) = shown.post("/runs/wait", &json!({ "assistant_id": "writehere", "input": { "notes": ["x"] } }));
    assert!(other.contains("this program serves its own run `shown` only"), "{other}");

    shown.start_run(&json!({ "assistant_id": "writehere", "command": { "resume": "continue" } }));
    let ended = shown.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert_eq!(ended.result["status"], "done", "{}", ended.result);
    assert!(ended.stderr.contains("studio: http://127.0.0.1:"), "{}", ended.stderr);
    assert!(ended.stderr.contains("the run waits for an answer in the studio"), "{}", ended.stderr);
    assert_report(&dir.path("out"));
    // The run is in the store under its own name, and nothing beside it.
    let runs = text(&dir.run(&["runs"]).stdout);
    assert!(runs.contains("shown") && runs.contains("done") && runs.lines().count() == 2, "{runs}");
}

#[test]
fn a_run_that_is_left_waiting_goes_on_with_resume() {
    let server = Scripted::start();
    let dir = TestDir::new();
    let mut shown = asking(&dir, &server.model(), "shown", &[]);
    shown.until("waiting");
    shown.interrupt();
    let ended = shown.end();
    assert_eq!((ended.status.code(), &ended.result["status"]), (Some(3), &json!("waiting")), "{}", ended.stderr);
    // The same thread is at the same place of another server, and goes on there.
    let first = ended.result["result"]["run"].clone();
    assert_eq!(first, "shown");
    let resumed = Shown::start(dir.command(&["resume", "shown", "--studio", "--json"])).end();
    assert_eq!(resumed.status.code(), Some(0), "{}", resumed.stderr);
    assert_report(&dir.path("out"));
    // Where nothing is asked, the run ends as without the studio.
    let silent = asking(&dir, &server.model(), "silent", &["--no-input"]).end();
    assert_eq!(silent.status.code(), Some(3), "{}", silent.stderr);
}

#[test]
fn a_run_is_stopped_in_the_studio() {
    let server = Scripted::but(|prompt| {
        prompt.contains("<article>").then(|| crate::planner::answer("late").set_delay(Duration::from_secs(600)))
    });
    let dir = TestDir::new();
    let stops = ["--out", "out", "--thread", "shown", "--studio", "--json"];
    let mut shown = Shown::start(dir.command(&report(&server.model(), &stops)));
    while shown.until("task_started")["task"].as_str().is_none() {}
    let thread = shown.thread("");
    assert_eq!(thread["status"], "busy", "{thread:#}");
    let (status, text) =
        shown.post(&format!("/threads/{}/runs/{}/cancel?wait=true", shown.thread_id(), shown.newest_run()), &json!({}));
    assert!(status < 300, "{status}: {text}");
    let ended = shown.end();
    assert_eq!(ended.status.code(), Some(130), "{}", ended.stderr);
    assert_eq!(ended.result["result"]["resume"], "writehere resume shown", "{}", ended.result);
}
