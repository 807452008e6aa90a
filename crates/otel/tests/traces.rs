//! A run is one tree of spans, in the trace of the client that asked for it.

use opentelemetry_proto::tonic::trace::v1::Status;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use serde_json::json;

use crate::collector::{Collector, number, text, texts};
use crate::process::{KEY, ServerProcess};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_run_is_a_tree_below_the_span_of_its_client() {
    let (directory, collector) = (tempfile::tempdir().unwrap(), Collector::start().await);
    let server = ServerProcess::start(directory.path(), &collector.address).await;
    let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
    let body = json!({ "assistant_id": "pipeline", "input": { "topic": "a-private-topic" } }).to_string();
    let headers = [("traceparent", parent.as_str()), ("x-request-id", "request-1")];
    let values = server.post("/runs/wait?note=a-private-query", &body, &headers).await;
    assert_eq!(values["count"], 3);
    let (ended, log) = server.stop().await;
    assert!(ended.success(), "{log}");

    let request = collector.span("POST /runs/wait");
    assert_eq!(
        (hex(&request.trace_id), hex(&request.parent_span_id)),
        (TRACE.to_owned(), "b7ad6b7169203331".to_owned())
    );
    assert_eq!(request.kind(), SpanKind::Server);
    let of_request = |key: &str| text(&request.attributes, key);
    assert_eq!(of_request("http.request.method").as_deref(), Some("POST"));
    assert_eq!(of_request("http.route").as_deref(), Some("/runs/wait"));
    assert_eq!(of_request("server.address").as_deref(), Some("127.0.0.1"));
    assert_eq!(of_request("enduser.id").as_deref(), Some("tester"));
    assert_eq!(number(&request.attributes, "http.response.status_code"), Some(200));
    assert_eq!(texts(&request.attributes, "http.response.header.x-request-id"), Some(vec!["request-1".to_owned()]));

    let run = collector.span("invoke_workflow pipeline");
    assert_eq!(run.parent_span_id, request.span_id);
    assert_eq!(text(&run.attributes, "graphloom.run.status").as_deref(), Some("success"));
    assert_eq!(text(&run.attributes, "gen_ai.agent.name").as_deref(), Some("pipeline"));
    let thread = text(&run.attributes, "graphloom.thread.id").unwrap();
    let graph = collector.span("graph pipeline");
    assert_eq!(graph.parent_span_id, run.span_id);
    assert_eq!(text(&graph.attributes, "graphloom.thread.id"), Some(thread));
    assert_eq!(text(&graph.attributes, "graphloom.graph.status").as_deref(), Some("done"));
    for (step, node) in ["plan", "work", "finish"].into_iter().enumerate() {
        let span = collector.span(&format!("node {node}"));
        assert_eq!((&span.parent_span_id, &span.trace_id), (&graph.span_id, &request.trace_id));
        assert_eq!(text(&span.attributes, "graphloom.node.outcome").as_deref(), Some("done"));
        assert_eq!(number(&span.attributes, "graphloom.node.attempt"), Some(1));
        assert_eq!(number(&span.attributes, "graphloom.node.step"), Some(step as i64));
    }
    assert!(request.start_time_unix_nano <= run.start_time_unix_nano, "{request:?} {run:?}");

    let spans = collector.spans();
    assert!(spans.iter().all(|(service, _)| service == "demo"), "{spans:?}");
    assert_eq!(collector.headers()["x-collector-key"], "of-the-collector");
    let sent = collector.text();
    for private in [KEY, "a-private-topic", "a-private-query", "of-the-collector", "plan:a-"] {
        assert!(!sent.contains(private), "{private} was sent");
    }
}

