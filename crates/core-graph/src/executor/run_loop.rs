//! The loop of one namespace: plan, run, complete, commit.

use std::fmt;
use std::sync::{Arc, OnceLock};

use futures::future::BoxFuture;
use smallvec::SmallVec;

use crate::checkpoint::TaskRecord;
use crate::error::RunError;
use crate::executor::replay_order::ReplayOrder;
use crate::executor::runtime::Runtime;
use crate::executor::spans::TaskSpans;
use crate::executor::step_clock::StepClock;
use crate::executor::task_context::NamespaceContext;
use crate::executor::workers::Workers;
use crate::limits::{Order, RunPolicy};
use crate::machine::{
    Breakpoints, Committed, Limits, Machine, MachineCore, Plan, ReadGraph, Restored, Sent, TaskOutcome,
};
use crate::name::Name;
use crate::record::ReplayPoint;
use crate::recorder::Recorder;
use crate::recorder::commit_log::CommitLog;
use crate::recorder::durable_steps::DurableSteps;
use crate::recorder::session::Session;
use crate::state::{AnyState, State};
use crate::tasks::{Stop, TaskId};
use crate::topology::Outline;

/// How a run begins.
pub(crate) enum Entry<S: State> {
    /// With an input.
    Input(Option<S::Update>),
    /// Where it stopped; the journal says `resume` or `continue`.
    Resume(&'static str),
    /// Where it stopped, with answers and an update that are to be committed together, and tasks of these nodes and sends.
    Amended { update: S::Update, answers: Vec<TaskRecord>, nodes: Vec<u32>, sends: Vec<Sent> },
    /// On a branch of a checkpoint of an earlier call, with the results of durable steps that the branch takes over.
    Replayed { point: Arc<ReplayPoint>, once: Vec<TaskRecord> },
}

impl<S: State> Entry<S> {
    /// Returns the word of the journal for it.
    pub(crate) fn how(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Resume(how) => how,
            Self::Amended { .. } => "resume",
            Self::Replayed { .. } => "continue",
        }
    }
}

/// One namespace while it runs.
pub(crate) struct Driver<S: State, Cx> {
    pub(crate) runtime: Runtime<S, Cx>,
    pub(crate) machine: Machine<S>,
    pub(crate) recorder: Recorder,
    /// Made for the first task that takes a context.
    pub(super) namespace: OnceLock<Arc<NamespaceContext>>,
    /// The super-step at which the run's limit of super-steps stops it.
    last_step: Option<u64>,
    pub(super) step_clock: StepClock,
    pub(super) spans: TaskSpans,
    /// Tasks in flight beside others.
    pub(crate) workers: Workers,
    pub(crate) replay_order: ReplayOrder,
    /// The error of a commit that was refused; the run fails with it when what is in flight has ended.
    pub(crate) fault: Option<RunError>,
}

/// What a driver begins with, whatever the type of its state.
pub(crate) struct Beginning {
    recorder: Recorder,
    pub(crate) core: MachineCore,
    /// The state that was read, if one was.
    pub(crate) state: Option<AnyState>,
    durable_steps: DurableSteps,
    replay_order: ReplayOrder,
    last_step: Option<u64>,
    step_clock: StepClock,
}

