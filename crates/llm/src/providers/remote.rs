//! The client of every provider.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_http::{client, innermost};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response, Url};
use serde_json::Value;

use super::error::{Failure, error_of, in_band_error};
use super::features::Features;
use super::frames::{decode_body, decode_stream};
use super::json::{json_of, text_of};
use super::listing::OfferedModel;
use super::retry_after::retry_after;
use super::table::Auth;
use super::wire::{Outgoing, Place, Protocol};
use super::{ApiKey, RemoteConfig, without_user};
use crate::layers::RateHeaders;
use crate::thoughts::{apart, apart_stream};
use crate::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Note, NoteKind,
    choose_by_schema, events_of, fence,
};

/// The longest answer that is read, in bytes.
const MAX_BODY: usize = 64 << 20;

/// The most features of one request that a provider may reject.
const MAX_DEGRADATIONS: usize = 8;

/// The most pages of a list of models that are read.
const MAX_PAGES: usize = 50;

/// The headers in which providers name a call, the first that is there counts.
const REQUEST_IDS: [&str; 4] = ["request-id", "x-request-id", "x-generation-id", "apim-request-id"];

/// A model of a provider.
///
/// A feature that the provider rejects (a JSON schema, `stream_options`, sampling parameters, a form of reasoning, strict
/// tools and others) is left out of later calls, with a note in [`RemoteConfig::notes`]. Failed calls are not tried again
/// here: see [`layers::Retry`](crate::layers::Retry).
#[derive(Debug)]
pub struct Remote {
    id: ModelId,
    capabilities: Capabilities,
    config: RemoteConfig,
    base: Url,
    http: reqwest::Client,
    features: Mutex<Features>,
}

impl Remote {
    /// Makes a client. No connection is made yet.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the base address is not one, when a key would go over `http` to another machine, or TLS
    /// cannot be set up.
    pub fn new(config: RemoteConfig) -> Result<Self, ModelError> {
        if config.base_url.is_empty() {
            let name = config.provider.name();
            let message = format!("`{name}` has no address of its own; write `{name}:NAME@BASE_URL`");
            return Err(ModelError::Setup { message });
        }
        let base = config.base()?;
        let http = http_client(&base, config.connect_timeout)?;
        let peculiarities = &config.provider.peculiarities;
        let listed = config.learnt.as_ref().map(|learnt| learnt.listed(&config)).unwrap_or_default();
        let mut features = peculiarities.features;
        features.structured = listed.structured.unwrap_or(features.structured);
        features.sampling &= listed.sampling.unwrap_or(true);
        if let Some(learnt) = &config.learnt {
            features = learnt.features(&config, features);
        }
        // What the user says of images counts before a list.
        let images = if config.images == peculiarities.images { listed.images } else { None };
        let capabilities = Capabilities {
            structured: features.structured,
            tools: listed.tools.unwrap_or(true),
            images: images.unwrap_or(config.images),
            documents: peculiarities.documents,
            sampling: features.sampling,
            context: config.context.or(listed.context),
            local: false,
        };
        let id = ModelId::new(config.provider.name(), config.name.clone());
        Ok(Self { id, capabilities, config, base, http, features: Mutex::new(features) })
    }

