//! Everything that a request passes before a handler sees it.
//!
//! From the outside in: a request id, a span and the counters; panics; `Host` and `Origin`; CORS; the size of the query and
//! of the body, the key, the rate, the scope. All requests take this way, those for unknown paths and upgrades as well.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::watch;
use tower_http::catch_panic::{CatchPanicLayer, ResponseForPanic};
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;
use tracing::Instrument as _;
use uuid::Uuid;

use super::json::{self, Json, JsonDepth};
use super::keys::{Caller, Keys, Presented};
use super::limits::{Capacity, Client, Rate};
use super::metrics::{Gauges, Metrics};
use super::openapi;
use super::origin::Perimeter;
use super::problem::Problem;
use super::query::Query;
use super::routes::{Access, Render, Routes, scope_of};
use super::security::{Limits, Security, SecurityError};
use super::span;

/// The guard of one server, shared by all that serve requests.
#[derive(Clone, Debug)]
pub(crate) struct Guard(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    keys: Keys,
    perimeter: Perimeter,
    limits: Limits,
    rate: Option<Rate>,
    capacity: Capacity,
    metrics: Metrics,
    draining: watch::Sender<bool>,
}

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

impl Guard {
    /// The guard that the settings describe.
    ///
    /// # Errors
    /// [`SecurityError::NoKeys`] for an address that others can reach, without keys.
    pub(crate) fn new(security: &Security) -> Result<Self, SecurityError> {
        security.check()?;
        Ok(Self(Arc::new(Shared {
            keys: security.keys.clone(),
            perimeter: Perimeter::new(security),
            limits: security.limits.clone(),
            rate: security.limits.requests_a_minute.map(Rate::new),
            capacity: Capacity::new(&security.limits),
            metrics: Metrics::default(),
            draining: watch::Sender::new(false),
        })))
    }

    /// The permits for runs and streams.
    pub(crate) fn capacity(&self) -> &Capacity {
        &self.0.capacity
    }

    /// The counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Bytes that a message of a client may have, whatever it comes by.
    pub(crate) fn largest_body(&self) -> usize {
        self.0.limits.body
    }

    /// Reads JSON that came by another way than the body of a request.
    ///
    /// # Errors
    /// As [`Json`].
    pub(crate) fn read_json<T: DeserializeOwned>(&self, text: &[u8]) -> Result<T, Problem> {
        json::parse(text, self.0.limits.json_depth)
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Tells all streams that the server stops.
    pub(super) fn begin_draining(&self) {
        self.0.draining.send_replace(true);
    }

    /// Returns when the server begins to stop. What is sent without an end, a `WebSocket` as well, ends then.
    pub(crate) fn draining(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut draining = self.0.draining.subscribe();
        async move {
            // The other end is gone with the guard, and so is the server.
            drop(draining.wait_for(|begun| *begun).await);
        }
    }

    /// The router of the table, guarded, with `/metrics` and `/openapi.json`.
    pub(crate) fn protect(&self, routes: Routes<()>) -> Router {
        let figures = Routes::new("Server")
            .get("/metrics", "The figures of the server, for Prometheus or as JSON", metrics)
            .answers_media("text/plain")
            .with_state(self);
        let routes = routes.and(figures);
        let document = Arc::new(openapi::document(&routes));
        let described =
            Routes::new("Server").get("/openapi.json", "This document", openapi_document).with_state(&document);
        let routes = routes.and(described);
        let rules = routes.routes.iter().fold(Rules::default(), |mut rules, route| {
            let rule = Rule { access: route.access, render: route.render };
            rules.0.entry(route.path.clone()).or_default().push((route.method.clone(), rule));
            rules
        });
        let entry = Entry { guard: self.clone(), rules: Arc::new(rules) };
        routes
            .router()
            .fallback(async || Problem::not_found("Not Found"))
            .method_not_allowed_fallback(async || Problem::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed"))
            .layer(DefaultBodyLimit::disable())
            .layer(RequestBodyLimitLayer::new(self.0.limits.body))
            .layer(RequestBodyTimeoutLayer::new(self.0.limits.stalled))
            .layer(from_fn_with_state(entry.clone(), admit))
            .layer(self.0.perimeter.cors_layer())
            .layer(from_fn_with_state(entry.clone(), check_perimeter))
            .layer(CatchPanicLayer::custom(PanicAnswer(self.clone())))
            .layer(from_fn_with_state(entry, observe))
    }

    fn gauges(&self) -> Gauges {
        Gauges { open_streams: self.0.capacity.streams.taken(), active_runs: self.0.capacity.runs.taken() }
    }
}

/// The rules of the routes, by template and method.
#[derive(Debug, Default)]
struct Rules(HashMap<Cow<'static, str>, Vec<(Method, Rule)>>);

#[derive(Clone, Copy, Debug)]
struct Rule {
    access: Access,
    render: Option<Render>,
}

#[derive(Clone, Debug)]
struct Entry {
    guard: Guard,
    rules: Arc<Rules>,
}

impl Entry {
    /// The rule of a request; of one that is in no table, what [`scope_of`] says of its path.
    fn rule(&self, request: &Request) -> Rule {
        let method = if *request.method() == Method::HEAD { &Method::GET } else { request.method() };
        let of_path = template(request).and_then(|path| self.rules.0.get(path));
        let of_method = of_path.and_then(|rules| rules.iter().find(|(known, _)| known == method));
        of_method.map_or_else(
            || {
                let access = Access::Needs(scope_of(method, request.uri().path()));
                // A method that the path does not have is refused in the form of the path's protocol.
                Rule { access, render: of_path.and_then(|rules| rules.first()).and_then(|(_, rule)| rule.render) }
            },
            |(_, rule)| *rule,
        )
    }
}

fn template(request: &Request) -> Option<&str> {
    request.extensions().get::<MatchedPath>().map(MatchedPath::as_str)
}

/// Gives the request an id and a span, counts it, and writes a refusal in the form of its protocol.
async fn observe(State(entry): State<Entry>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = request_id(request.headers());
    let method = request.method().clone();
    let route = template(&request).unwrap_or("unknown").to_owned();
    let rule = entry.rule(&request);
    request.extensions_mut().insert(JsonDepth(entry.guard.0.limits.json_depth));
    let span = span::of_request(&request, id.to_str().unwrap_or_default(), template(&request));
    let in_flight = entry.guard.0.metrics.begin();
    let mut response = next.run(request).instrument(span.clone()).await;
    drop(in_flight);
    entry.guard.0.metrics.answered(&method, &route, response.status(), began.elapsed());
    let rendered = rule.render.and_then(|render| response.extensions().get::<Problem>().map(render));
    if let Some(body) = rendered {
        response.headers_mut().remove(CONTENT_LENGTH);
        *response.body_mut() = Body::from(body.to_string());
    }
    response.headers_mut().insert(X_REQUEST_ID, id);
    span::answer(span, response)
}

/// The client's id, if it is one that may stand in a log.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_sane = |id: &&HeaderValue| {
        let bytes = id.as_bytes();
        (1..=128).contains(&bytes.len()) && bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(b))
    };
    let own = || HeaderValue::from_str(&Uuid::now_v7().to_string()).unwrap_or(HeaderValue::from_static("unknown"));
    headers.get(X_REQUEST_ID).filter(is_sane).cloned().unwrap_or_else(own)
}

