//! Events as stores keep them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::{CompactEvent, ThreadStatus};
use crate::event::{EVENT_VERSION, Event, EventKind};
use crate::record::Pack;

/// An event as stores keep it: in bytes, which are made when somebody asks for them.
///
/// They are a MessagePack array, a third of what the event takes in JSON. Events in JSON are read, too.
#[derive(Clone)]
pub struct StoredEvent(EventForm);

#[derive(Clone)]
enum EventForm {
    Bytes(Arc<[u8]>),
    Event(Arc<Event>),
    Step(CompactEvent),
}

impl StoredEvent {
    /// The bytes to store.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match &self.0 {
            EventForm::Bytes(bytes) => Cow::Borrowed(bytes),
            EventForm::Event(event) => Cow::Owned(encode(event)),
            EventForm::Step(step) => Cow::Owned(step.bytes()),
        }
    }

    /// The event.
    ///
    /// # Errors
    /// When the bytes are no event: what is wrong with them.
    pub fn read(&self) -> Result<Event, Box<dyn std::error::Error + Send + Sync>> {
        match &self.0 {
            EventForm::Bytes(bytes) if bytes.starts_with(b"{") => Ok(serde_json::from_slice(bytes)?),
            EventForm::Bytes(bytes) => rmp_serde::from_slice::<EventRow<'_>>(bytes)?.event(),
            EventForm::Event(event) => Ok(Event::clone(event)),
            EventForm::Step(step) => Ok(step.event()),
        }
    }
}

impl From<Vec<u8>> for StoredEvent {
    fn from(bytes: Vec<u8>) -> Self {
        Self(EventForm::Bytes(bytes.into()))
    }
}

impl From<Event> for StoredEvent {
    fn from(event: Event) -> Self {
        Self::from(Arc::new(event))
    }
}

impl From<Arc<Event>> for StoredEvent {
    fn from(event: Arc<Event>) -> Self {
        Self(EventForm::Event(event))
    }
}

impl From<CompactEvent> for StoredEvent {
    fn from(step: CompactEvent) -> Self {
        Self(EventForm::Step(step))
    }
}

impl PartialEq for StoredEvent {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for StoredEvent {}

impl fmt::Debug for StoredEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.read() {
            Ok(event) => f.debug_tuple("StoredEvent").field(&event).finish(),
            Err(_) => f.debug_tuple("StoredEvent").field(&self.bytes()).finish(),
        }
    }
}

/// The fields of an event, in their order.
#[derive(Serialize, Deserialize)]
struct EventRow<'e> {
    v: u32,
    seq: Option<u64>,
    #[serde(borrow)]
    ns: &'e str,
    step: u64,
    #[serde(borrow)]
    task: Option<&'e str>,
    attempt: u32,
    time: u64,
    #[serde(borrow)]
    kind: KindRow<'e>,
}

/// The kinds of events that are stored. A kind goes by its letter, its fields by their order.
#[derive(Serialize, Deserialize)]
enum KindRow<'e> {
    #[serde(rename = "b")]
    RunStarted(&'e str, &'e str),
    #[serde(rename = "e")]
    RunEnded(ThreadStatus, &'e str),
    #[serde(rename = "c")]
    Committed(u64, #[serde(borrow)] Texts<'e>, #[serde(borrow)] Texts<'e>, #[serde(borrow)] Texts<'e>),
    #[serde(rename = "r")]
    TaskRetry(&'e str, &'e str, u64),
    #[serde(rename = "f")]
    TaskFailed(&'e str, &'e str),
    #[serde(rename = "h")]
    TaskHandled(&'e str, &'e str),
    /// What is asked is a text of JSON.
    #[serde(rename = "q")]
    Question(&'e str, &'e str, Cow<'e, str>),
    #[serde(rename = "w")]
    Warning(&'e str),
}

/// Names or ids in a row.
pub(super) type Texts<'e> = SmallVec<[&'e str; 4]>;

/// Where and when an event was.
pub(super) struct Place<'e> {
    pub(super) seq: Option<u64>,
    pub(super) ns: &'e str,
    pub(super) step: u64,
    pub(super) time: u64,
}

/// The bytes of the event of a commit, with its tasks, the fields that changed and the nodes that are next. Every commit
/// writes one.
pub(super) fn committed(place: &Place<'_>, checkpoint: u64, texts: [Texts<'_>; 3]) -> Vec<u8> {
    let mut pack = Pack::default();
    pack.array(8);
    pack.uint(EVENT_VERSION.into());
    match place.seq {
        Some(seq) => pack.uint(seq),
        None => pack.nil(),
    }
    pack.text(place.ns);
    pack.uint(place.step);
    // No task, and so no attempt.
    pack.nil();
    pack.uint(0);
    pack.uint(place.time);
    pack.map(1);
    pack.text("c");
    pack.array(4);
    pack.uint(checkpoint);
    for texts in texts {
        pack.array(texts.len());
        texts.into_iter().for_each(|text| pack.text(text));
    }
    pack.into_bytes()
}

fn encode(event: &Event) -> Vec<u8> {
    if let Event { v: EVENT_VERSION, seq, ns, step, task: None, attempt: 0, time, kind } = event
        && let EventKind::Committed { checkpoint, tasks, changed, next } = kind
    {
        let place = Place { seq: *seq, ns, step: *step, time: *time };
        return committed(&place, *checkpoint, [tasks, changed, next].map(|texts| shown(texts)));
    }
    let row = EventRow::of(event);
    // Every stored event is representable in either form; those that are only told have just the second.
    row.and_then(|row| row.bytes()).or_else(|| serde_json::to_vec(event).ok()).unwrap_or_default()
}

