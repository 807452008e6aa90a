//! `plan`: which tasks to dispatch now, or why none.

use std::sync::Arc;

use compact_str::CompactString;
use smallvec::SmallVec;

use crate::checkpoint::RecordBytes;
use crate::failure::Failure;
use crate::machine::task::Phase;
use crate::machine::{Machine, MachineCore};
use crate::state::{AnyState, State};
use crate::tasks::{Stop, TaskId};
use crate::timeout::Timeout;
use crate::topology::Mode;

/// What the driver is to do next.
pub(crate) enum Plan {
    /// Run these tasks.
    Dispatch(SmallVec<[Due; 1]>),
    /// Wait for a task in flight, or until a time.
    Wait { until: Option<u64> },
    /// Nothing is in flight and nothing more is dispatched.
    Stop(Stop),
}

/// A task that is dispatched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub(crate) id: TaskId,
    pub(crate) node: u32,
}

/// What a task that is dispatched runs with.
pub(crate) struct Dispatch<S: State> {
    pub(crate) id: TaskId,
    pub(crate) node: u32,
    /// Counts from 1.
    pub(crate) attempt: u32,
    pub(crate) key: Option<CompactString>,
    pub(crate) input: Option<RecordBytes>,
    /// What the node's error handler is to handle, in the node's place.
    pub(crate) failure: Option<Arc<Failure>>,
    /// The time limit of its send, in the place of the node's.
    pub(crate) timeout: Option<Box<Timeout>>,
    pub(crate) state: Arc<S>,
    /// When its first attempt began, in milliseconds since 1970; 0 for a node that is tried once.
    pub(crate) began: u64,
    /// Whether no run before may have begun it.
    pub(crate) is_of_run: bool,
}

impl MachineCore {
    /// What to do next.
    pub(crate) fn plan(&mut self, now: u64) -> Plan {
        if self.frontier.is_empty() && self.in_flight == 0 {
            return Plan::Stop(Stop::Done);
        }
        self.stop_before();
        if let Some(reason) = self.halt {
            return if self.in_flight > 0 { Plan::Wait { until: None } } else { Plan::Stop(reason) };
        }
        let until = self.wake(now);
        if let Some(reason) = self.open_step() {
            return if self.in_flight > 0 { Plan::Wait { until } } else { Plan::Stop(reason) };
        }
        let dispatches = self.dispatch_ready();
        if !dispatches.is_empty() {
            return Plan::Dispatch(dispatches);
        }
        if self.in_flight > 0 || until.is_some() {
            return Plan::Wait { until };
        }
        if self.release_deferred() {
            return self.plan(now);
        }
        Plan::Stop(self.why_nothing())
    }

    /// Makes tasks ready whose wait is over. Returns when the shortest of the other waits ends.
    fn wake(&mut self, now: u64) -> Option<u64> {
        if !self.backs_off {
            return None;
        }
        let mut next: Option<u64> = None;
        let mut awake: SmallVec<[TaskId; 4]> = SmallVec::new();
        for (id, task) in self.frontier.iter() {
            match task.phase {
                Phase::Backoff(until) if until <= now => awake.push(id),
                Phase::Backoff(until) => next = Some(next.map_or(until, |other| other.min(until))),
                _ => {}
            }
        }
        awake.into_iter().for_each(|id| self.frontier.make_ready(id));
        self.backs_off = next.is_some();
        next
    }

    /// Barrier mode: begins a super-step, a whole one or none.
    fn open_step(&mut self) -> Option<Stop> {
        if self.outline.mode == Mode::Eager || self.step_open {
            return None;
        }
        if self.frontier.ready_len() == 0 {
            return None;
        }
        if self.limits.max_steps.is_some_and(|limit| self.steps_this_run >= limit) {
            return Some(Stop::StepLimit);
        }
        if let Some(room) = self.limits.room {
            let new = self.frontier.iter().filter(|(_, task)| !task.counted && matches!(task.phase, Phase::Ready));
            if new.count() as u64 > room {
                return Some(Stop::Budget);
            }
        }
        (self.step_open, self.unfinished, self.unreserved) = (true, 0, true);
        for (_, task) in self.frontier.iter_mut() {
            task.in_step = !matches!(task.phase, Phase::Deferred);
            self.unfinished += usize::from(task.in_step && !matches!(task.phase, Phase::Finished(_)));
        }
        None
    }

    fn dispatch_ready(&mut self) -> SmallVec<[Due; 1]> {
        let slots = self.limits.concurrency.saturating_sub(self.in_flight);
        let eager = self.outline.mode == Mode::Eager;
        let mut room = self.limits.room.filter(|_| eager).unwrap_or(u64::MAX);
        let mut dispatches = SmallVec::with_capacity(slots.min(self.frontier.ready_len()));
        let Self { frontier, outline, in_class, number, persist, .. } = self;
        let mut seen = SmallVec::<[TaskId; 4]>::new();
        let running = std::cell::RefCell::new(in_class);
        frontier.take_ready(
            slots,
            |class| running.borrow()[class] < outline.limits[class].1,
            |id, task| {
                if !task.counted {
                    if room == 0 {
                        return false;
                    }
                    room -= 1;
                }
                if let Some(class) = outline.node(task.node).class {
                    running.borrow_mut()[class] += 1;
                }
                task.counted = true;
                if task.sees_head() {
                    task.seen = Some(*number);
                    if persist.is_some() {
                        seen.push(id);
                    }
                }
                task.phase = Phase::InFlight;
                dispatches.push(Due { id, node: task.node });
                true
            },
        );
        seen.into_iter().for_each(|id| self.frontier.touch(id));
        self.in_flight += dispatches.len();
        dispatches
    }

    fn release_deferred(&mut self) -> bool {
        let all_deferred = self.frontier.iter().all(|(_, task)| matches!(task.phase, Phase::Deferred));
        if self.frontier.is_empty() || !all_deferred {
            return false;
        }
        let ids: Vec<_> = self.frontier.iter().map(|(id, _)| id).collect();
        ids.into_iter().for_each(|id| self.frontier.make_ready(id));
        true
    }

    fn why_nothing(&self) -> Stop {
        if self.frontier.is_empty() {
            Stop::Done
        } else if self.frontier.ready_len() > 0 {
            Stop::Budget
        } else {
            Stop::Waiting
        }
    }
}

impl<S: State> Machine<S> {
    /// What a task that was dispatched runs with, until the next commit. A task that may be tried again notes when it
    /// first began.
    pub(crate) fn start_task(&mut self, id: TaskId, now: impl FnOnce() -> u64) -> Option<Dispatch<S>> {
        let is_of_run = self.is_of_run(id);
        let task = self.core.frontier.get_mut(id)?;
        let is_retried = !self.topology.node(task.node).retry.is_empty();
        if is_retried && task.began == 0 {
            task.began = now();
        }
        Some(Dispatch {
            id,
            node: task.node,
            attempt: task.failed + 1,
            key: task.key.clone(),
            input: task.input.clone(),
            failure: task.failure.clone(),
            timeout: task.timeout.clone(),
            state: task.state.as_ref().and_then(state_of).unwrap_or_else(|| Arc::clone(&self.state)),
            began: if is_retried { task.began } else { 0 },
            is_of_run,
        })
    }
}

/// The state behind one of any type.
fn state_of<S: State>(state: &AnyState) -> Option<Arc<S>> {
    Arc::clone(state).downcast().ok()
}
