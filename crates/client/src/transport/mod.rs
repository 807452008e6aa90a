//! Requests and answers: one place through which everything is sent.

mod call;
mod described;
mod retry;

use std::fmt;
use std::time::{Duration, Instant, SystemTime};

use futures::StreamExt;
use graphloom_http::{authority, innermost, is_loopback};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Response, StatusCode, Url, redirect};
use serde::de::DeserializeOwned;

pub(crate) use call::Call;
pub(crate) use described::{content_type, described};
use described::{detail, excerpt};
pub(crate) use retry::pause;

use crate::{ClientError, Options};

/// How the client names itself.
const AGENT: &str = concat!("graphloom-client/", env!("CARGO_PKG_VERSION"));
/// The most bytes of an answer that tells an error.
const LONGEST_ERROR: usize = 64 * 1024;
/// How often a quiet connection is asked by the system whether the other side is there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// A server and how it is asked.
pub(crate) struct Transport {
    base: Url,
    client: reqwest::Client,
    pub(crate) options: Options,
}

/// An answer that is a success, and what it answers.
pub(crate) struct Answer {
    pub(crate) response: Response,
    pub(crate) call: String,
}

/// Why one try failed.
enum Failure {
    /// Nothing reached the server.
    Connect(String),
    /// The connection broke off afterwards.
    Broken(String),
    /// The server said so.
    Refused(Box<ClientError>),
}

