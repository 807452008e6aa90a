//! Every stream ends with `ALL END`, and a run that is stopped can be continued.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Outcome, RunError};
use graphloom_deepsearch::graph::graph;
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::stream::{MessageEvent, Transcript};
use graphloom_deepsearch::{GraphKind, SearchContext};
use graphloom_llm::layers::{Budget, Budgeted, Ledger};
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Scripted,
};

use super::model::{Main, ask, follow, loud, quiet, resources, runs};
use super::script::PromptKind;
use super::world::{Library, codes, resources_of, web};

#[tokio::test(start_paused = true)]
async fn agents_start_and_are_done() {
    let ended = ask(&Main::default(), "How common are storks?", quiet()).await;
    for agent in ["outline", "reporter"] {
        let events: Vec<MessageEvent> =
            ended.said.iter().filter(|message| message.agent == agent).map(|message| message.event).collect();
        assert_eq!(events, [MessageEvent::Start, MessageEvent::Message, MessageEvent::Done], "{agent}");
    }
    let end: Vec<&str> = ended.of("end");
    let end = &end[end.len() - 2..];
    let result: serde_json::Value = serde_json::from_str(end[0]).unwrap();
    for key in
        ["response_content", "citation_messages", "infer_messages", "chart_messages", "warning_info", "exception_info"]
    {
        assert!(result.get(key).is_some(), "{key}");
    }
    assert_eq!(end[1..], ["ALL END"]);
    assert!(ended.said.iter().all(|message| message.conversation_id == "test" && message.role == "assistant"));
}

#[test]
fn a_stream_is_closed_however_its_run_ends() {
    let failed: Result<Outcome<SearchContext>, RunError> = Err(RunError::TaskFailed {
        node: "reporter".into(),
        task: "t".into(),
        attempts: 1,
        message: "disk full".into(),
    });
    let closing = Transcript::new("test").close(&failed);
    assert_eq!(closing.len(), 2);
    assert!(closing[0].event == MessageEvent::Error && closing[0].content.contains("disk full"));
    assert_eq!((closing[1].content.as_str(), closing[1].agent.as_str()), ("ALL END", "framework"));
}

#[tokio::test]
async fn a_cancelled_run_says_so_and_goes_on_later() {
    let main = Main::default();
    let runs = runs(&main, &quiet());
    let thread = runs.thread("test");
    let mut run = thread.run(SearchContext::update().request(Request::new("How common are storks?", quiet())));
    let handle = run.handle();
    let mut transcript = Transcript::new("test");
    let mut said = Vec::new();
    while let Some(event) = run.next().await {
        if let Some(message) = transcript.observe(&event) {
            if message.agent == "outline" {
                handle.cancel();
            }
            said.push(message);
        }
    }
    let outcome = run.await;
    assert!(matches!(outcome, Ok(Outcome::Cancelled { .. })), "{outcome:?}");
    said.extend(transcript.close(&outcome));
    let last: Vec<_> = said.iter().rev().take(2).map(|message| message.event).collect();
    assert_eq!(last, [MessageEvent::SummaryResponse, MessageEvent::Cancel]);

    let ended = follow(thread.continue_()).await;
    assert!(!ended.state().final_result.response_content.is_empty());
    assert_eq!(main.prompts("outline").len(), 1, "the outline is not made twice");
}

