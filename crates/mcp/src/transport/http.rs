//! A server at an address, over streamable HTTP.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{StatusCode, Url, redirect};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};

use super::events::heard;
use super::hearing::Hearing;

/// How this client names itself.
const AGENT: &str = concat!("graphloom/", env!("CARGO_PKG_VERSION"));
/// How many redirects of one request are followed.
const REDIRECTS: usize = 3;

/// What speaks to an address, and how.
///
/// # Errors
/// Why the address cannot be asked.
pub(crate) fn client(
    url: &Url,
    headers: &BTreeMap<String, String>,
    limit: usize,
    parallel: usize,
    hearing: Arc<Hearing>,
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
    Ok((Limited { client, hearing }, config))
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

/// The HTTP client of the transport. What a server answers is [heard](Hearing) before the library reads it, as over
/// standard output. An answer that is longer than the limit ends no connection: an error with the id of the request takes
/// its place.
#[derive(Clone, Debug)]
pub(crate) struct Limited {
    pub(super) client: reqwest::Client,
    pub(super) hearing: Arc<Hearing>,
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
        if matches!(message, ClientJsonRpcMessage::Request(_)) {
            return self.ask(&uri, message, session_id, auth_header, custom_headers, limits).await;
        }
        self.hearing.sent(&message);
        let client = &self.client;
        client.post_message_with_response_limits(uri, message, session_id, auth_header, custom_headers, limits).await
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
        let stream = self.client.get_stream(uri, session_id, last_event_id, auth_header, custom_headers).await?;
        Ok(heard(stream, Arc::clone(&self.hearing), None))
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
        let stream = client
            .get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, limit)
            .await?;
        Ok(heard(stream, Arc::clone(&self.hearing), None))
    }
}
