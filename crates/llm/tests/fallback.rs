//! Several models in the place of one.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use graphloom_llm::layers::{Fallback, FallbackModel, FallbackOn, RouteOrder};
use graphloom_llm::prices::Price;
use graphloom_llm::scripted::Reply;
use graphloom_llm::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ImageSource, ModelError, NoteKind, Notes, Part, ResponseFormat,
    Scripted, StructuredSupport, ToolSpec,
};
use serde_json::json;

type Asked = Arc<Mutex<Vec<&'static str>>>;

/// A model that notes that it was asked, and fails while there are errors.
fn model(name: &'static str, asked: &Asked, errors: Vec<ModelError>, change: fn(&mut Capabilities)) -> FallbackModel {
    let (asked, errors) = (Arc::clone(asked), Mutex::new(errors));
    let model = Scripted::from_fn(move |_| {
        asked.lock().unwrap().push(name);
        errors.lock().unwrap().pop().map_or(Ok(Reply::text(name)), Err)
    });
    let mut capabilities = Capabilities { local: false, ..model.capabilities().clone() };
    change(&mut capabilities);
    FallbackModel::new(Arc::new(model.with_capabilities(capabilities)))
}

fn chain(models: Vec<FallbackModel>, order: RouteOrder) -> (Fallback, Notes) {
    let notes = Notes::default();
    (Fallback::new(models, order, notes.clone()).unwrap(), notes)
}

fn unreachable() -> ModelError {
    ModelError::Unreachable { url: "http://h".into(), message: "refused".into() }
}

fn quota() -> ModelError {
    ModelError::Quota { model: "m".into(), message: "no credit".into(), request_id: None }
}

fn invalid() -> ModelError {
    ModelError::Invalid { model: "m".into(), message: "no".into(), request_id: None }
}

fn budget() -> ModelError {
    ModelError::Budget { unit: "calls".into(), limit: "1".into(), used: "1".into() }
}

