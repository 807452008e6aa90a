//! A simulator that kills a run wherever it is and lets it go on, over a store that fails, with an order of tasks and
//! of faults drawn from a seed.

mod faults;
mod link;
mod local_executor;
mod report;
mod schedule;
mod store;

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::checkpoint::{CheckpointError, Checkpointer, MemoryCheckpointer, ThreadStatus};
use crate::clock::Clock;
use crate::error::RunError;
use crate::event::EventMode;
use crate::executor::conclude;
use crate::limits::{Control, Durability, FastPath, RunPolicy, TurnOrder};
use crate::questions::Answers;
use crate::recorder::{Lag, Queue};
use crate::remote::NotPortable;
use crate::state::State;
use crate::thread::{App, KnownStates, Opening, Thread, Threads};

pub use faults::Faults;
pub use local_executor::LocalExecutor;
pub use report::Report;
use report::report;
use schedule::{LifeOrder, Schedule};
pub use schedule::{OnceRuns, Started};
use store::{FaultPlan, Life};

/// Runs a graph as a process that dies and comes back.
///
/// Nodes, step machine, driver and checkpoints are the real ones. The store is in memory, and at chosen points a commit
/// never returns: it is written or not, everything in the process is dropped at once, and a new one goes on from the
/// store. [`Faults`] say what else goes wrong: deaths anywhere, calls that fail or take long, answers that are lost,
/// writes that are forgotten. Tasks that run beside each other take turns drawn from the seed, and so do the workers that
/// start them, the task that writes commits in groups, and a subscriber.
///
/// It runs in the caller's runtime: on a current-thread runtime with paused time (`#[tokio::test(start_paused = true)]`)
/// a simulation is deterministic and waits take no time.
///
/// ```
/// use graphloom_core_graph::simulate::Simulator;
/// use graphloom_core_graph::{Node, NodeError, START, Snapshot, State, StateGraph};
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
    faults: Faults,
    at: Option<u64>,
    policy: RunPolicy,
    answers: BTreeMap<String, Value>,
    is_elsewhere: bool,
}

/// Tokio's clock, so that paused time is the time of the run.
struct RunTime(Instant);

