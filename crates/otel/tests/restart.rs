//! A run that another process takes up stays in the trace of the request that asked for it.

use std::time::Duration;

use serde_json::json;

use crate::collector::{Collector, number, text};
use crate::process::ServerProcess;

#[tokio::test]
async fn a_run_that_is_taken_up_stays_in_its_trace() {
    let (directory, collector) = (tempfile::tempdir().unwrap(), Collector::start().await);
    let mut server = ServerProcess::start(directory.path(), &collector.address).await;
    let body = json!({ "assistant_id": "ticker", "input": { "n": 6, "delay_ms": 200 } }).to_string();
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    server.post("/runs", &body, &[("traceparent", parent)]).await;
    // The spans of the request and of a node are out; that of the run dies with its process.
    while !collector.spans().iter().any(|(_, span)| span.name == "node tick") {
        server.must_run();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.kill().await;
    let mut server = ServerProcess::start(directory.path(), &collector.address).await;
    while !collector.spans().iter().any(|(_, span)| span.name == "invoke_workflow ticker") {
        server.must_run();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.stop().await;
    let (request, run) = (collector.span("POST /runs"), collector.span("invoke_workflow ticker"));
    assert_eq!((&run.trace_id, &run.parent_span_id), (&request.trace_id, &request.span_id));
    assert_eq!(number(&run.attributes, "graphloom.run.attempt"), Some(2));
    assert_eq!(text(&run.attributes, "graphloom.run.status").as_deref(), Some("success"));
}
