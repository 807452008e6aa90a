//! Invocations, and what came of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;

use super::{causes, place};
use crate::error::EngineError;
use crate::http::client;
use crate::options::EngineOptions;

/// Connections that are made before any is shared. The engine lets a small answer wait on a connection until the answer before it has
/// been acknowledged, which the system does after 40 ms.
const APART: usize = 32;
/// Invocations that wait over one connection at most. The engine takes some hundreds.
const SHARE: usize = 100;
/// The header that names what came before an invocation under the same name.
const IDEMPOTENCY: &str = "idempotency-key";
/// The header by which the engine says that it was not the service that answered.
const SOURCE: &str = "x-restate-error-source";
/// How long the engine may take to say that it is there.
const HELLO: Duration = Duration::from_secs(10);

/// The engine's ingress.
#[derive(Debug)]
pub(crate) struct Ingress {
    place: String,
    bearer: Option<String>,
    connections: Mutex<Vec<Connection>>,
}

/// A connection, and how many wait over it.
#[derive(Clone, Debug)]
struct Connection {
    client: reqwest::Client,
    waiting: Arc<AtomicUsize>,
}

/// A place on a connection, until this is dropped.
struct Seat(Connection);

/// What came of an invocation.
#[derive(Debug)]
pub(crate) enum Invoked {
    /// The answer of the service.
    Answered(Bytes),
    /// No deployment has such a service.
    Unserved,
    /// The invocation failed for good, was cancelled or was killed.
    Failed { status: u16, message: String },
}

/// How the engine tells a failure.
#[derive(Deserialize)]
struct Failure {
    message: String,
}

impl Ingress {
    /// The ingress of these options; nothing is connected yet.
    pub(crate) fn new(options: &EngineOptions) -> Result<Self, EngineError> {
        let (place, bearer) = (place(&options.ingress), options.bearer.clone());
        let first = Connection { client: client(bearer.as_deref())?, waiting: Arc::default() };
        Ok(Self { place, bearer, connections: Mutex::new(vec![first]) })
    }

    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// Whether the engine is there.
    pub(crate) async fn greet(&self) -> Result<(), EngineError> {
        let Seat(connection) = &self.seat()?;
        let asked = connection.client.get(format!("{}/restate/health", self.place)).timeout(HELLO).send().await;
        match asked {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(EngineError::NoEngine { place: self.place.clone(), status: answer.status().as_u16() }),
            Err(error) => Err(EngineError::Unreachable { place: self.place.clone(), source: error.into() }),
        }
    }

    /// Asks for an invocation, and waits for what comes of it. Who asks again with the same key gets what came of the first.
    ///
    /// # Errors
    /// The engine cannot be reached or cannot answer now, which says nothing of the invocation.
    pub(crate) async fn invoke(&self, target: &str, key: &str, body: Vec<u8>) -> Result<Invoked, String> {
        let Seat(connection) = &self.seat().map_err(|error| error.to_string())?;
        let request = connection.client.post(format!("{}/{target}", self.place)).header(IDEMPOTENCY, key);
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let answer = request.send().await.map_err(|error| causes(&error))?;
        let status = answer.status();
        let is_engines = answer.headers().get(SOURCE).is_some_and(|source| source == "ingress");
        let bytes = answer.bytes().await.map_err(|error| causes(&error))?;
        if status.is_success() {
            return Ok(Invoked::Answered(bytes));
        }
        if status == StatusCode::NOT_FOUND && is_engines {
            return Ok(Invoked::Unserved);
        }
        let message = serde_json::from_slice(&bytes).map(|Failure { message }| message);
        let message = message.unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned());
        match is_engines && (status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS) {
            true => Err(format!("{status}: {message}")),
            false => Ok(Invoked::Failed { status: status.as_u16(), message }),
        }
    }

    /// A place on the connection over which the fewest wait, or on a new one.
    fn seat(&self) -> Result<Seat, EngineError> {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let most = if connections.len() < APART { 1 } else { SHARE };
        let waiting = |connection: &&Connection| connection.waiting.load(Ordering::Relaxed);
        let freest = connections.iter().min_by_key(waiting).filter(|freest| waiting(freest) < most).cloned();
        let connection = match freest {
            Some(connection) => connection,
            None => {
                let new = Connection { client: client(self.bearer.as_deref())?, waiting: Arc::default() };
                connections.push(new.clone());
                new
            }
        };
        connection.waiting.fetch_add(1, Ordering::Relaxed);
        Ok(Seat(connection))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
