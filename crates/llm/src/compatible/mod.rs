//! A client for servers that speak chat completions: hosted ones, llama-server, vLLM, LM Studio, Ollama and others.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_http::{client, innermost};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, Url};

use crate::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Note, NoteKind,
    StructuredSupport, choose_by_schema, events_of, fence,
};

mod config;
mod dialect;
mod key;
mod keys;
mod schema;
mod wire;

pub use config::{CompatibleConfig, KEY_VARIABLE, check_base_url, without_user};
pub use key::ApiKey;
pub use keys::{HOSTS_VARIABLE, Host, KeyUse, Keys, is_private, role_variable};

use dialect::Dialect;
use wire::Failure;

/// The longest answer that is read, in bytes.
const MAX_BODY: usize = 64 << 20;

/// The most features of one request that a server may reject.
const MAX_DEGRADATIONS: usize = 6;

/// A model behind an OpenAI-compatible server.
///
/// A feature that the server rejects (a JSON schema, `stream_options`, `max_tokens`, sampling parameters) is left out
/// of later calls, with a note in [`CompatibleConfig::notes`]. Failed calls are not tried again here: see
/// [`layers::Retry`](crate::layers::Retry).
#[derive(Debug)]
pub struct Compatible {
    id: ModelId,
    capabilities: Capabilities,
    config: CompatibleConfig,
    endpoint: Url,
    http: reqwest::Client,
    dialect: Mutex<Dialect>,
}

impl Compatible {
    /// Makes a client. No connection is made yet.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the base address is not one, or TLS cannot be set up.
    pub fn new(config: CompatibleConfig) -> Result<Self, ModelError> {
        let endpoint = config.endpoint()?;
        let http = http_client(&endpoint, config.connect_timeout)?;
        let capabilities = Capabilities {
            structured: StructuredSupport::JsonSchema,
            tools: true,
            images: config.images,
            sampling: true,
            context: config.context,
            local: false,
            documents: false,
        };
        let id = ModelId::new("compatible", config.name.clone());
        Ok(Self { id, capabilities, config, endpoint, http, dialect: Mutex::new(Dialect::default()) })
    }

    /// Sends a request until the server accepts its features. The response has a status of success. The fences of the
    /// request have a mark of this call.
    async fn send(&self, request: &ChatRequest, stream: bool) -> Result<Response, ModelError> {
        let request = &fence::seal(request.clone(), &fence::random_mark());
        let mut dialect = *self.dialect.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..=MAX_DEGRADATIONS {
            let body = wire::encode(request, &self.config.name, stream, dialect);
            let mut call = self.http.post(self.endpoint.clone()).json(&body);
            if let Some(key) = &self.config.key {
                call = call.bearer_auth(key.reveal());
            }
            // A server sends the head of a streamed answer early, and the head of a whole answer only when the answer
            // is complete.
            let limit = if stream { self.config.idle_timeout } else { self.config.timeout };
            let response = match tokio::time::timeout(limit, call.send()).await {
                Ok(Ok(response)) => response,
                Ok(Err(error)) => return Err(self.unreachable(&error)),
                Err(_) => return Err(ModelError::Timeout { model: self.id.to_string(), limit }),
            };
            let status = response.status();
            if status.is_success() {
                return Ok(response);
            }
            let failed = self.failure(response).await?;
            let Some(next) = dialect.without_rejected(status.as_u16(), &failed.body, request, stream) else {
                return Err(failed.error);
            };
            let note = Note { model: self.id.to_string(), kind: NoteKind::Degraded, message: next.message.to_owned() };
            self.config.notes.add(note);
            dialect = next.dialect;
            if next.remember {
                *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = dialect;
            }
        }
        Err(ModelError::Unsupported { model: self.id.to_string(), what: "take any form of this request".to_owned() })
    }

