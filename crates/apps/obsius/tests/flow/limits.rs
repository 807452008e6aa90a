//! Iterations, time, memory, size: every limit holds, and says so.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use graphloom_agents::Verdict;
use graphloom_core_graph::Outcome;
use graphloom_llm::{ChatModel, ResponseFormat};
use graphloom_obsius::state::{FailureClass, StopReason, size_of};
use graphloom_test_support::models::{before, delayed};
use serde_json::json;

use super::support::{TestVault, action, call, phases, reviewed, run, scripted};

/// A model whose actions need what is never there, while each visit does something else that works.
fn restless() -> Arc<dyn ChatModel> {
    scripted(|kind, count, _| {
        Ok(match kind {
            "plan" => json!({"keywords": ["machine"], "title": null, "answer": null, "subtasks": [
                {"goal": "change it", "kind": "update", "depends_on": [], "criteria": [{"check": "note_changed", "note": "Soup"}]},
            ]}),
            _ => json!({"answer": null, "actions": [
                action("a", "search_notes", &json!({"query": format!("word{count}")}), &[])]}),
        })
    })
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_iterations_is_a_stop_reason_and_no_bare_complete() {
    let place = TestVault::new();
    let mut info = place.session("Update all the soup notes");
    info.config.max_iterations = 5;
    let Outcome::Done(state) = run(&place.runs(restless()), info).await else { panic!("it ends") };
    let outcome = state.outcome.as_ref().unwrap();
    assert_eq!(outcome.stop, StopReason::IterationLimit { iterations: 5 });
    assert!(!outcome.is_complete && outcome.answer.contains("limit of 5 iterations"), "{outcome:?}");
    assert_eq!(phases(&state).iter().filter(|phase| *phase == "analyze").count(), 5);
    assert_eq!(phases(&state).last().unwrap(), "complete");
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_after_twenty_four_iterations_unless_told_otherwise() {
    let place = TestVault::new();
    let Outcome::Done(state) = run(&place.runs(restless()), place.session("Update all the soup notes")).await else {
        panic!("it ends")
    };
    assert_eq!(state.iteration.number, 24);
    assert!(state.working_memory.len() <= 50, "{}", state.working_memory.len());
    assert!(size_of(&state) <= 1 << 20);
}

/// A model that plans at once, and never answers these times when it is asked for actions or talks.
fn hanging(inner: Arc<dyn ChatModel>, hangs: Range<usize>) -> Arc<dyn ChatModel> {
    let asked = AtomicUsize::new(0);
    before(inner, move |request| {
        let acts = match &request.format {
            ResponseFormat::JsonSchema { name, .. } => name == "actions",
            _ => true,
        };
        let hangs = acts && hangs.contains(&asked.fetch_add(1, Ordering::SeqCst));
        async move {
            if hangs {
                std::future::pending::<()>().await;
            }
        }
    })
}

fn writes_one() -> Arc<dyn ChatModel> {
    scripted(|kind, _, _| {
        Ok(match kind {
            "plan" => json!({"keywords": [], "title": "One", "answer": null, "subtasks": [
                {"goal": "write it", "kind": "create", "depends_on": [], "criteria": []}]}),
            _ => {
                json!({"answer": null, "actions": [action("a", "create_note", &json!({"title": "One", "content": "1"}), &[])]})
            }
        })
    })
}

#[tokio::test(start_paused = true)]
async fn an_iteration_that_runs_out_of_time_counts_and_returns_to_analyze() {
    let place = TestVault::new();
    let model = hanging(writes_one(), 0..1);
    let state = reviewed(&place.runs(model), place.session("Write one detailed note"), &[Verdict::Approve]).await;
    assert_eq!(
        phases(&state),
        ["assess", "initialize", "analyze", "execute", "analyze", "execute", "reflect", "complete"]
    );
    assert_eq!(state.iteration.number, 2);
    assert!(state.notes.iter().any(|note| note.contains("ran out of the 30000 ms")), "{:?}", state.notes);
    assert!(place.bytes().contains_key("One.md"));
}

#[tokio::test(start_paused = true)]
async fn iterations_that_always_run_out_of_time_stop_the_run() {
    let place = TestVault::new();
    let before = place.bytes();
    let model = hanging(writes_one(), 0..usize::MAX);
    let Outcome::Done(state) = run(&place.runs(model), place.session("Write one detailed note")).await else {
        panic!("it ends")
    };
    assert_eq!(state.failure.as_ref().unwrap().class, FailureClass::Timeout);
    assert_eq!(state.iteration.number, 4);
    assert_eq!(place.bytes(), before);
}

/// Edits two notes, and never answers when it is asked for more the next `hangs` times.
fn edits_then_hangs(hangs: usize) -> Arc<dyn ChatModel> {
    let inner = scripted(|kind, count, _| {
        Ok(match kind {
            "plan" => json!({"keywords": [], "title": null, "answer": null, "subtasks": [
                {"goal": "change them", "kind": "update", "depends_on": [], "criteria": [
                    {"check": "note_contains", "note": "Soup", "text": "the end"}]}]}),
            _ => {
                let text = if count == 1 { "begun" } else { "the end" };
                json!({"answer": null, "actions": [
                    action("a", "update_note", &json!({"path": "Soup.md", "operation": "append", "content": text}), &[])]})
            }
        })
    });
    hanging(inner, 1..1 + hangs)
}

#[tokio::test(start_paused = true)]
async fn timeouts_leave_what_was_done_which_can_be_written() {
    let place = TestVault::new();
    let runs = place.runs(edits_then_hangs(usize::MAX - 1));
    let Outcome::Waiting(questions) = run(&runs, place.session("Update all the soup notes")).await else {
        panic!("it asks")
    };
    let asked = questions.iter().next().unwrap().payload.to_string();
    assert!(asked.contains("not complete, 3 iterations in a row ran out of their 30000 ms"), "{asked}");
    assert!(asked.contains("+begun"), "{asked}");
    let answers = graphloom_core_graph::Answers::new().and("review", Verdict::Approve).unwrap();
    let Outcome::Done(state) = runs.thread("run-1").resume(answers).await.unwrap() else { panic!("it ends") };
    let outcome = state.outcome.as_ref().unwrap();
    assert_eq!(outcome.stop, StopReason::OutOfTime { times: 3, limit_ms: 30_000 });
    assert!(!outcome.is_complete && outcome.answer.contains("Not complete: 3 iterations"), "{outcome:?}");
    assert!(String::from_utf8_lossy(&place.bytes()["Soup.md"]).ends_with("begun\n"));
}

#[tokio::test(start_paused = true)]
async fn after_timeouts_a_run_goes_on_with_more_time_and_keeps_what_was_done() {
    let place = TestVault::new();
    let info = place.session("Update all the soup notes");
    let mut more = info.config.clone();
    more.iteration_timeout_ms = 60_000;
    let store = graphloom_core_graph::checkpoint::MemoryCheckpointer::new();
    let model = edits_then_hangs(3);
    let runs = place.runs_in(&store, Arc::clone(&model), None);
    let Outcome::Waiting(_) = run(&runs, info).await else { panic!("it asks") };
    let again = place.runs_in(&store, model, Some(more));
    let thread = again.thread("run-1");
    let state = thread.state().await.unwrap().state;
    thread.update_state(graphloom_obsius::REVIEW, graphloom_obsius::continue_partial_work(&state)).await.unwrap();
    let Outcome::Waiting(_) = thread.continue_().await.unwrap() else { panic!("it asks again") };
    let state = thread.state().await.unwrap().state;
    assert!(state.stop.as_ref().unwrap().is_success(), "{:?}", state.stop);
    assert_eq!((state.session.config.iteration_timeout_ms, state.iteration.timeouts), (60_000, 0));
    let text = state.changes.iter().next().unwrap().1.after.clone().unwrap();
    assert!(text.ends_with("begun\nthe end\n"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn time_of_a_simple_request_that_runs_out_keeps_what_was_done_and_it_goes_on_from_there() {
    let place = TestVault::new();
    let info = place.session("Add lines to Soup");
    let mut more = info.config.clone();
    more.iteration_timeout_ms = 60_000;
    let inner = scripted(|_, count, prompt| {
        Ok(match count {
            1 => call("update_note", &json!({"path": "Soup.md", "operation": "append", "content": "begun"})),
            // The second time nothing of the first conversation is there but what was done.
            2 => {
                assert!(
                    prompt.contains("Do not make them again") && prompt.contains("ok: `update_note` Soup.md"),
                    "{prompt}"
                );
                call("update_note", &json!({"path": "Soup.md", "operation": "append", "content": "the end"}))
            }
            _ => json!("Both lines are there."),
        })
    });
    let model = hanging(inner, 1..2);
    let store = graphloom_core_graph::checkpoint::MemoryCheckpointer::new();
    let runs = place.runs_in(&store, Arc::clone(&model), None);
    let Outcome::Waiting(_) = run(&runs, info).await else { panic!("it asks") };
    let state = runs.thread("run-1").state().await.unwrap().state;
    assert_eq!(state.stop, Some(StopReason::OutOfTime { times: 1, limit_ms: 30_000 }));
    let again = place.runs_in(&store, model, Some(more));
    let thread = again.thread("run-1");
    thread.update_state(graphloom_obsius::REVIEW, graphloom_obsius::continue_partial_work(&state)).await.unwrap();
    let Outcome::Waiting(_) = thread.continue_().await.unwrap() else { panic!("it asks again") };
    let answers = graphloom_core_graph::Answers::new().and("review", Verdict::Approve).unwrap();
    let Outcome::Done(state) = thread.resume(answers).await.unwrap() else { panic!("it ends") };
    assert!(state.outcome.as_ref().unwrap().is_complete, "{:?}", state.outcome);
    assert!(String::from_utf8_lossy(&place.bytes()["Soup.md"]).ends_with("begun\nthe end\n"));
}

#[tokio::test(start_paused = true)]
async fn time_of_models_and_of_tools_is_counted_apart() {
    let place = TestVault::new();
    // Two calls of twenty seconds are more than an iteration has, and one is not.
    let slow = delayed(writes_one(), Duration::from_secs(20));
    let state = reviewed(&place.runs(slow), place.session("Write one detailed note"), &[Verdict::Approve]).await;
    assert_eq!(state.iteration.number, 2, "{:?}", state.notes);
    assert!(state.notes.iter().any(|note| note.contains("of its iteration for models")), "{:?}", state.notes);
    assert_eq!(state.execution_metrics.model_time, 20_000 + 10_000 + 20_000);
    assert_eq!(state.execution_metrics.work_time, 0);
}

#[tokio::test(start_paused = true)]
async fn a_large_result_moves_to_a_blob_and_nothing_is_lost() {
    let place = TestVault::new();
    std::fs::write(place.vault().join("Long.md"), "long line\n".repeat(20_000)).unwrap();
    let model = scripted(|kind, _, _| {
        Ok(match kind {
            "plan" => json!({"keywords": [], "title": "One", "answer": null, "subtasks": [
                {"goal": "write it", "kind": "create", "depends_on": [], "criteria": []}]}),
            _ => json!({"answer": null, "actions": [
                action("r", "read_note", &json!({"path": "Long.md"}), &[]),
                action("a", "create_note", &json!({"title": "One", "content": "1"}), &["r"])]}),
        })
    });
    let mut info = place.session("Write one detailed note");
    info.config.max_state_size = 32 * 1024;
    let state = reviewed(&place.runs(model), info, &[Verdict::Approve]).await;
    assert!(state.outcome.as_ref().unwrap().is_complete);
    let read = state.executed_actions.first().unwrap();
    assert!(read.result.blob.is_some(), "{}", read.result.message.len());
    assert!(graphloom_obsius::state::read_blob(&state, read).0.len() > 10_000);
}
