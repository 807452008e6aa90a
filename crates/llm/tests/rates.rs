//! Requests and tokens a minute, over all models of a host, in virtual time; and what a server says of its limits.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use graphloom_llm::layers::{RateLimit, RateLimited, Rates, Retry, RetryPolicy};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{ChatModel, ChatRequest, ModelError, Remote, RemoteConfig, Scripted, Usage};
use graphloom_test_support::clock::StandingClock;
use serde_json::json;
use tokio::time::Instant;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

fn model(input: u64) -> Arc<dyn ChatModel> {
    let usage = Usage { input, ..Usage::default() };
    Arc::new(Scripted::from_fn(move |_| Ok(Reply { usage: Some(usage), ..Reply::text("x") })))
}

fn rates(requests: Option<u64>, tokens: Option<u64>) -> Rates {
    Rates::new(RateLimit { requests, tokens })
}

/// A request that is expected to need this many tokens.
fn request(tokens: u32) -> ChatRequest {
    let mut request = ChatRequest::user("");
    request.params.max_tokens = Some(tokens);
    request
}

#[tokio::test(start_paused = true)]
async fn models_of_a_host_share_its_requests() {
    let rates = rates(Some(3), None);
    let models = [RateLimited::new(model(1), &rates), RateLimited::new(model(1), &rates)];
    let start = Instant::now();
    let calls = (0..7).map(|at| {
        let model = &models[at % 2];
        async move {
            model.chat(request(0)).await.unwrap();
            start.elapsed().as_secs()
        }
    });
    let begun = futures::future::join_all(calls).await;
    assert_eq!(begun, [0, 0, 0, 60, 60, 60, 120], "in the order of the calls");
}

#[tokio::test(start_paused = true)]
async fn tokens_that_were_not_used_are_free_again() {
    let rates = rates(None, Some(1000));
    let model = RateLimited::new(model(100), &rates);
    let start = Instant::now();
    // Each is expected to need 600, and uses 100.
    for _ in 0..5 {
        model.chat(request(600)).await.unwrap();
    }
    assert_eq!(start.elapsed().as_secs(), 0);
    model.chat(request(600)).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 60, "500 were used in the minute");

    // A stream under way holds what it is expected to need, and its end frees the rest for who waits.
    let rates = self::rates(None, Some(1000));
    let model = RateLimited::new(self::model(100), &rates);
    let stream = model.stream(request(900)).await.unwrap();
    let start = Instant::now();
    let reading = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let _events: Vec<_> = stream.collect().await;
    };
    let (answer, ()) = futures::future::join(model.chat(request(600)), reading).await;
    answer.unwrap();
    assert_eq!(start.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_a_server_wants_holds_for_all_of_its_models() {
    let busy = |retry_after| ModelError::RateLimited {
        model: "m".into(),
        message: "slow".into(),
        retry_after,
        request_id: None,
    };
    let errors = Mutex::new(vec![busy(Some(Duration::from_secs(20)))]);
    let limited: Arc<dyn ChatModel> =
        Arc::new(Scripted::from_fn(move |_| errors.lock().unwrap().pop().map_or(Ok("x"), Err)));
    let rates = rates(None, None);
    let one = RateLimited::new(limited, &rates);
    let other = RateLimited::new(model(1), &rates);
    let start = Instant::now();
    one.chat(request(1)).await.unwrap_err();
    other.chat(request(1)).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 20);

    // Too long a pause is an error for everybody, at once, until it is short enough.
    let long: Arc<dyn ChatModel> =
        Arc::new(Scripted::from_fn(move |_| Err::<Reply, _>(busy(Some(Duration::from_secs(500))))));
    RateLimited::new(long, &rates).chat(request(1)).await.unwrap_err();
    let error = other.chat(request(1)).await.unwrap_err();
    assert!(matches!(&error, ModelError::RateLimited { retry_after: Some(_), .. }), "{error}");
    assert_eq!(start.elapsed().as_secs(), 20);
    tokio::time::sleep(Duration::from_secs(400)).await;
    other.chat(request(1)).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 520);
}

