//! Slow calls are made a second time, in virtual time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_llm::layers::{Budgeted, HedgeAfter, Hedged, Ledger};
use graphloom_llm::prices::Price;
use graphloom_llm::scripted::Reply;
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Scripted, Usage,
};
use tokio::time::Instant;

/// A model whose calls take these many seconds, one after the other, then none; a failure is 0.
struct Paced {
    inner: Scripted,
    seconds: Mutex<Vec<u64>>,
    calls: AtomicUsize,
    /// Calls that came to their end.
    ended: AtomicUsize,
}

impl Paced {
    fn new(seconds: &[u64], local: bool) -> Arc<Self> {
        let usage = Usage { input: 100, output: 10, ..Usage::default() };
        let inner = Scripted::from_fn(move |_| Ok(Reply { usage: Some(usage), ..Reply::text("x") }));
        let capabilities = Capabilities { local, ..inner.capabilities().clone() };
        let seconds = Mutex::new(seconds.iter().rev().copied().collect());
        let (calls, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { inner: inner.with_capabilities(capabilities), seconds, calls, ended })
    }

    async fn turn(&self) -> Result<(), ModelError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let seconds = self.seconds.lock().unwrap().pop().unwrap_or_default();
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        self.ended.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn counts(&self) -> (usize, usize) {
        (self.calls.load(Ordering::SeqCst), self.ended.load(Ordering::SeqCst))
    }
}

#[async_trait]
impl ChatModel for Paced {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.turn().await?;
        self.inner.chat(request).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        self.turn().await?;
        self.inner.stream(request).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.turn().await?;
        self.inner.choose(request, options).await
    }
}

const AFTER: HedgeAfter = HedgeAfter::Time(Duration::from_secs(5));

#[tokio::test(start_paused = true)]
async fn the_first_answer_is_taken_and_the_other_call_is_dropped() {
    for (seconds, took, calls) in [(&[3][..], 3, 1), (&[100, 2], 7, 2), (&[8, 100], 8, 2)] {
        let model = Paced::new(seconds, false);
        let hedged = Hedged::new(Arc::clone(&model) as Arc<dyn ChatModel>, AFTER);
        let start = Instant::now();
        assert_eq!(hedged.chat(ChatRequest::user("x")).await.unwrap().text(), "x");
        assert_eq!((start.elapsed().as_secs(), model.counts()), (took, (calls, 1)), "{seconds:?}");
        tokio::time::sleep(Duration::from_secs(200)).await;
        assert_eq!(model.counts().1, 1, "the other call is gone");
    }
    let local = Paced::new(&[20], true);
    let hedged = Hedged::new(Arc::clone(&local) as Arc<dyn ChatModel>, AFTER);
    hedged.chat(ChatRequest::user("x")).await.unwrap();
    assert_eq!(local.counts(), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_asked_for_a_second_time_until_it_begins() {
    let model = Paced::new(&[100, 1], false);
    let ledger = Ledger::new("calls=9".parse().unwrap());
    let hedged = Hedged::new(Arc::clone(&model) as Arc<dyn ChatModel>, AFTER).counted_in(Arc::clone(&ledger), None);
    let budgeted = Budgeted::new(Arc::new(hedged), Arc::clone(&ledger)).unwrap();
    let start = Instant::now();
    let events: Vec<_> = budgeted.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    assert!(events.len() >= 2 && events.iter().all(Result::is_ok), "{events:?}");
    assert_eq!((start.elapsed().as_secs(), model.counts()), (6, (2, 1)));
    assert_eq!((ledger.spent().calls, ledger.spent().tokens), (2, 110 + 100));
}

#[tokio::test(start_paused = true)]
async fn both_calls_count_and_none_is_made_that_the_budget_has_no_room_for() {
    let price = Some(Price::new(1_000_000, 1_000_000));
    let run = async |budget: &str| {
        let ledger = Ledger::new(budget.parse().unwrap());
        let model = Paced::new(&[100, 1], false);
        let hedged = Hedged::new(Arc::clone(&model) as Arc<dyn ChatModel>, AFTER);
        let hedged = Arc::new(hedged.counted_in(Arc::clone(&ledger), price.clone()));
        let budgeted = Budgeted::priced(hedged, Arc::clone(&ledger), price.clone()).unwrap();
        budgeted.chat(ChatRequest::user("x")).await.unwrap();
        let spent = ledger.spent();
        assert_eq!(ledger.refusal(), None, "a second call that is not made is no refusal");
        (model.counts().0, spent.calls, spent.tokens, spent.usd_micros)
    };
    assert_eq!(run("calls=9,usd=1").await, (2, 2, 210, 210));
    assert_eq!(run("calls=1").await, (1, 1, 110, 110));
}

#[tokio::test(start_paused = true)]
async fn a_share_of_the_last_calls_says_when() {
    let mut seconds: Vec<u64> = (1..=10).collect();
    seconds.extend([100, 1]);
    let model = Paced::new(&seconds, false);
    let hedged = Hedged::new(Arc::clone(&model) as Arc<dyn ChatModel>, "p90".parse().unwrap());
    for _ in 0..10 {
        hedged.chat(ChatRequest::user("x")).await.unwrap();
    }
    assert_eq!(model.counts().0, 10, "too few were measured");
    let start = Instant::now();
    hedged.chat(ChatRequest::user("x")).await.unwrap();
    assert_eq!((start.elapsed().as_secs(), model.counts().0), (10, 12), "nine of ten had answered after 9 s");
}

#[test]
fn times_are_read() {
    for (text, expected) in [
        ("5s", Some(AFTER)),
        ("5", Some(AFTER)),
        ("p95", Some(HedgeAfter::Percentile(95))),
        ("p0", None),
        ("p100", None),
        ("0s", None),
        ("soon", None),
    ] {
        assert_eq!(text.parse().ok(), expected, "{text}");
    }
    let message = "soon".parse::<HedgeAfter>().unwrap_err().to_string();
    assert!(message.contains("`soon`") && message.contains("p95"), "{message}");
}
