//! A server at an address, over streamable HTTP.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::StreamExt;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{StatusCode, Url, redirect};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;

use super::TOO_LONG;

/// How this client names itself.
const AGENT: &str = concat!("graphloom/", env!("CARGO_PKG_VERSION"));
/// How many redirects of one request are followed.
const REDIRECTS: usize = 3;
/// What the transport says of an event that is longer than its limit.
const TOO_LONG_EVENT: &str = "exceeded the maximum size";

/// What speaks to an address, and how.
///
/// # Errors
/// Why the address cannot be asked.
pub(crate) fn client(
    url: &Url,
    headers: &BTreeMap<String, String>,
    limit: usize,
    parallel: usize,
) -> Result<(Limited, StreamableHttpClientTransportConfig), String> {
    let client = graphloom_http::client(url, AGENT).map_err(|error| error.to_string())?;
    // A pooled connection whose last answer was not read to its end would wait for the other side first.
    let client = client.redirect(redirects()).pool_max_idle_per_host(0).build().map_err(|error| error.to_string())?;
    let mut named = HashMap::new();
    for (name, value) in headers {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| format!("`{name}` is no name of a header"))?;
        let mut value = HeaderValue::try_from(value.as_str()).map_err(|_| format!("`{name}` has no value to send"))?;
        value.set_sensitive(true);
        named.insert(name, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    config.custom_headers = named;
    config.max_sse_event_size = limit;
    config.max_json_response_size = limit;
    config.max_concurrent_requests = parallel.max(1);
    Ok((Limited { client }, config))
}

/// Whether headers say already who asks.
pub(crate) fn has_authorization(headers: &BTreeMap<String, String>) -> bool {
    headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
}

/// Follows redirects that keep the message and stay at the same origin: the headers may hold a key, and that belongs to
/// one host.
fn redirects() -> redirect::Policy {
    redirect::Policy::custom(|attempt| {
        let kept = matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let here = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if kept && here && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
    })
}

/// The HTTP client of the transport. An event that is longer than the limit ends no connection: an error with the id of
/// the request takes its place, as over standard output.
#[derive(Clone, Debug)]
pub(crate) struct Limited {
    client: reqwest::Client,
}

impl StreamableHttpClient for Limited {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<reqwest::Error>> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session_id, auth_header, custom_headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<reqwest::Error>> {
        let id = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let post = self.client.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        );
        match (post.await, id) {
            (Ok(StreamableHttpPostResponse::Sse(stream, session)), Some(id)) => {
                Ok(StreamableHttpPostResponse::Sse(answered(stream, id), session))
            }
            (Err(StreamableHttpError::ResponseBodyTooLarge { .. }), Some(id)) => {
                Ok(StreamableHttpPostResponse::Json(too_long(id), None))
            }
            (response, _) => response,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), StreamableHttpError<reqwest::Error>> {
        self.client.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxedSseResponse, StreamableHttpError<reqwest::Error>> {
        self.client.get_stream(uri, session_id, last_event_id, auth_header, custom_headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<BoxedSseResponse, StreamableHttpError<reqwest::Error>> {
        let client = &self.client;
        client
            .get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, limit)
            .await
    }
}

/// The events of an answer, with an error in the place of one that is too long.
fn answered(stream: BoxedSseResponse, id: RequestId) -> BoxedSseResponse {
    let replaced = move |event| match event {
        Err(error) if format!("{error}").contains(TOO_LONG_EVENT) => {
            serde_json::to_string(&too_long(id.clone())).map_or(Err(error), |data| Ok(Sse::default().data(data)))
        }
        event => event,
    };
    stream.map(replaced).boxed()
}

fn too_long(id: RequestId) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(TOO_LONG), "too long", None), Some(id))
}
