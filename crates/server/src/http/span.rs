//! The span of a request, with the names of OpenTelemetry's conventions for HTTP.
//!
//! It has the method, the template of the path, the host, the status and the id of the request: no path, which holds ids and
//! names, no query, no header, no key and nothing of a body. It lasts until the answer is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use tracing::Span;
use tracing::field::Empty;

use crate::trace;

/// Opens the span of a request, as a part of the trace that its client names. `route` is the template of its path, where it
/// has one.
pub(super) fn of_request(request: &Request, id: &str, route: Option<&str>) -> Span {
    let method = method(request.method());
    let host = host(request.headers());
    let span = tracing::info_span!(
        "request",
        otel.name = %format_args!("{}{}", method.unwrap_or("HTTP"), route.map(|route| format!(" {route}")).unwrap_or_default()),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method.unwrap_or("_OTHER"),
        http.route = route,
        http.response.status_code = Empty,
        "http.response.header.x-request-id" = id,
        url.scheme = "http",
        server.address = host.as_ref().map(Authority::host),
        server.port = host.as_ref().and_then(Authority::port_u16).map(i64::from),
        enduser.id = Empty,
        error.type = Empty,
    );
    trace::set_parent_from(&span, request.headers());
    span
}

/// Notes the name of the key with which the current request was let in.
pub(super) fn note_caller(name: &str) {
    Span::current().record("enduser.id", name);
}

/// Notes the status of the answer, and keeps the span until its body is sent.
pub(super) fn answer(span: Span, response: Response) -> Response {
    if span.is_disabled() {
        return response;
    }
    let status = response.status();
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        note_error(&span, status);
    }
    response.map(|body| Body::new(Held { body, span }))
}

fn note_error(span: &Span, status: StatusCode) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", status.as_str());
}

/// A method by its name, if it is one that is known: what clients invent is told of by no name.
fn method(method: &Method) -> Option<&str> {
    let known = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::HEAD,
        Method::OPTIONS,
        Method::CONNECT,
        Method::TRACE,
    ];
    known.contains(method).then(|| method.as_str())
}

/// The host that the client asked for, without a user.
fn host(headers: &HeaderMap) -> Option<Authority> {
    let host: Authority = headers.get(HOST)?.to_str().ok()?.parse().ok()?;
    (!host.as_str().contains('@')).then_some(host)
}

/// A body that is sent in the span of its request.
struct Held {
    body: Body,
    span: Span,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Self { body, span } = &mut *self;
        span.in_scope(|| Pin::new(body).poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        HttpBody::size_hint(&self.body)
    }
}
