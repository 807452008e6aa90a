//! What is tried again, and what is not.

use std::time::{Duration, Instant};

use graphloom_client::{Client, ClientError, NewThread, ThreadId};
use serde_json::json;
use uuid::Uuid;

use crate::scripted_server::{Reply, ScriptedServer, lines, options};

fn thread() -> (ThreadId, Reply) {
    let id = ThreadId(Uuid::from_u128(7));
    (id, Reply::json(200, &json!({"thread_id": id, "status": "idle", "metadata": null, "values": null, "new": 1})))
}

fn refusal(status: u16) -> Reply {
    Reply::json(status, &json!({"detail": "not now"}))
}

#[tokio::test]
async fn a_reading_call_outlives_every_passing_fault() {
    let (id, answer) = thread();
    let script =
        [refusal(503), refusal(429).header("retry-after", "0"), answer.clone().cut(), Reply::unanswered(), answer];
    let server = ScriptedServer::start(script).await;
    let thread = server.client().threads().get(id).await.unwrap();
    assert_eq!((thread.thread_id, thread.extra["new"].as_u64()), (id, Some(1)));
    assert_eq!(lines(&server.asked()), vec![format!("GET /threads/{id}"); 5]);
}

#[tokio::test]
async fn a_writing_call_is_sent_once_when_the_server_had_it() {
    for (reply, is_broken) in [(refusal(500), false), (Reply::unanswered(), true)] {
        let server = ScriptedServer::start([reply]).await;
        let error = server.client().threads().create(NewThread::new()).await.unwrap_err();
        assert_eq!(matches!(error, ClientError::Broken { .. }), is_broken, "{error}");
        assert!(error.is_temporary());
        assert_eq!(lines(&server.asked()), ["POST /threads"]);
    }
}

#[tokio::test]
async fn a_writing_call_waits_for_a_server_that_is_not_there_yet() {
    // A port that was free a moment ago.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut options = options();
    options.tries = 3;
    let client = Client::with_options(&format!("http://{address}"), options).unwrap();
    let error = client.threads().create(NewThread::new()).await.unwrap_err();
    let ClientError::Connect { host, tries, .. } = &error else { panic!("{error}") };
    assert_eq!((host.as_str(), *tries), (address.to_string().as_str(), 3));
    assert!(error.to_string().contains("check that the server runs"), "{error}");
}

#[tokio::test]
async fn the_pause_that_a_server_asks_for_is_kept_up_to_a_bound() {
    let (id, answer) = thread();
    let server = ScriptedServer::start([refusal(429).header("retry-after", "0.3"), answer]).await;
    let begin = Instant::now();
    server.client().threads().get(id).await.unwrap();
    assert!(begin.elapsed() >= Duration::from_millis(300), "{:?}", begin.elapsed());

    let server = ScriptedServer::start([refusal(429).header("retry-after", "3600")]).await;
    let error = server.client().threads().get(id).await.unwrap_err();
    let ClientError::Refused { retry_after, status: 429, .. } = &error else { panic!("{error}") };
    assert_eq!(*retry_after, Some(Duration::from_secs(3600)));
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn tries_have_an_end_and_a_refusal_is_not_repeated() {
    let (id, _) = thread();
    let server = ScriptedServer::start(vec![refusal(502); 5]).await;
    let error = server.client().threads().get(id).await.unwrap_err();
    assert_eq!((error.status(), server.asked().len()), (Some(502), 5));

    let server = ScriptedServer::start([refusal(404)]).await;
    let error = server.client().threads().get(id).await.unwrap_err();
    assert!(error.is_not_found() && !error.is_temporary());
    assert_eq!(server.asked().len(), 1);
}
