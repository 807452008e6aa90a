//! Every way in which an engine fails has its outcome, and none of them is a result.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use graphloom_retrieval::literature::Fault;
use graphloom_retrieval::web::{EngineName, EngineOutcome};
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
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = format!("http://127.0.0.1:{port}");
    let options = graphloom_retrieval::web::WebOptions::default().all_at(&gone);
    let web = graphloom_retrieval::web::Web::open(&EngineName::ALL, &options).unwrap();
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

/// A host that begins an answer with `start`, goes on with `piece` again and again, `pause` apart, and counts the bytes
/// that it got rid of.
fn endless(start: &'static str, piece: &'static [u8], pause: Duration) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, sent) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&sent);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let mut go_on = stream.write_all(start.as_bytes()).is_ok();
            while go_on {
                go_on = stream.write_all(piece).is_ok();
                counted.fetch_add(piece.len(), Ordering::SeqCst);
                std::thread::sleep(pause);
            }
        }
    });
    (address, sent)
}

/// What every engine at `place` makes of a question, when an answer may take 300 ms.
async fn impatient(place: SocketAddr) -> Vec<(EngineName, &'static str)> {
    let mut outcomes = Vec::new();
    for (engine, ..) in ENGINES {
        let mut options = graphloom_retrieval::web::WebOptions::default().all_at(&format!("http://{place}"));
        let mut politeness = graphloom_retrieval::literature::Politeness::none();
        politeness.longest_answer = Duration::from_millis(300);
        options.engines.get_mut(&engine).unwrap().politeness = Some(politeness);
        let found = graphloom_retrieval::web::Web::open(&[engine], &options).unwrap().ask("logs", 5).await;
        assert!(found.results.is_empty());
        outcomes.push((engine, kind(&found.reports[0].outcome)));
    }
    outcomes
}

#[tokio::test]
async fn headers_that_trickle_end() {
    let (place, _) = endless("HTTP/1.1 200 OK\r\n", b"x: y\r\n", Duration::from_millis(50));
    for (engine, outcome) in impatient(place).await {
        assert_eq!(outcome, "timed out", "{engine}");
    }
}

#[tokio::test]
async fn a_stream_without_end_is_cut_off() {
    const START: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    const PIECE: &[u8] = b"10\r\n                \r\n";
    let (place, sent) = endless(START, PIECE, Duration::ZERO);
    for (engine, outcome) in impatient(place).await {
        assert!(matches!(outcome, "too large" | "timed out"), "{engine}: {outcome}");
    }
    let bytes = sent.load(Ordering::SeqCst);
    assert!(bytes > PIECE.len() * 100, "{bytes}");
}

#[tokio::test]
async fn fifty_megabytes_are_refused_before_they_are_read() {
    const START: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 52428800\r\n\r\n";
    let (place, sent) = endless(START, &[b' '; 1024], Duration::from_millis(1));
    for (engine, outcome) in impatient(place).await {
        assert_eq!(outcome, "too large", "{engine}");
    }
    let bytes = sent.load(Ordering::SeqCst);
    assert!(bytes < 16 << 20, "{bytes} bytes were taken");
}
