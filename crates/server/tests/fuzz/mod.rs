//! Random and mutated requests at every route of `/openapi.json`: never an answer that blames the server, and a request that
//! is refused leaves nothing behind.

mod values;

use std::time::Duration;

use graphloom_test_support::times;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Client, demo_server, seed};
use values::Values;

/// Requests to each route.
const REQUESTS: usize = 12;

/// A route of the document.
struct Route {
    method: Method,
    path: String,
    query: Vec<String>,
    /// The schema of its body.
    body: Option<Value>,
}

fn routes(document: &Value) -> Vec<Route> {
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let query = parameters.iter().filter(|one| one["in"] == "query");
            routes.push(Route {
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                query: query.map(|one| one["name"].as_str().unwrap().to_owned()).collect(),
                body: operation["requestBody"]["content"]["application/json"].get("schema").cloned(),
            });
        }
    }
    routes
}

/// How much there is of each kind that a request could have made.
async fn listed(client: &Client) -> Vec<usize> {
    let mut counts = Vec::new();
    for path in ["/threads/count", "/assistants/count", "/runs/crons/count"] {
        let count = client.post(path, json!({})).await.unwrap().ok();
        counts.push(usize::try_from(count.as_u64().unwrap()).unwrap());
    }
    let items = client.post("/store/items/search", json!({"namespace_prefix": [], "limit": 1000})).await.unwrap().ok();
    counts.push(items["items"].as_array().unwrap().len());
    counts
}

/// Ids of what is there, for requests that are about something.
async fn there(client: &Client) -> Vec<String> {
    let mut ids = vec!["pipeline".to_owned(), "approval".to_owned(), "echo_chat".to_owned()];
    for (graph, input) in [
        ("pipeline", json!({"topic": "x"})),
        ("approval", json!({"request": "x"})),
        ("echo_chat", json!({"messages": [{"role": "user", "content": "x"}]})),
    ] {
        let thread = client.post("/threads", json!({})).await.unwrap().ok()["thread_id"].as_str().unwrap().to_owned();
        let run = client.post(&format!("/threads/{thread}/runs"), json!({"assistant_id": graph, "input": input})).await;
        let run = run.unwrap().ok()["run_id"].as_str().unwrap().to_owned();
        client.get(&format!("/threads/{thread}/runs/{run}/join")).await.unwrap().ok();
        let state = client.get(&format!("/threads/{thread}/state")).await.unwrap().ok();
        ids.extend([thread, run, state["checkpoint_id"].as_str().unwrap().to_owned()]);
    }
    let made = client.post("/assistants", json!({"graph_id": "pipeline"})).await.unwrap().ok();
    ids.push(made["assistant_id"].as_str().unwrap().to_owned());
    let cron = json!({"assistant_id": "pipeline", "schedule": "0 0 1 1 *"});
    ids.push(client.post("/runs/crons", cron).await.unwrap().ok()["cron_id"].as_str().unwrap().to_owned());
    ids
}

struct Sent {
    what: String,
    status: u16,
    body: String,
}

