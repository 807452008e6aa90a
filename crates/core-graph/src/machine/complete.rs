//! `complete`: what becomes of a task that ended.

use std::sync::Arc;

use crate::error::{NodeError, RunError};
use crate::failure::Failure;
use crate::machine::task::{Done, Phase};
use crate::machine::triggers::guarded_encoding;
use crate::machine::{Machine, MachineCore};
use crate::state::State;
use crate::step::{Next, Step};
use crate::tasks::{ChildHeads, Question, Stop, TaskId};
use crate::topology::{Mode, Topology};

/// How a task ended, as its driver saw it.
pub(crate) enum TaskOutcome {
    /// It returned a step.
    Step(Box<Done>),
    /// It waits for answers, whatever it returned. `swallowed` tells that it did not pass the suspension on.
    Suspended { questions: Vec<Question>, swallowed: bool },
    /// It failed, panicked or ran out of time.
    Error(NodeError),
    /// It was stopped before it ended, for this reason, and has done nothing that counts.
    Abandoned(Stop),
}

impl TaskOutcome {
    /// A step that executed `cost` tasks inside.
    pub(crate) fn done<S: State>(step: Step<S>, cost: u64) -> Self {
        Self::Step(Done::of(step, cost))
    }

    /// The same; children that are kept per thread stand at `heads` after it.
    pub(crate) fn called<S: State>(step: Step<S>, cost: u64, heads: ChildHeads) -> Self {
        let mut done = Done::of(step, cost);
        done.heads = heads;
        Self::Step(done)
    }
}

/// What the driver is to do about a task that ended.
#[derive(Debug)]
pub(crate) enum Completion {
    /// Commit it: alone in eager mode, the whole step in barrier mode.
    Commit,
    /// Its step has unfinished tasks; keep its writes.
    Hold,
    /// It runs again at a time in milliseconds.
    Retry { at: u64 },
    /// Its error handler runs at once.
    Handle,
    /// Keep its questions.
    Suspended,
    /// The run fails when what is in flight has ended.
    Failed,
    /// Nothing: it is as if it had not been dispatched.
    Ready,
}

impl Done {
    /// A send whose input could not be encoded is found when its task ends.
    fn check_sends(&self) -> Result<(), NodeError> {
        if let Next::To(chosen) = &self.next
            && let Some((packet, message)) =
                chosen.send.iter().find_map(|packet| Some((packet, packet.input.as_ref().err()?)))
        {
            return Err(NodeError::terminal(packet.unencoded(message)));
        }
        Ok(())
    }

    /// Encodes the update.
    fn encode<S: State>(&mut self, topology: &Topology<S>) -> Result<(), NodeError> {
        let mut encoded = std::mem::take(&mut self.encoded);
        if let Some(update) = self.update::<S>() {
            guarded_encoding(|| S::add_encoded(&topology.layout, update, &mut encoded))?;
        }
        self.encoded = encoded;
        Ok(())
    }
}

impl<S: State> Machine<S> {
    /// Records how a task in flight ended.
    pub(crate) fn complete(&mut self, id: TaskId, outcome: TaskOutcome, now: u64) -> Completion {
        let Self { core, topology, .. } = self;
        core.complete_with(id, outcome, now, &|done| done.encode(topology))
    }
}