    async fn failure(&self, response: Response) -> Result<Failed, ModelError> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let retry_after = wire::retry_after(header, wall_clock());
        let bytes = self.body(response).await?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let text = self.config.key.as_ref().map_or_else(|| text.clone(), |key| key.scrub(&text));
        let model = self.id.to_string();
        let key_variable = &self.config.key_variable;
        let failure = Failure { model: &model, status, body: text.as_bytes(), retry_after, key_variable };
        let mut error = wire::error_of(&failure);
        if (300..400).contains(&status) {
            let place = header(LOCATION.as_str()).map(config::without_user);
            let place = place.map(|place| self.config.key.as_ref().map_or(place.clone(), |key| key.scrub(&place)));
            let place = place.map(|place| format!(" to `{place}`"));
            let message = format!(
                "`{}` redirects{}, which is not followed, because nobody asked to send this text there; name the address \
                 that is meant (status {status})",
                self.endpoint,
                place.unwrap_or_default()
            );
            error = ModelError::Invalid { model, message, request_id: None };
        }
        if let (ModelError::Invalid { message, .. }, StatusCode::NOT_FOUND) = (&mut error, response_status(status)) {
            message
                .push_str(&format!("; is `{}` right, and does the server have `{}`?", self.endpoint, self.config.name));
        }
        Ok(Failed { error, body: text })
    }

    /// Reads a whole body, within the limits of size and time.
    async fn body(&self, response: Response) -> Result<Vec<u8>, ModelError> {
        let limit = self.config.timeout;
        let read = async {
            let mut bytes = Vec::new();
            let mut stream = response.bytes_stream();
            while let Some(chunk) = stream.next().await {
                let chunk = chunk.map_err(|error| self.broken(&error))?;
                if bytes.len() + chunk.len() > MAX_BODY {
                    let message = format!("the answer is longer than {MAX_BODY} bytes");
                    return Err(ModelError::Invalid { model: self.id.to_string(), message, request_id: None });
                }
                bytes.extend_from_slice(&chunk);
            }
            Ok(bytes)
        };
        match tokio::time::timeout(limit, read).await {
            Ok(bytes) => bytes,
            Err(_) => Err(ModelError::Timeout { model: self.id.to_string(), limit }),
        }
    }

    fn broken(&self, error: &reqwest::Error) -> ModelError {
        ModelError::StreamInterrupted { model: self.id.to_string(), partial: String::new(), message: innermost(error) }
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        ModelError::Unreachable { url: self.endpoint.to_string(), message: innermost(error) }
    }
}

struct Failed {
    error: ModelError,
    body: String,
}

fn response_status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The time that a server's `Retry-After` date is compared with.
fn wall_clock() -> SystemTime {
    SystemTime::now()
}

/// An HTTP client for `endpoint`.
pub(crate) fn http_client(endpoint: &Url, connect_timeout: std::time::Duration) -> Result<reqwest::Client, ModelError> {
    let setup =
        |reason: String| ModelError::Setup { message: format!("no client for `{endpoint}` can be made: {reason}") };
    let agent = concat!("graphloom/", env!("CARGO_PKG_VERSION"));
    // A redirect would take prompts to a host that the user has not named.
    let mut builder = client(endpoint, agent).map_err(|error| setup(error.to_string()))?.redirect(Policy::none());
    builder = builder.connect_timeout(connect_timeout);
    if endpoint.scheme() == "http" {
        // Small servers mishandle a connection that is reused after a stream, and a new connection costs little here.
        builder = builder.pool_max_idle_per_host(0);
    }
    builder.build().map_err(|error| setup(innermost(&error)))
}

#[async_trait]
impl ChatModel for Compatible {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let response = self.send(&request, false).await?;
        let body = self.body(response).await?;
        wire::decode_body(&body, &self.id.to_string())
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let response = self.send(&request, true).await?;
        let id = self.id.to_string();
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/json") {
            // The server does not stream: the body is a whole answer.
            let body = self.body(response).await?;
            let events = events_of(wire::decode_body(&body, &id)?, usize::MAX);
            return Ok(futures::stream::iter(events.into_iter().map(Ok)).boxed());
        }
        let idle = self.config.idle_timeout;
        let bytes = futures::stream::unfold(Some(response.bytes_stream().boxed()), move |state| async move {
            let mut stream = state?;
            match tokio::time::timeout(idle, stream.next()).await {
                Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(stream))),
                Ok(Some(Err(error))) => Some((Err(innermost(&error)), None)),
                Ok(None) => None,
                Err(_) => Some((Err(format!("nothing came for {idle:?}")), None)),
            }
        });
        Ok(wire::decode_events(bytes.boxed(), id))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        choose_by_schema(self, request, options).await
    }
}
