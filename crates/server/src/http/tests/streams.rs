//! Answers that are sent bit by bit, and the stop of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::super::Frame;
use super::Served;

/// How many events of `/flood` were taken.
pub(super) static FLOODED: AtomicUsize = AtomicUsize::new(0);

#[test]
fn a_frame_is_lines_with_cr_and_lf() {
    let cases = [
        (
            Frame::encoded("values", &json!({"a": "1\n2"}).to_string(), None),
            "event: values\r\ndata: {\"a\":\"1\\n2\"}\r\n\r\n",
        ),
        (Frame::encoded("end", &json!(null).to_string(), Some("17-3")), "event: end\r\ndata: null\r\nid: 17-3\r\n\r\n"),
        (Frame::encoded("", "[DONE]", None), "data: [DONE]\r\n\r\n"),
        (Frame::encoded("a\r\ndata: b", "{\n}", Some("1\n2")), "event: a  data: b\r\ndata: { }\r\nid: 1 2\r\n\r\n"),
    ];
    for (frame, expected) in cases {
        assert_eq!(std::str::from_utf8(frame.as_bytes()).unwrap(), expected);
    }
}

#[tokio::test]
async fn events_have_their_headers_and_a_steady_heartbeat() {
    let served = Served::start(|_| {}).await;
    let began = Instant::now();
    let mut response = super::client().get(served.url("/silent")).send().await.unwrap();
    for (name, value) in [
        ("content-type", "text/event-stream; charset=utf-8"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
    ] {
        assert_eq!(response.headers()[name], value);
    }
    let mut next = async || response.chunk().await.expect("bytes").expect("more");
    assert_eq!(next().await, "event: metadata\r\ndata: {\"run_id\":\"r\"}\r\n\r\n");
    for beat in 1..=2 {
        assert_eq!(next().await, ": heartbeat\r\n\r\n");
        let elapsed = began.elapsed();
        eprintln!("heartbeat {beat} after {elapsed:?}");
        assert!(elapsed >= Duration::from_secs(5) * beat, "{elapsed:?}");
    }
}

#[tokio::test]
async fn late_json_follows_line_breaks() {
    let served = Served::start(|_| {}).await;
    let mut answer = super::client().get(served.url("/late")).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["content-type"]),
        (200, &"application/json".parse().unwrap())
    );
    let mut begun = String::new();
    while begun.len() < 2 {
        begun.push_str(std::str::from_utf8(&answer.chunk().await.unwrap().unwrap()).unwrap());
    }
    assert_eq!(begun.trim_start_matches('\n'), "");
    served.answer_late();
    assert_eq!(answer.text().await.unwrap().trim_start_matches('\n'), "{\"done\":true}");
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_little_and_is_cut() {
    let served = Served::start(|security| security.limits.stalled = Duration::from_secs(1)).await;
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    let mut stream = socket.connect(served.address).await.unwrap();
    stream.write_all(b"GET /flood HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    // Its sockets are full some time, and it is given up a while after that, and with it the place of its stream.
    while FLOODED.load(Ordering::SeqCst) == 0 || served.guard.capacity().streams.taken() > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let taken = FLOODED.load(Ordering::SeqCst);
    assert!(taken < 8_000, "{taken} events of 1 kB wait for a client that does not read");
}

#[tokio::test]
async fn a_stop_lets_requests_end_and_ends_streams() {
    let served = Served::start(|security| security.limits.drain = Duration::from_secs(3600)).await;
    let late = tokio::spawn(super::client().get(served.url("/late")).send());
    let stream = super::client().get(served.url("/silent")).send().await.unwrap();
    let mut socket = TcpStream::connect(served.address).await.unwrap();
    let upgrade = "GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                   sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    socket.write_all(upgrade.as_bytes()).await.unwrap();
    let mut head = [0; 12];
    socket.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 101");
    let mut idle = TcpStream::connect(served.address).await.unwrap();
    idle.write_all(b"GET /ok HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    idle.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    // The head of the late answer is here, so the request is under way.
    let late = late.await.unwrap().unwrap();
    let (address, gate) = (served.address, Arc::clone(&served.late));
    let stopping = tokio::spawn(served.stop());
    // Streams end, and connections that wait for a request, though a request is under way.
    assert!(stream.text().await.unwrap().ends_with("\r\n\r\n"), "a stream ends between frames");
    drop(socket.read_to_end(&mut Vec::new()).await);
    idle.read_to_end(&mut Vec::new()).await.unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "nobody new is let in");
    gate.add_permits(1);
    assert!(late.text().await.unwrap().ends_with("{\"done\":true}"), "what is under way ends");
    assert_eq!(stopping.await.unwrap(), 0, "nothing is cut");
}

#[tokio::test]
async fn a_stop_cuts_at_its_deadline() {
    let served = Served::start(|security| security.limits.drain = Duration::from_millis(300)).await;
    let late = super::client().get(served.url("/late")).send().await.unwrap();
    let began = Instant::now();
    assert_eq!(served.stop().await, 1);
    assert!(began.elapsed() >= Duration::from_millis(300), "{:?}", began.elapsed());
    assert!(late.text().await.is_err(), "an answer that is cut is no whole one");
}