    /// The models that the provider offers, as it lists them.
    ///
    /// # Errors
    /// The errors of a call; [`ModelError::Parse`] for an answer that is no list of models.
    pub async fn list(&self) -> Result<Vec<OfferedModel>, ModelError> {
        let mut models = Vec::new();
        let mut next: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let url = address(&self.base, &self.protocol().list_place(next.as_deref()));
            let response = self.sent(self.http.get(url.clone()), self.config.timeout, &url).await?;
            if !response.status().is_success() {
                return Err(self.failure(response, &url).await?.error);
            }
            let body = self.body(response).await?;
            let page = json_of(&text_of(&body)).ok().and_then(|root| self.protocol().list(&root));
            let Some(page) = page else {
                return Err(ModelError::Parse {
                    model: self.id.provider.clone(),
                    expected: "list of models".to_owned(),
                    message: format!("`{url}` answers something else"),
                    raw: String::from_utf8_lossy(&body).chars().take(2000).collect(),
                });
            };
            models.extend(page.models);
            match page.next {
                Some(following) if next.as_ref() != Some(&following) => next = Some(following),
                _ => break,
            }
        }
        Ok(models)
    }

    pub(super) fn base(&self) -> &Url {
        &self.base
    }

    /// Posts a body that is no conversation, and reads the JSON that answers it. What a server repeats of the key is taken
    /// out of errors.
    pub(super) async fn post(&self, url: &Url, body: &Value) -> Result<Value, ModelError> {
        let response = self.sent(self.http.post(url.clone()).json(body), self.config.timeout, url).await?;
        if !response.status().is_success() {
            return Err(self.failure(response, url).await?.error);
        }
        let id = request_id(response.headers());
        let body = self.body(response).await?;
        let told = |error: ModelError| {
            let error = with_variable(error.of_request(id.clone()), &self.config.key_variable);
            without_key(error, self.config.key.as_ref())
        };
        let root: Value = json_of(&text_of(&body)).map_err(|error| {
            told(ModelError::Parse {
                model: self.id.to_string(),
                expected: "JSON".to_owned(),
                message: format!("`{url}` answers something else: {error}"),
                raw: String::from_utf8_lossy(&body).chars().take(2000).collect(),
            })
        })?;
        match in_band_error(&root, &self.id.to_string()) {
            Some(error) => Err(told(error)),
            None => Ok(root),
        }
    }

    fn protocol(&self) -> &'static dyn Protocol {
        self.config.provider.wire().protocol()
    }

    /// Sends a request until the provider accepts its features. The response has a status of success. The fences of the
    /// request have a mark of this call.
    async fn send(&self, request: &ChatRequest, stream: bool) -> Result<Response, ModelError> {
        let request = &fence::seal(request.clone(), &fence::random_mark());
        let url = address(&self.base, &self.protocol().place(&self.config.name, stream));
        let mut features = *self.features.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..=MAX_DEGRADATIONS {
            let outgoing = Outgoing {
                request,
                model: &self.config.name,
                stream,
                features,
                peculiarities: &self.config.provider.peculiarities,
                context: self.config.context,
            };
            let body = self.protocol().encode(&outgoing);
            let body = body.map_err(|what| ModelError::Unsupported { model: self.id.to_string(), what })?;
            // A provider sends the head of a streamed answer early, and the head of a whole answer only when the answer
            // is complete.
            let limit = if stream { self.config.idle_timeout } else { self.config.timeout };
            let response = self.sent(self.http.post(url.clone()).json(&body), limit, &url).await?;
            let status = response.status();
            if status.is_success() {
                return Ok(response);
            }
            let failed = self.failure(response, &url).await?;
            let Some(next) = features.without_rejected(status.as_u16(), &failed.body, request, stream) else {
                return Err(failed.error);
            };
            let note = Note { model: self.id.to_string(), kind: NoteKind::Degraded, message: next.message.to_owned() };
            self.config.notes.add(note);
            // Only what this answer taught is remembered: other calls may have learnt meanwhile, and this one may have lost
            // what later ones should keep.
            let before = std::mem::replace(&mut features, next.features);
            if next.remember {
                let known = {
                    let mut known = self.features.lock().unwrap_or_else(PoisonError::into_inner);
                    known.learn(before, features);
                    *known
                };
                if let Some(learnt) = &self.config.learnt {
                    learnt.remember(&self.config, self.config.provider.peculiarities.features, known);
                }
            }
        }
        Err(ModelError::Unsupported { model: self.id.to_string(), what: "take any form of this request".to_owned() })
    }

    /// Sends one call with the key and the headers of its wire.
    async fn sent(&self, call: RequestBuilder, limit: Duration, url: &Url) -> Result<Response, ModelError> {
        let mut call = call;
        for (name, value) in self.protocol().headers() {
            call = call.header(*name, *value);
        }
        if let Some(key) = &self.config.key {
            call = match self.config.provider.peculiarities.auth {
                Auth::Bearer => call.bearer_auth(key.reveal()),
                Auth::Header(name) => {
                    let message = || format!("the key of `{}` cannot be sent as a header", self.config.key_variable);
                    let value = HeaderValue::from_str(key.reveal());
                    let mut value = value.map_err(|_| ModelError::Setup { message: message() })?;
                    value.set_sensitive(true);
                    call.header(name, value)
                }
            };
        }
        match tokio::time::timeout(limit, call.send()).await {
            Ok(Ok(response)) => {
                if let Some(rates) = &self.config.rates {
                    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
                    rates.tell(&self.id.to_string(), RateHeaders::read(header, wall_clock()));
                }
                Ok(response)
            }
            Ok(Err(error)) => Err(ModelError::Unreachable { url: url.to_string(), message: innermost(&error) }),
            Err(_) => Err(ModelError::Timeout { model: self.id.to_string(), limit }),
        }
    }

    async fn failure(&self, response: Response, url: &Url) -> Result<Failed, ModelError> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let request_id = request_id(&headers);
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let retry_after = retry_after(header, wall_clock());
        let scrub = |text: String| self.config.key.as_ref().map_or_else(|| text.clone(), |key| key.scrub(&text));
        let bytes = self.body(response).await?;
        let text = scrub(String::from_utf8_lossy(&bytes).into_owned());
        let model = self.id.to_string();
        let key_variable = &self.config.key_variable;
        let body = text.as_bytes();
        let mut error = error_of(&Failure {
            model: &model,
            status,
            body,
            retry_after,
            key_variable,
            request_id: request_id.clone(),
        });
        if (300..400).contains(&status) {
            let place = header(LOCATION.as_str()).map(|place| scrub(without_user(place)));
            let place = place.map(|place| format!(" to `{place}`"));
            let message = format!(
                "`{url}` redirects{}, which is not followed, because nobody asked to send this text there; name the \
                 address that is meant (status {status})",
                place.unwrap_or_default()
            );
            error = ModelError::Invalid { model, message, request_id };
        }
        if let (ModelError::Invalid { message, .. }, 404) = (&mut error, status) {
            message.push_str(&format!("; is `{url}` right, and does the server have `{}`?", self.config.name));
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

    /// Reads a body that is a whole answer. A provider's message in it may repeat the key, which is taken out.
    async fn answer(&self, response: Response) -> Result<ChatResponse, ModelError> {
        let id = request_id(response.headers());
        let body = self.body(response).await?;
        match decode_body(self.protocol(), &body, &self.id.to_string()) {
            Ok(mut answer) => {
                answer.request_id = id;
                Ok(apart(answer))
            }
            Err(error) => {
                let error = with_variable(error.of_request(id), &self.config.key_variable);
                Err(without_key(error, self.config.key.as_ref()))
            }
        }
    }

    fn broken(&self, error: &reqwest::Error) -> ModelError {
        ModelError::StreamInterrupted { model: self.id.to_string(), partial: String::new(), message: innermost(error) }
    }
}