#[tokio::test(start_paused = true)]
async fn a_budget_leaves_room_for_the_report() {
    let whole = Main::default();
    let ended = ask(&whole, "How common are storks?", quiet()).await;
    assert!(ended.state().fatal().is_none());
    let calls = (whole.sections.total() + 5) as u64;
    for limit in (12..calls).step_by(4) {
        let main = Main::default();
        let mut budget = Budget::default();
        budget.calls = Some(limit);
        let ledger = Ledger::new(budget);
        let plain = resources(&main);
        let model = Budgeted::new(Arc::clone(plain.models.role("general")), Arc::clone(&ledger)).unwrap();
        let mut resources = resources_of(Arc::new(model), web(&Library::named("tavily")));
        resources.ledger = ledger;
        let graph = graph(GraphKind::Parallel);
        let threads = graph.with_context(resources).with_checkpointer(MemoryCheckpointer::new());
        let request = Request::new("How common are storks?", quiet());
        let ended = follow(threads.thread("test").run(SearchContext::update().request(request))).await;
        let state = ended.state();
        assert!(state.fatal().is_none(), "{limit} of {calls}: {:?}", codes(&state.notices));
        assert!(state.final_result.response_content.contains("# 1. "), "{limit} of {calls}");
        assert!(main.sections.count(PromptKind::Write) > 0, "{limit} of {calls}: something was written by the model");
        assert!(state.spent.calls <= limit);
        assert!(codes(&state.notices).contains(&"212413w".to_owned()), "{limit} of {calls}: what is missing is told");
        assert!(state.spent.degraded > 0, "{limit} of {calls}: what was left out is counted");
    }
}

/// A model that never answers.
struct Silent(Scripted);

#[async_trait]
impl ChatModel for Silent {
    fn id(&self) -> &ModelId {
        self.0.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.0.capabilities()
    }

    async fn chat(&self, _: ChatRequest) -> Result<ChatResponse, ModelError> {
        std::future::pending().await
    }

    async fn stream(&self, _: ChatRequest) -> Result<ChatStream, ModelError> {
        std::future::pending().await
    }

    async fn choose(&self, _: ChatRequest, _: &[String]) -> Result<Choice, ModelError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_has_its_time() {
    let silent = Silent(Scripted::from_fn(|_: &ChatRequest| Ok("never said")));
    let mut resources = resources_of(Arc::new(silent), web(&Library::named("tavily")));
    resources.call_limit = Duration::from_secs(300);
    let threads = graph(GraphKind::Parallel).with_context(resources).with_checkpointer(MemoryCheckpointer::new());
    let begun = tokio::time::Instant::now();
    let request = Request::new("How common are storks?", quiet());
    let ended = follow(threads.thread("test").run(SearchContext::update().request(request))).await;
    assert_eq!(codes(&ended.state().notices), ["211600f"]);
    assert!(ended.state().result().exception_info.contains("did not answer within 300s"));
    assert_eq!(begun.elapsed().as_secs(), 300);
}

/// A model whose server takes every request and never answers it, until the same is asked again.
struct HangsOnce<M> {
    inner: M,
    capabilities: Capabilities,
    asked: Mutex<BTreeSet<String>>,
}

impl<M: ChatModel> HangsOnce<M> {
    async fn turn(&self, request: &ChatRequest) {
        let is_new = self.asked.lock().unwrap().insert(serde_json::to_string(request).unwrap());
        if is_new {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for HangsOnce<M> {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.turn(&request).await;
        self.inner.chat(request).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        self.turn(&request).await;
        self.inner.stream(request).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.turn(&request).await;
        self.inner.choose(request, options).await
    }
}

#[tokio::test(start_paused = true)]
async fn every_call_that_hangs_is_made_again_within_its_limit() {
    let plain = ask(&Main::default(), "How common are storks?", loud()).await;
    let inner = Main::default().model();
    // A script is inside the process; a server is not.
    let capabilities = Capabilities { local: false, ..inner.capabilities().clone() };
    let hanging = HangsOnce { inner, capabilities, asked: Mutex::default() };
    let mut resources = resources_of(Arc::new(hanging), web(&Library::named("tavily")));
    resources.call_limit = Duration::from_secs(4);
    let threads = graph(GraphKind::Parallel).with_context(resources).with_checkpointer(MemoryCheckpointer::new());
    let request = Request::new("How common are storks?", loud());
    let run = follow(threads.thread("test").run(SearchContext::update().request(request)));
    let hour = Duration::from_secs(3600);
    let ended = tokio::time::timeout(hour, run).await.expect("no call goes without its limit");
    let (state, plain) = (ended.state(), plain.state());
    assert_eq!(codes(&state.notices), codes(&plain.notices));
    assert_eq!(state.final_result.response_content, plain.final_result.response_content);
}
