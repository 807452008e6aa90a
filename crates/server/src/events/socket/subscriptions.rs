//! The subscriptions of one socket.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::super::channel::{Address, Subscription, SubscriptionRequest};
use super::super::command::{Command, CommandError, ErrorCode, statuses};
use super::super::event::ProtocolEvent;
use super::super::reader::EventReader;
use super::super::settled::settled;
use crate::host::Host;
use crate::log::TailError;
use crate::runs::RunManager;

/// Subscriptions of one socket at most.
const MOST: usize = 256;

/// The subscriptions of one socket.
pub(super) struct Subscriptions {
    manager: RunManager,
    thread: Uuid,
    open: Vec<(String, Subscription)>,
    /// Reads for all that are open.
    live: Option<EventReader>,
    /// The end of a run that `live` read and that waits to be told.
    end: Option<ProtocolEvent>,
    /// When the newest subscription may tell the end of a run.
    settled: Instant,
    replay: Option<Replay>,
    /// How many there were.
    count: u64,
}

/// Reads for a new subscription what the others have read before.
struct Replay {
    reader: EventReader,
    subscription: Subscription,
    /// The number of the last entry to read.
    last: u64,
}

#[derive(Deserialize)]
struct Unsubscribe {
    subscription_id: String,
}

/// The protocol's `ReconnectParams`.
#[derive(Deserialize)]
struct Reconnect {
    run_id: String,
    #[serde(default)]
    last_event_id: Option<String>,
    #[serde(default)]
    subscriptions: Option<Vec<String>>,
}

impl Subscriptions {
    pub(super) fn new(host: &Host, thread: Uuid) -> Self {
        Self {
            manager: host.manager.clone(),
            thread,
            open: Vec::new(),
            live: None,
            end: None,
            settled: settled(),
            replay: None,
            count: 0,
        }
    }

    /// The next event that a subscription asks for; waits for ever where there are none. It may be dropped and called again
    /// without loss.
    ///
    /// # Errors
    /// As [`EventReader::next`].
    pub(super) async fn next(&mut self) -> Result<Option<ProtocolEvent>, TailError> {
        let Some(live) = &mut self.live else { return std::future::pending().await };
        if self.end.is_none() {
            let open = &self.open;
            match live.next(&|event| is_wanted(open, event)).await? {
                Some(event) if event.ends_run => self.end = Some(event),
                other => return Ok(other),
            }
        }
        sleep_until(self.settled).await;
        Ok(self.end.take())
    }

    /// The next event of those that were told before the newest subscription; none when it has them all.
    ///
    /// # Errors
    /// As [`EventReader::next`].
    pub(super) async fn replay(&mut self) -> Result<Option<ProtocolEvent>, TailError> {
        let Some(Replay { reader, subscription, last }) = &mut self.replay else { return Ok(None) };
        // The end of a run that waits is told once, to all.
        let waits = self.end.as_ref().map(|end| end.seq);
        let wants = |event: &Address<'_>| Some(event.seq) != waits && subscription.wants(event);
        let event = reader.next_until(*last, &wants).await?;
        if event.is_none() {
            self.replay = None;
        }
        Ok(event)
    }

    /// `subscription.subscribe`.
    pub(super) async fn subscribe(&mut self, command: &Command) -> Result<Value, CommandError> {
        let request: SubscriptionRequest = command.params()?;
        let subscription = Subscription::try_from(request)
            .map_err(|error| CommandError::new(ErrorCode::InvalidArgument, format!("`params.channels`: {error}")))?;
        if self.open.len() == MOST {
            let message = format!("the socket has {MOST} subscriptions, as many as there may be");
            return Err(CommandError::new(ErrorCode::NotSupported, message));
        }
        let reader = self.reader(subscription.since).await.map_err(|error| CommandError::failed(&error))?;
        match &self.live {
            None => self.live = Some(reader),
            Some(live) => {
                self.replay = Some(Replay { reader, subscription: subscription.clone(), last: live.position });
            }
        }
        self.settled = settled();
        self.count += 1;
        let id = format!("subscription-{}", self.count);
        self.open.push((id.clone(), subscription));
        Ok(json!({ "subscription_id": id }))
    }

    async fn reader(&self, since: u64) -> Result<EventReader, TailError> {
        let log = self.manager.logs().open(self.thread).await?;
        EventReader::after(&self.manager, &log, since).await
    }

    /// `subscription.unsubscribe`.
    pub(super) fn unsubscribe(&mut self, command: &Command) -> Result<Value, CommandError> {
        let Unsubscribe { subscription_id } = command.params()?;
        let Some(at) = self.open.iter().position(|(id, _)| *id == subscription_id) else {
            let id: String = subscription_id.chars().take(64).collect();
            let message = format!("the socket has no subscription `{id}`");
            return Err(CommandError::new(ErrorCode::NoSuchSubscription, message));
        };
        self.open.remove(at);
        if self.open.is_empty() {
            (self.live, self.end) = (None, None);
        }
        Ok(json!({}))
    }

    /// `subscription.reconnect`: how a run stands, and what a client missed of it. Subscriptions end with their socket, so one of
    /// another socket is not restored: the client subscribes again, and is told what it missed.
    pub(super) async fn reconnect(&self, host: &Host, command: &Command) -> Result<Value, CommandError> {
        let Reconnect { run_id, last_event_id, subscriptions } = command.params()?;
        let namespaces = statuses(host, self.thread, &run_id).await?;
        let is_open = |wanted: &String| self.open.iter().any(|(id, _)| id == wanted);
        let restored = subscriptions.iter().flatten().all(is_open);
        let mut result = json!({ "restored": restored, "current_namespaces": namespaces });
        if let Some(seen) = last_event_id {
            let seq = seen.rsplit(':').next().and_then(|seq| seq.parse().ok()).ok_or_else(|| {
                CommandError::new(ErrorCode::InvalidArgument, "`params.last_event_id` is no id of an event")
            })?;
            let missed = self.missed(seq).await.map_err(|error| CommandError::failed(&error))?;
            result["missed_events"] = missed.into();
        }
        Ok(result)
    }

    /// How many events came after the one of a number, of those that the subscriptions ask for; of all where there are none.
    async fn missed(&self, seq: u64) -> Result<u64, TailError> {
        let log = self.manager.logs().open(self.thread).await?;
        let mut reader = EventReader::after(&self.manager, &log, seq).await?;
        let open = &self.open;
        let wants = |event: &Address<'_>| event.seq > seq && (open.is_empty() || is_wanted(open, event));
        let (last, mut missed) = (log.last(), 0);
        while reader.next_until(last, &wants).await?.is_some() {
            missed += 1;
        }
        Ok(missed)
    }
}

fn is_wanted(open: &[(String, Subscription)], event: &Address<'_>) -> bool {
    open.iter().any(|(_, subscription)| subscription.wants(event))
}
