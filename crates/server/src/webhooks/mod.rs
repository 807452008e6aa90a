//! Webhooks: the end of a run is posted to an address that its client named.
//!
//! | rule | where |
//! | --- | --- |
//! | which addresses are posted to | `targets.rs` |
//! | what is to be posted is stored before the run is recorded as ended, and until it is delivered or given up | `outbox.rs` |
//! | it is posted, and again when that fails | `delivery.rs` |
//!
//! So a process that dies after the end of a run was recorded leaves the post in the outbox, and the next one delivers it. A
//! process that dies before leaves a run that goes on, whose end is posted then. A receiver may get a post twice, when the
//! process died between the answer and its record: `run_id` tells.

mod delivery;
mod outbox;
mod targets;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::store::{Store, StoreError};
use graphloom_core_graph::{Clock as _, SystemClock};
use graphloom_http::gateway::{ResolveHost, SystemNames};
use serde_json::{Value, json};
use uuid::Uuid;

pub(crate) use targets::RefusedWebhook;
pub use targets::WebhookTargets;

use crate::cluster::Member;
use crate::records::{RunRecord, timestamp};
use delivery::Delivery;
use outbox::{Outbox, Post};

/// The webhooks of a server. A clone is another handle to the same.
#[derive(Clone)]
pub(crate) struct Webhooks {
    targets: WebhookTargets,
    outbox: Outbox,
    delivery: Delivery,
    member: Option<Arc<Member>>,
}

impl Webhooks {
    pub(crate) fn new(store: Arc<dyn Store>, targets: WebhookTargets) -> Self {
        Self::with_names(store, targets, Arc::new(SystemNames))
    }

    pub(crate) fn with_names(store: Arc<dyn Store>, targets: WebhookTargets, names: Arc<dyn ResolveHost>) -> Self {
        Self { targets, outbox: Outbox::new(store), delivery: Delivery::new(targets, names), member: None }
    }

    /// The webhooks of a server that shares its store with other processes.
    pub(crate) fn shared(mut self, member: Option<Arc<Member>>) -> Self {
        self.member = member;
        self
    }

    /// Whether an address is posted to.
    ///
    /// # Errors
    /// Why it is not.
    pub(crate) fn check(&self, url: &str) -> Result<(), RefusedWebhook> {
        self.targets.check(url).map(drop)
    }

    /// Stores what is to be posted of a run that has ended, if it is to be posted to anybody.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn prepare(&self, run: &RunRecord, body: Value) -> Result<(), StoreError> {
        let Some(url) = &run.webhook else { return Ok(()) };
        let member = self.member.as_ref().map(|member| member.id());
        let post = Post { url: url.clone(), thread: run.thread_id, run: run.run_id, body, member };
        self.outbox.put(&post).await
    }

    /// Posts what other processes left that are gone, in the background, but for runs that have not ended.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn take_up(&self, member: &Member, unfinished: &[Uuid]) -> Result<(), StoreError> {
        for mut post in self.outbox.all().await? {
            let is_ours = match post.member {
                Some(other) => other == member.id() || member.is_member(other).await?,
                None => false,
            };
            if is_ours || unfinished.contains(&post.run) {
                continue;
            }
            // Two may do it at once: then it is posted twice.
            post.member = Some(member.id());
            self.outbox.put(&post).await?;
            let webhooks = self.clone();
            tokio::spawn(async move { webhooks.post(post).await });
        }
        Ok(())
    }

    /// Posts what was stored of a run, in the background.
    pub(crate) fn deliver(&self, run: &RunRecord) {
        if run.webhook.is_none() {
            return;
        }
        let (webhooks, run) = (self.clone(), run.run_id);
        tokio::spawn(async move {
            match webhooks.outbox.get(run).await {
                Ok(Some(post)) => webhooks.post(post).await,
                Ok(None) => {}
                Err(error) => tracing::error!(%run, %error, "a webhook cannot be read"),
            }
        });
    }

    /// Posts what an earlier process left, in the background, but for runs that have not ended: theirs is stored anew.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn recover(&self, unfinished: &[Uuid]) -> Result<(), StoreError> {
        for post in self.outbox.all().await? {
            if !unfinished.contains(&post.run) {
                let webhooks = self.clone();
                tokio::spawn(async move { webhooks.post(post).await });
            }
        }
        Ok(())
    }

    async fn post(&self, mut post: Post) {
        post.body["webhook_sent_at"] = json!(timestamp(SystemClock.now()));
        let (run, url) = (post.run, targets::shown(&post.url));
        match self.delivery.post(&post).await {
            Ok(()) => tracing::debug!(%run, url, "a webhook is delivered"),
            Err(error) => tracing::warn!(%run, url, error, "a webhook is given up"),
        }
        if let Err(error) = self.outbox.delete(run).await {
            tracing::error!(%run, %error, "a webhook that is done with cannot be deleted; it is sent again at the next start");
        }
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks").field("targets", &self.targets).finish_non_exhaustive()
    }
}
