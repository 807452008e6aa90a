//! That services of this process are known to the engine.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::Url;

use super::{causes, place};
use crate::error::EngineError;
use crate::http::client;
use crate::options::EngineOptions;

/// How long the engine may take to answer: it asks this process in between.
const ANSWER: Duration = Duration::from_secs(30);
/// How long is tried again while the engine cannot reach this process.
const PATIENCE: Duration = Duration::from_secs(30);
/// Waits between tries.
const PAUSE: Duration = Duration::from_millis(500);

/// The engine's administration.
#[derive(Debug)]
pub(crate) struct Admin {
    place: String,
    client: reqwest::Client,
}

/// What the engine has of a process.
#[derive(Deserialize)]
struct Deployment {
    services: Vec<Service>,
}

#[derive(Deserialize)]
struct Service {
    name: String,
}

/// Why services are not known.
enum Unknown {
    /// The engine is not there.
    Unreachable(String),
    /// The engine does not reach this process.
    Undiscovered(String),
    Refused(String),
}

impl Admin {
    pub(crate) fn new(options: &EngineOptions) -> Result<Self, EngineError> {
        Ok(Self { place: place(&options.admin), client: client(options.bearer.as_deref())? })
    }

    /// Has these services of a process known. An engine that is not there is waited for.
    ///
    /// # Errors
    /// The engine refuses them, or does not reach this process.
    pub(crate) async fn register(&self, advertised: &Url, services: &BTreeSet<String>) -> Result<(), EngineError> {
        let (began, mut is_told) = (Instant::now(), false);
        let refused =
            |said: String| Err(EngineError::Refused { place: self.place.clone(), advertised: place(advertised), said });
        loop {
            match self.know(advertised, services).await {
                Ok(()) => return Ok(()),
                Err(Unknown::Refused(said)) => return refused(said),
                Err(Unknown::Undiscovered(said)) if began.elapsed() > PATIENCE => return refused(said),
                Err(Unknown::Unreachable(error) | Unknown::Undiscovered(error)) => {
                    if !std::mem::replace(&mut is_told, true) {
                        let engine = &self.place;
                        tracing::warn!(%error, engine, "services are not known to the engine yet; it is tried again");
                    }
                }
            }
            sleep(PAUSE).await;
        }
    }

    /// Tells the engine of a process. One that it knows by this address it asks again only where it lacks a service: what is on
    /// its way to that process stays valid.
    async fn know(&self, advertised: &Url, services: &BTreeSet<String>) -> Result<(), Unknown> {
        let lacks = |found: &Deployment| {
            let found: BTreeSet<&str> = found.services.iter().map(|service| service.name.as_str()).collect();
            services.iter().find(|service| !found.contains(service.as_str())).cloned()
        };
        let found = self.tell(&json!({ "uri": advertised.as_str(), "force": false })).await?;
        if lacks(&found).is_none() {
            return Ok(());
        }
        let found = self.tell(&json!({ "uri": advertised.as_str(), "force": true })).await?;
        match lacks(&found) {
            None => Ok(()),
            Some(service) => Err(Unknown::Refused(format!(
                "what answers there has no service `{service}`: another program has this address"
            ))),
        }
    }

    async fn tell(&self, deployment: &Value) -> Result<Deployment, Unknown> {
        let unreachable = |error: reqwest::Error| Unknown::Unreachable(causes(&error));
        let request = self.client.post(format!("{}/deployments", self.place)).timeout(ANSWER);
        let request = request.header("content-type", "application/json").body(deployment.to_string());
        let answer = request.send().await.map_err(unreachable)?;
        let status = answer.status();
        let bytes = answer.bytes().await.map_err(unreachable)?;
        if status.is_success() {
            return serde_json::from_slice(&bytes).map_err(|error| Unknown::Refused(error.to_string()));
        }
        let said = serde_json::from_slice::<Value>(&bytes).ok();
        let said = said.as_ref().and_then(|said| said["message"].as_str().map(str::to_owned));
        let said = said.unwrap_or_else(|| format!("{status} {}", String::from_utf8_lossy(&bytes)));
        Err(if status.is_server_error() { Unknown::Undiscovered(said) } else { Unknown::Refused(said) })
    }
}
