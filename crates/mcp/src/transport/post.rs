//! A request to a server at an address, and its answer.
//!
//! The library would read the answer by itself and refuse what is not as it should be, so the request is made here. What the
//! status of an answer means is as the library has it.

use std::collections::HashMap;
use std::sync::Arc;

use futures::TryStreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};

use super::events::{events, heard};
use super::http::Limited;

/// The header that names a session.
const SESSION: &str = "mcp-session-id";
/// Headers that no file of servers sets, because the protocol does.
const RESERVED: [&str; 3] = ["accept", SESSION, "last-event-id"];
/// How much of a body is told, in characters.
const TOLD: usize = 2_000;

type Answer = Result<StreamableHttpPostResponse, StreamableHttpError<reqwest::Error>>;

impl Limited {
    /// Makes a request and hears its answer.
    ///
    /// # Errors
    /// Those of the connection, and answers that are no messages.
    pub(super) async fn ask(
        &self,
        uri: &str,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Answer {
        self.hearing.sent(&message);
        let had_session = session.is_some();
        let answer = match self.posted(uri, &message, session, token, headers).await {
            Ok(response) => self.answer(response, &message, had_session, limits).await,
            Err(error) => Err(error),
        };
        if answer.is_err() {
            self.hearing.given_up(&message);
        }
        answer
    }

    async fn posted(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Response, StreamableHttpError<reqwest::Error>> {
        if let Some(name) = headers.keys().find(|name| RESERVED.contains(&name.as_str())) {
            return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
        }
        let mut request = self.client.post(uri).headers(headers.into_iter().collect());
        request = request.header(ACCEPT, "text/event-stream, application/json");
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(session) = session {
            request = request.header(SESSION, session.as_ref());
        }
        Ok(request.json(message).send().await?)
    }

    async fn answer(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
        had_session: bool,
        limits: StreamableHttpResponseLimits,
    ) -> Answer {
        let ClientJsonRpcMessage::Request(request) = message else { return Ok(StreamableHttpPostResponse::Accepted) };
        let (status, id) = (response.status(), &request.id);
        if let Some(refused) = login_wanted(status, response.headers()) {
            return Err(refused);
        }
        match status {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => return Ok(StreamableHttpPostResponse::Accepted),
            StatusCode::NOT_FOUND if had_session => return Err(StreamableHttpError::SessionExpired),
            StatusCode::TOO_MANY_REQUESTS => return Err(status_of(&response).into()),
            _ => {}
        }
        let session = response.headers().get(SESSION).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let kind =
            response.headers().get(CONTENT_TYPE).map(|kind| String::from_utf8_lossy(kind.as_bytes()).to_lowercase());
        if status.is_success() && kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
            let stream = events(response, limits.max_sse_event_size);
            let heard = heard(stream, Arc::clone(&self.hearing), Some(id.clone()));
            return Ok(StreamableHttpPostResponse::Sse(heard, session));
        }
        let failed = status_of(&response);
        let body = body(response, limits.max_json_response_size).await?;
        let Some(body) = body else {
            return if status.is_success() {
                Ok(StreamableHttpPostResponse::Json(self.hearing.too_long(id.clone()), None))
            } else {
                Err(failed.into())
            };
        };
        // What stands in the way of a server answers in its own words, which are no message.
        let may_be_message = status.is_success()
            || serde_json::from_slice::<serde_json::Value>(&body).is_ok_and(|body| body.get("error").is_some());
        let is_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let heard = if may_be_message && !is_login { self.hearing.heard(&body, Some(id)) } else { Vec::new() };
        let answer = heard.into_iter().find(|message| match message {
            ServerJsonRpcMessage::Response(_) => status.is_success(),
            ServerJsonRpcMessage::Error(_) => true,
            _ => false,
        });
        if let Some(message) = answer {
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        let said: String = String::from_utf8_lossy(&body).chars().take(TOLD).collect();
        if status.is_success() {
            let unreadable = self.hearing.unreadable(id.clone(), format!("it is no message: {said}"));
            Ok(StreamableHttpPostResponse::Json(unreadable, session))
        } else if status.is_server_error() {
            Err(failed.into())
        } else {
            Err(StreamableHttpError::UnexpectedServerResponse(format!("HTTP {status}: {said}").into()))
        }
    }
}

/// Whether an answer asks for a login, or for more than the login gives.
fn login_wanted(status: StatusCode, headers: &HeaderMap) -> Option<StreamableHttpError<reqwest::Error>> {
    let header = headers.get(WWW_AUTHENTICATE)?;
    let header = String::from_utf8_lossy(header.as_bytes()).into_owned();
    match status {
        StatusCode::UNAUTHORIZED => Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(header))),
        StatusCode::FORBIDDEN => {
            Some(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(header, None)))
        }
        _ => None,
    }
}

fn status_of(response: &Response) -> HttpStatusError {
    let after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    HttpStatusError::new(response.status().as_u16(), after.map(str::to_owned))
}

/// A body of at most `limit` bytes; `None` where it is longer.
async fn body(response: Response, limit: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(chunk) = stream.try_next().await? {
        if chunk.len() > limit - body.len() {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}
