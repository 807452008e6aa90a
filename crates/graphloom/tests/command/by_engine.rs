//! `graphloom serve --engine` and `graphloom worker --engine`, as processes around one engine of Restate.

use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use graphloom_restate_server::Engine;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::applications::Applications;
use crate::serve::{Serving, http, json_of, post, serve_on, signal};
use crate::workers::{Working, working};
use crate::{graphloom, run};

const DEMO: [&str; 3] = ["--demo", "--apps", "none"];

/// The addresses on which the engine calls the processes of a test.
struct Places {
    engine: Engine,
    server: String,
    worker: String,
}

/// A free address that nobody gets who asks for any port: the system gives those out above this range.
fn address() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let next = std::process::id().wrapping_mul(16).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let address = format!("127.0.0.1:{}", 20_000 + next % 12_000);
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}

impl Places {
    fn start() -> Self {
        let [server, worker] = [(); 2].map(|()| address());
        Self { engine: Engine::start(), server, worker }
    }

    /// A server whose tasks the engine brings to workers.
    fn drive(&self, place: &Path, more: &[&str]) -> Serving {
        let engine = self.engine.url();
        serve_on(place, &[&["--engine", &engine, "--engine-listen", &self.server, "--port", "0"], more].concat(), None)
    }

    /// A worker, which shares its address with all others.
    fn work(&self, place: &Path, more: &[&str]) -> Working {
        let engine = self.engine.url();
        let line = ["worker", "--json", "--engine", &engine, "--engine-listen", &self.worker];
        working(graphloom(place, &[&line, more].concat()))
    }