impl Beginning {
    pub(crate) fn new(
        outline: &Arc<Outline>,
        graph: &dyn ReadGraph,
        session: Arc<Session>,
        ns: Arc<str>,
        call: Option<Arc<str>>,
        restored: Option<Restored>,
    ) -> Result<Self, RunError> {
        let limits = Limits {
            room: None,
            max_steps: session.policy.max_steps,
            concurrency: session.policy.max_concurrency.unwrap_or(usize::MAX).max(1),
        };
        let mut recorder = Recorder::new(session, ns);
        let (ns, durable) = (Arc::clone(&recorder.ns), recorder.session.attached.is_some());
        let (mut core, state, durable_steps) = match restored {
            None => (MachineCore::fresh(Arc::clone(outline), ns, limits, durable), None, DurableSteps::default()),
            Some(mut restored) => {
                let durable_steps = recorder.take_over(&mut restored)?;
                let (outline, thread) = (Arc::clone(outline), &recorder.session.thread);
                let (core, state) = MachineCore::restore(outline, ns, limits, restored, thread, durable, graph)?;
                (core, Some(state), durable_steps)
            }
        };
        let session = &recorder.session;
        if let Some(call) = call {
            core.serve(call);
        }
        core.thread_seed = session.seed;
        core.watched = session.tells_steps();
        core.observed = session.attached.is_some() || core.watched || session.policy.budget.is_some();
        if recorder.is_root {
            core.set_breakpoints(Breakpoints {
                before: breakpoints(outline, &session.policy.break_before, &session.thread)?,
                after: breakpoints(outline, &session.policy.break_after, &session.thread)?,
            });
        }
        let replay_order = match &session.policy.order {
            Order::Recorded(order) if recorder.is_root => ReplayOrder::recorded(order),
            _ => ReplayOrder::default(),
        };
        let last_step = session.policy.max_steps.filter(|_| core.in_barrier()).map(|most| core.step() + most);
        let step_timeout = session.policy.step_timeout.filter(|_| recorder.is_root).or(outline.step_timeout);
        let step_clock = StepClock::new(step_timeout.filter(|_| core.in_barrier()));
        Ok(Self { recorder, core, state, durable_steps, replay_order, last_step, step_clock })
    }
}

/// The names of the nodes of a graph, for people.
fn names(outline: &Outline) -> String {
    let names: Vec<_> = outline.nodes.iter().map(|node| format!("`{}`", node.name)).collect();
    names.join(", ")
}

/// The indices of nodes named by breakpoints.
fn breakpoints(outline: &Outline, nodes: &[Name], thread: &str) -> Result<Vec<u32>, RunError> {
    let find = |name: &Name| {
        outline.find(name.as_str()).ok_or_else(|| RunError::GraphMismatch {
            thread: thread.to_owned(),
            graph: outline.name.clone(),
            message: format!("a breakpoint names `{name}`, which is no node of it; nodes: {}", names(outline)),
        })
    };
    nodes.iter().map(find).collect()
}

