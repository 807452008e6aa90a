//! Layers around models, in virtual time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_llm::layers::{
    Budgeted, Concurrency, Fallback, FallbackModel, Hedged, Ledger, Meter, Metered, Retry, RetryPolicy, RouteOrder,
    Spent, Traced, Turns,
};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Notes,
    Params, Scripted, Usage, events_of,
};
use tokio::time::Instant;

fn busy(retry_after: Option<Duration>) -> ModelError {
    ModelError::RateLimited { model: "m".into(), message: "busy".into(), retry_after, request_id: None }
}

/// A model that fails with the errors in order, then answers.
fn failing(errors: Vec<ModelError>) -> Arc<Scripted> {
    let left = Mutex::new(errors.into_iter());
    Arc::new(Scripted::from_fn(move |_| left.lock().unwrap().next().map_or(Ok("done"), Err)))
}

/// A model whose calls take a second each, and that counts how many run at once. Its streams break off after a piece, so
/// many times.
#[derive(Debug)]
pub(crate) struct Breaks {
    inner: Scripted,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    breaks: AtomicUsize,
}

impl Breaks {
    pub(crate) fn new() -> Self {
        Self::times(usize::MAX)
    }

    fn times(breaks: usize) -> Self {
        let (running, most, breaks) = (Arc::default(), Arc::default(), AtomicUsize::new(breaks));
        Self { inner: Scripted::from_fn(|_| Ok("done")), running, most, breaks }
    }

    async fn work(&self) {
        let now = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl ChatModel for Breaks {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.work().await;
        self.inner.chat(request).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let response = self.inner.chat(request).await?;
        let error = ModelError::StreamInterrupted { model: "m".into(), partial: "do".into(), message: "cut".into() };
        let mut events: Vec<Result<ChatEvent, ModelError>> = events_of(response, 2).into_iter().map(Ok).collect();
        let breaks = self.breaks.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if breaks.is_ok() {
            events.truncate(1);
            events.push(Err(error));
        }
        Ok(futures::stream::iter(events).boxed())
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.inner.choose(request, options).await
    }
}

/// A model whose streams end without an event, and must not be polled again.
#[derive(Debug)]
struct Silent(Scripted);

#[async_trait]
impl ChatModel for Silent {
    fn id(&self) -> &ModelId {
        self.0.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.0.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.0.chat(request).await
    }