#[tokio::test]
async fn a_call_of_a_model_is_below_its_node_and_tells_no_text() {
    let (directory, collector) = (tempfile::tempdir().unwrap(), Collector::start().await);
    let server = ServerProcess::start(directory.path(), &collector.address).await;
    let body = json!({ "assistant_id": "asks", "input": { "question": "a-private-question" } }).to_string();
    let values = server.post("/runs/wait", &body, &[]).await;
    assert_eq!(values["answer"], "a-private-answer");
    server.stop().await;
    let (node, call) = (collector.span("node ask"), collector.span("chat function"));
    assert_eq!((&call.parent_span_id, call.kind()), (&node.span_id, SpanKind::Client));
    for (key, value) in [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "scripted"),
        ("gen_ai.request.model", "function"),
        ("server.address", "127.0.0.1"),
    ] {
        assert_eq!(text(&call.attributes, key).as_deref(), Some(value), "{key}");
    }
    assert_eq!(number(&call.attributes, "gen_ai.usage.input_tokens"), Some(21));
    assert_eq!(number(&call.attributes, "gen_ai.usage.output_tokens"), Some(2));
    assert_eq!(texts(&call.attributes, "gen_ai.response.finish_reasons"), Some(vec!["stop".to_owned()]));
    let sent = collector.text();
    assert!(!sent.contains("a-private-"), "a text was sent");
}

#[tokio::test]
async fn a_run_that_waits_belongs_to_the_request_that_asked_for_it() {
    let (directory, collector) = (tempfile::tempdir().unwrap(), Collector::start().await);
    let server = ServerProcess::start(directory.path(), &collector.address).await;
    let thread = server.post("/threads", "{}", &[]).await["thread_id"].as_str().unwrap().to_owned();
    let body = json!({ "assistant_id": "ticker", "input": { "n": 3, "delay_ms": 100 } }).to_string();
    server.post(&format!("/threads/{thread}/runs"), &body, &[]).await;
    let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
    server.post(&format!("/threads/{thread}/runs/wait"), &body, &[("traceparent", &parent)]).await;
    server.stop().await;
    let request = collector.span("POST /threads/{thread_id}/runs/wait");
    let (waited, other): (Vec<_>, Vec<_>) = collector
        .spans()
        .into_iter()
        .map(|(_, span)| span)
        .filter(|span| span.name == "invoke_workflow ticker")
        .partition(|span| span.parent_span_id == request.span_id);
    let ([waited], [other]) = (&waited[..], &other[..]) else { panic!("{waited:?} {other:?}") };
    assert_eq!(hex(&waited.trace_id), TRACE);
    assert_eq!(other.parent_span_id, collector.span("POST /threads/{thread_id}/runs").span_id);
    assert!(number(&waited.attributes, "graphloom.run.waited_ms").unwrap() >= 200, "{waited:?}");
    assert!(other.end_time_unix_nano <= waited.start_time_unix_nano);
}

#[tokio::test]
async fn a_failure_is_told_by_its_kind_and_not_by_its_message() {
    let (directory, collector) = (tempfile::tempdir().unwrap(), Collector::start().await);
    let server = ServerProcess::start(directory.path(), &collector.address).await;
    let body = json!({ "assistant_id": "faulty", "input": { "mode": "fail" } }).to_string();
    let values = server.post("/runs/wait", &body, &[]).await;
    assert_eq!(values["__error__"]["message"], "boom: mode=fail");
    server.stop().await;
    for (span, key, value) in [
        ("invoke_workflow faulty", "graphloom.run.status", "error"),
        ("invoke_workflow faulty", "error.type", "NodeError"),
        ("graph faulty", "graphloom.graph.status", "failed"),
        ("node boom", "graphloom.node.outcome", "failed"),
    ] {
        let span = collector.span(span);
        assert_eq!(text(&span.attributes, key).as_deref(), Some(value), "{span:?}");
        assert_eq!(span.status.as_ref().map(Status::code), Some(StatusCode::Error), "{span:?}");
    }
    let before = collector.span("node before");
    assert_ne!(before.status.as_ref().map(Status::code), Some(StatusCode::Error), "{before:?}");
    assert!(!collector.text().contains("boom: mode"), "the message was sent");
}
