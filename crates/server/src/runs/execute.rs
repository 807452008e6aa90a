//! One run, from its beginning to its end.

use std::sync::Arc;

use graphloom_core_graph::RunPolicy;
use graphloom_core_graph::checkpoint::{CheckpointRow, Checkpointer, Source, ThreadStatus as Standing};
use uuid::Uuid;

use crate::changes::Changes;
use crate::graph::{
    BadLaunch, Ended, Failed, Fields, Graph, GraphRun, Launch, UNKNOWN_INTERRUPT, View, failure, interrupt_id,
};
use crate::log::{Interrupt, LogEvent, ThreadLog};
use crate::records::{RunFailure, RunStatus, ThreadStatus};
use crate::runs::at_checkpoint::{AskedAgain, BranchAnswers, Unasked};
use crate::runs::follow::{Follower, Progress};
use crate::runs::live::{Ending, LiveRun};
use crate::runs::order::Order;
use crate::runs::plan::{Plan, branch_answers, left_out, plan, policy, stopping_policy};

/// A run to execute.
pub(super) struct Execution<'r> {
    pub(super) graph: &'r dyn Graph,
    pub(super) checkpoints: &'r dyn Checkpointer,
    pub(super) thread: &'r str,
    pub(super) assistant: Uuid,
    pub(super) order: &'r Order,
    pub(super) log: &'r Arc<ThreadLog>,
    pub(super) changes: &'r Changes,
    pub(super) live: &'r LiveRun,
    /// Counts from 1; more after a crash.
    pub(super) attempt: u32,
    /// Whether the run goes on where its process died.
    pub(super) goes_on: bool,
    /// Whether its record is deleted when it has ended.
    pub(super) is_temporary: bool,
    /// The checkpoint on which it begins.
    pub(super) base: Option<CheckpointRow>,
}

/// How an execution ended.
pub(super) enum Executed {
    Ended(Box<Ending>, Progress),
    /// It had ended before its process died, and its log tells how.
    Told(Box<Ending>, Progress),
    /// The process stops: the run is taken up again by the next one.
    Left,
}

impl Executed {
    /// Counts what a process had committed before, which died: the checkpoints after `base`, up to `head`.
    pub(super) fn after(&mut self, base: Option<u64>, head: Option<u64>) {
        let (Self::Ended(_, progress) | Self::Told(_, progress)) = self else { return };
        let last = progress.checkpoints.map(|(_, last)| last).or(head);
        progress.checkpoints = last.filter(|_| last > base).map(|last| (base.map_or(1, |base| base + 1), last));
    }

    /// A run that could not begin.
    pub(super) fn failed(message: String) -> Self {
        let failure = Some(RunFailure { error: "RunError".to_owned(), message });
        let (status, stands) = (RunStatus::Error, ThreadStatus::Error);
        let ending = Ending { status, stands, values: None, interrupts: Vec::new(), failure, is_unread: true };
        Self::Ended(Box::new(ending), Progress::default())
    }
}

/// A run that has not started, the checkpoint on which it begins, and what makes its first commit.
struct Begun {
    /// None where the branch of a run that died waits for the answers.
    run: Option<Box<dyn GraphRun>>,
    base: Option<CheckpointRow>,
    opening: Option<Source>,
    /// Answers to what it asks again.
    answers: Option<BranchAnswers>,
}

/// What a thread waits for, as clients see it.
pub(crate) fn interrupts(thread: &str, view: &View) -> Vec<Interrupt> {
    let interrupt = |question: &graphloom_core_graph::Question| Interrupt {
        id: interrupt_id(thread, &question.id),
        value: question.payload.clone(),
        key: question.key.clone(),
        task: question.task.clone(),
        ns: question.task.rsplit_once('/').map_or("", |(ns, _)| ns).to_owned(),
        response_schema: view.answers.schema(&question.key).cloned(),
    };
    view.questions.iter().map(interrupt).collect()
}