#[tokio::test(start_paused = true)]
async fn an_absurd_pause_is_an_error_and_no_fault() {
    let pause = Duration::from_secs(10_000_000_000_000_000_000);
    let model: Arc<dyn ChatModel> = Arc::new(Scripted::from_fn(move |_| {
        Err::<Reply, _>(ModelError::RateLimited {
            model: "m".into(),
            message: "slow".into(),
            retry_after: Some(pause),
            request_id: None,
        })
    }));
    let rates = rates(None, None);
    RateLimited::new(model, &rates).chat(request(1)).await.unwrap_err();
    let other = RateLimited::new(self::model(1), &rates);
    other.chat(request(1)).await.unwrap_err();
    tokio::time::sleep(Duration::from_secs(24 * 3600)).await;
    other.chat(request(1)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_not_waited_for_has_used_its_tokens() {
    let late = || ModelError::Timeout { model: "m".into(), limit: Duration::from_secs(1) };
    let refused = || ModelError::Unreachable { url: "http://h".into(), message: "refused".into() };
    for (error, waits) in [(late(), 60), (refused(), 0)] {
        let failing: Arc<dyn ChatModel> = Arc::new(Scripted::from_fn(move |_| Err::<Reply, _>(error.clone())));
        let rates = rates(None, Some(1000));
        RateLimited::new(failing, &rates).chat(request(900)).await.unwrap_err();
        let start = Instant::now();
        RateLimited::new(model(1), &rates).chat(request(900)).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), waits);
    }
}

#[tokio::test]
async fn each_try_counts_and_a_dropped_wait_holds_nobody_up() {
    tokio::time::pause();
    let busy = ModelError::Server {
        model: "m".into(),
        status: 503,
        message: String::new(),
        retry_after: None,
        request_id: None,
    };
    let errors = Mutex::new(vec![busy.clone(), busy]);
    let failing: Arc<dyn ChatModel> =
        Arc::new(Scripted::from_fn(move |_| errors.lock().unwrap().pop().map_or(Ok("x"), Err)));
    let rates = rates(Some(3), None);
    let limited: Arc<dyn ChatModel> = Arc::new(RateLimited::new(failing, &rates));
    let start = Instant::now();
    Retry::new(Arc::clone(&limited), RetryPolicy::default()).chat(request(1)).await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(3));
    let dropped = tokio::time::timeout(Duration::from_secs(5), limited.chat(request(1))).await;
    assert!(dropped.is_err(), "three tries were made in this minute");
    limited.chat(request(1)).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 60);
}

#[tokio::test]
async fn what_a_server_says_is_left_is_kept_to() {
    let server = MockServer::start().await;
    let body = json!({"choices": [{"finish_reason": "stop", "message": {"content": "x"}}]});
    let answer = |left: &str| {
        ResponseTemplate::new(200)
            .set_body_json(&body)
            .insert_header("x-ratelimit-remaining-requests", left)
            .insert_header("x-ratelimit-reset-requests", "900ms")
    };
    Mock::given(method("POST")).respond_with(answer("1")).up_to_n_times(1).mount(&server).await;
    Mock::given(method("POST")).respond_with(answer("0")).mount(&server).await;
    let rates = rates(None, None);
    let mut config = RemoteConfig::compatible("m", format!("{}/v1", server.uri()));
    config.rates = Some(rates.clone());
    let model = RateLimited::new(Arc::new(Remote::new(config).unwrap()), &rates);
    let clock = StandingClock::new();
    model.chat(request(1)).await.unwrap();
    let two = [(); 2].map(|()| Box::pin(model.chat(request(1))));
    let (first, _, mut waits) = futures::future::select_all(two).await;
    first.unwrap();
    assert!(futures::poll!(&mut waits[0]).is_pending());
    assert_eq!(server.received_requests().await.unwrap().len(), 2, "the second of them waits");
    clock.advance(Duration::from_millis(900)).await;
    waits.remove(0).await.unwrap();
}
