//! One event of the protocol, and its number.
//!
//! An entry of the log gives several events. The number of an event is made of that of the entry and of the place of the event
//! among those of the entry: numbers ascend, and are the same whenever, by whatever process and for whatever channels the log is
//! read.

use serde_json::{Value, json};
use uuid::Uuid;

use super::channel::{Address, Channel};
use crate::graph::task_id;
use crate::log::{Entry, LogEvent};

/// The bits of a place. Numbers stay exact in clients whose numbers are floats of 53 bits.
const PLACE_BITS: u32 = 12;

/// Events of one entry at most.
pub(super) const PLACES: u64 = 1 << PLACE_BITS;

/// The number of the event at a place of an entry.
pub(super) fn seq_of(entry: u64, place: u64) -> u64 {
    entry << PLACE_BITS | place
}

/// The number of the last event that an entry can give.
pub(super) fn last_seq_of(entry: u64) -> u64 {
    seq_of(entry, PLACES - 1)
}

/// The entry that gave the event of a number.
pub(super) fn entry_of(seq: u64) -> u64 {
    seq >> PLACE_BITS
}

/// One event, as it goes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProtocolEvent {
    pub(super) seq: u64,
    pub(super) method: &'static str,
    /// Whether it tells that a run ended.
    pub(super) ends_run: bool,
    /// The whole event as JSON.
    pub(super) json: String,
}

/// The events of one entry.
pub(super) struct Events<'e> {
    thread: Uuid,
    entry: &'e Entry,
    /// The namespace as clients see it.
    namespace: Vec<String>,
    wants: &'e dyn Fn(&Address<'_>) -> bool,
    place: u64,
    events: Vec<ProtocolEvent>,
}

impl<'e> Events<'e> {
    pub(super) fn of(
        thread: Uuid,
        entry: &'e Entry,
        namespace: Vec<String>,
        wants: &'e dyn Fn(&Address<'_>) -> bool,
    ) -> Self {
        Self { thread, entry, namespace, wants, place: 0, events: Vec::new() }
    }

    /// The namespace as clients see it.
    pub(super) fn namespace(&self) -> &[String] {
        &self.namespace
    }

    /// Whether the state that a commit made is wanted in the next event, which is of this channel.
    pub(super) fn wants_state(&self, channel: Channel) -> bool {
        self.wants(channel, None, true)
    }

    fn wants(&self, channel: Channel, custom: Option<&str>, is_state: bool) -> bool {
        (self.wants)(&Address { seq: self.seq(), channel, custom, namespace: &self.namespace, is_state })
    }

    /// The number of the next event.
    fn seq(&self) -> u64 {
        seq_of(self.entry.seq, self.place)
    }

    /// Adds an event. It takes its place whether it is wanted or not; its data are made only if it is.
    pub(super) fn add(&mut self, channel: Channel, data: impl FnOnce() -> Value) {
        self.add_of(channel, None, None, data);
    }

    /// Adds an event of a task of a node.
    pub(super) fn add_of_task(&mut self, channel: Channel, task: &str, node: &str, data: impl FnOnce() -> Value) {
        self.add_of(channel, Some((task, node)), None, data);
    }

    /// Adds what a task of a node tells under a name, or under none.
    pub(super) fn add_custom(&mut self, task: &str, node: &str, name: Option<&str>, data: impl FnOnce() -> Value) {
        self.add_of(Channel::Custom, Some((task, node)), name, data);
    }

    fn add_of(
        &mut self,
        channel: Channel,
        of: Option<(&str, &str)>,
        custom: Option<&str>,
        data: impl FnOnce() -> Value,
    ) {
        if self.place == PLACES {
            tracing::warn!(thread = %self.thread, entry = self.entry.seq, "an entry gives too many events: one is left out");
            return;
        }
        let (seq, is_wanted) = (self.seq(), self.wants(channel, custom, false));
        self.place += 1;
        if !is_wanted {
            return;
        }
        // Clients find the run of a lifecycle event in the id: they must tell the end of one run from that of another.
        let event_id = match channel {
            Channel::Lifecycle => format!("synth:{}:{}:{seq}", self.entry.run, self.thread),
            _ => format!("{}:{seq}", self.thread),
        };
        let mut params = json!({ "namespace": self.namespace, "timestamp": self.entry.time, "data": data() });
        if let Some((task, node)) = of {
            params["node"] = node.into();
            // Tasks of one node may be under way at the same time. The protocol does not tell them apart, so the server adds it.
            params["task"] = task_id(&self.thread.to_string(), task).to_string().into();
        }
        let method = channel.method();
        let event = json!({ "type": "event", "event_id": event_id, "seq": seq, "method": method, "params": params });
        let ends_run = channel == Channel::Lifecycle && matches!(self.entry.event, LogEvent::RunEnded { .. });
        self.events.push(ProtocolEvent { seq, method, ends_run, json: event.to_string() });
    }

    pub(super) fn finish(self) -> Vec<ProtocolEvent> {
        self.events
    }
}
