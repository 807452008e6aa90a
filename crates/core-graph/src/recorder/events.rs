//! The events of a commit, and their places in the journal.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::checkpoint::{CompactEvent, JournalRow, StepOrigin};
use crate::event::{Event, EventKind, Payload};
use crate::machine::{Committed, MachineCore};
use crate::recorder::Recorder;
use crate::recorder::subscriber::Queue;

/// The events of a commit, in order.
pub(crate) type Events = SmallVec<[OutgoingEvent; 1]>;

/// An event on its way to the journal and to the subscriber.
#[derive(Debug)]
pub(crate) enum OutgoingEvent {
    Event(Arc<Event>),
    /// The event of a step in compact form; no subscriber asked for events of steps.
    Step(CompactEvent),
}

impl OutgoingEvent {
    fn is_journal(&self) -> bool {
        match self {
            Self::Event(event) => event.kind.is_journal(),
            Self::Step(_) => true,
        }
    }

    /// Gives it its place in the journal.
    fn number(&mut self, seq: u64) {
        match self {
            Self::Event(event) => Arc::make_mut(event).seq = Some(seq),
            Self::Step(step) => step.seq = seq,
        }
    }

    /// Returns the row of the journal, none for a live event.
    fn row(&self) -> Option<JournalRow> {
        match self {
            Self::Event(event) => Some(JournalRow { seq: event.seq?, event: Arc::clone(event).into() }),
            Self::Step(step) => Some(JournalRow { seq: step.seq, event: step.clone().into() }),
        }
    }
}

/// Gives events their places in the journal after the sequence number `seq`. Returns the rows of those that it keeps.
pub(crate) fn number(events: &mut Events, seq: &mut u64) -> Vec<JournalRow> {
    for event in events.iter_mut().filter(|event| event.is_journal()) {
        *seq += 1;
        event.number(*seq);
    }
    events.iter().filter_map(OutgoingEvent::row).collect()
}

/// Sends events to a subscriber, if there is one.
pub(crate) async fn tell(reader: Option<&Queue>, events: &mut Events) {
    let Some(reader) = reader else { return };
    for event in events.drain(..) {
        if let OutgoingEvent::Event(event) = event {
            reader.send(Arc::unwrap_or_clone(event)).await;
        }
    }
}

impl From<Event> for OutgoingEvent {
    fn from(event: Event) -> Self {
        Self::Event(Arc::new(event))
    }
}

impl Recorder {
    /// Returns the events of a commit. `values` is the state, for a reader of steps.
    pub(crate) fn events_of(
        &mut self,
        machine: &MachineCore,
        committed: &Committed,
        values: Option<Payload>,
        now: u64,
    ) -> Events {
        let Some(values) = values.filter(|_| self.session.tells_steps()) else {
            let event = self
                .compact(machine, committed, now)
                .map_or_else(|| self.committed(machine, committed, now).into(), OutgoingEvent::Step);
            return Events::from_iter([event]);
        };
        let event = |kind| OutgoingEvent::from(self.session.event_at(now, &self.ns, committed.step, None, kind));
        let mut events = Events::new();
        for task in &committed.tasks {
            if let Some(update) = &task.update {
                let node = machine.outline.node(task.node).name.to_string();
                let kind = EventKind::Update { node, payload: update.clone() };
                let path = machine.committed_path(task);
                let about = Some((&path, task.attempt));
                events.push(self.session.event_at(now, &self.ns, committed.step, about, kind).into());
            }
        }
        for send in &committed.coalesced {
            let node = machine.outline.node(send.node).name.to_string();
            events.push(event(EventKind::SendCoalesced { node, key: send.key.to_string() }));
        }
        events.push(self.committed(machine, committed, now).into());
        events.push(event(EventKind::Values { payload: values }));
        events
    }

    fn committed(&self, machine: &MachineCore, committed: &Committed, now: u64) -> Event {
        let outline = &machine.outline;
        let kind = EventKind::Committed {
            checkpoint: committed.number,
            tasks: committed.tasks.iter().map(|task| machine.committed_path(task)).collect(),
            changed: committed.changed.iter().map(|at| Arc::clone(&outline.field_names[at])).collect(),
            next: committed.next.iter().map(|node| Arc::clone(&outline.node_names[*node as usize])).collect(),
        };
        self.session.event_at(now, &self.ns, committed.step, None, kind)
    }

    /// Returns the event of a commit in compact form, if it fits.
    fn compact(&mut self, machine: &MachineCore, committed: &Committed, now: u64) -> Option<CompactEvent> {
        let ([task], [] | [_], Some(changed)) = (&*committed.tasks, &*committed.next, committed.changed.as_bits())
        else {
            return None;
        };
        Some(CompactEvent {
            origin: Arc::clone(self.origin(machine)),
            seq: 0,
            time: now,
            step: committed.step,
            checkpoint: committed.number,
            task: task.id,
            node: task.node,
            next: committed.next.first().copied(),
            changed,
        })
    }

    /// Returns what the compact steps and events of the namespace have in common.
    pub(super) fn origin(&mut self, machine: &MachineCore) -> &Arc<StepOrigin> {
        self.origin.get_or_insert_with(|| Arc::new(machine.origin()))
    }
}
