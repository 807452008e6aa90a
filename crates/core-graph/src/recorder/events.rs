//! The events of a commit, and their places in the journal.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::checkpoint::{Commit, CompactEvent, JournalRow};
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
    /// The event of a commit of one task; no subscriber asked for events of steps.
    Compact(CompactEvent),
    /// The same, where the commit holds the step in compact form: the event is part of that.
    OfStep,
}

/// Gives events their places in the journal after the sequence number `seq`, and adds those that it keeps to the commit.
pub(crate) fn number(events: &mut Events, commit: &mut Commit, seq: &mut u64) {
    for event in events {
        let event = match event {
            OutgoingEvent::Event(event) if !event.kind.is_journal() => continue,
            OutgoingEvent::Event(event) => {
                Arc::make_mut(event).seq = Some(*seq + 1);
                Arc::clone(event).into()
            }
            OutgoingEvent::Compact(event) => {
                event.seq = *seq + 1;
                event.clone().into()
            }
            OutgoingEvent::OfStep => {
                number_step(commit, seq);
                continue;
            }
        };
        *seq += 1;
        commit.journal.push(JournalRow { seq: *seq, event });
    }
}

/// Gives the event of the step that the commit holds in compact form its place in the journal.
pub(crate) fn number_step(commit: &mut Commit, seq: &mut u64) {
    *seq += 1;
    if let Some(step) = &mut commit.step {
        step.seq = *seq;
    }
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
        &self,
        machine: &MachineCore,
        committed: &Committed,
        values: Option<Payload>,
        now: u64,
    ) -> Events {
        let Some(values) = values.filter(|_| self.session.tells_steps()) else {
            return Events::from_buf([self.event_of(machine, committed, now)]);
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

    /// Returns the event of a commit, in compact form if it fits.
    fn event_of(&self, machine: &MachineCore, committed: &Committed, now: u64) -> OutgoingEvent {
        if committed.stored.as_ref().is_some_and(|commit| commit.step.is_some()) {
            return OutgoingEvent::OfStep;
        }
        let ([task], [] | [_], Some(changed)) = (&*committed.tasks, &*committed.next, committed.changed.as_bits())
        else {
            return self.committed(machine, committed, now).into();
        };
        OutgoingEvent::Compact(CompactEvent {
            names: Arc::clone(machine.step_names()),
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
}