impl Execution<'_> {
    /// Runs the graph, and tells the log of it.
    pub(super) async fn execute(&self) -> Executed {
        let Begun { run, base, opening, answers } = match self.begin().await {
            Ok(Some(begun)) => begun,
            Ok(None) => return self.conclude(Ok(Ended::Done), Progress::default()).await,
            Err(failure) => return self.fail(failure, Progress::default()).await,
        };
        let outline = self.graph.outline();
        let mut follower =
            Follower::new(outline, self.thread, self.live, self.log, self.changes, base.as_ref(), opening);
        if answers.is_some() {
            follower.hold_questions();
        }
        let mut ended = match run {
            Some(run) => self.follow(run, &mut follower).await,
            None => Ok(Ended::Waiting),
        };
        if let Some(answers) = answers {
            match self.answered(&answers, &ended, &mut follower).await {
                Ok(Some(run)) => ended = self.follow(run, &mut follower).await,
                Ok(None) => {}
                Err(failure) => return self.fail(failure, follower.progress).await,
            }
        }
        self.conclude(ended, follower.progress).await
    }

    /// Follows a run of the runtime to its end.
    async fn follow(&self, mut run: Box<dyn GraphRun>, follower: &mut Follower<'_>) -> Result<Ended, Failed> {
        self.live.begin(run.handle());
        while let Some(event) = run.next().await {
            follower.take(&event);
            self.log.room().await;
        }
        run.ended().await
    }

    /// The run that goes on with the answers, where a branch waits for them.
    ///
    /// # Errors
    /// What is answered is not asked there.
    async fn answered(
        &self,
        answers: &BranchAnswers,
        ended: &Result<Ended, Failed>,
        follower: &mut Follower<'_>,
    ) -> Result<Option<Box<dyn GraphRun>>, RunFailure> {
        let branch = answers.branch(self.checkpoints, self.thread).await.map_err(|error| failure(&error.into()))?;
        let again = match (ended, branch) {
            (Ok(Ended::Waiting | Ended::Done), Some(branch)) => {
                if !self.goes_on {
                    follower.branched(branch);
                }
                let view = self.graph.view(self.thread, None).await.map_err(|error| failure(&error))?;
                answers.find(self.thread, &view, branch)
            }
            _ => AskedAgain::default(),
        };
        match again.unasked {
            // A run that goes on after a crash may have given its answers before.
            Some(Unasked::NotAtAll(_)) if self.goes_on => {}
            Some(Unasked::NotAtAll(failure) | Unasked::Otherwise(failure)) => {
                follower.tell_held(&[]);
                return Err(failure);
            }
            None => {}
        }
        let answered: Vec<&str> = again.answers.iter().map(|(id, _)| id.as_str()).collect();
        follower.tell_held(&answered);
        if answered.is_empty() {
            return Ok(None);
        }
        let launch = Launch::Resume { answers: again.answers, beside: answers.beside.clone() };
        self.launch(launch, stopping_policy(self.graph, self.order)).map(Some)
    }

    fn launch(&self, launch: Launch, policy: RunPolicy) -> Result<Box<dyn GraphRun>, RunFailure> {
        self.graph.launch(self.thread, launch, policy, &self.order.resources()).map_err(|error| {
            let kind = if matches!(error, BadLaunch::Context(_)) { "ValueError" } else { "InvalidUpdateError" };
            RunFailure { error: kind.to_owned(), message: error.to_string() }
        })
    }

    /// The run as it begins; none when there is nothing to do.
    async fn begin(&self) -> Result<Option<Begun>, RunFailure> {
        let base = self.base.as_ref();
        let begun = self.graph.begun(self.live.run);
        let planned = if begun.is_some() || self.goes_on {
            Ok(Plan::Launch(Launch::Continue { at: None }))
        } else {
            plan(self.graph, self.checkpoints, self.thread, self.order).await
        };
        let started = LogEvent::RunStarted {
            graph: self.graph.outline().name.clone(),
            assistant: self.assistant,
            attempt: self.attempt,
            base: base.map(|row| row.number),
            values: match &planned {
                Ok(plan) => self.opening_values(plan).await,
                Err(_) => None,
            },
            asked: if self.is_temporary { self.order.rest.clone() } else { Fields::new() },
        };
        let step = base.map_or(0, |row| row.step);
        self.log.append(self.live.run, "".into(), step, started);
        let plan = planned?;
        if let Some(message) = left_out(self.graph, self.order).filter(|_| !self.goes_on) {
            self.log.append(self.live.run, "".into(), step, LogEvent::Warning { message });
        }
        if let Some(run) = begun {
            return Ok(Some(Begun { run: Some(run), base: base.cloned(), opening: None, answers: None }));
        }
        let (launch, answers) = match plan {
            Plan::Nothing => return Ok(None),
            Plan::Answer(answers) => (Launch::Continue { at: Some(answers.at) }, Some(answers)),
            Plan::Launch(launch) if self.goes_on => (launch, self.answers_left().await?),
            Plan::Launch(launch) => (launch, None),
        };
        if self.goes_on && answers.is_some() && self.is_waiting().await? {
            return Ok(Some(Begun { run: None, base: base.cloned(), opening: None, answers }));
        }
        let opening = opening(&launch);
        let base = match &launch {
            Launch::Input { at: Some(at), .. }
            | Launch::Continue { at: Some(at) }
            | Launch::Goto { at: Some(at), .. } => self.checkpoint(at.number).await?,
            _ => base.cloned(),
        };
        // A branch stops at no breakpoint before it asks again.
        let policy = match &answers {
            Some(_) => policy(self.graph, self.order),
            None => stopping_policy(self.graph, self.order),
        };
        let run = self.launch(launch, policy)?;
        Ok(Some(Begun { run: Some(run), base, opening, answers }))
    }

    /// The answers of a run that goes on after a crash and had made a branch for them.
    async fn answers_left(&self) -> Result<Option<BranchAnswers>, RunFailure> {
        branch_answers(self.graph, self.checkpoints, self.thread, self.order).await
    }

    async fn is_waiting(&self) -> Result<bool, RunFailure> {
        let view = self.graph.view(self.thread, None).await.map_err(|error| failure(&error))?;
        Ok(view.status == Standing::Waiting)
    }

    /// The state on which a run goes on; none for a run that begins with a commit, which has it.
    async fn opening_values(&self, plan: &Plan) -> Option<Fields> {
        match plan {
            Plan::Launch(Launch::Continue { at: None } | Launch::Resume { .. }) | Plan::Nothing => {}
            Plan::Launch(Launch::Input { .. } | Launch::Goto { .. } | Launch::Continue { at: Some(_) })
            | Plan::Answer(_) => return None,
        }
        let view = self.graph.view(self.thread, None).await.ok()?;
        view.checkpoint.is_some().then_some(view.values)
    }

    /// A checkpoint of the thread.
    async fn checkpoint(&self, number: u64) -> Result<Option<CheckpointRow>, RunFailure> {
        self.checkpoints.checkpoint(self.thread, "", Some(number)).await.map_err(|error| failure(&error.into()))
    }

    async fn conclude(&self, ended: Result<Ended, Failed>, mut progress: Progress) -> Executed {
        let (mut status, mut stands, mut failed) = (RunStatus::Success, ThreadStatus::Idle, None);
        match &ended {
            Ok(Ended::Drained) if self.live.is_drained() && self.live.close().is_none() => {
                return Executed::Left;
            }
            Ok(Ended::Done) => {}
            Ok(Ended::Waiting | Ended::Drained) => stands = ThreadStatus::Interrupted,
            Ok(Ended::Cancelled) => (status, stands) = (RunStatus::Interrupted, ThreadStatus::Interrupted),
            Ok(Ended::OutOfBudget(next)) => {
                let limit = self.order.config.recursion_limit.unwrap_or_default();
                let message = format!("the limit of {limit} tasks was reached, next would be {}", next.join(", "));
                (status, stands) = (RunStatus::Error, ThreadStatus::Error);
                failed = Some(RunFailure { error: "GraphRecursionError".to_owned(), message });
            }
            Err(Failed { failure, is_late }) => {
                status = if *is_late { RunStatus::Timeout } else { RunStatus::Error };
                (stands, failed) = (ThreadStatus::Error, Some(failure.clone()));
            }
        }
        let told = progress.values.take().filter(|_| matches!(ended, Ok(Ended::Done)));
        let (values, interrupts, is_unread) = match told {
            Some(values) => (Some(values), Vec::new(), false),
            // Where the run ended in the middle, or told no state, the thread says how it stands.
            None => {
                self.stands().await.map_or((None, Vec::new(), true), |found| (found.values, found.interrupts, false))
            }
        };
        if stands == ThreadStatus::Idle && !interrupts.is_empty() {
            stands = ThreadStatus::Interrupted;
        }
        Executed::Ended(Box::new(Ending { status, stands, values, interrupts, failure: failed, is_unread }), progress)
    }

    async fn fail(&self, failure: RunFailure, progress: Progress) -> Executed {
        let Some(Found { values, interrupts, stands: before }) = self.stands().await else {
            let ending = Ending {
                status: RunStatus::Error,
                stands: ThreadStatus::Error,
                values: None,
                interrupts: Vec::new(),
                failure: Some(failure),
                is_unread: true,
            };
            return Executed::Ended(Box::new(ending), progress);
        };
        // An answer to nothing leaves the thread as it was, and so does whatever comes while a question is open.
        let is_answer = failure.error == UNKNOWN_INTERRUPT;
        let stands = if is_answer || !interrupts.is_empty() { before } else { ThreadStatus::Error };
        let ending =
            Ending { status: RunStatus::Error, stands, values, interrupts, failure: Some(failure), is_unread: false };
        Executed::Ended(Box::new(ending), progress)
    }

    /// How the thread stands; none where it cannot be read.
    async fn stands(&self) -> Option<Found> {
        match self.graph.view(self.thread, None).await {
            Ok(view) => {
                let (interrupts, stands) = (interrupts(self.thread, &view), standing(&view));
                Some(Found { values: view.checkpoint.is_some().then_some(view.values), interrupts, stands })
            }
            Err(error) => {
                tracing::error!(thread = self.thread, %error, "a thread cannot be read after its run");
                None
            }
        }
    }
}

/// A thread as it is found.
struct Found {
    values: Option<Fields>,
    /// What it waits for.
    interrupts: Vec<Interrupt>,
    stands: ThreadStatus,
}

/// How a thread stands that nothing runs on.
pub(super) fn standing(view: &View) -> ThreadStatus {
    match view.status {
        Standing::Failed | Standing::BudgetSpent => ThreadStatus::Error,
        _ if view.tasks.is_empty() => ThreadStatus::Idle,
        _ => ThreadStatus::Interrupted,
    }
}

/// What makes the first commit of a run, where that is not a super-step.
fn opening(launch: &Launch) -> Option<Source> {
    match launch {
        Launch::Input { .. } => Some(Source::Input),
        Launch::Continue { at: Some(_) } => Some(Source::Fork),
        Launch::Goto { .. } | Launch::Resume { beside: Some(_), .. } => Some(Source::Update),
        Launch::Continue { at: None } | Launch::Resume { beside: None, .. } => None,
    }
}
