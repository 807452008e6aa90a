//! How much a client may ask.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::super::{Keys, ServeError, bind};
use super::Served;

#[tokio::test]
async fn a_long_query_and_many_or_long_headers_are_refused() {
    let served = Served::start(|security| security.limits.headers = 20).await;
    let query = "x".repeat((16 << 10) + 1);
    let many = (0..30).map(|n| format!("x-{n}: 1\r\n")).collect::<String>();
    let long = format!("x-long: {}\r\n", "x".repeat(40 << 10));
    let cases = [
        ("/ok?", query[1..].to_owned(), String::new(), 200),
        ("/ok?", query, String::new(), 414),
        ("/ok?", "x".repeat(200 << 10), String::new(), 431),
        ("/ok", String::new(), many, 431),
        ("/ok", String::new(), long, 431),
    ];
    for (path, query, headers, status) in cases {
        let request = format!("GET {path}{query} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n");
        let answer = served.raw(request.as_bytes()).await;
        let head: String = answer.chars().take(100).collect();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{path} {} {}: {head}", query.len(), headers.len());
    }
}

#[tokio::test]
async fn headers_that_never_end_close_the_connection() {
    let served = Served::start(|security| security.limits.header_time = Duration::from_millis(300)).await;
    let began = Instant::now();
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"GET /ok HTTP/1.1\r\nhost: localhost\r\n").await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    let dripping = tokio::spawn(async move {
        while writing.write_all(b"x-a: 1\r\n").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let mut answer = Vec::new();
    drop(reading.read_to_end(&mut answer).await);
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    assert!(began.elapsed() >= Duration::from_millis(300));
    dripping.await.unwrap();
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let served = Served::start(|security| security.limits.stalled = Duration::from_millis(300)).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"POST /search HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.ends_with(r#"{"detail":"Request body did not arrive in time"}"#), "{answer}");
}

#[tokio::test]
async fn requests_are_counted_by_key_and_by_address() {
    let served = Served::start(|security| {
        security.limits.requests_a_minute = NonZeroU32::new(30);
        security.keys = Keys::from_text("a all the-first-of-two-keys\nb all the-other-of-two-keys").unwrap();
    })
    .await;
    // A tenth of a minute's at once.
    for key in ["the-first-of-two-keys", "the-other-of-two-keys", "guessed-by-a-stranger"] {
        let passes = if key.starts_with("the") { 200 } else { 401 };
        let (mut passed, began) = (0, Instant::now());
        let refused = loop {
            let answer = served.get("/who", &[("x-api-key", key)]).await;
            if answer.status == 429 {
                break answer;
            }
            assert_eq!(answer.status, passes, "{key}");
            passed += 1;
            // One more every two seconds.
            let may_pass = 3 + began.elapsed().as_secs() / 2;
            assert!(passed <= may_pass, "{passed} of {may_pass} requests: {key}");
        };
        assert!(passed >= 3, "{passed} requests: {key}");
        let wait: u64 = refused.header("retry-after").parse().expect("seconds");
        assert!((1..=2).contains(&wait), "{wait}");
    }
}

#[tokio::test]
async fn runs_and_streams_have_places() {
    let served = Served::start(|security| {
        security.limits.streams = 2;
        security.limits.runs = 1;
    })
    .await;
    let permit = served.guard.capacity().run().expect("a place");
    let refused = served.guard.capacity().run().expect_err("no place");
    assert_eq!(refused.status.as_u16(), 429);
    drop(permit);
    assert!(served.guard.capacity().run().is_ok());

    let first = super::client().get(served.url("/silent")).send().await.unwrap();
    let _second = super::client().get(served.url("/silent")).send().await.unwrap();
    let refused = served.get("/silent", &[]).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, "1"));
    assert_eq!(refused.detail(), "Too many open streams: this server holds 2 and no more");
    drop(first);
    // The place is free as soon as the server notices that the client is gone.
    while served.guard.capacity().stream().is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn connections_over_the_limit_wait() {
    let served = Served::start(|security| security.limits.connections = 1).await;
    let held = TcpStream::connect(served.address).await.unwrap();
    let mut other = TcpStream::connect(served.address).await.unwrap();
    other.write_all(b"GET /ok HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    let early = tokio::time::timeout(Duration::from_millis(300), other.read_to_string(&mut answer)).await;
    assert!(early.is_err(), "{answer}");
    drop(held);
    other.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let first = bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let address = first.local_addr().unwrap();
    let error = bind(address).await.expect_err("a port in use");
    assert!(matches!(error, ServeError::PortInUse { .. }));
    let expected = format!(
        "port {} of `127.0.0.1` is in use: stop the program that has it, or choose another port (0 finds a free one)",
        address.port()
    );
    assert_eq!(error.to_string(), expected);
}
