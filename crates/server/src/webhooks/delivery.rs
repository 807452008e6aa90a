//! A post is sent, and again when that fails.

use std::sync::Arc;
use std::time::Duration;

use graphloom_http::gateway::{ResolveHost, cause, guarded};
use graphloom_http::unproxied;
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use tokio::sync::Semaphore;

use super::outbox::Post;
use super::targets::WebhookTargets;

/// How long a receiver may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pauses between attempts.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8), Duration::from_secs(30)];

/// Posts at a time; more wait.
const AT_ONCE: usize = 32;

#[derive(Clone)]
pub(super) struct Delivery {
    targets: WebhookTargets,
    client: Result<Client, String>,
    places: Arc<Semaphore>,
}

/// Whether another attempt may do better.
enum Attempt {
    Delivered,
    Again(String),
    Never(String),
}

impl Delivery {
    pub(super) fn new(targets: WebhookTargets, names: Arc<dyn ResolveHost>) -> Self {
        let agent = concat!("graphloom/", env!("CARGO_PKG_VERSION"));
        let builder = match targets {
            WebhookTargets::Public => guarded(agent, names),
            WebhookTargets::Any => unproxied(agent).redirect(Policy::none()),
        };
        let client = builder.timeout(PATIENCE).build().map_err(|error| error.to_string());
        Self { targets, client, places: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Sends a post until a receiver takes it.
    ///
    /// # Errors
    /// Why it is given up.
    pub(super) async fn post(&self, post: &Post) -> Result<(), String> {
        let mut pauses = PAUSES.iter();
        loop {
            match self.attempt(post).await {
                Attempt::Delivered => return Ok(()),
                Attempt::Never(reason) => return Err(reason),
                Attempt::Again(reason) => match pauses.next() {
                    Some(pause) => tokio::time::sleep(*pause).await,
                    None => return Err(reason),
                },
            }
        }
    }

    async fn attempt(&self, post: &Post) -> Attempt {
        let Ok(_place) = self.places.acquire().await else {
            return Attempt::Never("the server stops".to_owned());
        };
        // The settings may be others than those under which the run was made.
        let url = match self.targets.check(&post.url) {
            Ok(url) => url,
            Err(refused) => return Attempt::Never(refused.to_string()),
        };
        let client = match &self.client {
            Ok(client) => client,
            Err(error) => return Attempt::Never(error.clone()),
        };
        let request = client.post(url).header(CONTENT_TYPE, "application/json").body(post.body.to_string());
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Attempt::Delivered,
            Ok(answer) => {
                let status = answer.status();
                let reason = format!("the receiver answered {status}");
                let passes = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
                if passes { Attempt::Again(reason) } else { Attempt::Never(reason) }
            }
            Err(error) => match cause(&error) {
                fault @ graphloom_http::gateway::HostFault::Private { .. } => Attempt::Never(fault.to_string()),
                fault => Attempt::Again(fault.to_string()),
            },
        }
    }
}