async fn check_perimeter(State(entry): State<Entry>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match entry.guard.0.perimeter.check(&parts) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(problem) => problem.into_response(),
    }
}

async fn admit(State(entry): State<Entry>, mut request: Request, next: Next) -> Response {
    match entry.caller(&request) {
        Ok(caller) => {
            span::note_caller(&caller.name);
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

impl Entry {
    /// Who sends the request, if it may pass.
    fn caller(&self, request: &Request) -> Result<Caller, Problem> {
        let shared = &self.guard.0;
        let presented = if shared.keys.is_empty() {
            Presented::Known(Caller::local())
        } else {
            shared.keys.caller(request.headers())
        };
        if let Some(rate) = &shared.rate {
            rate.check(&client(request, &presented, shared.keys.is_empty()))?;
        }
        check_size(request, &shared.limits)?;
        let Access::Needs(scope) = self.rule(request).access else {
            return Ok(if let Presented::Known(caller) = presented { caller } else { Caller::nobody() });
        };
        let caller = match presented {
            Presented::Known(caller) => caller,
            Presented::Unknown => return Err(unauthorized("The API key is not known to this server")),
            Presented::Nothing => {
                return Err(unauthorized("An API key is needed: send it as `x-api-key` or as `Authorization: Bearer`"));
            }
        };
        if caller.may(scope) {
            return Ok(caller);
        }
        let detail =
            format!("The API key `{}` does not allow this: it needs the scope `{}`", caller.name, scope.as_str());
        Err(Problem::new(StatusCode::FORBIDDEN, detail))
    }
}

/// Whoever guesses keys is counted by address.
fn client(request: &Request, presented: &Presented, without_keys: bool) -> Client {
    if let (Presented::Known(caller), false) = (presented, without_keys) {
        return Client::Key(Arc::clone(&caller.name));
    }
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
    Client::Address(address.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.0.ip()))
}

fn check_size(request: &Request, limits: &Limits) -> Result<(), Problem> {
    if request.uri().query().is_some_and(|query| query.len() > limits.query) {
        let detail = format!("The query is longer than {} bytes", limits.query);
        return Err(Problem::new(StatusCode::URI_TOO_LONG, detail));
    }
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limits.body as u64) {
        let detail = format!("Request body is larger than {} bytes", limits.body);
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
    }
    Ok(())
}

fn unauthorized(detail: &'static str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, detail)
}

/// A panic of a handler is a 500 without a word of what happened; the panic hook has written it to the log.
#[derive(Clone)]
struct PanicAnswer(Guard);

impl ResponseForPanic for PanicAnswer {
    type ResponseBody = Body;

    fn response_for_panic(&mut self, _payload: Box<dyn Any + Send + 'static>) -> Response {
        self.0.0.metrics.panicked();
        tracing::error!("a handler panicked");
        Problem::internal().into_response()
    }
}

#[derive(Deserialize, JsonSchema)]
struct MetricsQuery {
    /// `prometheus` (the default) or `json`.
    #[serde(default)]
    format: MetricsFormat,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum MetricsFormat {
    #[default]
    Prometheus,
    Json,
}

async fn metrics(State(guard): State<Guard>, Query(query): Query<MetricsQuery>) -> Response {
    let gauges = guard.gauges();
    match query.format {
        MetricsFormat::Json => Json(guard.0.metrics.json(gauges)).into_response(),
        MetricsFormat::Prometheus => {
            let content_type = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            ([(CONTENT_TYPE, content_type)], guard.0.metrics.prometheus(gauges)).into_response()
        }
    }
}

async fn openapi_document(State(document): State<Arc<serde_json::Value>>) -> Response {
    Json(&*document).into_response()
}
