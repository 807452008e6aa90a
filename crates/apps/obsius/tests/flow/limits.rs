//! Iterations, time, memory, size: every limit holds, and says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use graphloom_agents::Verdict;
use graphloom_core_graph::Outcome;
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, ResponseFormat,
};
use graphloom_obsius::state::{FailureClass, StopReason, size_of};
use serde_json::json;

use crate::support::{Place, action, phases, reviewed, run, scripted};

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
    let place = Place::new();
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
    let place = Place::new();
    let Outcome::Done(state) = run(&place.runs(restless()), place.session("Update all the soup notes")).await else {
        panic!("it ends")
    };
    assert_eq!(state.iteration.number, 24);
    assert!(state.working_memory.len() <= 50, "{}", state.working_memory.len());
    assert!(size_of(&state) <= 1 << 20);
}

/// Plans at once, and never answers when asked for actions the first `hangs` times.
struct Slow {
    inner: Arc<dyn ChatModel>,
    hangs: usize,
    asked: AtomicUsize,
}

#[async_trait]
impl ChatModel for Slow {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let acts = matches!(&request.format, ResponseFormat::JsonSchema { name, .. } if name == "actions");
        if acts && self.asked.fetch_add(1, Ordering::SeqCst) < self.hangs {
            std::future::pending::<()>().await;
        }
        self.inner.chat(request).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        self.inner.stream(request).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.inner.choose(request, options).await
    }
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
    let place = Place::new();
    let model = Slow { inner: writes_one(), hangs: 1, asked: AtomicUsize::new(0) };
    let state =
        reviewed(&place.runs(Arc::new(model)), place.session("Write one detailed note"), &[Verdict::Approve]).await;
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
    let place = Place::new();
    let before = place.bytes();
    let model = Slow { inner: writes_one(), hangs: usize::MAX, asked: AtomicUsize::new(0) };
    let Outcome::Done(state) = run(&place.runs(Arc::new(model)), place.session("Write one detailed note")).await else {
        panic!("it ends")
    };
    assert_eq!(state.failure.as_ref().unwrap().class, FailureClass::Timeout);
    assert_eq!(state.iteration.number, 4);
    assert_eq!(place.bytes(), before);
}

#[tokio::test(start_paused = true)]
async fn a_large_result_moves_to_a_blob_and_nothing_is_lost() {
    let place = Place::new();
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