pub(crate) type EndedTasks = SmallVec<[(TaskId, TaskOutcome); 1]>;

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    pub(crate) fn new(
        runtime: Runtime<S, Cx>,
        session: Arc<Session>,
        ns: Arc<str>,
        call: Option<Arc<str>>,
        restored: Option<Restored>,
    ) -> Result<Self, RunError> {
        let topology = Arc::clone(&runtime.topology);
        let Beginning { recorder, core, state, durable_steps, replay_order, last_step, step_clock } =
            Beginning::new(&topology.outline, &*topology, session, ns, call, restored)?;
        let machine = match state {
            Some(state) => Machine::of(topology, core, state)?,
            None => Machine::initial(topology, core),
        };
        let workers = Workers::new(recorder.session.attached.as_ref().map(CommitLog::beside));
        let driver = Self {
            runtime,
            machine,
            recorder,
            namespace: OnceLock::new(),
            last_step,
            step_clock,
            spans: TaskSpans::here(),
            workers,
            replay_order,
            fault: None,
        };
        if durable_steps.is_used() {
            driver.namespace.get_or_init(|| driver.namespace_context_with(durable_steps));
        }
        Ok(driver)
    }

    /// What all tasks of the namespace share.
    pub(crate) fn namespace(&self) -> &Arc<NamespaceContext> {
        self.namespace.get_or_init(|| self.namespace_context_with(DurableSteps::default()))
    }

    fn namespace_context_with(&self, durable_steps: DurableSteps) -> Arc<NamespaceContext> {
        Arc::new(NamespaceContext {
            session: Arc::clone(&self.recorder.session),
            ns: Arc::clone(&self.recorder.ns),
            base: Arc::clone(self.machine.base()),
            durable_steps,
            outline: Arc::clone(&self.runtime.topology.outline),
            last_step: self.last_step,
            spans: self.spans.clone(),
        })
    }

    /// Takes over the context that the tasks of the namespace have shared so far.
    pub(crate) fn adopt_namespace(&mut self, namespace: Arc<NamespaceContext>) {
        self.namespace = OnceLock::from(namespace);
    }

    /// The results of durable steps, if there are any.
    pub(crate) fn durable_steps(&self) -> Option<&DurableSteps> {
        self.namespace.get().map(|namespace| &namespace.durable_steps).filter(|durable_steps| durable_steps.is_used())
    }

    pub(crate) fn machine(&self) -> &Machine<S> {
        &self.machine
    }

    pub(crate) fn policy(&self) -> &RunPolicy {
        &self.recorder.session.policy
    }

    /// Takes up the entry and drives the machine to its end.
    pub(crate) async fn proceed(&mut self, entry: Entry<S>) -> Result<Stop, RunError> {
        self.recorder.begin_run(&self.machine, entry.how()).await;
        match entry {
            Entry::Input(update) => {
                self.take_input(update).await?;
                return self.drive().await;
            }
            Entry::Resume(_) => {}
            Entry::Amended { update, answers, nodes, sends } => {
                Box::pin(self.take_answers(update, answers, &nodes, sends)).await?;
            }
            Entry::Replayed { point, once } => Box::pin(self.branch(&point, &once)).await?,
        }
        self.recorder.recover_open_calls(&mut self.machine).await?;
        if let Some(id) = self.machine.uncommitted() {
            self.commit(id).await?;
        }
        self.drive().await
    }

    pub(crate) async fn take_input(&mut self, update: Option<S::Update>) -> Result<(), RunError> {
        let (committed, now) = self.fold_input(update)?;
        self.record_commit(Box::new(committed), now).await
    }

    /// Commits an input in the machine. Returns the commit, and when it was made.
    pub(crate) fn fold_input(&mut self, update: Option<S::Update>) -> Result<(Committed, u64), RunError> {
        self.machine.executed = 0;
        let now = self.now();
        let committed = self.machine.input(update, now).map_err(|fault| fault.of_change("an input"))?;
        if self.recorder.session.policy.budget.is_some() {
            self.recorder.session.budget.count_earlier(self.machine.base(), 0, Vec::new());
        }
        Ok((committed, now))
    }

    /// Plans and runs until nothing is in flight and nothing more is dispatched.
    pub(crate) async fn drive(&mut self) -> Result<Stop, RunError> {
        let stop = self.plan_and_run().await?;
        self.fault.take().map_or(Ok(stop), Err)
    }

    async fn plan_and_run(&mut self) -> Result<Stop, RunError> {
        loop {
            if let Some(reason) = self.recorder.session.control.reason() {
                self.machine.halt(reason);
                if reason == Stop::Cancelled {
                    self.abort(reason).await?;
                }
            }
            if self.step_clock.is_over(self.machine.step()) {
                self.end_step().await?;
            }
            if let Some(single) = self.enter_fast_path() {
                self.run_single_tasks(single).await?;
                continue;
            }
            if let Some(room) = self.recorder.session.room() {
                self.machine.set_room(room);
            }
            let now = if self.machine.wants_time() { self.recorder.session.elapsed() } else { 0 };
            match self.machine.plan(now) {
                Plan::Dispatch(dispatches) => {
                    self.step_clock.start(self.machine.step());
                    self.dispatch(dispatches).await?;
                }
                Plan::Wait { until } => self.wait(until).await?,
                Plan::Stop(reason) => return Ok(reason),
            }
        }
    }

    fn wait(&mut self, until: Option<u64>) -> BoxFuture<'_, Result<(), RunError>> {
        let end = self.step_clock.end(self.machine.step());
        let (settling, workers) = self.parts();
        settling.boxed_wait(workers, until, end)
    }

    /// Stops a super-step that has had its time. What had finished is kept, and so is a question.
    async fn end_step(&mut self) -> Result<(), RunError> {
        let step = self.machine.step();
        self.abort(Stop::StepTimeout).await?;
        // It may be that all of it had finished.
        if self.machine.step() == step && !self.machine.unfinished_in_step().is_empty() {
            self.machine.halt(Stop::StepTimeout);
        }
        Ok(())
    }

    /// The error of a super-step that was stopped.
    pub(crate) fn step_timeout(&self) -> RunError {
        self.machine.step_timeout(self.step_clock.limit())
    }

    /// Stops what is in flight; what had finished is kept.
    fn abort(&mut self, reason: Stop) -> BoxFuture<'_, Result<(), RunError>> {
        let (settling, workers) = self.parts();
        settling.boxed_abort(workers, reason)
    }
}

impl<S: State, Cx> fmt::Debug for Driver<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").field("ns", &self.recorder.ns).finish_non_exhaustive()
    }
}