    /// What the engine answers that is asked for a handler of a thread of a graph.
    async fn ask(&self, handler: &str, key: &str, body: Value) -> (StatusCode, Value) {
        // The engine knows a server a moment after it has begun.
        loop {
            let asked = http().post(format!("{}/graphloom.{handler}", self.engine.ingress()));
            let asked = asked.header("content-type", "application/json").header("idempotency-key", key);
            let answered = asked.body(body.to_string()).send().await.unwrap();
            let status = answered.status();
            let text = answered.text().await.unwrap();
            if status != StatusCode::NOT_FOUND {
                return (status, serde_json::from_str(&text).unwrap_or(Value::String(text)));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

#[tokio::test]
async fn a_server_is_an_object_of_the_engine_and_its_tasks_are_done_by_workers() {
    let places = Places::start();
    let place = tempfile::tempdir().unwrap();
    let server = places.drive(place.path(), &DEMO);
    let workers = [places.work(place.path(), &DEMO), places.work(place.path(), &DEMO)];
    // Asked of the server, as ever.
    let names = json!({ "names": (0..30).map(|n| n.to_string()).collect::<Vec<_>>() });
    let order = json!({ "assistant_id": "fanout", "input": names });
    let found = json_of(post(&format!("{}/runs/wait", server.url), &order).await).await;
    assert_eq!(found["results"].as_array().map(Vec::len), Some(31), "{found}");
    for note in ["storks come in March", "and leave in August"] {
        let order = json!({ "assistant_id": "memory", "input": { "note": note }, "context": { "user_id": "ada" } });
        let found = json_of(post(&format!("{}/runs/wait", server.url), &order).await).await;
        assert!(found["recalled"].as_array().unwrap().contains(&json!(note)), "{found}");
    }
    // Asked of the engine: the same request is the same run, a question is answered, and what does not fit is refused.
    let (status, asked) = places.ask("approval/tea/run", "1", json!({ "input": { "request": "tea" } })).await;
    assert_eq!(
        (status, &asked["status"], &asked["questions"][0]["key"]),
        (StatusCode::OK, &json!("waiting"), &json!("approve"))
    );
    let again = places.ask("approval/tea/run", "1", json!({ "input": { "request": "tea" } })).await;
    assert_eq!(again, (StatusCode::OK, asked.clone()));
    for (key, body, what) in [
        ("2", json!({ "input": { "request": "tea" }, "answers": {} }), "not with both"),
        ("3", json!({ "answers": { "name": "x" } }), "no question is open as `name`"),
        ("4", json!({ "inputs": {} }), "unknown field `inputs`"),
        ("5", json!({ "input": { "request": 7 } }), "request"),
    ] {
        let (status, told) = places.ask("approval/tea/run", key, body).await;
        assert!(status == StatusCode::BAD_REQUEST && told.to_string().contains(what), "{status} {told}");
    }
    let (_, shown) = places.ask("approval/tea/state", "6", Value::Null).await;
    assert_eq!(shown, asked);
    let (_, done) = places.ask("approval/tea/run", "7", json!({ "answers": { "approve": "approve" } })).await;
    assert_eq!(
        (&done["status"], &done["state"]["log"]),
        (&json!("done"), &json!(["draft", "review:approve", "publish"]))
    );
    let context = json!({ "input": { "note": "tides" }, "context": { "user_id": "bea" } });
    // Threads of two graphs may have one name.
    let (_, noted) = places.ask("memory/tea/run", "8", context).await;
    assert_eq!((&noted["state"]["who"], &noted["state"]["recalled"]), (&json!("bea"), &json!(["tides"])), "{noted}");
    // Clients of the server know these threads by ids of their own.
    let found = json_of(post(&format!("{}/threads/search", server.url), &json!({ "limit": 10 })).await).await;
    assert!(found.as_array().unwrap().iter().any(|thread| thread["values"]["draft"] == "Draft for tea"), "{found}");

    for mut worker in workers {
        signal(&worker.process, "TERM");
        assert!(worker.process.wait().unwrap().success());
    }
}

#[tokio::test]
async fn a_run_of_the_engine_goes_on_when_its_server_is_killed() {
    const TICKS: u64 = 40;
    let places = Places::start();
    let place = tempfile::tempdir().unwrap();
    let first = places.drive(place.path(), &DEMO);
    let _worker = places.work(place.path(), &DEMO);
    let input = json!({ "input": { "n": TICKS, "delay_ms": 50 } });
    let run = places.ask("ticker/clock/run", "1", input);
    tokio::pin!(run);
    let mut looks = 0;
    let mut ticks = async || {
        looks += 1;
        let (_, shown) = places.ask("ticker/clock/state", &format!("look {looks}"), Value::Null).await;
        shown["state"]["ticks"].as_array().map_or(0, |ticks| ticks.len() as u64)
    };
    let started = async {
        while ticks().await < 5 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        ended = &mut run => panic!("it has ended: {ended:?}"),
        () = started => {}
    }
    drop(first);
    let _second = places.drive(place.path(), &DEMO);
    let (status, ended) = run.await;
    assert_eq!((status, &ended["status"]), (StatusCode::OK, &json!("done")), "{ended}");
    assert_eq!(ended["state"]["ticks"], json!((1..=TICKS).collect::<Vec<_>>()));
}

#[tokio::test]
async fn the_applications_come_to_the_same_on_workers_that_are_killed_as_in_place() {
    let places = Places::start();
    let place = tempfile::tempdir().unwrap();
    let applications = Applications::new(place.path(), "there");
    let options = applications.options();
    let server = places.drive(place.path(), &options);
    applications.come_to_the_same(&server.url, || places.work(place.path(), &options)).await;
}

#[test]
fn an_engine_that_cannot_be_used_is_told() {
    let place = tempfile::tempdir().unwrap();
    for (line, code, what) in [
        (&["worker", "--demo", "--apps", "none", "--engine", "http://engine"][..], 2, "is no address of an engine"),
        (&["serve", "--demo", "--apps", "none", "--engine", "restate://127.0.0.1:1", "--workers"], 2, "--workers"),
        (&["serve", "--demo", "--apps", "none", "--engine", "restate://127.0.0.1:1", "--in-memory"], 2, "--in-memory"),
        (
            &[
                "serve",
                "--demo",
                "--apps",
                "none",
                "--engine",
                "restate://127.0.0.1:1",
                "--callbacks-advertise",
                "here",
            ],
            2,
            "`here` is no address",
        ),
        (&["serve", "--demo", "--apps", "none", "--engine", "restate://127.0.0.1:1"], 1, "cannot be reached"),
        (
            &[
                "worker",
                "--demo",
                "--apps",
                "none",
                "--engine",
                "restate://127.0.0.1:1",
                "--engine-listen",
                "0.0.0.0:0",
            ],
            2,
            "--engine-advertise",
        ),
    ] {
        let (status, _, stderr) = run(place.path(), line);
        assert!(status == code && stderr.contains(what), "{line:?}: {status} {stderr}");
    }
}
