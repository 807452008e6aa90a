//! The form in which stores keep events.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::event::{EVENT_VERSION, Event, EventKind};
use crate::machine::TaskId;

/// An event as stores keep it: in JSON, which is made when somebody asks for it.
#[derive(Clone)]
pub struct StoredEvent(Form);

#[derive(Clone)]
enum Form {
    Json(Arc<[u8]>),
    Event(Arc<Event>),
    Step(ToldStep),
}

/// What the events of a namespace have in common.
#[derive(Debug)]
pub(crate) struct Teller {
    pub(crate) ns: Arc<str>,
    /// What the ids of its tasks begin with.
    pub(crate) base: Arc<str>,
    pub(crate) fields: Arc<[Arc<str>]>,
    pub(crate) nodes: Arc<[Arc<str>]>,
}

/// The event of a commit of one task, which at most one task follows: most of a journal are such.
#[derive(Clone, Debug)]
pub(crate) struct ToldStep {
    pub(crate) teller: Arc<Teller>,
    pub(crate) seq: u64,
    pub(crate) time: u64,
    pub(crate) step: u64,
    pub(crate) checkpoint: u64,
    pub(crate) task: TaskId,
    pub(crate) node: u32,
    pub(crate) next: Option<u32>,
    /// A bit for each of the first fields.
    pub(crate) changed: u64,
}

impl ToldStep {
    fn event(&self) -> Event {
        let Teller { ns, base, fields, nodes } = &*self.teller;
        let name = |node: u32| nodes.get(node as usize).map(Arc::clone);
        let node = name(self.node).unwrap_or_default();
        let changed = fields.iter().enumerate().take(64).filter(|(at, _)| self.changed >> at & 1 == 1);
        Event {
            v: EVENT_VERSION,
            seq: Some(self.seq),
            ns: Arc::clone(ns),
            step: self.step,
            task: None,
            attempt: 0,
            time: self.time,
            kind: EventKind::Committed {
                checkpoint: self.checkpoint,
                tasks: vec![self.task.path(base, &node)],
                changed: changed.map(|(_, field)| Arc::clone(field)).collect(),
                next: self.next.and_then(name).into_iter().collect(),
            },
        }
    }
}

impl StoredEvent {
    /// The event as JSON.
    pub fn json(&self) -> Cow<'_, [u8]> {
        // Every journal event is representable.
        let written = |event: &Event| Cow::Owned(serde_json::to_vec(event).unwrap_or_default());
        match &self.0 {
            Form::Json(json) => Cow::Borrowed(json),
            Form::Event(event) => written(event),
            Form::Step(step) => written(&step.event()),
        }
    }

    /// The event.
    ///
    /// # Errors
    /// When the bytes are no event.
    pub fn read(&self) -> Result<Event, serde_json::Error> {
        match &self.0 {
            Form::Json(json) => serde_json::from_slice(json),
            Form::Event(event) => Ok(Event::clone(event)),
            Form::Step(step) => Ok(step.event()),
        }
    }
}

impl From<Vec<u8>> for StoredEvent {
    fn from(json: Vec<u8>) -> Self {
        Self(Form::Json(json.into()))
    }
}

impl From<Event> for StoredEvent {
    fn from(event: Event) -> Self {
        Self::from(Arc::new(event))
    }
}

impl From<Arc<Event>> for StoredEvent {
    fn from(event: Arc<Event>) -> Self {
        Self(Form::Event(event))
    }
}

impl From<ToldStep> for StoredEvent {
    fn from(step: ToldStep) -> Self {
        Self(Form::Step(step))
    }
}

impl PartialEq for StoredEvent {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

impl Eq for StoredEvent {}

impl fmt::Debug for StoredEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredEvent({})", String::from_utf8_lossy(&self.json()))
    }
}
