//! The loop of one namespace: plan, run, complete, commit.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use smallvec::SmallVec;

use crate::checkpoint::{StepOrigin, TaskRecord, TaskRecordKind, ThreadRow, ThreadStatus};
use crate::error::RunError;
use crate::event::EventKind;
use crate::executor::durable_steps::DurableSteps;
use crate::executor::policy::{Order, RunPolicy};
use crate::executor::replay_order::ReplayOrder;
use crate::executor::runtime::Runtime;
use crate::executor::session::Session;
use crate::executor::task_context::NamespaceContext;
use crate::executor::workers::Workers;
use crate::graph::Declarations;
use crate::machine::{
    AttemptRow, Breakpoints, Committed, Limits, Machine, Plan, Question, Restored, Stop, TaskId, TaskOutcome,
};
use crate::recorder::commit_log::CommitLog;
use crate::state::{State, codec};

/// How a run begins.
pub(crate) enum Entry<S: State> {
    /// With an input.
    Input(Option<S::Update>),
    /// Where it stopped; the journal says `resume` or `continue`.
    Resume(&'static str),
}

impl<S: State> Entry<S> {
    /// Returns the word of the journal for it.
    pub(crate) fn how(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Resume(how) => how,
        }
    }
}

/// One namespace while it runs.
pub(crate) struct Driver<S: State, Cx> {
    pub(crate) runtime: Runtime<S, Cx>,
    pub(crate) session: Arc<Session>,
    pub(crate) ns: Arc<str>,
    pub(crate) machine: Machine<S>,
    /// Made for the first task that takes a context.
    namespace: OnceLock<Arc<NamespaceContext>>,
    /// The super-step at which the run's limit of super-steps stops it.
    last_step: Option<u64>,
    /// Tasks in flight beside others.
    pub(crate) workers: Workers<S, Cx>,
    pub(crate) replay_order: ReplayOrder<S>,
    /// For a root, the thread's row and the event that the first commit takes along.
    pub(crate) opening: Option<Box<(ThreadRow, EventKind)>>,
    /// Tasks that the first commit settles: a run before left them.
    pub(crate) abandoned: Vec<Arc<str>>,
    /// Attempt counters that the first commit sets back.
    pub(crate) forgotten: Vec<TaskRecord>,
    /// Tasks with records in the store that end with them.
    pub(crate) recorded: BTreeSet<Arc<str>>,
    /// What the compact steps and events of the namespace have in common; made for the first of them.
    pub(crate) origin: Option<Arc<StepOrigin>>,
    pub(crate) is_root: bool,
    /// Whether the commit that ends the run is written.
    pub(crate) ended: bool,
    /// The error of a commit that was refused; the run fails with it when what is in flight has ended.
    pub(crate) fault: Option<RunError>,
}

