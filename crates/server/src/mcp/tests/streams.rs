//! A pair of streams in the place of HTTP.

use tokio::io::AsyncWriteExt as _;
use tokio::sync::oneshot;

use super::*;

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
        let served = Storage::default().server().serve_mcp(input, output, std::future::pending()).await;
        let fault = served.err().map(|error| error.to_string());
        assert_eq!(fault.is_some(), expected.is_some(), "{fault:?}");
        assert!(fault.unwrap_or_default().contains(expected.unwrap_or_default()));
    }
}
