//! A pair of streams in the place of HTTP.

use tokio::io::AsyncWriteExt as _;
use tokio::sync::oneshot;

use super::*;
use crate::records::{CronCreate, RunStatus, system_assistant_id};

#[tokio::test]
async fn one_client_is_served_over_streams_until_it_goes_away() {
    for generation in GENERATIONS {
        let storage = Storage::default();
        let (here, there) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(there);
        let served = tokio::spawn(storage.server().serve_mcp(input, output, std::future::pending()));
        let person = Person::answering([json!("approve")]);
        let client = Arc::clone(&person).serve_with_lifecycle(here, lifecycle(generation)).await.unwrap();
        assert_eq!(client.list_all_tools().await.unwrap().len(), 10);
        let result = client.call_tool(call("approval", json!({"request": "r"}))).await.unwrap();
        assert_eq!(structured(&result)["log"], json!(["draft", "review:approve", "publish"]), "{generation:?}");
        assert_eq!(person.asked(), ["Approve?\n\ndraft: Draft for r"]);
        client.cancel().await.unwrap();
        served.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_stop_ends_it_and_leaves_its_run_for_the_next_process() {
    let storage = Storage::default();
    let (here, there) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(there);
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(storage.server().serve_mcp(input, output, async { drop(stopped.await) }));
    let person = Person::new();
    let client = Arc::clone(&person).serve_with_lifecycle(here, lifecycle(Generation::Modern)).await.unwrap();
    let calling = tokio::spawn(async move { client.call_tool(call("ticker", json!({"n": 30, "delay_ms": 20}))).await });
    person.noticed.notified().await;
    stop.send(()).unwrap();
    served.await.unwrap().unwrap();
    calling.abort();
    let server = storage.start().await;
    let thread = storage.until(|thread| thread["status"] == "idle").await;
    assert_eq!(thread["values"]["ticks"].as_array().unwrap().len(), 30);
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_says_nothing_is_no_fault_and_one_that_speaks_otherwise_is() {
    for (said, expected) in
        [("", None), ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n", Some("initialize"))]
    {
        let (mut here, there) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(there);
        here.write_all(said.as_bytes()).await.unwrap();
        drop(here);
        let served = Storage::default().server().serve_mcp(input, output, std::future::pending());
        let served = Box::pin(served).await;
        let fault = served.err().map(|error| error.to_string());
        assert_eq!(fault.is_some(), expected.is_some(), "{fault:?}");
        assert!(fault.unwrap_or_default().contains(expected.unwrap_or_default()));
    }
}

/// A clock that is an hour behind.
struct AnHourAgo;

impl Clock for AnHourAgo {
    fn now(&self) -> u64 {
        SystemClock.now() - 3_600_000
    }
}

#[tokio::test]
async fn what_a_killed_process_left_is_taken_up_and_crons_that_are_due_are_started() {
    let storage = Storage::default();
    let (here, there) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(there);
    // A process of its own: when its runtime goes, all that it does ends where it is.
    let process = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    process.spawn(storage.server().serve_mcp(input, output, std::future::pending()));
    let person = Person::new();
    let client = Arc::clone(&person).serve_with_lifecycle(here, lifecycle(Generation::Modern)).await.unwrap();
    let calling = tokio::spawn(async move { client.call_tool(call("ticker", json!({"n": 30, "delay_ms": 20}))).await });
    person.noticed.notified().await;
    process.shutdown_background();
    calling.abort();
    let thread =
        storage.until(|thread| thread["status"] == "busy").await["thread_id"].as_str().unwrap().parse().unwrap();

    let store: Arc<dyn Store> = Arc::<MemoryStore>::clone(&storage.memory);
    let an_hour_ago: Arc<dyn Clock> = Arc::new(AnHourAgo);
    let cron = CronCreate {
        assistant_id: system_assistant_id("ticker"),
        thread_id: Some(thread),
        schedule: "* * * * *".to_owned(),
        payload: json!({"input": {"n": 31, "delay_ms": 0}}).as_object().unwrap().clone(),
        ..CronCreate::default()
    };
    let cron = Records::new(&store, &an_hour_ago).crons.create(cron).await.unwrap();

    let (here, there) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(there);
    let served = tokio::spawn(storage.server().serve_mcp(input, output, std::future::pending()));
    let records = storage.records();
    let runs = async || records.runs.of_thread(thread).await.unwrap();
    while runs().await.len() < 2 || runs().await.iter().any(|run| !run.status.is_final()) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(runs().await.iter().all(|run| run.status == RunStatus::Success));
    assert_eq!(runs().await[1].metadata["cron_id"], cron.cron_id.to_string());
    drop(here);
    served.await.unwrap().unwrap();
}