pub(crate) type EndedTasks<S> = SmallVec<[(TaskId, TaskOutcome<S>); 1]>;

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    pub(crate) fn new(
        runtime: Runtime<S, Cx>,
        session: Arc<Session>,
        ns: Arc<str>,
        call: Option<Arc<str>>,
        restored: Option<Restored<S>>,
    ) -> Result<Self, RunError> {
        let limits = Limits {
            room: None,
            max_steps: session.policy.max_steps,
            concurrency: session.policy.max_concurrency.unwrap_or(usize::MAX).max(1),
        };
        let topology = Arc::clone(&runtime.topology);
        let durable_steps = DurableSteps::default();
        let mut recorded = BTreeSet::new();
        let mut forgotten = Vec::new();
        let mut machine = match restored {
            None => Machine::fresh(topology, Arc::clone(&ns), limits, session.attached.is_some()),
            Some(mut restored) => {
                for record in &restored.records {
                    if record.kind == TaskRecordKind::Once {
                        durable_steps.insert(
                            Arc::clone(&record.task),
                            Arc::clone(&record.key),
                            Arc::clone(&record.payload),
                        );
                    } else {
                        recorded.insert(Arc::clone(&record.task));
                    }
                }
                if restored.forget_attempts {
                    let attempts = restored.records.iter().filter(|record| record.kind == TaskRecordKind::Attempt);
                    for record in attempts {
                        let payload = codec::encode("attempt", &AttemptRow::default())?.into();
                        forgotten.push(TaskRecord { payload, ..record.clone() });
                    }
                }
                let answers = session.answer_records();
                recorded.extend(answers.iter().map(|record| Arc::clone(&record.task)));
                restored.records.extend(answers);
                let durable = session.attached.is_some();
                Machine::restore(&topology, Arc::clone(&ns), limits, restored, &session.thread, durable)?
            }
        };
        if let Some(call) = call {
            machine.serve(call);
        }
        machine.thread_seed = session.seed;
        machine.watched = session.tells_steps();
        machine.observed = session.attached.is_some() || machine.watched || session.policy.budget.is_some();
        let is_root = ns.is_empty();
        if is_root {
            machine.set_breakpoints(Breakpoints {
                before: runtime.find(&session.policy.break_before, &session.thread)?,
                after: runtime.find(&session.policy.break_after, &session.thread)?,
            });
        }
        let replay_order = match &session.policy.order {
            Order::Recorded(order) if is_root => ReplayOrder::recorded(order),
            _ => ReplayOrder::default(),
        };
        let last_step = session.policy.max_steps.filter(|_| machine.in_barrier()).map(|most| machine.step() + most);
        let workers = Workers::new(session.attached.as_ref().map(CommitLog::beside));
        let driver = Self {
            runtime,
            session,
            ns,
            machine,
            namespace: OnceLock::new(),
            last_step,
            workers,
            replay_order,
            opening: None,
            abandoned: Vec::new(),
            forgotten,
            recorded,
            origin: None,
            is_root,
            ended: false,
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
            session: Arc::clone(&self.session),
            ns: Arc::clone(&self.ns),
            base: Arc::clone(self.machine.base()),
            durable_steps,
            declarations: Arc::clone(&self.runtime.topology) as Arc<dyn Declarations>,
            last_step: self.last_step,
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

    /// The open questions, with the checks of their answers.
    pub(crate) fn questions(&self) -> Vec<Question> {
        let mut questions = self.machine.questions();
        for question in &mut questions {
            question.check.0 = self.runtime.topology.check(&question.path, &question.key);
        }
        questions
    }

    pub(crate) fn policy(&self) -> &RunPolicy {
        &self.session.policy
    }

    /// Takes up the entry and drives the machine to its end.
    pub(crate) async fn proceed(&mut self, entry: Entry<S>) -> Result<Stop, RunError> {
        self.begin_run(entry.how()).await;
        match entry {
            Entry::Input(update) => self.take_input(update).await?,
            Entry::Resume(_) => {
                self.recover_open_calls().await?;
                if let Some(id) = self.machine.uncommitted() {
                    self.commit(id).await?;
                }
            }
        }
        self.drive().await
    }

    /// Prepares what the first commit of a root takes along about the thread and the run.
    pub(crate) async fn begin_run(&mut self, how: &str) {
        if !self.is_root {
            return;
        }
        for (ns, head) in &self.machine.heads().children {
            self.session.calls.note(&self.ns, ns, *head);
        }
        let kind = EventKind::RunStarted { graph: self.runtime.topology.name.clone(), how: how.to_owned() };
        match self.session.ending(ThreadStatus::Running, "") {
            Some(row) => self.opening = Some(Box::new((row, kind))),
            None if self.session.is_watched() => self.tell(None, kind).await,
            None => {}
        }
    }

    pub(crate) async fn take_input(&mut self, update: Option<S::Update>) -> Result<(), RunError> {
        let (committed, now) = self.fold_input(update)?;
        // On the heap: it is large.
        Box::pin(self.publish(Box::new(committed), now)).await
    }

    /// Commits an input in the machine. Returns the commit, and when it was made.
    pub(crate) fn fold_input(&mut self, update: Option<S::Update>) -> Result<(Committed<S>, u64), RunError> {
        self.machine.executed = 0;
        let now = self.now();
        let committed = self.machine.input(update, now).map_err(|fault| fault.of_change("an input"))?;
        if self.session.policy.budget.is_some() {
            self.session.budget.count_earlier(self.machine.base(), 0, Vec::new());
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
            if let Some(reason) = self.session.control.reason() {
                self.machine.halt(reason);
                if reason == Stop::Cancelled {
                    self.abort().await?;
                }
            }
            if let Some(single) = self.take_single_task() {
                self.run_single_tasks(single).await?;
                continue;
            }
            if let Some(room) = self.session.room() {
                self.machine.allow(room);
            }
            let now = if self.machine.wants_time() { self.session.elapsed() } else { 0 };
            match self.machine.plan(now) {
                Plan::Dispatch(dispatches) => self.dispatch(dispatches).await?,
                Plan::Wait { until } => self.wait(until).await?,
                Plan::Stop(reason) => return Ok(reason),
            }
        }
    }

    async fn wait(&mut self, until: Option<u64>) -> Result<(), RunError> {
        if self.workers.is_empty() && until.is_none() {
            // Nothing will come in between: the recorded task cannot, or not yet.
            let held = self.replay_order.skip();
            if !held.is_empty() {
                return self.settle(held).await;
            }
        }
        let pause = until.map(|until| Duration::from_millis(until.saturating_sub(self.session.elapsed())));
        let session = Arc::clone(&self.session);
        let draining = session.control.reason().is_some();
        let stop =
            async { if draining { session.control.cancelled().await } else { session.control.stopping().await } };
        let ended = tokio::select! {
            biased;
            ended = self.workers.next(), if !self.workers.is_empty() => ended,
            () = stop => return Ok(()),
            () = tokio::time::sleep(pause.unwrap_or_default()), if pause.is_some() => return Ok(()),
            else => return Err(RunError::Internal("nothing to wait for".to_owned())),
        };
        self.settle(ended).await
    }

    /// Stops what is in flight; what had finished is kept.
    async fn abort(&mut self) -> Result<(), RunError> {
        let mut ended = self.replay_order.give_up();
        if self.workers.is_empty() && ended.is_empty() {
            return Ok(());
        }
        ended.extend(self.workers.abort().await);
        let finished: BTreeSet<_> = ended.iter().map(|(id, _)| *id).collect();
        let stopped = self.machine.in_flight().filter(|id| !finished.contains(id));
        ended.extend(stopped.map(|id| (id, TaskOutcome::Abandoned(Stop::Cancelled))));
        self.settle(ended).await
    }
}

impl<S: State, Cx> fmt::Debug for Driver<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").field("ns", &self.ns).finish_non_exhaustive()
    }
}
