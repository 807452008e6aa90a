//! The event of a plain step in short.

use std::sync::Arc;

use crate::event::{EVENT_VERSION, Event, EventKind};
use crate::machine::TaskId;

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
    /// The event itself.
    pub(super) fn event(&self) -> Event {
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
