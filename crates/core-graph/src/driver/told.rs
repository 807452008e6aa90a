//! What a commit tells: events, and those of plain steps in short.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::checkpoint::{JournalRow, Teller, ToldStep};
use crate::driver::drive::Driver;
use crate::driver::sink::Queue;
use crate::event::{Event, EventKind, Payload};
use crate::machine::{Committed, Machine};
use crate::state::State;

/// What a commit tells, in order.
pub(crate) type Events = SmallVec<[Told; 1]>;

/// An event on its way to the journal and to who reads the run.
#[derive(Debug)]
pub(crate) enum Told {
    Event(Arc<Event>),
    /// No reader is told of steps.
    Step(ToldStep),
}

impl Told {
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

    /// The row of the journal; none for a live event.
    fn row(&self) -> Option<JournalRow> {
        match self {
            Self::Event(event) => Some(JournalRow { seq: event.seq?, event: Arc::clone(event).into() }),
            Self::Step(step) => Some(JournalRow { seq: step.seq, event: step.clone().into() }),
        }
    }
}

/// Gives events their places in the journal after a sequence number; the rows of those that it keeps.
pub(super) fn number(events: &mut Events, seq: &mut u64) -> Vec<JournalRow> {
    for told in events.iter_mut().filter(|told| told.is_journal()) {
        *seq += 1;
        told.number(*seq);
    }
    events.iter().filter_map(Told::row).collect()
}

/// Tells a reader, if there is one.
pub(super) async fn tell(reader: Option<&Queue>, events: &mut Events) {
    let Some(reader) = reader else { return };
    for told in events.drain(..) {
        if let Told::Event(event) = told {
            reader.send(Arc::unwrap_or_clone(event)).await;
        }
    }
}

impl From<Event> for Told {
    fn from(event: Event) -> Self {
        Self::Event(Arc::new(event))
    }
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// What is told of a commit.
    pub(super) fn events_of(&mut self, committed: &Committed<S>, now: u64) -> Events {
        if !self.session.tells_steps() {
            let told = self.short(committed, now).map_or_else(|| self.committed(committed, now).into(), Told::Step);
            return Events::from_iter([told]);
        }
        let event = |kind| Told::from(self.session.event_at(now, &self.ns, committed.step, None, kind));
        let mut events = Events::new();
        for task in &committed.tasks {
            if let Some(update) = &task.update {
                let node = self.runtime.topology.node(task.node).name.to_string();
                let kind = EventKind::Update { node, payload: Payload::new(S::Update::clone(update)) };
                let path = self.machine.committed_path(task);
                let about = Some((&path, task.attempt));
                events.push(self.session.event_at(now, &self.ns, committed.step, about, kind).into());
            }
        }
        for send in &committed.coalesced {
            let node = self.runtime.topology.node(send.node).name.to_string();
            events.push(event(EventKind::SendCoalesced { node, key: send.key.to_string() }));
        }
        events.push(self.committed(committed, now).into());
        events.push(event(EventKind::Values { payload: Payload::shared(Arc::clone(&self.machine.state)) }));
        events
    }

    fn committed(&self, committed: &Committed<S>, now: u64) -> Event {
        let topology = &self.runtime.topology;
        let kind = EventKind::Committed {
            checkpoint: committed.number,
            tasks: committed.tasks.iter().map(|task| self.machine.committed_path(task)).collect(),
            changed: committed.changed.iter().map(|at| Arc::clone(&topology.field_names[at])).collect(),
            next: committed.next.iter().map(|node| Arc::clone(&topology.node_names[*node as usize])).collect(),
        };
        self.session.event_at(now, &self.ns, committed.step, None, kind)
    }

    /// The event of a commit in short, when it has that form.
    fn short(&mut self, committed: &Committed<S>, now: u64) -> Option<ToldStep> {
        let ([task], [] | [_], Some(changed)) = (&*committed.tasks, &*committed.next, committed.changed.as_bits())
        else {
            return None;
        };
        Some(ToldStep {
            teller: Arc::clone(self.teller()),
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

    /// What the events of the namespace have in common.
    pub(super) fn teller(&mut self) -> &Arc<Teller> {
        Self::teller_of(&mut self.teller, &self.machine)
    }

    /// The same, beside the rest of the driver.
    pub(super) fn teller_of<'a>(teller: &'a mut Option<Arc<Teller>>, machine: &Machine<S>) -> &'a Arc<Teller> {
        teller.get_or_insert_with(|| Arc::new(machine.teller()))
    }
}
