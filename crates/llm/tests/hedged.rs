//! Slow calls are made a second time, in virtual time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_llm::layers::{Budgeted, Concurrency, HedgeAfter, Hedged, Ledger, RateLimit, RateLimited, Rates};
use graphloom_llm::prices::Price;
use graphloom_llm::scripted::Reply;
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Scripted, Usage,
};
use tokio::time::Instant;

/// A model whose calls take these many seconds, one after the other, then none.
struct Paced {
    inner: Scripted,
    seconds: Mutex<Vec<u64>>,
    /// The calls that then fail, by their number from 0.
    failing: Vec<usize>,
    calls: AtomicUsize,
    /// Calls that came to their end.
    ended: AtomicUsize,
}

impl Paced {
    fn new(seconds: &[u64], local: bool) -> Arc<Self> {
        Self::failing(seconds, &[], local)
    }

    fn failing(seconds: &[u64], failing: &[usize], local: bool) -> Arc<Self> {
        let usage = Usage { input: 100, output: 10, ..Usage::default() };
        let inner = Scripted::from_fn(move |_| Ok(Reply { usage: Some(usage), ..Reply::text("x") }));
        let capabilities = Capabilities { local, ..inner.capabilities().clone() };
        let seconds = Mutex::new(seconds.iter().rev().copied().collect());
        let (calls, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (inner, failing) = (inner.with_capabilities(capabilities), failing.to_vec());
        Arc::new(Self { inner, seconds, failing, calls, ended })
    }

    async fn turn(&self) -> Result<(), ModelError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let seconds = self.seconds.lock().unwrap().pop().unwrap_or_default();
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        self.ended.fetch_add(1, Ordering::SeqCst);
        if self.failing.contains(&call) {
            return Err(ModelError::Unreachable { url: "http://h".into(), message: format!("call {call}") });
        }
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
async fn a_failure_of_one_of_two_calls_is_none_and_the_last_one_of_both_is() {
    for (seconds, failing, took, expected) in [
        (&[8, 10][..], &[0][..], 15, Ok("x")),
        (&[20, 2], &[1], 20, Ok("x")),
        (&[8, 10], &[0, 1], 15, Err("call 1")),
        (&[3], &[0], 3, Err("call 0")),
    ] {
        let model = Paced::failing(seconds, failing, false);
        let ledger = Ledger::new("calls=9".parse().unwrap());
        let hedged = Hedged::new(Arc::clone(&model) as Arc<dyn ChatModel>, AFTER).counted_in(Arc::clone(&ledger), None);
        let start = Instant::now();
        let said = hedged.chat(ChatRequest::user("x")).await;
        assert_eq!((start.elapsed().as_secs(), model.counts().0), (took, seconds.len()), "{seconds:?} {failing:?}");
        match (said, expected) {
            (Ok(said), Ok(expected)) => assert_eq!(said.text(), expected),
            (Err(ModelError::Unreachable { message, .. }), Err(expected)) => assert_eq!(message, expected),
            other => panic!("{other:?}"),
        }
        assert_eq!(usize::try_from(ledger.spent().calls).unwrap(), seconds.len() - 1, "second calls are counted");
    }
}

/// The order that `layers` tells: the time in a line is not that of the server.
fn in_order(model: &Arc<Paced>, rates: &Rates, turns: usize, ledger: &Arc<Ledger>) -> Concurrency {
    let hedged = Hedged::new(Arc::clone(model) as Arc<dyn ChatModel>, AFTER);
    let hedged = hedged.counted_in(Arc::clone(ledger), None).within(rates);
    Concurrency::new(Arc::new(RateLimited::new(Arc::new(hedged), rates)), turns)
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_turn_is_not_slow() {
    let ledger = Ledger::new("calls=9".parse().unwrap());
    let model = Paced::new(&[4, 4, 4], false);
    let layers = in_order(&model, &Rates::new(RateLimit { requests: Some(2), tokens: None }), 1, &ledger);
    let start = Instant::now();
    let calls = futures::future::join_all((0..3).map(|_| layers.chat(ChatRequest::user("x")))).await;
    assert!(calls.iter().all(Result::is_ok));
    assert_eq!((start.elapsed().as_secs(), model.counts(), ledger.spent().calls), (64, (3, 3), 0));
}

#[tokio::test(start_paused = true)]
async fn a_second_call_keeps_to_the_rates_of_its_host() {
    for (requests, took, calls) in [(1, 100, 1), (2, 6, 2)] {
        let ledger = Ledger::new("calls=9".parse().unwrap());
        let model = Paced::new(&[100, 1], false);
        let rates = Rates::new(RateLimit { requests: Some(requests), tokens: None });
        let layers = in_order(&model, &rates, 9, &ledger);
        let start = Instant::now();
        layers.chat(ChatRequest::user("x")).await.unwrap();
        assert_eq!((start.elapsed().as_secs(), model.counts().0), (took, calls), "{requests} requests a minute");
        assert_eq!(usize::try_from(ledger.spent().calls).unwrap(), calls - 1);
    }
}

#[tokio::test(start_paused = true)]
async fn beginnings_of_streams_say_nothing_of_whole_answers() {
    let mut seconds = vec![1; 10];
    seconds.extend([20, 20, 3]);
    let model = Paced::new(&seconds, false);
    let hedged = Hedged::new(Arc::clone(&model) as Arc<dyn ChatModel>, "p90".parse().unwrap());
    for _ in 0..10 {
        let _events: Vec<_> = hedged.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    }
    hedged.chat(ChatRequest::user("x")).await.unwrap();
    assert_eq!(model.counts().0, 11, "no whole answer was measured");
    let start = Instant::now();
    let _events: Vec<_> = hedged.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    assert_eq!((start.elapsed().as_secs(), model.counts().0), (4, 13));
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
