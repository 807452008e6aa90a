//! Every way in which an engine fails has its outcome, and none of them is a result.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::time::Duration;

use graphloom_retrieval::literature::{Fault, Politeness};
use graphloom_retrieval::web::{EngineName, EngineOutcome, Web, WebOptions};
use graphloom_test_support::clock::StandingClock;
use graphloom_test_support::ports::Deserted;
use graphloom_test_support::wait::until_async;
use wiremock::{MockServer, ResponseTemplate};

use super::hosts::{ENGINES, KEY, KEYED, answer, ask, json};

/// A failure as its name.
fn kind(outcome: &EngineOutcome) -> &'static str {
    match outcome {
        EngineOutcome::Found { .. } => "found",
        EngineOutcome::Empty => "empty",
        EngineOutcome::Failed { fault } => match fault {
            Fault::RateLimited { .. } | Fault::BudgetSpent { .. } => "rate limited",
            Fault::Refused { status: 401 | 403, .. } => "unauthorised",
            Fault::Html { .. } => "html",
            Fault::Lied { .. } => "lied",
            Fault::Malformed { .. } => "malformed",
            Fault::Down { .. } => "down",
            Fault::Refused { .. } => "refused",
            Fault::TooLarge { .. } => "too large",
            Fault::TimedOut { .. } => "timed out",
            _ => "another fault",
        },
        _ => "another outcome",
    }
}