impl MachineCore {
    /// Records how a task in flight ended. `encode` encodes the update of one that finished, where there is a store.
    fn complete_with(
        &mut self,
        id: TaskId,
        outcome: TaskOutcome,
        now: u64,
        encode: &dyn Fn(&mut Done) -> Result<(), NodeError>,
    ) -> Completion {
        let Some(task) = self.frontier.get_mut(id) else { return Completion::Ready };
        self.in_flight = self.in_flight.saturating_sub(1);
        let node = self.outline.node(task.node);
        if let Some(class) = node.class {
            self.in_class[class] = self.in_class[class].saturating_sub(1);
        }
        let handled = task.failure.is_some();
        let durable = self.persist.is_some();
        match outcome {
            TaskOutcome::Step(mut done) => {
                let encoded = done.check_sends().and_then(|()| if durable { encode(&mut done) } else { Ok(()) });
                if let Err(error) = encoded {
                    return self.fail(id, error);
                }
                if handled && matches!(done.next, Next::Edges) {
                    // The edges are those of the node, which did not finish.
                    done.next = Next::End;
                }
                task.phase = Phase::Finished(done);
                self.unfinished = self.unfinished.saturating_sub(task.in_step.into());
                let ready = self.outline.mode == Mode::Eager || self.step_is_complete();
                if ready { Completion::Commit } else { Completion::Hold }
            }
            TaskOutcome::Suspended { questions, .. } => {
                task.phase = Phase::Suspended(questions);
                Completion::Suspended
            }
            TaskOutcome::Error(error) => {
                if let Some(handled) = task.failure.take() {
                    let message = format!("the error handler failed: {error}; it was to handle: {}", handled.message);
                    return self.fail(id, NodeError::terminal(message));
                }
                task.failed += 1;
                let (node, failed) = (task.node, task.failed);
                match self.retry_delay(id, node, failed, &error) {
                    Ok(Some(delay)) => self.back_off(id, now.saturating_add(delay)),
                    Ok(None) => self.fail_or_handle(id, error),
                    Err(panicked) => self.fail(id, panicked),
                }
            }
            TaskOutcome::Abandoned(reason) => {
                self.halt(reason);
                self.frontier.make_ready(id);
                Completion::Ready
            }
        }
    }

    /// Lets a task wait for its next attempt, until a time in milliseconds.
    fn back_off(&mut self, id: TaskId, at: u64) -> Completion {
        if let Some(task) = self.frontier.get_mut(id) {
            task.phase = Phase::Backoff(at);
        }
        self.backs_off = true;
        self.frontier.touch_if(id, self.persist.is_some());
        Completion::Retry { at }
    }

    /// Leaves a task that is not tried again to the error handler of its node, if there is one.
    fn fail_or_handle(&mut self, id: TaskId, error: NodeError) -> Completion {
        let Some(task) = self.frontier.get_mut(id) else { return Completion::Failed };
        let node = self.outline.node(task.node);
        if !node.handles_errors {
            return self.fail(id, error);
        }
        task.failure = Some(Arc::new(Failure::new(node.name.as_str(), task.failed, &error, task.input.as_deref())));
        self.frontier.make_ready(id);
        self.frontier.touch_if(id, self.persist.is_some());
        Completion::Handle
    }

    /// Barrier mode: whether every task of the step has finished.
    pub(crate) fn step_is_complete(&self) -> bool {
        self.step_open && self.in_flight == 0 && self.unfinished == 0
    }

    /// Whether the task runs beside others in a step of barrier mode, so that its writes must be kept by themselves.
    pub(crate) fn in_wide_step(&self) -> bool {
        self.outline.mode == Mode::Barrier && self.frontier.len() > 1
    }

    pub(crate) fn fail(&mut self, id: TaskId, error: NodeError) -> Completion {
        if let Some(task) = self.frontier.get_mut(id) {
            task.phase = Phase::Failed(error);
        }
        self.halt(Stop::Failed);
        Completion::Failed
    }

    /// The error of a run that stopped because a task failed for good.
    pub(crate) fn failure_of_run(&self) -> RunError {
        let Some((id, node, attempts, error)) = self.failure() else {
            return RunError::Internal("the run failed without a failed task".to_owned());
        };
        if let Some(RunError::SubgraphBusy { node, call, other }) = error.downcast_ref() {
            return RunError::SubgraphBusy { node: node.clone(), call: call.clone(), other: other.clone() };
        }
        let (node, task, message) = (node.to_owned(), self.task_path(id).to_string(), error.to_string());
        RunError::TaskFailed { node, task, attempts, message }
    }

    /// The first task that failed for good: its id, node, attempts and error.
    pub(crate) fn failure(&self) -> Option<(TaskId, &str, u32, &NodeError)> {
        self.frontier.iter().find_map(|(id, task)| match &task.phase {
            Phase::Failed(error) => Some((id, self.outline.node(task.node).name.as_str(), self.attempt(id), error)),
            _ => None,
        })
    }
}
