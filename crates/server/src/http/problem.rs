//! What a client is answered when a request is refused.

use std::borrow::Cow;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A refusal: a status and one sentence.
///
/// It is answered as `{"detail":"<text>"}`, the form of the LangGraph wire. It also travels beside the answer, as an
/// extension, so that a protocol with another form of errors renders the same refusal, wherever it arose
/// ([`Routes::problems_as`](super::Routes::problems_as)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The status of the answer.
    pub(crate) status: StatusCode,
    /// What happened, where, and what to do.
    pub(crate) detail: Cow<'static, str>,
    /// A word for programs, of protocols that have one: by default one that follows from the status.
    pub(crate) code: Cow<'static, str>,
    /// The field of the request that is wrong, as a JSON path.
    pub(crate) param: Option<String>,
    /// How long the client should wait before it asks again.
    pub(crate) retry_after: Option<Duration>,
}

impl Problem {
    /// A refusal with any status.
    pub(crate) fn new(status: StatusCode, detail: impl Into<Cow<'static, str>>) -> Self {
        let code = code_of(status).into();
        Self { status, detail: detail.into(), code, param: None, retry_after: None }
    }

    /// 400: what is asked for contradicts itself.
    pub(crate) fn bad_request(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// 404: what the path names is not there.
    pub(crate) fn not_found(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// 409: it is there already, or is busy.
    pub(crate) fn conflict(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::CONFLICT, detail)
    }

    /// 422: the body, the query or the path is not what is asked for here.
    pub(crate) fn unprocessable(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// 500, without a word about what happened: the log has it.
    pub(crate) fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")
    }

    /// The same refusal with a word for programs.
    pub(crate) fn with_code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        self.code = code.into();
        self
    }

    /// The same refusal, about one field.
    pub(crate) fn about(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// The same refusal, which passes after a while.
    pub(crate) fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The answer with a body of the caller's.
    pub(crate) fn response_with(self, body: &serde_json::Value) -> Response {
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs_f64().ceil().max(1.0) as u64));
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = json!({ "detail": self.detail });
        self.response_with(&body)
    }
}

fn code_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "unauthorized",
        StatusCode::FORBIDDEN => "forbidden",
        StatusCode::NOT_FOUND => "not_found",
        StatusCode::METHOD_NOT_ALLOWED => "method_not_allowed",
        StatusCode::CONFLICT => "conflict",
        StatusCode::PAYLOAD_TOO_LARGE => "too_large",
        StatusCode::TOO_MANY_REQUESTS => "rate_limited",
        StatusCode::SERVICE_UNAVAILABLE => "overloaded",
        status if status.is_server_error() => "internal_error",
        _ => "invalid_request",
    }
}