#[tokio::test(start_paused = true)]
async fn the_next_is_asked_by_the_class_of_the_failure() {
    let cases = [
        (unreachable(), FallbackOn::Unavailable, true),
        (ModelError::Timeout { model: "m".into(), limit: Duration::from_secs(1) }, FallbackOn::Unavailable, true),
        (
            ModelError::ContextLength { model: "m".into(), needed: 2, limit: 1, request_id: None },
            FallbackOn::Unavailable,
            true,
        ),
        (quota(), FallbackOn::Unavailable, false),
        (quota(), FallbackOn::AnyFailure, true),
        (invalid(), FallbackOn::Unavailable, false),
        (invalid(), FallbackOn::AnyFailure, true),
        (budget(), FallbackOn::AnyFailure, false),
    ];
    for (error, on, falls_back) in cases {
        let asked = Asked::default();
        let second = FallbackModel { on, ..model("two", &asked, vec![], |_| {}) };
        let (chain, notes) =
            chain(vec![model("one", &asked, vec![error.clone()], |_| {}), second], RouteOrder::AsGiven);
        let answer = chain.chat(ChatRequest::user("x")).await;
        let told: Vec<NoteKind> = notes.all().iter().map(|note| note.kind).collect();
        if falls_back {
            assert_eq!(answer.unwrap().text(), "two", "{error}");
            assert_eq!(told, [NoteKind::FellBack]);
            let told = &notes.all()[0].message;
            assert!(told.contains("in the place of") && told.contains(&error.to_string()), "{told}");
        } else {
            assert_eq!(answer.unwrap_err(), error);
            assert!(told.is_empty() && *asked.lock().unwrap() == ["one"], "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_there_for_less_is_left_out_and_the_last_error_counts() {
    let asked = Asked::default();
    let any = FallbackModel { on: FallbackOn::AnyFailure, ..model("three", &asked, vec![unreachable()], |_| {}) };
    let models = vec![model("one", &asked, vec![quota()], |_| {}), model("two", &asked, vec![], |_| {}), any];
    let (chain, notes) = chain(models, RouteOrder::AsGiven);
    assert_eq!(chain.chat(ChatRequest::user("x")).await.unwrap_err(), unreachable());
    assert_eq!(*asked.lock().unwrap(), ["one", "three"]);
    assert_eq!(notes.all().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_could_not_answer_comes_last_for_half_a_minute() {
    let asked = Asked::default();
    let (chain, notes) = chain(
        vec![model("one", &asked, vec![unreachable()], |_| {}), model("two", &asked, vec![], |_| {})],
        RouteOrder::AsGiven,
    );
    let said = async || chain.chat(ChatRequest::user("x")).await.unwrap().text();
    assert_eq!((said().await, said().await), ("two".to_owned(), "two".to_owned()));
    assert_eq!(*asked.lock().unwrap(), ["one", "two", "two"]);
    assert_eq!(said().await, "two");
    let told = notes.all();
    assert_eq!(told.iter().map(|note| note.kind).collect::<Vec<_>>(), [NoteKind::FellBack; 2], "one for the rest");
    assert!(told[1].message.contains("in the place of") && told[1].message.contains("30 s"), "{}", told[1].message);
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(said().await, "one");
    assert_eq!(notes.all().len(), 2);
}

#[tokio::test]
async fn a_request_goes_to_one_that_can_take_it() {
    let asked = Asked::default();
    let narrow = |capabilities: &mut Capabilities| {
        (capabilities.images, capabilities.tools, capabilities.context) = (false, false, Some(1000));
        capabilities.structured = StructuredSupport::Prompted;
    };
    let wide = |capabilities: &mut Capabilities| {
        (capabilities.images, capabilities.tools, capabilities.context) = (true, true, None);
        capabilities.structured = StructuredSupport::JsonSchema;
    };
    let (chain, notes) =
        chain(vec![model("narrow", &asked, vec![], narrow), model("wide", &asked, vec![], wide)], RouteOrder::AsGiven);
    assert!(chain.capabilities().images && chain.capabilities().tools);
    let mut image = ChatRequest::user("x");
    image.messages[0].parts.push(Part::Image { source: ImageSource::Url { url: "https://h/i.png".into() } });
    let mut tools = ChatRequest::user("x");
    let parameters = json!({});
    tools.tools.push(ToolSpec { name: "t".into(), description: String::new(), parameters, strict: false });
    let mut schema = ChatRequest::user("x");
    schema.format = ResponseFormat::JsonSchema { name: "n".into(), schema: json!({}) };
    let mut long_answer = ChatRequest::user("x");
    long_answer.params.max_tokens = Some(1000);
    let long = ChatRequest::user("x".repeat(4100));
    for (request, expected) in [
        (ChatRequest::user("x"), "narrow"),
        (image, "wide"),
        (tools, "wide"),
        (schema, "wide"),
        (long, "wide"),
        (long_answer, "wide"),
    ] {
        assert_eq!(chain.chat(request).await.unwrap().text(), expected);
    }
    assert!(notes.all().is_empty(), "nothing failed");
}

#[tokio::test]
async fn the_cheapest_is_asked_first_and_an_unknown_price_is_not_cheap() {
    let asked = Asked::default();
    let priced = |name, price: Option<Price>| FallbackModel { price, ..model(name, &asked, vec![], |_| {}) };
    let models = || {
        vec![
            priced("unknown", None),
            priced("dear out", Some(Price::new(1_000_000, 90_000_000))),
            priced("dear in", Some(Price::new(3_000_000, 3_000_000))),
        ]
    };
    let (chain, _) = self::chain(models(), RouteOrder::Cheapest);
    let mut short = ChatRequest::user("x".repeat(400));
    assert_eq!(chain.chat(short.clone()).await.unwrap().text(), "dear out");
    short.params.max_tokens = Some(100);
    assert_eq!(chain.chat(short.clone()).await.unwrap().text(), "dear in");
    let mut with_local = models();
    with_local.push(model("local", &asked, vec![], |capabilities| capabilities.local = true));
    assert_eq!(self::chain(with_local, RouteOrder::Cheapest).0.chat(short).await.unwrap().text(), "local");
}

#[tokio::test]
async fn a_stream_falls_back_before_its_content_and_never_after() {
    let asked = Asked::default();
    let (chain, notes) = self::chain(
        vec![model("one", &asked, vec![unreachable()], |_| {}), model("two", &asked, vec![], |_| {})],
        RouteOrder::AsGiven,
    );
    let events: Vec<_> = chain.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    assert!(matches!(events.last(), Some(Ok(ChatEvent::Done(done))) if done.text() == "two"), "{events:?}");
    assert_eq!(notes.all().len(), 1);

    let broken = FallbackModel::new(Arc::new(crate::layers::Breaks::new()));
    let (chain, notes) = self::chain(vec![broken, model("two", &asked, vec![], |_| {})], RouteOrder::AsGiven);
    let events: Vec<_> = chain.stream(ChatRequest::user("x")).await.unwrap().collect().await;
    assert!(matches!(&events[..], [Ok(_), Err(ModelError::StreamInterrupted { .. })]), "{events:?}");
    assert!(notes.all().is_empty());
}
