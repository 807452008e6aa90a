//! A simulator that kills a run between any two commits and lets it go on, with an order of tasks drawn from a seed.

mod schedule;
mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::checkpoint::{Checkpointer, MemoryCheckpointer, ThreadStatus};
use crate::clock::Clock;
use crate::driver::{Control, Durability, RunPolicy, conclude};
use crate::error::RunError;
use crate::event::EventKind;
use crate::graph::App;
use crate::questions::Answers;
use crate::state::State;
use crate::thread::{Opening, Thread, Threads};

pub(crate) use schedule::Schedule;
pub use schedule::{OnceRuns, Started};
use store::{Crashes, Life, Plan};

/// Runs a graph as a process that dies and comes back.
///
/// Nodes, step machine, driver and checkpoints are the real ones. The store is in memory, and at chosen points a commit
/// never returns: it is written or not, everything in the process is dropped at once, and a new one goes on from the
/// store. Tasks that run beside each other take turns drawn from the seed.
///
/// It runs in the caller's runtime: on a current-thread runtime with paused time (`#[tokio::test(start_paused = true)]`)
/// a simulation is deterministic and waits take no time.
///
/// ```
/// use graphloom_core_graph::{Node, NodeError, START, Simulator, Snapshot, State, StateGraph};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
///
/// #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// struct Count {
///     #[state(add)]
///     n: u64,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// const ONE: Node = Node::named("one");
/// const TWO: Node = Node::named("two");
///
/// async fn add(_: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
///     Ok(Count::update().n(1))
/// }
///
/// let mut graph = StateGraph::<Count>::new("count");
/// graph.add_node(ONE, add);
/// graph.add_node(TWO, add);
/// graph.add_edge(START, ONE).add_edge(ONE, TWO);
/// let graph = graph.compile()?;
///
/// for report in Simulator::new(&graph).crash_everywhere(Count::update()).await? {
///     assert_eq!(report.state.n, 2, "wherever it dies, each task counts once");
///     assert!(report.violations.is_empty());
/// }
/// # Ok(())
/// # }
/// ```
pub struct Simulator<S: State, Cx = ()> {
    app: App<S, Cx>,
    seed: u64,
    crashes: Crashes,
    policy: RunPolicy,
    answers: BTreeMap<String, Value>,
}

/// What came of a simulation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report<S> {
    /// The thread's status at the end.
    pub status: ThreadStatus,
    /// More about the status.
    pub detail: String,
    /// The state at the end.
    pub state: Arc<S>,
    /// How often the process died.
    pub crashes: u64,
    /// At how many points it could have died: before and after each commit.
    pub points: u64,
    /// Every attempt of every task, in the order in which they began.
    pub started: Vec<Started>,
    /// The tasks of every commit of the root graph, in order.
    pub steps: Vec<Vec<String>>,
    /// What became of durable steps, by task and key.
    pub onces: BTreeMap<(String, String), OnceRuns>,
    /// Broken promises: a commit that was acknowledged and is gone, a task committed twice, a durable step repeated
    /// after its result was stored. Empty unless there is a fault in this crate or in the store.
    pub violations: Vec<String>,
}

/// Tokio's clock, so that paused time is the time of the run.
struct RunTime(Instant);