/// Sends a request, and reads its answer, or as much of a stream as comes at once.
async fn send(request: reqwest::RequestBuilder, what: String) -> Option<Sent> {
    let sending = request.send();
    tokio::pin!(sending);
    let answered = loop {
        tokio::select! {
            answered = &mut sending => break answered,
            () = tokio::time::sleep(Duration::from_secs(20)) => eprintln!("no answer yet to {what}"),
        }
    };
    let response = match answered {
        // What cannot be sent at all, such as a header that is none.
        Err(error) if error.is_builder() => return None,
        // A request that is refused before it was read to its end.
        Err(error) => panic!("{what}: {error:?}"),
        Ok(response) => response,
    };
    let status = response.status().as_u16();
    let read = async {
        match status < 300 {
            true => tokio::time::timeout(Duration::from_millis(50), response.bytes()).await.ok()?.ok(),
            false => response.bytes().await.ok(),
        }
    };
    let body = read.await.unwrap_or_default();
    Some(Sent { what, status, body: String::from_utf8_lossy(&body).chars().take(2_000).collect() })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_answered_as_a_fault_of_the_server_and_what_is_refused_leaves_nothing() {
    let seed = seed();
    eprintln!("GRAPHLOOM_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let (running, client) = demo_server().await;
    let document = client.get("/openapi.json").await.unwrap().ok();
    let routes = routes(&document);
    assert!(routes.len() > 60, "{} routes", routes.len());
    let mut statuses = std::collections::BTreeMap::<u16, usize>::new();
    for route in &routes {
        // Requests delete what there is, so that each route gets its own.
        let ids = there(&client).await;
        let values = Values { document: &document, ids: &ids };
        let mut before = listed(&client).await;
        for _ in 0..times(REQUESTS) {
            let mut path = route.path.clone();
            while let (Some(from), Some(to)) = (path.find('{'), path.find('}')) {
                path.replace_range(from..=to, &values.segment(&mut random));
            }
            let mut pairs: Vec<_> = Vec::new();
            for name in &route.query {
                for _ in 0..random.random_range(0..3) {
                    pairs.push(format!("{name}={}", values.segment(&mut random)));
                }
            }
            if !pairs.is_empty() {
                path = format!("{path}?{}", pairs.join("&"));
            }
            let mut request = client.request(route.method.clone(), &path);
            let mut what = format!("{} {path}", route.method);
            if random.random_ratio(1, 4) {
                let name = ["last-event-id", "prefer", "a2a-version", "content-type", "accept", "mcp-session-id"]
                    .choose(&mut random)
                    .unwrap();
                let value = [
                    "-1",
                    "-",
                    "0-0",
                    "18446744073709551615-18446744073709551615",
                    "1.0",
                    "return=minimal",
                    "text/plain",
                    "é",
                    "",
                ]
                .choose(&mut random)
                .unwrap();
                request = request.header(*name, *value);
                what = format!("{what}, {name}: {value}");
            }
            let body = match &route.body {
                Some(schema) => values.body(schema, &mut random),
                None if random.random_ratio(1, 3) => values.body(&json!({}), &mut random),
                None => Vec::new(),
            };
            if !body.is_empty() {
                request = request.header("content-type", "application/json").body(body.clone());
                what = format!("{what} {}", String::from_utf8_lossy(&body).chars().take(1_500).collect::<String>());
            }
            let Some(sent) = send(request, what).await else { continue };
            *statuses.entry(sent.status).or_default() += 1;
            assert!(sent.status < 500, "seed {seed}: {} of {}: {}", sent.status, sent.what, sent.body);
            let after = listed(&client).await;
            if sent.status >= 400 {
                // Less there may be: what had a time to live is gone.
                let is_as_before = after.iter().zip(&before).all(|(after, before)| after <= before);
                assert!(is_as_before, "seed {seed}: {} and {before:?} became {after:?}: {}", sent.status, sent.what);
            }
            before = after;
        }
    }
    eprintln!("{statuses:?}");
    // Requests come through as well as not.
    assert!([200, 404, 422].iter().all(|status| statuses.contains_key(status)), "seed {seed}: {statuses:?}");
    running.stop().await;
}

/// Routes for which an id that nobody knows is nothing wrong: a thread is made by the first command on it.
const MADE_WHEN_NAMED: &[&str] =
    &["/threads/{thread_id}/commands", "/threads/{thread_id}/stream/events", "/threads/{thread_id}/stream"];

#[tokio::test]
async fn ids_that_nobody_knows_are_not_found() {
    let (running, client) = demo_server().await;
    let document = client.get("/openapi.json").await.unwrap().ok();
    for route in routes(&document) {
        let is_made = route.method == Method::POST && MADE_WHEN_NAMED.contains(&route.path.as_str());
        if !route.path.contains('{') || is_made {
            continue;
        }
        for id in ["01a216ac-0000-7000-8000-000000000000", "nobody"] {
            let mut path = route.path.clone();
            while let (Some(from), Some(to)) = (path.find('{'), path.find('}')) {
                path.replace_range(from..=to, id);
            }
            let mut request = client.request(route.method.clone(), &path);
            if route.body.is_some() {
                // What every route takes that has a body.
                let body = json!({
                    "assistant_id": "pipeline", "input": {"topic": "x"}, "schedule": "0 0 1 1 *", "version": 1,
                    "checkpoint": {"checkpoint_id": "01a216ac-0000-7000-8000-000000000000"},
                    "threadId": "t", "runId": "r", "messages": [], "tools": [], "context": [], "state": {},
                    "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {},
                });
                request = request.header("content-type", "application/json").body(body.to_string());
            }
            let sent = send(request, format!("{} {path}", route.method)).await.unwrap();
            let is_refused = [404, 422].contains(&sent.status)
                // What upgrades to a WebSocket looks at that first.
                || (sent.status == 426 || sent.status == 400) && path.ends_with("/stream/events");
            assert!(is_refused, "{} of {}: {}", sent.status, sent.what, sent.body);
        }
    }
    running.stop().await;
}