/// The error without the key, which a provider may have repeated.
fn without_key(error: ModelError, key: Option<&ApiKey>) -> ModelError {
    let Some(key) = key else { return error };
    let scrubbed = serde_json::to_string(&error).ok().map(|text| key.scrub(&text));
    scrubbed.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(error)
}

/// The error with the variable of the key, which a body does not know.
fn with_variable(mut error: ModelError, key_variable: &str) -> ModelError {
    if let ModelError::Auth { variable, .. } = &mut error
        && variable.is_empty()
    {
        key_variable.clone_into(variable);
    }
    error
}

struct Failed {
    error: ModelError,
    body: String,
}

/// The provider's name for a call.
fn request_id(headers: &HeaderMap) -> Option<String> {
    let told = REQUEST_IDS.iter().find_map(|name| headers.get(*name)?.to_str().ok())?;
    let id: String = told.trim().chars().filter(|c| !c.is_control()).take(200).collect();
    (!id.is_empty()).then_some(id)
}

/// The address of a place below a base address. A base address that ends with the first part of the place already, such
/// as `/v1`, is understood as well.
pub(super) fn address(base: &Url, place: &Place) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty();
        let last = base.path_segments().and_then(|mut segments| segments.rfind(|segment| !segment.is_empty()));
        let there = usize::from(place.segments.len() > 1 && last == place.segments.first().map(String::as_str));
        path.extend(place.segments.iter().skip(there));
    }
    if !place.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&place.query);
    }
    url
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
impl ChatModel for Remote {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let response = self.send(&request, false).await?;
        self.answer(response).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let response = self.send(&request, true).await?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/json") {
            // The server does not stream: the body is a whole answer.
            let events = events_of(self.answer(response).await?, usize::MAX);
            return Ok(futures::stream::iter(events.into_iter().map(Ok)).boxed());
        }
        let request_id = request_id(response.headers());
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
        let (key, variable) = (self.config.key.clone(), self.config.key_variable.clone());
        let events = decode_stream(self.protocol(), bytes.boxed(), self.id.to_string(), request_id);
        let told = move |error| without_key(with_variable(error, &variable), key.as_ref());
        Ok(apart_stream(events.map(move |event| event.map_err(&told)).boxed()))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        choose_by_schema(self, request, options).await
    }
}