impl Clock for RunTime {
    fn now(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

const THREAD: &str = "simulated";

impl<S: State, Cx: Send + Sync + 'static> Simulator<S, Cx> {
    /// A simulator of a graph that never dies.
    pub fn new(app: impl Into<App<S, Cx>>) -> Self {
        Self {
            app: app.into(),
            seed: 0,
            crashes: Crashes::Never,
            policy: RunPolicy::default(),
            answers: BTreeMap::new(),
        }
    }

    /// Draws the order of tasks and the points of crashes from another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Dies at points drawn from the seed, before or after one commit in four.
    #[must_use]
    pub fn crash_between_any(mut self) -> Self {
        self.crashes = Crashes::OneIn(4);
        self
    }

    /// Dies once, at this point: point `2 n` is before the commit `n`, `2 n + 1` after it; commits count from 0.
    #[must_use]
    pub fn crash_at(mut self, point: u64) -> Self {
        self.crashes = Crashes::At(point);
        self
    }

    /// Runs under a policy.
    #[must_use]
    pub fn policy(mut self, policy: RunPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Answers every question of this key.
    ///
    /// # Errors
    /// An answer that cannot be represented as JSON.
    pub fn answer(mut self, key: &str, answer: impl Serialize) -> Result<Self, RunError> {
        let answers = Answers::new().and(key, answer)?;
        self.answers.extend(answers.0);
        Ok(self)
    }

    /// Runs until nothing is left, through all crashes.
    ///
    /// # Errors
    /// The thread cannot be read or gone on with, which is a fault.
    pub async fn run(&self, input: S::Update) -> Result<Report<S>, RunError> {
        let store = MemoryCheckpointer::new();
        let schedule = Arc::new(Schedule::new(self.seed));
        let plan = Arc::new(Plan::new(self.crashes, self.seed));
        let clock: Arc<dyn Clock> = Arc::new(RunTime(Instant::now()));
        let mut crashes = 0;
        loop {
            let life = Arc::new(Life::new(store.clone(), Arc::clone(&plan)));
            let threads = Threads::new(self.app.clone(), Arc::clone(&life) as Arc<dyn Checkpointer>)
                .with_clock(Arc::clone(&clock));
            let thread = threads.scheduled(Arc::clone(&schedule)).thread(THREAD).policy(self.policy.clone());
            let Some(opening) = self.next_call(&thread, &input).await? else { break };
            let work = async {
                let (driver, entry) = thread.open(opening, Arc::new(Control::default()), None).await?;
                conclude(driver, entry).await
            };
            let alive = tokio::select! {
                biased;
                () = life.died() => false,
                outcome = work => {
                    match outcome {
                        Ok(_) | Err(RunError::TaskFailed { .. } | RunError::Conflict { .. } | RunError::ReplaceConflict { .. }
                            | RunError::WriteConflict { .. } | RunError::Undeclared { .. } | RunError::StepLimit { .. }) => true,
                        Err(error) => return Err(error),
                    }
                }
            };
            if alive {
                let waiting = thread.state().await?;
                if waiting.status != ThreadStatus::Waiting || self.answers_to(&waiting.questions).0.is_empty() {
                    break;
                }
            } else {
                life.bury();
                crashes += 1;
            }
        }
        self.report(&store, &schedule, &plan, crashes).await
    }

    /// Runs once without a crash, and then once for each point where it can die.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn crash_everywhere(&self, input: S::Update) -> Result<Vec<Report<S>>, RunError> {
        let simulator = |crashes| Self {
            app: self.app.clone(),
            seed: self.seed,
            crashes,
            policy: self.policy.clone(),
            answers: self.answers.clone(),
        };
        let whole = simulator(Crashes::Never).run(input.clone()).await?;
        let points = whole.points;
        let mut reports = vec![whole];
        for point in 0..points {
            reports.push(simulator(Crashes::At(point)).run(input.clone()).await?);
        }
        Ok(reports)
    }

    fn answers_to(&self, questions: &crate::questions::Questions) -> Answers {
        let known = questions
            .iter()
            .filter_map(|question| Some((question.id.clone(), self.answers.get(&question.key)?.clone())));
        Answers(known.collect())
    }

    /// How a new process goes on; `None` when the thread has ended.
    async fn next_call(&self, thread: &Thread<S, Cx>, input: &S::Update) -> Result<Option<Opening<S>>, RunError> {
        let state = thread.state().await?;
        Ok(match state.status {
            _ if state.checkpoint.is_none() => Some(Opening::Run { input: input.clone(), abandon: false }),
            ThreadStatus::Running | ThreadStatus::New => Some(Opening::Continue),
            ThreadStatus::Waiting => {
                let answers = self.answers_to(&state.questions);
                (!answers.0.is_empty()).then_some(Opening::Resume(answers))
            }
            _ => None,
        })
    }

    async fn report(
        &self,
        store: &MemoryCheckpointer,
        schedule: &Schedule,
        plan: &Plan,
        crashes: u64,
    ) -> Result<Report<S>, RunError> {
        let thread = Threads::new(self.app.clone(), Arc::new(store.clone())).thread(THREAD);
        let state = thread.state().await?;
        let mut violations = schedule.repeated();
        for (ns, row) in plan.acknowledged() {
            let kept = store.checkpoint(THREAD, &ns, Some(row.number)).await?;
            if kept.is_none_or(|kept| kept.id != row.id) {
                violations.push(format!("commit {} of namespace `{ns}` was acknowledged and is gone", row.number));
            }
        }
        let (mut steps, mut committed) = (Vec::new(), BTreeSet::new());
        for event in thread.journal(0, usize::MAX).await? {
            let EventKind::Committed { tasks, .. } = event.kind else { continue };
            for task in &tasks {
                if !committed.insert(Arc::clone(task)) {
                    violations.push(format!("task `{task}` was committed twice"));
                }
            }
            if event.ns.is_empty() && !tasks.is_empty() {
                steps.push(tasks.iter().map(ToString::to_string).collect());
            }
        }
        Ok(Report {
            status: state.status,
            detail: state.detail,
            state: state.state,
            crashes,
            points: plan.points(),
            started: schedule.started(),
            steps,
            onces: schedule.onces(),
            violations,
        })
    }
}

impl<S: State, Cx: Send + Sync + 'static> Simulator<S, Cx> {
    /// Runs under another durability.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.policy = self.policy.durability(durability);
        self
    }
}

impl<S: State, Cx> std::fmt::Debug for Simulator<S, Cx> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulator").field("app", &self.app).field("seed", &self.seed).finish_non_exhaustive()
    }
}