    async fn stream(&self, _: ChatRequest) -> Result<ChatStream, ModelError> {
        Ok(futures::stream::unfold((), |()| async { None }).boxed())
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.0.choose(request, options).await
    }
}

#[tokio::test]
async fn a_stream_that_has_ended_is_not_polled_again() {
    let silent = || -> Arc<dyn ChatModel> { Arc::new(Silent(Scripted::from_fn(|_| Ok("x")))) };
    let fallback = Fallback::new(vec![FallbackModel::new(silent())], RouteOrder::AsGiven, Notes::default()).unwrap();
    let layers: [Box<dyn ChatModel>; 3] = [
        Box::new(Retry::new(silent(), RetryPolicy::default())),
        Box::new(Hedged::new(silent(), "5s".parse().unwrap())),
        Box::new(fallback),
    ];
    for layer in layers {
        let events: Vec<_> = layer.stream(ChatRequest::user("x")).await.unwrap().collect().await;
        assert!(events.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn retries_wait_and_end() {
    let invalid = ModelError::Invalid { model: "m".into(), message: "no".into(), request_id: None };
    let cases = [
        (vec![busy(None), busy(None)], 3, Ok(Duration::from_millis(1500))),
        (vec![busy(Some(Duration::from_secs(30)))], 2, Ok(Duration::from_secs(30))),
        (vec![busy(Some(Duration::from_secs(500)))], 1, Err("rate_limited")),
        (vec![busy(None); 9], 4, Err("rate_limited")),
        (vec![busy(None), invalid], 2, Err("invalid")),
    ];
    for (errors, calls, expected) in cases {
        let model = failing(errors);
        let policy = RetryPolicy::default();
        let mut exact = policy.clone();
        exact.jitter = 0.0;
        let layer = Retry::new(Arc::clone(&model) as Arc<dyn ChatModel>, exact);
        let started = Instant::now();
        match (layer.chat(ChatRequest::user("x")).await, expected) {
            (Ok(_), Ok(wait)) => assert_eq!(started.elapsed().as_millis(), wait.as_millis()),
            (Err(error), Err(kind)) => assert_eq!(serde_json::to_value(&error).unwrap()["error"], kind),
            other => panic!("{other:?}"),
        }
        assert_eq!(model.calls().len(), calls);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_off_is_tried_again_and_its_reader_told() {
    let model = failing(vec![busy(None)]);
    let layer = Retry::new(Arc::clone(&model) as Arc<dyn ChatModel>, RetryPolicy::default());
    let events: Vec<_> = layer.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    assert!(matches!(events.last(), Some(Ok(ChatEvent::Done(_)))));
    assert_eq!(model.calls().len(), 2);

    for breaks in [1, 3] {
        let broken = Arc::new(Breaks::times(breaks));
        let layer = Retry::new(Arc::clone(&broken) as Arc<dyn ChatModel>, RetryPolicy::default());
        let events: Vec<_> = layer.stream(ChatRequest::user("x")).await.unwrap().collect().await;
        let restarts = events
            .iter()
            .filter(|event| matches!(event, Ok(ChatEvent::Restart { message }) if message.contains("cut")));
        assert_eq!((restarts.count(), broken.inner.calls().len()), (breaks, breaks + 1));
        let last = events.iter().rposition(|event| matches!(event, Ok(ChatEvent::Restart { .. }))).unwrap();
        let text = |event: &Result<ChatEvent, ModelError>| match event {
            Ok(ChatEvent::TextDelta { text }) => text.clone(),
            _ => String::new(),
        };
        let Some(Ok(ChatEvent::Done(response))) = events.last() else { panic!("{events:?}") };
        assert_eq!(events[last..].iter().map(text).collect::<String>(), response.text());
    }
    // As often as before the first event, and no more.
    let broken = Arc::new(Breaks::new());
    let layer = Retry::new(Arc::clone(&broken) as Arc<dyn ChatModel>, RetryPolicy::default());
    let events: Vec<_> = layer.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    assert!(matches!(events.last(), Some(Err(ModelError::StreamInterrupted { .. }))), "{events:?}");
    assert_eq!(broken.inner.calls().len(), 4);
    // A turn at the server is given back before the next try.
    let turns = Concurrency::new(Arc::new(Breaks::times(1)), 1);
    let layer = Retry::new(Arc::new(turns), RetryPolicy::default());
    let events: Vec<_> = layer.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    assert!(matches!(events.last(), Some(Ok(ChatEvent::Done(_)))), "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn each_try_of_a_stream_counts_against_the_budget_with_its_prompt() {
    let ledger = Ledger::new("tokens=10k".parse().unwrap());
    let layer = Retry::new(Arc::new(Breaks::times(2)), RetryPolicy::default());
    let model = Budgeted::new(Arc::new(layer), Arc::clone(&ledger)).unwrap();
    let events: Vec<_> = model.stream(ChatRequest::user("four")).await.unwrap().collect().await;
    let Some(Ok(ChatEvent::Done(response))) = events.last() else { panic!("{events:?}") };
    assert_eq!(ledger.spent().tokens, response.usage.total() + 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_none_costs_three_calls() {
    let unreadable = ModelError::Unreadable { model: "m".into(), partial: String::new(), message: "empty".into() };
    let model = failing(vec![unreadable; 9]);
    let layer = Retry::new(Arc::clone(&model) as Arc<dyn ChatModel>, RetryPolicy::default());
    let error = layer.chat(ChatRequest::user("x")).await.unwrap_err();
    assert!(!error.is_retryable(), "nobody further out asks again");
    assert_eq!(model.calls().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn calls_wait_their_turn() {
    let slow = Breaks::new();
    let most = Arc::clone(&slow.most);
    let layer = Arc::new(Concurrency::new(Arc::new(slow), 3));
    let started = Instant::now();
    let calls = (0..7).map(|_| layer.chat(ChatRequest::user("x")));
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(most.load(Ordering::SeqCst), 3);
    assert_eq!(started.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn models_of_one_server_share_its_turns() {
    let slow = Breaks::new();
    let most = Arc::clone(&slow.most);
    let (slow, turns) = (Arc::new(slow) as Arc<dyn ChatModel>, Turns::new(3));
    let roles = [0, 1].map(|_| Concurrency::sharing(Arc::clone(&slow), &turns));
    let calls = (0..8).map(|at| roles[at % 2].chat(ChatRequest::user("x")));
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_stream_gives_its_turn_back_at_its_end() {
    let layer = Concurrency::new(Arc::new(Scripted::from_fn(|_| Ok("done"))), 1);
    let mut first = layer.stream(ChatRequest::user("x")).await.unwrap();
    while first.next().await.is_some_and(|event| !matches!(event, Ok(ChatEvent::Done(_)))) {}
    // The finished stream is still held, and does not hold a turn.
    assert!(layer.chat(ChatRequest::user("x")).await.is_ok());
    drop(first);
}

fn using(input: u64, output: u64) -> Arc<dyn ChatModel> {
    let usage = Usage { input, output, ..Usage::default() };
    Arc::new(Scripted::from_fn(move |_| Ok(Reply { usage: Some(usage), ..Reply::text("done") })))
}

#[tokio::test(start_paused = true)]
async fn budgets_stop_and_go_on_after_a_pause() {
    let ledger = Ledger::new("calls=3".parse().unwrap());
    let model = Budgeted::new(using(10, 5), Arc::clone(&ledger)).unwrap();
    for _ in 0..2 {
        model.chat(ChatRequest::user("x")).await.unwrap();
    }
    let spent = ledger.spent();
    assert_eq!((spent.calls, spent.tokens), (2, 30));
    // Kept as JSON with the run, and read by the next process.
    let kept: Spent = serde_json::from_str(&serde_json::to_string(&spent).unwrap()).unwrap();
    let ledger = Ledger::resume("calls=3".parse().unwrap(), kept);
    let model = Budgeted::new(using(10, 5), Arc::clone(&ledger)).unwrap();
    model.chat(ChatRequest::user("x")).await.unwrap();
    let error = model.chat(ChatRequest::user("x")).await.unwrap_err();
    assert_eq!(error.to_string(), "the budget of 3 calls is spent (3 used)");

    let ledger = Ledger::new("time=5s".parse().unwrap());
    let model = Budgeted::new(using(1, 1), ledger).unwrap();
    model.chat(ChatRequest::user("x")).await.unwrap();
    tokio::time::advance(Duration::from_secs(5)).await;
    let error = model.chat(ChatRequest::user("x")).await.unwrap_err();
    assert_eq!(error.to_string(), "the budget of 5 seconds is spent (5.0 used)");
}

#[tokio::test]
async fn tokens_are_set_aside_before_they_are_used() {
    let ledger = Ledger::new("tokens=250".parse().unwrap());
    let model = Budgeted::new(using(60, 40), Arc::clone(&ledger)).unwrap();
    let mut request = ChatRequest::user("four");
    request.params = Params { max_tokens: Some(100), ..Params::default() };
    let first = model.stream(request.clone()).await.unwrap();
    let second = model.stream(request.clone()).await.unwrap();
    let Err(error) = model.stream(request.clone()).await else { panic!("the third call has no tokens left") };
    let expected =
        "the budget of 250 tokens is spent (the next call needs about 101, 202 are set aside for others, 0 used)";
    assert_eq!(error.to_string(), expected);
    // A dropped stream gives back what was set aside for its answer, a finished one is counted.
    drop(first);
    let _events: Vec<_> = second.collect().await;
    assert_eq!((ledger.spent().calls, ledger.spent().tokens), (2, 101));
    model.chat(request.clone()).await.unwrap();
    assert_eq!(ledger.spent().tokens, 201);
    assert!(matches!(model.chat(request).await, Err(ModelError::Budget { .. })));
}

#[tokio::test]
async fn money_needs_a_price() {
    let paid = || {
        let model = Scripted::from_fn(|_| {
            Ok(Reply { usage: Some(Usage { input: 1000, output: 1000, ..Usage::default() }), ..Reply::text("x") })
        });
        let capabilities = Capabilities { local: false, ..model.capabilities().clone() };
        Arc::new(model.with_capabilities(capabilities))
    };
    let error = Budgeted::new(paid(), Ledger::new("usd=1".parse().unwrap())).unwrap_err();
    assert!(error.to_string().contains("add `price=IN/OUT`"), "{error}");
    let ledger = Ledger::new("usd=0.0055,price=1/2".parse().unwrap());
    let model = Budgeted::new(paid(), Arc::clone(&ledger)).unwrap();
    model.chat(ChatRequest::user("x")).await.unwrap();
    assert_eq!(ledger.spent().usd_micros, 3000);
    model.chat(ChatRequest::user("x")).await.unwrap();
    let error = model.chat(ChatRequest::user("x")).await.unwrap_err();
    assert!(error.to_string().ends_with(", 0.006 used)"), "{error}");
    // A model in this process costs nothing.
    let free = Budgeted::new(using(1, 1), Ledger::new("usd=0.01".parse().unwrap())).unwrap();
    assert!(free.chat(ChatRequest::user("x")).await.is_ok());
}

#[tokio::test]
async fn the_meter_sums_by_model() {
    let meter = Meter::new();
    let good = Metered::new(using(3, 4), Arc::clone(&meter));
    let bad = Metered::new(failing(vec![busy(None)]), Arc::clone(&meter));
    good.chat(ChatRequest::user("x")).await.unwrap();
    let _events: Vec<_> = good.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    bad.chat(ChatRequest::user("x")).await.unwrap_err();
    let totals = meter.totals();
    let sum = totals["scripted:function"];
    assert_eq!((sum.calls, sum.failed, sum.usage.input, sum.usage.output), (3, 1, 6, 8));
}

#[derive(Clone, Default)]
struct LogLines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for LogLines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl LogLines {
    /// Has what this thread tells written here.
    fn written(&self) -> (tracing::subscriber::DefaultGuard, [tracing::Dispatch; 2]) {
        // Where there is only one subscriber, a place in the code that a thread without it meets first is taken for one that
        // nobody wants to hear of, on all threads.
        let others = [(); 2].map(|()| tracing::Dispatch::new(tracing_subscriber::registry()));
        let writer = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
            .with_ansi(false)
            .finish();
        (tracing::subscriber::set_default(subscriber), others)
    }
}

#[tokio::test]
async fn spans_carry_the_conventional_names_and_no_content() {
    let lines = LogLines::default();
    let guard = lines.written();
    let model = Traced::new(using(3, 4)).at("h.example", 443);
    let mut request = ChatRequest::user("a private question");
    request.params.max_tokens = Some(9);
    model.chat(request.clone()).await.unwrap();
    Traced::new(failing(vec![busy(None)])).chat(request).await.unwrap_err();
    drop(guard);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    for expected in [
        "gen_ai.operation.name=\"chat\"",
        "gen_ai.provider.name=scripted",
        "gen_ai.request.max_tokens=9",
        "gen_ai.usage.input_tokens=3",
        "gen_ai.usage.output_tokens=4",
        "gen_ai.response.finish_reasons=\"[\\\"stop\\\"]\"",
        "error.type=\"rate_limited\"",
        "server.address=\"h.example\" server.port=443",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(!text.contains("private question"), "{text}");
}

#[tokio::test]
async fn content_is_in_a_span_only_when_it_is_asked_for() {
    let lines = LogLines::default();
    let guard = lines.written();
    let model = Traced::new(using(3, 4)).with_content(true);
    let mut request = ChatRequest::user("a private question");
    request.messages.insert(0, graphloom_llm::Message::system("be brief"));
    request.params.stop = vec!["END".to_owned()];
    let _events: Vec<_> = model.stream(request).await.unwrap().collect().await;
    drop(model);
    drop(guard);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap().replace('\\', "");
    for (field, words) in [
        ("gen_ai.system_instructions", r#""content":"be brief""#),
        ("gen_ai.input.messages", r#""content":"a private question""#),
        ("gen_ai.output.messages", r#""content":"done""#),
        ("gen_ai.output.messages", r#""finish_reason":"stop""#),
        ("gen_ai.request.stop_sequences", r#"["END"]"#),
    ] {
        let value = text.split_once(&format!("{field}=\"")).and_then(|(_, rest)| rest.split_once("]\""));
        let value = value.map(|(value, _)| format!("{value}]")).unwrap_or_default();
        assert!(value.contains(words), "{field}: {value}\n{text}");
    }
    assert!(text.contains("gen_ai.response.time_to_first_chunk="), "{text}");
}