#[tokio::test]
async fn failures_are_told_apart_on_every_engine() {
    let html = |status| {
        ResponseTemplate::new(status)
            .set_body_raw("<!DOCTYPE html><html><title>Sign in</title><body>Sign in first</body></html>", "text/html")
    };
    let cases: Vec<(&str, ResponseTemplate, &str)> = vec![
        ("429", json(429, "{}"), "rate limited"),
        ("429 with a time", json(429, "{}").insert_header("retry-after", "3600"), "rate limited"),
        ("503 with a time", json(503, "{}").insert_header("retry-after", "3600"), "rate limited"),
        ("401", json(401, r#"{"detail": {"error": "bad key"}}"#), "unauthorised"),
        ("403", json(403, r#"{"message": "Unauthorized.", "statusCode": 403}"#), "unauthorised"),
        ("400", json(400, r#"{"detail": "bad question"}"#), "refused"),
        ("a page where data was due", html(200), "html"),
        ("a page with the wrong type", json(200, "<html><body>Hello</body></html>"), "html"),
        ("an error with the status 200", json(200, r#"{"error": "the index is gone"}"#), "lied"),
        ("an error of another form", json(200, r#"{"error": {"code": "x", "info": "broken"}}"#), "lied"),
        ("a message instead of pages", json(200, r#"{"message": "try our new plan"}"#), "lied"),
        ("cut short", json(200, r#"{"results": [{"url": "https://a.ex"#), "malformed"),
        ("no body", json(200, ""), "malformed"),
        ("a list", json(200, "[]"), "malformed"),
        ("an error as a list", json(200, r#"["ConnectionError('x')"]"#), "malformed"),
        ("something else", json(200, r#"{"weather": "fine"}"#), "malformed"),
        ("pages of the wrong kind", json(200, r#"{"results": "none", "organic": 3, "query": []}"#), "malformed"),
        ("a redirect", ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:9/"), "refused"),
        ("502", ResponseTemplate::new(502), "down"),
    ];
    for (what, template, expected) in cases {
        for (engine, route, ..) in ENGINES {
            let host = MockServer::start().await;
            answer(&host, route, template.clone()).await;
            let found = ask(&host, engine, "logs", 5).await;
            assert_eq!(kind(&found.reports[0].outcome), expected, "{engine}: {what}: {}", found.reports[0]);
            assert!(found.results.is_empty());
            assert!(!found.answered());
            assert!(found.reports[0].to_string().ends_with('.'), "{}", found.reports[0]);
        }
    }
}

#[tokio::test]
async fn what_only_one_engine_says_is_understood() {
    for (engine, template, expected) in [
        (EngineName::Tavily, json(432, r#"{"detail": {"error": "plan limit"}}"#), "rate limited"),
        (EngineName::Tavily, json(433, r#"{"detail": {"error": "pay as you go limit"}}"#), "rate limited"),
        (EngineName::Google, json(400, r#"{"message": "Not enough credits", "statusCode": 400}"#), "rate limited"),
        (EngineName::Exa, json(402, r#"{"error": "no credits", "tag": "NO_MORE_CREDITS"}"#), "rate limited"),
        (
            EngineName::Brave,
            json(422, r#"{"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "bad"}}"#),
            "refused",
        ),
        (
            EngineName::Searxng,
            json(200, r#"{"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]}"#),
            "down",
        ),
        (
            EngineName::Wikipedia,
            json(200, r#"{"error": {"code": "ratelimited", "info": "You've exceeded your rate limit."}}"#),
            "rate limited",
        ),
        (
            EngineName::Wikipedia,
            json(200, r#"{"error": {"code": "maxlag", "info": "Waiting for a server: 6 seconds lagged."}}"#),
            "down",
        ),
    ] {
        let host = MockServer::start().await;
        let route = ENGINES.iter().find(|(name, ..)| *name == engine).unwrap().1;
        answer(&host, route, template).await;
        let found = ask(&host, engine, "logs", 5).await;
        assert_eq!(kind(&found.reports[0].outcome), expected, "{engine}: {}", found.reports[0]);
    }
}

#[tokio::test]
async fn a_body_without_end_is_not_read() {
    let (engine, route, ..) = ENGINES[0];
    let host = MockServer::start().await;
    answer(&host, route, json(200, &format!(r#"{{"results": "{}"}}"#, "x".repeat(17 * 1024 * 1024)))).await;
    let found = ask(&host, engine, "logs", 5).await;
    assert_eq!(kind(&found.reports[0].outcome), "too large");
}

#[tokio::test]
async fn a_host_that_is_not_there_is_down() {
    let nobody = Deserted::new();
    let options = WebOptions::default().all_at(&format!("http://{}", nobody.address));
    let web = Web::open(&EngineName::ALL, &options).unwrap();
    let found = web.ask("logs", 5).await;
    assert_eq!(found.reports.len(), 6);
    assert!(found.reports.iter().all(|report| kind(&report.outcome) == "down"));
}

#[tokio::test]
async fn a_key_that_a_host_repeats_is_not_repeated() {
    for (engine, route, ..) in ENGINES.into_iter().filter(|(engine, ..)| KEYED.contains(engine)) {
        for status in [200, 400, 401, 403] {
            let host = MockServer::start().await;
            answer(&host, route, json(status, &format!(r#"{{"message": "the key {KEY} is wrong"}}"#))).await;
            let found = ask(&host, engine, "logs", 5).await;
            let told = format!("{found:?} {}", serde_json::to_string(&found).unwrap());
            assert!(!told.contains(KEY), "{told}");
            assert!(found.reports[0].to_string().contains("is wrong"), "{}", found.reports[0]);
        }
    }
}

/// A host of bytes: each connection is served once its request has come.
fn host(serve: impl Fn(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            serve(stream);
        }
    });
    address
}

/// How long an answer may take.
const LIMIT: Duration = Duration::from_millis(300);

/// What an engine at `place` makes of a question.
async fn outcome(engine: EngineName, place: SocketAddr) -> &'static str {
    let mut options = WebOptions::default().all_at(&format!("http://{place}"));
    let mut politeness = Politeness::none();
    politeness.longest_answer = LIMIT;
    options.engines.get_mut(&engine).unwrap().politeness = Some(politeness);
    let found = Web::open(&[engine], &options).unwrap().ask("logs", 5).await;
    assert!(found.results.is_empty());
    kind(&found.reports[0].outcome)
}

#[tokio::test]
async fn headers_that_trickle_end() {
    let mut clock = StandingClock::new();
    for (engine, ..) in ENGINES {
        let (one_more, next) = channel::<()>();
        let (sends, sent) = channel();
        let place = host(move |mut stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
            while next.recv().is_ok() {
                let _ = stream.write_all(b"x: y\r\n");
                sends.send(()).unwrap_or_default();
            }
        });
        // A header comes before each third of the limit is over.
        let limit_passes = async {
            for _ in 0..3 {
                one_more.send(()).unwrap();
                until_async("a header", || sent.try_recv().is_ok()).await;
                clock.advance(LIMIT / 3).await;
            }
        };
        let mut asked = Box::pin(outcome(engine, place));
        tokio::select! {
            biased;
            () = limit_passes => {}
            outcome = &mut asked => panic!("{engine}: {outcome} within the limit"),
        }
        // The tries after the first one get no header at all.
        assert_eq!(clock.jumps(asked).await, "timed out", "{engine}");
    }
}

#[tokio::test]
async fn a_stream_without_end_is_cut_off() {
    // No time passes, so that it is not the time that ends it.
    let _clock = StandingClock::new();
    for (engine, ..) in ENGINES {
        let place = host(|mut stream| {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
            let piece = format!("10000\r\n{}\r\n", " ".repeat(0x1_0000));
            let mut goes_on = stream.write_all(head.as_bytes()).is_ok();
            while goes_on {
                goes_on = stream.write_all(piece.as_bytes()).is_ok();
            }
        });
        assert_eq!(outcome(engine, place).await, "too large", "{engine}");
    }
}

#[tokio::test]
async fn fifty_megabytes_are_refused_before_they_are_read() {
    let _clock = StandingClock::new();
    for (engine, ..) in ENGINES {
        // None of them ever comes.
        let place = host(|mut stream| {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 52428800\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.read(&mut [0; 1]);
        });
        assert_eq!(outcome(engine, place).await, "too large", "{engine}");
    }
}
