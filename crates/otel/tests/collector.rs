//! A collector on this machine, which keeps what it gets. What it gets is read with the types of the protocol's authors.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// A collector, and what it has got.
pub(crate) struct Collector {
    /// Its address, for `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
}

async fn take(
    State(requests): State<Arc<Mutex<Vec<(HeaderMap, Bytes)>>>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    requests.lock().unwrap().push((headers, body));
    StatusCode::OK
}

impl Collector {
    pub(crate) async fn start() -> Self {
        let requests = Arc::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().route("/v1/traces", post(take)).with_state(Arc::clone(&requests));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, requests }
    }

    /// The headers of the first request.
    pub(crate) fn headers(&self) -> HeaderMap {
        self.requests.lock().unwrap()[0].0.clone()
    }

    /// All that came, as text as far as it is text.
    pub(crate) fn text(&self) -> String {
        self.requests.lock().unwrap().iter().map(|(_, body)| String::from_utf8_lossy(body).into_owned()).collect()
    }

    /// The spans, with the names of their services.
    pub(crate) fn spans(&self) -> Vec<(String, Span)> {
        let requests = self.requests.lock().unwrap();
        let read = |body: &Bytes| ExportTraceServiceRequest::decode(body.clone()).unwrap().resource_spans;
        let mut spans = Vec::new();
        for resource in requests.iter().flat_map(|(_, body)| read(body)) {
            let service = text(&resource.resource.unwrap().attributes, "service.name").unwrap();
            let of_scopes = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
            spans.extend(of_scopes.map(|span| (service.clone(), span)));
        }
        spans
    }

    /// The one span of a name.
    pub(crate) fn span(&self, name: &str) -> Span {
        let spans = self.spans();
        let found: Vec<_> = spans.iter().filter(|(_, span)| span.name == name).collect();
        let names: Vec<_> = spans.iter().map(|(_, span)| &span.name).collect();
        assert_eq!(found.len(), 1, "{name} among {names:?}");
        found[0].1.clone()
    }
}

fn value<'a>(attributes: &'a [KeyValue], key: &str) -> Option<&'a Value> {
    attributes.iter().find(|attribute| attribute.key == key)?.value.as_ref()?.value.as_ref()
}

/// An attribute that is a text.
pub(crate) fn text(attributes: &[KeyValue], key: &str) -> Option<String> {
    match value(attributes, key)? {
        Value::StringValue(text) => Some(text.clone()),
        other => panic!("{key} is {other:?}"),
    }
}

/// An attribute that is a number.
pub(crate) fn number(attributes: &[KeyValue], key: &str) -> Option<i64> {
    match value(attributes, key)? {
        Value::IntValue(number) => Some(*number),
        other => panic!("{key} is {other:?}"),
    }
}

/// An attribute that is a list of texts.
pub(crate) fn texts(attributes: &[KeyValue], key: &str) -> Option<Vec<String>> {
    let member = |value: &AnyValue| match &value.value {
        Some(Value::StringValue(text)) => text.clone(),
        other => panic!("{key} has {other:?}"),
    };
    match value(attributes, key)? {
        Value::ArrayValue(list) => Some(list.values.iter().map(member).collect()),
        other => panic!("{key} is {other:?}"),
    }
}
