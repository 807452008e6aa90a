//! Threads as objects: asked for over the ingress, answered, cancelled, and handed over.

use std::path::Path;
use std::time::Duration;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::Threads;
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_restate::{Endpoint, RunEnd};
use graphloom_restate_server::Engine as Server;
use serde_json::{Value, json};

use crate::pages::{Notes, Page, Pause, app, drafted, lines, noted, until};
use crate::places::{Served, any, options, port, run};

/// A client of the engine.
pub(crate) fn client() -> reqwest::Client {
    // Another test may have been first.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::new()
}

/// Asks a handler; the status and the words of an error.
pub(crate) async fn ask(ingress: &str, target: &str, key: &str, body: &Value) -> Result<RunEnd, (u16, String)> {
    let request = client().post(format!("{ingress}/{target}")).header("idempotency-key", key);
    let request = request.header("content-type", "application/json").body(body.to_string());
    let answer = request.send().await.expect("the engine answers");
    let (status, text) = (answer.status(), answer.text().await.expect("an answer"));
    if !status.is_success() {
        return Err((status.as_u16(), text));
    }
    Ok(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// The lines of a page that was answered.
pub(crate) fn page_lines(end: &RunEnd) -> Vec<String> {
    serde_json::from_value::<Page>(end.state.clone()).expect("a page").lines.iter().cloned().collect()
}

fn threads(folder: &Path, pause: Pause) -> Threads<Page, Notes> {
    let store = SqliteCheckpointer::open(folder.join("pages.db")).expect("a store");
    app(&folder.join("notes"), pause).with_checkpointer(store)
}

fn serve(server: &Server, folder: &Path, pause: Pause) -> Served {
    run(Endpoint::new(&options(server)).threads("Pages", threads(folder, pause)).listen(any()))
}

/// How a thread stands, once the object is known.
pub(crate) async fn state(server: &Server, thread: &str) -> RunEnd {
    let client = client();
    loop {
        let answer = client.post(format!("{}/Pages/{thread}/state", server.ingress())).send().await;
        let answer = answer.expect("the engine answers");
        if answer.status().is_success() {
            return serde_json::from_str(&answer.text().await.expect("an answer")).expect("a state");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_is_run_asked_and_answered() {
    let (server, folder) = (Server::start(), tempfile::tempdir().expect("a folder"));
    let _served = serve(&server, folder.path(), Pause::None);
    assert_eq!(state(&server, "page").await.status, ThreadStatus::New);
    let target = "Pages/page/run";
    let end = ask(&server.ingress(), target, "1", &json!({"input": {"parts": 3}})).await.expect("it runs");
    assert_eq!((end.status, page_lines(&end)), (ThreadStatus::Waiting, drafted(3)));
    assert_eq!((end.questions[0].key.as_str(), &end.questions[0].payload), ("title", &json!(4)));
    // The same request again is the same run, and not another one.
    let again = ask(&server.ingress(), target, "1", &json!({"input": {"parts": 3}})).await.expect("it has run");
    assert_eq!(again, end);
    // What does not fit is refused, and changes nothing.
    for (key, body, what) in [
        ("2", json!({"input": {"parts": 3}}), "is Waiting"),
        ("3", json!({"answers": {"name": "A page"}}), "no open question `name`"),
        ("4", json!({"answers": {"title": 1}}), "the answer to `title` does not fit"),
        ("5", json!({"input": {"part": 3}}), "no field"),
        ("6", json!("begin"), "the request cannot be read"),
    ] {
        let (status, text) = ask(&server.ingress(), target, key, &body).await.expect_err("it is refused");
        assert!(status == 400 && text.contains(what), "{status} {text}");
    }
    assert_eq!(state(&server, "page").await, end);
    let end = ask(&server.ingress(), target, "7", &json!({"answers": {"title": "A page"}})).await.expect("it runs");
    let expected: Vec<String> = drafted(3).into_iter().chain(["A page".to_owned()]).collect();
    assert_eq!((end.status, page_lines(&end)), (ThreadStatus::Done, expected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_cancelled_at_the_engine_is_cancelled() {
    let (server, folder) = (Server::start(), tempfile::tempdir().expect("a folder"));
    let _served = serve(&server, folder.path(), Pause::Forever);
    state(&server, "page").await;
    let client = client();
    let sent = client.post(format!("{}/Pages/page/run/send", server.ingress()));
    let sent = sent.header("content-type", "application/json").body(json!({"input": {"parts": 2}}).to_string());
    let sent: Value = serde_json::from_str(&sent.send().await.expect("it is sent").text().await.expect("an answer"))
        .expect("an invocation");
    let id = sent["invocationId"].as_str().expect("an id");
    let notes = folder.path().join("notes");
    until(|| noted(&notes, "draft", 1) == 1).await;
    let cancel = client.patch(format!("{}/invocations/{id}/cancel", server.admin())).send().await;
    assert!(cancel.expect("the engine answers").status().is_success());
    while state(&server, "page").await.status != ThreadStatus::Cancelled {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The thread goes on when it is asked to; nobody does so by himself.
    assert_eq!(noted(&notes, "ended", 1), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_is_stopped_hands_its_runs_over() {
    let (server, folder) = (Server::start(), tempfile::tempdir().expect("a folder"));
    let (port, notes) = (port(), folder.path().join("notes"));
    let endpoint = |pause| {
        let threads = threads(folder.path(), pause);
        Endpoint::new(&options(&server)).threads("Pages", threads).listen(port.address())
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let first = tokio::spawn(endpoint(Pause::UntilStop).run(async move { drop(stopped.await) }));
    state(&server, "page").await;
    let asked = {
        let ingress = server.ingress();
        tokio::spawn(async move { ask(&ingress, "Pages/page/run", "1", &json!({"input": {"parts": 2}})).await })
    };
    until(|| (0..2).all(|part| noted(&notes, "draft", part) == 1)).await;
    stop.send(()).expect("it is there");
    first.await.expect("no panic").expect("it ends orderly");
    let _second = run(endpoint(Pause::None));
    let end = asked.await.expect("no panic").expect("it runs");
    assert_eq!((end.status, page_lines(&end)), (ThreadStatus::Waiting, drafted(2)));
    // What was in flight ended where it was.
    for part in 0..2 {
        let of = |what| noted(&notes, what, part);
        assert_eq!((of("began"), of("draft"), of("ended")), (1, 1, 1), "part {part}: {:?}", lines(&notes));
    }
}
