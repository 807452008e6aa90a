//! The event of a step of one task in compact form.

use std::sync::Arc;

use super::StepNames;
use super::stored_event::{Place, Texts, committed};
use crate::event::{EVENT_VERSION, Event, EventKind};
use crate::tasks::TaskId;

/// The event of a commit of one task, which at most one task follows: most of a journal are such.
#[derive(Clone, Debug)]
pub(crate) struct CompactEvent {
    pub(crate) names: Arc<StepNames>,
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

impl CompactEvent {
    /// The event of a [`CompactStep`](super::CompactStep): the number, the step and the time of its checkpoint are `made`,
    /// the node of its task and of the one that follows are `nodes`.
    pub(super) fn of_step(
        names: &Arc<StepNames>,
        seq: u64,
        made: (u64, u64, u64),
        nodes: (u32, Option<u32>),
        changed: u64,
    ) -> Self {
        let ((checkpoint, step, time), (node, next)) = (made, nodes);
        let task = TaskId { number: checkpoint.saturating_sub(1), place: 0 };
        Self { names: Arc::clone(names), seq, time, step, checkpoint, task, node, next, changed }
    }

    /// The stored form of the event.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let StepNames { ns, base, fields, nodes } = &*self.names;
        let name = |node: u32| nodes.get(node as usize).map(|name| &**name);
        let path = self.task.path(base, name(self.node).unwrap_or_default());
        let changed = fields.iter().enumerate().take(64).filter(|(at, _)| self.changed >> at & 1 == 1);
        let texts = [
            Texts::from_iter([&*path]),
            changed.map(|(_, field)| &**field).collect(),
            self.next.and_then(name).into_iter().collect(),
        ];
        let place = Place { seq: Some(self.seq), ns, step: self.step, time: self.time };
        committed(&place, self.checkpoint, texts)
    }

    /// The event itself.
    pub(super) fn event(&self) -> Event {
        let StepNames { ns, base, fields, nodes } = &*self.names;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::StoredEvent;

    #[test]
    fn a_step_is_stored_as_its_event_is() {
        let names = |names: [&str; 2]| names.map(Arc::from).into();
        let of = |ns: &str| {
            let (fields, nodes) = (names(["a", "b"]), names(["n", "m"]));
            Arc::new(StepNames { ns: ns.into(), base: ns.into(), fields, nodes })
        };
        for (ns, next, changed) in [("", None, 0), ("child:3.0", Some(1), 0b10), ("", Some(9), 0b11)] {
            let task = TaskId { number: 300, place: 1 };
            let (names, checkpoint) = (of(ns), 70_000);
            let step = CompactEvent { names, seq: 5, time: 1 << 40, step: 6, checkpoint, task, node: 0, next, changed };
            let event = StoredEvent::from(step.event());
            let stored = StoredEvent::from(step);
            assert_eq!(stored.bytes(), event.bytes());
            let read = StoredEvent::from(stored.bytes().into_owned()).read().unwrap();
            assert_eq!(serde_json::to_value(read).unwrap(), serde_json::to_value(event.read().unwrap()).unwrap());
        }
    }
}