impl Clock for RunTime {
    fn now(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

const THREAD: &str = "simulated";

/// How many processes are troubled before the store and the machine behave.
const TROUBLED_LIVES: u32 = 100;

/// Nothing that a graph waits for takes as long. Paused time comes to its end where nothing else is left to wait for.
const LONGEST_WAIT: Duration = Duration::from_secs(365 * 24 * 3_600);

/// Lets a process work, up to its sudden death after it has been woken so many times, if ever.
async fn up_to_doom<T>(times: Option<u64>, work: impl Future<Output = T>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    let mut left = times;
    poll_fn(|context| match &mut left {
        Some(0) => Poll::Ready(None),
        Some(left) => {
            *left -= 1;
            work.as_mut().poll(context).map(Some)
        }
        None => work.as_mut().poll(context).map(Some),
    })
    .await
}

/// Lets a process work while those go on that were replaced.
async fn beside<T>(
    replaced: &mut FuturesUnordered<impl Future<Output = Result<bool, RunError>>>,
    work: impl Future<Output = T>,
) -> T {
    let mut work = std::pin::pin!(work);
    poll_fn(|context| {
        // How they end is nobody's concern: the store tells whether they did any harm.
        while let Poll::Ready(Some(_)) = replaced.poll_next_unpin(context) {}
        work.as_mut().poll(context)
    })
    .await
}

impl<S: State, Cx: Send + Sync + 'static> Simulator<S, Cx> {
    /// A simulator of a graph that never dies.
    pub fn new(app: impl Into<App<S, Cx>>) -> Self {
        Self {
            app: app.into(),
            seed: 0,
            faults: Faults::default(),
            at: None,
            policy: RunPolicy::default(),
            answers: BTreeMap::new(),
            is_elsewhere: false,
        }
    }

    /// Draws all that chance decides from another seed: the order of tasks and which of them run in place, the commits that
    /// share a transaction, the points of crashes, whether a subscriber reads, and the fast paths of the runtime that are
    /// taken.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Has tasks executed elsewhere: by workers that get each task as bytes and give back bytes, over messages that take their
    /// time and may be lost or come twice, as [`Faults`] say.
    ///
    /// # Errors
    /// As [`Compiled::executed_by`](crate::Compiled::executed_by).
    pub fn elsewhere(mut self) -> Result<Self, NotPortable> {
        self.app.graph.executed_by(LocalExecutor::of(self.app.clone()))?;
        self.is_elsewhere = true;
        Ok(self)
    }

    /// What goes wrong.
    #[must_use]
    pub fn faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// Dies at points drawn from the seed, before or after one commit in four.
    #[must_use]
    pub fn crash_between_any(mut self) -> Self {
        self.faults = self.faults.crash(4);
        self
    }

    /// Dies once, at this point: point `2 n` is before the commit `n`, `2 n + 1` after it; commits count from 0.
    #[must_use]
    pub fn crash_at(mut self, point: u64) -> Self {
        self.at = Some(point);
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

    /// Runs until nothing is left, through everything that goes wrong. After a hundred processes nothing
    /// more does: what does not end then never would.
    ///
    /// # Errors
    /// The thread cannot be read or gone on with, which is a fault. In paused time, [`RunError::Stuck`] where a process waits
    /// for something that never comes.
    pub async fn run(&self, input: S::Update) -> Result<Report<S>, RunError> {
        let mut store = MemoryCheckpointer::new();
        let plan = Arc::new(FaultPlan::new(self.faults, self.at, self.seed));
        let schedule = Arc::new(Schedule::new(self.seed, &plan));
        let clock: Arc<dyn Clock> = Arc::new(RunTime(Instant::now()));
        let app = self.driven(&plan, &clock)?;
        let policy = self.drawn_policy();
        // What one process has read of the thread, the next one still knows, as one does that did not die.
        let mut known = Arc::new(KnownStates::of_any_size());
        let (mut replaced, mut replaced_lives) = (FuturesUnordered::new(), Vec::new());
        let mut crashes = 0;
        for life in 0..2 * TROUBLED_LIVES {
            if life == TROUBLED_LIVES {
                plan.calm();
            }
            let life = Arc::new(Life::new(store.clone(), Arc::clone(&plan)));
            let order = Arc::new(LifeOrder::new(&schedule, &life));
            let threads = Threads::new(app.clone(), Arc::clone(&life) as Arc<dyn Checkpointer>)
                .with_clock(Arc::clone(&clock))
                .with_known_states(Arc::clone(&known));
            let thread = threads.scheduled(order as Arc<dyn TurnOrder>).thread(THREAD).policy(policy.clone());
            let before = plan.injected();
            let (input, order) = (&input, &schedule);
            let mut work = Box::pin(async move { self.live(&thread, input, order).await });
            let (end, may_linger) = tokio::select! {
                biased;
                () = life.died() => (None, false),
                end = beside(&mut replaced, up_to_doom(plan.doom(), &mut work)) => (end, true),
                () = tokio::time::sleep(LONGEST_WAIT) => return Err(self.stuck(&store).await?),
            };
            match end {
                None if may_linger && plan.lingers() => {
                    life.replace();
                    replaced.push(work);
                    replaced_lives.push(life);
                    crashes += 1;
                    known = Arc::new(KnownStates::of_any_size());
                }
                None => {
                    drop(work);
                    life.bury();
                    crashes += 1;
                    if let Some((left, kept)) = plan.forget().await? {
                        // Who still talked to the store that lost its power has lost it, too.
                        replaced.clear();
                        replaced_lives.drain(..).for_each(|life: Arc<Life>| life.bury());
                        store = left;
                        schedule.keep(&kept);
                    }
                }
                Some(Ok(true)) => break,
                Some(Ok(false)) => {}
                // The store failed because it was told to; the same process, or the next, goes on.
                Some(Err(RunError::Checkpoint(CheckpointError::Store { .. }))) if plan.injected() > before => {}
                Some(Err(error)) => return Err(error),
            }
        }
        let thread = Threads::new(self.app.clone(), Arc::new(store.clone())).thread(THREAD);
        report(&thread, &store, &schedule, &plan, crashes).await
    }

    /// The graph as the processes drive it.
    fn driven(&self, plan: &Arc<FaultPlan>, clock: &Arc<dyn Clock>) -> Result<App<S, Cx>, RunError> {
        let app = self.app.clone();
        if !self.is_elsewhere {
            return Ok(app);
        }
        let workers = LocalExecutor::with(app.clone(), Arc::clone(plan), Arc::clone(clock));
        let graph = app.graph.executed_by(workers).map_err(|error| RunError::Internal(error.to_string()))?;
        Ok(App { graph, ..app })
    }

    /// The error of a process that waits for ever.
    async fn stuck(&self, store: &MemoryCheckpointer) -> Result<RunError, RunError> {
        let state = Threads::new(self.app.clone(), Arc::new(store.clone())).thread(THREAD).state().await?;
        let unfinished: Vec<_> = state.next.iter().map(|node| format!("`{node}`")).collect();
        Ok(RunError::Stuck { unfinished: unfinished.join(", ") })
    }

    /// The policy without some of the fast paths, or with all of them, as the seed says: what a run gives is the same.
    fn drawn_policy(&self) -> RunPolicy {
        let avoided = FastPath::ALL.into_iter().enumerate().filter(|(at, _)| self.seed >> at & 1 == 1);
        avoided.fold(self.policy.clone(), |policy, (_, path)| policy.without(path))
    }

    /// What a process does: one call, as the thread's status asks for. Whether nothing is left to do.
    async fn live(&self, thread: &Thread<S, Cx>, input: &S::Update, schedule: &Schedule) -> Result<bool, RunError> {
        let Some(opening) = self.next_call(thread, input).await? else { return Ok(true) };
        let control = Arc::new(Control::default());
        let modes = vec![EventMode::Debug];
        let queue = schedule.is_read().then(|| Arc::new(Queue::new(Lag::Block, modes, Arc::clone(&control))));
        let reader = queue.clone();
        let run = async move {
            let ended = async {
                let (mut driver, entry) = thread.open(opening, control, queue.clone()).await?;
                conclude(&mut driver, entry).await
            };
            let ended = ended.await;
            queue.iter().for_each(|queue| queue.finish());
            ended
        };
        let (ended, ()) = tokio::join!(run, self.read(reader, schedule));
        match ended {
            Ok(_)
            | Err(
                RunError::TaskFailed { .. }
                | RunError::Conflict { .. }
                | RunError::ReplaceConflict { .. }
                | RunError::WriteConflict { .. }
                | RunError::Undeclared { .. }
                | RunError::StepLimit { .. }
                | RunError::SubgraphBusy { .. },
            ) => {}
            Err(error) => return Err(error),
        }
        let waiting = thread.state().await?;
        Ok(waiting.status != ThreadStatus::Waiting || self.answers_to(&waiting.questions).0.is_empty())
    }

    /// What the subscriber of a process does, if it has one: reads, and may go away.
    async fn read(&self, queue: Option<Arc<Queue>>, schedule: &Schedule) {
        let Some(queue) = queue else { return };
        while let Some(event) = queue.next().await {
            if self.policy.durability == Durability::Sync {
                event.seq.into_iter().for_each(|seq| schedule.told(seq));
            }
            if schedule.is_over() {
                break;
            }
            schedule.pause().await;
        }
        queue.close();
    }

    /// Runs once without a crash, and then once for each point where it can die.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn crash_everywhere(&self, input: S::Update) -> Result<Vec<Report<S>>, RunError> {
        let simulator = |at| Self {
            app: self.app.clone(),
            seed: self.seed,
            faults: Faults::default(),
            at,
            policy: self.policy.clone(),
            answers: self.answers.clone(),
            is_elsewhere: self.is_elsewhere,
        };
        let whole = simulator(None).run(input.clone()).await?;
        let points = whole.points;
        let mut reports = vec![whole];
        for point in 0..points {
            reports.push(simulator(Some(point)).run(input.clone()).await?);
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
    async fn next_call(
        &self,
        thread: &Thread<S, Cx>,
        input: &S::Update,
    ) -> Result<Option<Opening<S::Update>>, RunError> {
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