impl<'e> EventRow<'e> {
    fn of(event: &'e Event) -> Option<Self> {
        let Event { v: EVENT_VERSION, seq, ns, step, task, attempt, time, kind } = event else { return None };
        let kind = match kind {
            EventKind::RunStarted { graph, how } => KindRow::RunStarted(graph, how),
            EventKind::RunEnded { status, detail } => KindRow::RunEnded(*status, detail),
            EventKind::Committed { checkpoint, tasks, changed, next } => {
                KindRow::Committed(*checkpoint, shown(tasks), shown(changed), shown(next))
            }
            EventKind::TaskRetry { node, error, delay } => KindRow::TaskRetry(node, error, *delay),
            EventKind::TaskFailed { node, error } => KindRow::TaskFailed(node, error),
            EventKind::TaskHandled { node, error } => KindRow::TaskHandled(node, error),
            EventKind::Question { id, key, payload } => KindRow::Question(id, key, payload.to_string().into()),
            EventKind::Warning { message } => KindRow::Warning(message),
            _ => return None,
        };
        let (seq, step, attempt, time) = (*seq, *step, *attempt, *time);
        Some(EventRow { v: EVENT_VERSION, seq, ns, step, task: task.as_deref(), attempt, time, kind })
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(128);
        rmp_serde::encode::write(&mut bytes, self).ok()?;
        Some(bytes)
    }

    fn event(self) -> Result<Event, Box<dyn std::error::Error + Send + Sync>> {
        let EventRow { v, seq, ns, step, task, attempt, time, kind } = self;
        let (text, all) = (str::to_owned, |texts: Texts<'_>| texts.into_iter().map(Arc::from).collect());
        let kind = match kind {
            KindRow::RunStarted(graph, how) => EventKind::RunStarted { graph: text(graph), how: text(how) },
            KindRow::RunEnded(status, detail) => EventKind::RunEnded { status, detail: text(detail) },
            KindRow::Committed(checkpoint, tasks, changed, next) => {
                EventKind::Committed { checkpoint, tasks: all(tasks), changed: all(changed), next: all(next) }
            }
            KindRow::TaskRetry(node, error, delay) => {
                EventKind::TaskRetry { node: text(node), error: text(error), delay }
            }
            KindRow::TaskFailed(node, error) => EventKind::TaskFailed { node: text(node), error: text(error) },
            KindRow::TaskHandled(node, error) => EventKind::TaskHandled { node: text(node), error: text(error) },
            KindRow::Question(id, key, payload) => {
                EventKind::Question { id: text(id), key: text(key), payload: serde_json::from_str(&payload)? }
            }
            KindRow::Warning(message) => EventKind::Warning { message: text(message) },
        };
        Ok(Event { v, seq, ns: ns.into(), step, task: task.map(Arc::from), attempt, time, kind })
    }
}

fn shown(texts: &[Arc<str>]) -> Texts<'_> {
    texts.iter().map(|text| &**text).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn events() -> Vec<Event> {
        let text = |text: &str| text.to_owned();
        let (node, error) = (text("write"), text("no ink"));
        let kinds = [
            EventKind::RunStarted { graph: text("essay"), how: text("input") },
            EventKind::RunEnded { status: ThreadStatus::BudgetSpent, detail: text("10 tasks") },
            EventKind::Committed {
                checkpoint: 70_000,
                tasks: vec!["write:69999.0".into()],
                changed: vec!["draft".into(), "notes".into()],
                next: Vec::new(),
            },
            EventKind::TaskRetry { node: node.clone(), error: error.clone(), delay: 250 },
            EventKind::TaskFailed { node: node.clone(), error: error.clone() },
            EventKind::TaskHandled { node, error },
            EventKind::Question { id: text("q"), key: text("more"), payload: json!({"a": [1.5, null, "é"]}) },
            EventKind::Warning { message: text("a join never filled") },
            EventKind::Lagged { lost: 3 },
        ];
        let event = |(at, kind): (usize, _)| Event {
            v: EVENT_VERSION,
            seq: (at != 3).then_some(at as u64 * 1000),
            ns: if at == 2 { "child:3.0".into() } else { "".into() },
            step: 300,
            task: (at > 2).then(|| "write:7.0".into()),
            attempt: 2,
            time: 1_763_000_000_000,
            kind,
        };
        kinds.into_iter().enumerate().map(event).collect()
    }

    #[test]
    fn every_event_is_read_as_it_was_stored() {
        for event in events() {
            let shown = serde_json::to_value(&event).unwrap();
            let stored = StoredEvent::from(event.clone());
            let read = StoredEvent::from(stored.bytes().into_owned());
            assert_eq!(serde_json::to_value(read.read().unwrap()).unwrap(), shown);
            assert_eq!(read, stored);
            let json = StoredEvent::from(serde_json::to_vec(&event).unwrap());
            assert_eq!(serde_json::to_value(json.read().unwrap()).unwrap(), shown);
        }
    }

    #[test]
    fn a_commit_is_written_as_a_serializer_would() {
        let committed = Event { task: None, attempt: 0, ..events()[2].clone() };
        assert_eq!(encode(&committed), EventRow::of(&committed).unwrap().bytes().unwrap());
    }

    #[test]
    fn a_commit_takes_little_room() {
        let committed = &events()[2];
        let (bytes, json) = (encode(committed).len(), serde_json::to_vec(committed).unwrap().len());
        assert!(bytes * 2 < json, "{bytes} of {json} bytes");
    }

    #[test]
    fn bytes_that_are_no_event_are_refused() {
        for bytes in [&b""[..], b"{}", b"\x97\x01", &[0xc1; 40]] {
            assert!(StoredEvent::from(bytes.to_vec()).read().is_err());
        }
    }
}