impl Transport {
    pub(crate) fn new(address: &str, options: Options) -> Result<Self, ClientError> {
        let wrong = |shown: String, reason: &str| ClientError::Address { address: shown, reason: reason.to_owned() };
        let base = Url::parse(address).map_err(|error| {
            let shown = if address.contains('@') { "it".to_owned() } else { address.to_owned() };
            wrong(shown, &error.to_string())
        })?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(wrong(authority(&base), &format!("its scheme is `{}`", base.scheme())));
        }
        if !base.username().is_empty()
            || base.password().is_some()
            || base.query().is_some()
            || base.fragment().is_some()
        {
            return Err(wrong(authority(&base), "it has a user, a query or a fragment"));
        }
        if options.is_secret() && base.scheme() == "http" && !is_loopback(&base) {
            return Err(ClientError::InsecureKey { host: authority(&base) });
        }
        let client = graphloom_http::client(&base, AGENT)?
            // A key that is no `authorization` would go along to another host.
            .redirect(redirect::Policy::none())
            .tcp_keepalive(KEEP_ALIVE)
            .build()
            .map_err(|error| graphloom_http::HttpError::Client { host: authority(&base), reason: innermost(&error) })?;
        Ok(Self { base, client, options })
    }

    pub(crate) fn host(&self) -> String {
        authority(&self.base)
    }

    /// The path of an address that the server named, without the path at which the server lies.
    ///
    /// # Errors
    /// An address at another host.
    pub(crate) fn own_path(&self, call: &str, named: &str) -> Result<String, ClientError> {
        let url = self.base.join(named).map_err(|error| self.unexpected(call, "an address", error.to_string()))?;
        if url.origin() != self.base.origin() {
            let (call, host) = (call.to_owned(), self.host());
            return Err(ClientError::Redirected { call, host, to: authority(&url) });
        }
        Ok(url.path().to_owned())
    }

    /// Sends a call, again where that does nothing twice, and gives the answer when it is a success.
    pub(crate) async fn send(&self, call: &Call, accept: &'static str) -> Result<Answer, ClientError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.send_once(call, accept).await? {
                Ok(response) => return Ok(Answer { response, call: call.label() }),
                Err(failure) => self.before_next_try(call, tries, failure).await?,
            }
        }
    }

    /// The same in one try.
    pub(crate) async fn send_single(&self, call: &Call, accept: &'static str) -> Result<Answer, ClientError> {
        match self.send_once(call, accept).await? {
            Ok(response) => Ok(Answer { response, call: call.label() }),
            Err(failure) => Err(self.error(call, 1, failure)),
        }
    }

    /// Sends a call and reads the JSON value that answers it.
    pub(crate) async fn json<T: DeserializeOwned>(&self, call: &Call) -> Result<T, ClientError> {
        Ok(self.json_with_headers(call).await?.0)
    }

    pub(crate) async fn json_with_headers<T: DeserializeOwned>(
        &self,
        call: &Call,
    ) -> Result<(T, HeaderMap), ClientError> {
        let (bytes, headers) = self.bytes(call).await?;
        Ok((self.read(&call.label(), &bytes, &headers)?, headers))
    }

    /// Sends a call whose answer is of no interest.
    pub(crate) async fn done(&self, call: &Call) -> Result<(), ClientError> {
        self.bytes(call).await.map(drop)
    }

    async fn bytes(&self, call: &Call) -> Result<(Vec<u8>, HeaderMap), ClientError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let opened = Instant::now();
            let failure = match self.send_once(call, "application/json").await? {
                Ok(response) => {
                    let headers = response.headers().clone();
                    match self.body(&call.label(), response, call.is_long).await? {
                        Ok(bytes) => return Ok((bytes, headers)),
                        Err(reason) => Failure::Broken(reason),
                    }
                }
                Err(failure) => failure,
            };
            if call.is_long && opened.elapsed() >= self.options.standing {
                tries = 1;
            }
            self.before_next_try(call, tries, failure).await?;
        }
    }

    /// Reads a body as far as it may be long. The inner error is a broken connection.
    pub(crate) async fn body(
        &self,
        call: &str,
        response: Response,
        is_long: bool,
    ) -> Result<Result<Vec<u8>, String>, ClientError> {
        let limit = if is_long { self.options.silence } else { self.options.timeout };
        let most = self.options.longest_body;
        let (mut chunks, mut bytes) = (response.bytes_stream(), Vec::new());
        loop {
            match tokio::time::timeout(limit, chunks.next()).await {
                Err(_) => return Ok(Err(format!("nothing came for {limit:?}"))),
                Ok(None) => return Ok(Ok(bytes)),
                Ok(Some(Err(error))) => return Ok(Err(innermost(&error))),
                Ok(Some(Ok(chunk))) if bytes.len() + chunk.len() > most => {
                    return Err(self.unexpected(
                        call,
                        "an answer of bounded length",
                        format!("more than {most} bytes"),
                    ));
                }
                Ok(Some(Ok(chunk))) => bytes.extend_from_slice(&chunk),
            }
        }
    }

    /// Reads a JSON value out of a body.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        call: &str,
        bytes: &[u8],
        headers: &HeaderMap,
    ) -> Result<T, ClientError> {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let is_json = content_type(headers).contains("json");
            let found = if is_json {
                format!("at `{}`: {}, in `{}`", error.path(), error.inner(), excerpt(bytes))
            } else {
                described(bytes, headers)
            };
            self.unexpected(call, "the JSON of the protocol", found)
        })
    }

    pub(crate) fn unexpected(&self, call: &str, expected: &'static str, found: String) -> ClientError {
        ClientError::Unexpected { call: call.to_owned(), host: self.host(), expected, found }
    }

    /// One try. The outer error is one that no further try mends.
    async fn send_once(&self, call: &Call, accept: &'static str) -> Result<Result<Response, Failure>, ClientError> {
        graphloom_http::check(&self.base)?;
        let mut request = self.client.request(call.method.clone(), call.url(&self.base)?);
        request = request.headers(self.options.headers.clone()).header(ACCEPT, accept);
        if let Some(key) = &self.options.key {
            request = request.header("x-api-key", key.clone());
        }
        if let Some(id) = &call.last_event_id {
            let name = "last-event-id";
            let value = HeaderValue::from_str(id).map_err(|_| ClientError::Header { name: name.to_owned() })?;
            request = request.header(name, value);
        }
        if let Some(body) = &call.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        let answer = if call.is_long {
            request.send().await
        } else {
            match tokio::time::timeout(self.options.timeout, request.send()).await {
                Ok(answer) => answer,
                Err(_) => return Ok(Err(Failure::Broken(format!("no answer in {:?}", self.options.timeout)))),
            }
        };
        match answer {
            Ok(response) if response.status().is_success() => Ok(Ok(response)),
            Ok(response) => Ok(Err(Failure::Refused(Box::new(self.refusal(&call.label(), response).await)))),
            Err(error) if error.is_connect() => Ok(Err(Failure::Connect(innermost(&error)))),
            Err(error) => Ok(Err(Failure::Broken(innermost(&error)))),
        }
    }

    /// Waits for the next try, or tells why there is none: GET, PUT and DELETE are repeated after a broken connection, 429
    /// and 5xx, everything when nothing had reached the server.
    async fn before_next_try(&self, call: &Call, tries: u32, failure: Failure) -> Result<(), ClientError> {
        let had_reached = !matches!(failure, Failure::Connect(_));
        let error = self.error(call, tries, failure);
        let asked = asked_pause(&error);
        let may_repeat = error.is_temporary() && (call.is_repeatable() || !had_reached);
        if !may_repeat || tries >= self.options.tries || asked.is_some_and(|asked| asked > self.options.patience) {
            return Err(error);
        }
        let pause = asked.unwrap_or_else(|| pause(self.options.first_pause, tries));
        tracing::debug!(call = call.label(), tries, ?pause, %error, "a call is tried again");
        tokio::time::sleep(pause).await;
        Ok(())
    }

    fn error(&self, call: &Call, tries: u32, failure: Failure) -> ClientError {
        match failure {
            Failure::Connect(reason) => ClientError::Connect { host: self.host(), reason, tries },
            Failure::Broken(reason) => ClientError::Broken { call: call.label(), host: self.host(), reason },
            Failure::Refused(error) => *error,
        }
    }

    /// The error that an answer without success stands for.
    async fn refusal(&self, call: &str, response: Response) -> ClientError {
        let (status, headers) = (response.status(), response.headers().clone());
        let (call, host) = (call.to_owned(), self.host());
        if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
            let to = headers.get(LOCATION).and_then(|to| self.base.join(to.to_str().ok()?).ok());
            return ClientError::Redirected { call, host, to: to.map_or_else(String::new, |to| authority(&to)) };
        }
        let mut bytes = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Ok(Some(Ok(chunk))) = tokio::time::timeout(self.options.timeout, chunks.next()).await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > LONGEST_ERROR {
                break;
            }
        }
        ClientError::Refused {
            call,
            host,
            status: status.as_u16(),
            detail: detail(&bytes, &headers, status),
            request_id: headers.get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned),
            retry_after: retry::asked_pause(&headers, SystemTime::now()),
        }
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport").field("base", &self.base.as_str()).field("options", &self.options).finish()
    }
}

/// How long the server that refused a call asks to wait.
pub(crate) fn asked_pause(error: &ClientError) -> Option<Duration> {
    match error {
        ClientError::Refused { retry_after, .. } => *retry_after,
        _ => None,
    }
}
