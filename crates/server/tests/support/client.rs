//! A client that looks at nothing but statuses and bodies, of one process or of several in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::Method;
use serde_json::Value;

use super::stream::EventStream;

/// A client of one server, whose processes it asks in turn. A clone uses the same connections.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    bases: Arc<[String]>,
    turn: Arc<AtomicUsize>,
}

/// An answer with its body, `null` where that is no JSON.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    /// The body of an answer that must be a success.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self.body
    }
}

impl Client {
    pub(crate) fn new(base: &str) -> Self {
        let http = graphloom_http::unproxied("graphloom-tests").build().unwrap();
        Self { http, bases: Arc::new([base.to_owned()]), turn: Arc::default() }
    }

    /// A client that asks processes in turn.
    pub(crate) fn of_several<'c>(clients: impl IntoIterator<Item = &'c Self>) -> Self {
        let bases: Vec<String> = clients.into_iter().flat_map(|client| client.bases.iter().cloned()).collect();
        Self { bases: bases.into(), ..Self::new("") }
    }

    /// Whether it asks several processes in turn.
    pub(crate) fn is_of_several(&self) -> bool {
        self.bases.len() > 1
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        self.http.request(method, format!("{}{path}", self.bases[turn % self.bases.len()]))
    }

    /// Asks for something.
    ///
    /// # Errors
    /// A connection that breaks.
    pub(crate) async fn call(&self, method: Method, path: &str, body: &Value) -> Result<Answer, reqwest::Error> {
        let mut request = self.request(method, path);
        if !body.is_null() {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let response = request.send().await?;
        let status = response.status().as_u16();
        let bytes = response.bytes().await?;
        Ok(Answer { status, body: serde_json::from_slice(&bytes).unwrap_or_default() })
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Answer, reqwest::Error> {
        self.call(Method::GET, path, &Value::Null).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Result<Answer, reqwest::Error> {
        self.call(Method::POST, path, &body).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Result<Answer, reqwest::Error> {
        self.call(Method::PUT, path, &body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Result<Answer, reqwest::Error> {
        self.call(Method::PATCH, path, &body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<Answer, reqwest::Error> {
        self.call(Method::DELETE, path, &Value::Null).await
    }

    /// Opens a stream with a request that has a body.
    pub(crate) async fn post_stream(&self, path: &str, body: Value) -> Result<EventStream, reqwest::Error> {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        EventStream::open(request.body(body.to_string())).await
    }

    /// Takes up a stream after an event.
    pub(crate) async fn take_up(&self, path: &str, last: &str) -> Result<EventStream, reqwest::Error> {
        EventStream::open(self.request(Method::GET, path).header("last-event-id", last)).await
    }
}
