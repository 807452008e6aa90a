//! What calls cost, and budgets in money and in time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_llm::layers::{Budgeted, Ledger, Meter, Metered, Priced, Spent};
use graphloom_llm::prices::{Price, PriceTable, Rates};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Scripted,
    Usage,
};
use tokio::time::Instant;

const USAGE: Usage = Usage { input: 1000, output: 100, cache_read: 800, cache_write: 0, reasoning: 0, cost: None };

/// A model behind a server that states this usage.
fn remote(usage: Usage) -> Arc<dyn ChatModel> {
    saying(usage, "x")
}

fn saying(usage: Usage, text: &'static str) -> Arc<dyn ChatModel> {
    let model = Scripted::from_fn(move |_| Ok(Reply { usage: Some(usage), ..Reply::text(text) }));
    let capabilities = Capabilities { local: false, ..model.capabilities().clone() };
    Arc::new(model.with_capabilities(capabilities))
}

fn price() -> Price {
    let rates = Rates { input: 10_000_000, output: 50_000_000, cache_read: Some(1_000_000), cache_write: None };
    Price { rates, ..Price::default() }
}

async fn say(model: &dyn ChatModel) -> Usage {
    model.chat(ChatRequest::user("x")).await.unwrap().usage
}

#[tokio::test]
async fn an_answer_states_its_cost_and_a_stated_one_stays() {
    // 200 plain, 800 of the cache, 100 generated.
    let cost = Some(2000 + 800 + 5000);
    let priced = Priced::new(remote(USAGE), Some(price()));
    assert_eq!(say(&priced).await.cost, cost);
    let events: Vec<_> = priced.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    let Some(Ok(ChatEvent::Done(done))) = events.last() else { panic!("{events:?}") };
    assert_eq!(done.usage.cost, cost);
    let choosing = Priced::new(saying(USAGE, r#"{"choice": "x"}"#), Some(price()));
    let chosen = choosing.choose(ChatRequest::user("x"), &["x".into()]).await.unwrap();
    assert_eq!(chosen.usage.cost, cost);

    let stated = Priced::new(remote(Usage { cost: Some(7), ..USAGE }), Some(price()));
    assert_eq!(say(&stated).await.cost, Some(7));
    assert_eq!(say(&Priced::new(remote(USAGE), None)).await.cost, None, "an unknown price is none");
}

#[tokio::test]
async fn sums_say_what_is_not_known() {
    let (meter, ledger) = (Meter::new(), Ledger::new("calls=9".parse().unwrap()));
    for (usage, price) in [(USAGE, Some(price())), (USAGE, None), (Usage { cost: Some(5), ..USAGE }, None)] {
        let model = Priced::new(remote(usage), price);
        let model = Budgeted::new(Arc::new(model), Arc::clone(&ledger)).unwrap();
        say(&Metered::new(Arc::new(model), Arc::clone(&meter))).await;
    }
    let totals = meter.totals()["scripted:function"];
    assert_eq!((totals.usd_micros, totals.unpriced, totals.usage.input), (7805, 1, 3000));
    let spent = ledger.spent();
    assert_eq!((spent.usd_micros, spent.unpriced), (7805, 1));
    assert_eq!(spent.cost_text().unwrap(), "$0.007805 and the unknown cost of 1 call");

    // A model in this process costs nothing, and nothing is unknown about it.
    let local: Arc<dyn ChatModel> = Arc::new(Scripted::from_fn(|_| Ok("x")));
    let ledger = Ledger::new("usd=0.01".parse().unwrap());
    let model = Budgeted::new(Arc::new(Priced::new(local, None)), Arc::clone(&ledger)).unwrap();
    say(&Metered::new(Arc::new(model), Arc::clone(&meter))).await;
    assert_eq!((ledger.spent().usd_micros, ledger.spent().unpriced, ledger.spent().cost_text()), (0, 0, None));
    assert_eq!(meter.totals()["scripted:function"].unpriced, 1);
}

#[tokio::test]
async fn a_budget_in_dollars_takes_the_price_of_the_model_and_goes_on_after_a_pause() {
    let ledger = Ledger::new("usd=0.07".parse().unwrap());
    let error = Budgeted::priced(remote(USAGE), Arc::clone(&ledger), None).unwrap_err().to_string();
    assert!(error.contains("`scripted:function` is not known") && error.contains("--prices FILE"), "{error}");

    let model = Budgeted::priced(remote(USAGE), Arc::clone(&ledger), Some(price())).unwrap();
    say(&model).await;
    say(&model).await;
    let kept: Spent = serde_json::from_str(&serde_json::to_string(&ledger.spent()).unwrap()).unwrap();
    assert_eq!(kept.usd_micros, 15_600);
    let ledger = Ledger::resume("usd=0.07".parse().unwrap(), kept);
    let model = Budgeted::priced(remote(USAGE), Arc::clone(&ledger), Some(price())).unwrap();
    say(&model).await;
    let error = model.chat(ChatRequest::user("x")).await.unwrap_err();
    let expected = "the budget of 0.07 usd is spent (the next call needs about 0.05001, 0.0234 used)";
    assert_eq!(error.to_string(), expected);

    // What the budget says of the price counts before a table, and what the provider says before both.
    let ledger = Ledger::new("usd=1,price=1/1/0.5".parse().unwrap());
    say(&Budgeted::priced(remote(USAGE), Arc::clone(&ledger), Some(price())).unwrap()).await;
    assert_eq!(ledger.spent().usd_micros, 200 + 400 + 100);
    let stated = remote(Usage { cost: Some(3), ..USAGE });
    say(&Budgeted::priced(stated, Arc::clone(&ledger), Some(price())).unwrap()).await;
    assert_eq!(ledger.spent().usd_micros, 703);
}

#[tokio::test]
async fn calls_at_a_time_do_not_overspend() {
    // Each call sets 0.001 aside and uses as much; ten of a hundred fit.
    let usage = Usage { input: 0, output: 100, ..Usage::default() };
    let ledger = Ledger::new("usd=0.01".parse().unwrap());
    let model =
        Arc::new(Budgeted::priced(remote(usage), Arc::clone(&ledger), Some(Price::new(0, 10_000_000))).unwrap());
    let mut request = ChatRequest::user("x");
    request.params.max_tokens = Some(100);
    let streams = (0..100).map(|_| model.stream(request.clone()));
    let begun: Vec<_> = futures::future::join_all(streams).await.into_iter().filter_map(Result::ok).collect();
    assert_eq!(begun.len(), 10);
    for stream in begun {
        let _events: Vec<_> = stream.collect().await;
    }
    assert_eq!(ledger.spent().usd_micros, 10_000);
    assert!(matches!(model.chat(request).await, Err(ModelError::Budget { unit, .. }) if unit == "usd"));
}

/// How many calls one after the other a budget lets through, of at most 100.
async fn calls_within(budget: &str, model: Arc<dyn ChatModel>, price: Price) -> (usize, Spent) {
    let ledger = Ledger::new(budget.parse().unwrap());
    let model = Budgeted::priced(model, Arc::clone(&ledger), Some(price)).unwrap();
    let mut request = ChatRequest::user("x".repeat(3600));
    request.params.max_tokens = Some(100);
    for calls in 0..100 {
        if model.chat(request.clone()).await.is_err() {
            return (calls, ledger.spent());
        }
    }
    (100, ledger.spent())
}

#[tokio::test]
async fn what_is_not_known_of_an_answer_is_not_free() {
    // Each call sets 900 + 100 tokens aside, which are 1000 millionths of a dollar.
    let price = || Price::new(1_000_000, 1_000_000);
    let (calls, spent) = calls_within("usd=0.01", remote(Usage::default()), price()).await;
    assert_eq!((calls, spent.usd_micros, spent.unpriced), (10, 10_000, 10), "a server that states no counts");
    let (calls, spent) = calls_within("tokens=10000", remote(Usage::default()), price()).await;
    assert_eq!((calls, spent.tokens), (10, 10_000));
    let (calls, spent) = calls_within("calls=5", remote(Usage::default()), price()).await;
    assert_eq!((calls, spent.tokens, spent.usd_micros, spent.unpriced), (5, 0, 0, 5), "nothing is made up");
    let short = Price { up_to: Some(500), ..price() };
    let long = Usage { input: 900, output: 10, ..Usage::default() };
    let (calls, spent) = calls_within("usd=0.01", remote(long), short.clone()).await;
    assert_eq!((calls, spent.usd_micros, spent.unpriced), (10, 10_000, 10), "longer than its price is known for");
    let priced: Arc<dyn ChatModel> = Arc::new(Priced::new(remote(Usage::default()), Some(short.clone())));
    assert_eq!(calls_within("usd=0.01", priced, short).await.0, 10);
    let free = calls_within("usd=0.01", remote(Usage::default()), Price::default()).await;
    assert_eq!((free.0, free.1.usd_micros), (100, 0));
}

#[tokio::test]
async fn calls_at_a_time_without_a_limit_of_their_answers_do_not_overspend() {
    // An answer costs 0.04. Before the first one, 1000 tokens are set aside for each: 0.01.
    let usage = Usage { input: 1, output: 4000, ..Usage::default() };
    let ledger = Ledger::new("usd=0.2".parse().unwrap());
    let model =
        Arc::new(Budgeted::priced(remote(usage), Arc::clone(&ledger), Some(Price::new(0, 10_000_000))).unwrap());
    let begun = async |count: usize| {
        let streams = (0..count).map(|_| model.stream(ChatRequest::user("x")));
        futures::future::join_all(streams).await.into_iter().filter_map(Result::ok).collect::<Vec<_>>()
    };
    assert_eq!(begun(100).await.len(), 20, "dropped, they cost what they read, which is nothing here");
    model.chat(ChatRequest::user("x")).await.unwrap();
    let streams = begun(100).await;
    assert_eq!(streams.len(), 4, "each is expected to be as long as the longest one so far");
    for stream in streams {
        let _events: Vec<_> = stream.collect().await;
    }
    assert_eq!(ledger.spent().usd_micros, 200_000);
}

#[tokio::test]
async fn a_stream_that_breaks_or_is_dropped_costs_what_it_read() {
    let ledger = Ledger::new("usd=1".parse().unwrap());
    let price = || Some(Price::new(10_000_000, 10_000_000));
    let request = ChatRequest::user("x".repeat(400));
    let model = Budgeted::priced(remote(USAGE), Arc::clone(&ledger), price()).unwrap();
    drop(model.stream(request.clone()).await.unwrap());
    assert_eq!((ledger.spent().tokens, ledger.spent().usd_micros), (100, 1000));
    let broken = crate::layers::Breaks::new();
    let broken = Budgeted::new(Arc::new(broken), Arc::clone(&ledger)).unwrap();
    let events: Vec<_> = broken.stream(request).await.unwrap().collect().await;
    assert!(events.last().unwrap().is_err());
    assert_eq!((ledger.spent().tokens, ledger.spent().usd_micros), (200, 1000), "it runs in this process");
}

/// A model that never answers; its streams stop after a piece.
#[derive(Debug)]
struct Hangs(ModelId, Capabilities);

#[async_trait]
impl ChatModel for Hangs {
    fn id(&self) -> &ModelId {
        &self.0
    }

    fn capabilities(&self) -> &Capabilities {
        &self.1
    }

    async fn chat(&self, _: ChatRequest) -> Result<ChatResponse, ModelError> {
        std::future::pending().await
    }

    async fn stream(&self, _: ChatRequest) -> Result<ChatStream, ModelError> {
        let piece = ChatEvent::TextDelta { text: "half".to_owned() };
        Ok(futures::stream::iter([Ok(piece)]).chain(futures::stream::pending()).boxed())
    }

    async fn choose(&self, _: ChatRequest, _: &[String]) -> Result<Choice, ModelError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_ends_with_the_time_of_the_run() {
    let capabilities = remote(USAGE).capabilities().clone();
    let hangs: Arc<dyn ChatModel> = Arc::new(Hangs(ModelId::new("scripted", "hangs"), capabilities));
    let kept = Spent::default();
    for after in [0, 4000] {
        let spent: Spent = serde_json::from_value(serde_json::json!({ "millis": after })).unwrap();
        let ledger = Ledger::resume("time=10s".parse().unwrap(), kept.or_later(spent));
        let model = Budgeted::new(Arc::clone(&hangs), Arc::clone(&ledger)).unwrap();
        let begun = Instant::now();
        let error = model.chat(ChatRequest::user("x")).await.unwrap_err();
        assert_eq!(error.to_string(), "the budget of 10 seconds is spent (10.0 used)");
        assert_eq!(begun.elapsed(), Duration::from_millis(10_000 - after));
        assert_eq!(ledger.refusal(), Some(error), "the program learns that the budget ended the call");
    }
    let ledger = Ledger::new("time=10s".parse().unwrap());
    let model = Budgeted::new(hangs, Arc::clone(&ledger)).unwrap();
    let begun = Instant::now();
    let events: Vec<_> = model.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    assert!(matches!(&events[..], [Ok(_), Err(ModelError::Budget { .. })]), "{events:?}");
    assert_eq!(begun.elapsed(), Duration::from_secs(10));
}

#[test]
fn a_file_of_prices_is_read_by_its_form() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let map =
        r#"{"gpt-x": {"litellm_provider": "openai", "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}}"#;
    let read = PriceTable::read(&write("map.JSON", map)).unwrap();
    assert_eq!(read.price(&ModelId::new("openai", "gpt-x")).unwrap().rates.output, 2_000_000);
    let own =
        "version = 1\ndate = '2026-11-26'\n[[price]]\nprovider = 'openai'\nmodel = 'gpt-*'\ninput = 1\noutput = 3";
    let read = read.under(PriceTable::read(&write("own.toml", own)).unwrap());
    assert_eq!(read.price(&ModelId::new("openai", "gpt-x")).unwrap().rates.output, 3_000_000);
    let message = PriceTable::read(&dir.path().join("absent")).unwrap_err().to_string();
    assert!(message.contains("absent` cannot be read"), "{message}");
}
