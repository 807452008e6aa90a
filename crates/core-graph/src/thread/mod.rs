//! Durable threads of a graph: run, resume, inspect, travel in time.
//!
//! What a call does depends on the thread's status:
//!
//! | status | `run(input)` | `resume(answers)` | `continue_()` | `update_state` |
//! | --- | --- | --- | --- | --- |
//! | new, done | runs from START | `WrongStatus` | `WrongStatus` | commits |
//! | waiting | `WrongStatus`, or after `abandon()` runs from START | goes on | `WrongStatus` | commits, tasks are planned anew |
//! | failed, cancelled, drained, budget spent, running and its process died | `WrongStatus`, or after `abandon()` runs from START | `WrongStatus` | goes on | commits, tasks are planned anew |
//! | running | `ThreadBusy` | `ThreadBusy` | `ThreadBusy` | `ThreadBusy` |
//!
//! `update_and_resume` is `resume` with an update. `at(number).run(input)` runs from START whatever the status, and
//! `update_and_goto` from the nodes that it names; both are `ThreadBusy` while the thread is running. `import` makes a new thread, and is `WrongStatus` for any other.
//!
//! An input that fails, in a reducer or in a router of START, leaves the thread as it was.

mod any;
mod app;
mod at_subgraph;
mod goto;
mod import;
mod input_at;
mod inspect;
mod known_states;
mod open;
mod performer;
mod replayed;
mod travel;

use std::fmt;
use std::sync::{Arc, Weak};

use dashmap::DashMap;

use crate::checkpoint::Checkpointer;
use crate::clock::{Clock, SystemClock};
use crate::error::RunError;
use crate::executor::{Driver, Entry, Run};
use crate::limits::{Control, FastPath, RunPolicy, TurnOrder};
use crate::name::Node;
use crate::questions::Answers;
use crate::recorder::Queue;
use crate::state::State;
use crate::store::{Store, StoreError};

use any::AnyThread;
pub use app::App;
pub use at_subgraph::AtSubgraph;
pub use import::Imported;
pub use inspect::ThreadState;
pub(crate) use known_states::KnownStates;
pub(crate) use open::Opening;
pub use travel::At;

/// The threads of a graph in a store.
pub struct Threads<S: State, Cx = ()> {
    app: App<S, Cx>,
    store: Arc<dyn Checkpointer>,
    clock: Arc<dyn Clock>,
    memory: Option<Arc<dyn Store>>,
    live: Arc<DashMap<Arc<str>, Weak<Control>>>,
    schedule: Option<Arc<dyn TurnOrder>>,
    known: Arc<KnownStates>,
}

/// One durable execution of a graph, by id. It exists in the store from its first commit on.
pub struct Thread<S: State, Cx = ()> {
    threads: Threads<S, Cx>,
    id: Arc<str>,
    policy: RunPolicy,
    abandon: bool,
}

impl<S: State, Cx: Send + Sync + 'static> Threads<S, Cx> {
    pub(crate) fn new(app: App<S, Cx>, store: Arc<dyn Checkpointer>) -> Self {
        Self {
            app,
            store,
            clock: Arc::new(SystemClock),
            memory: None,
            live: Arc::default(),
            schedule: None,
            known: Arc::default(),
        }
    }

    /// The same threads with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The same threads with a long-term store for [`Context::store`](crate::Context::store).
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn Store>) -> Self {
        self.memory = Some(store);
        self
    }

    /// The same threads, which keep up to so many bytes of states, counted as they are stored: a thread that is read again
    /// is read by what has changed since. 64 MiB without this; 0 keeps none. A thread of another process is read the
    /// same, and whole the first time.
    #[must_use]
    pub fn with_state_cache(self, bytes: usize) -> Self {
        self.with_known_states(Arc::new(KnownStates::new(bytes)))
    }

    /// The same threads, which keep small states, too: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_small_states_kept(self) -> Self {
        self.with_known_states(Arc::new(KnownStates::of_any_size()))
    }

    pub(crate) fn with_known_states(self, known: Arc<KnownStates>) -> Self {
        Self { known, ..self }
    }

    /// The same threads, whose tasks take turns.
    pub(crate) fn scheduled(mut self, schedule: Arc<dyn TurnOrder>) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// The thread `id`, existing or new.
    pub fn thread(&self, id: impl Into<Arc<str>>) -> Thread<S, Cx> {
        Thread { threads: self.clone(), id: id.into(), policy: RunPolicy::default(), abandon: false }
    }

    /// Forgets the results that [`add_cache`](crate::StateGraph::add_cache) kept of `node` in the long-term store, or
    /// in this process when there is none; how many they were.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn clear_cache(&self, node: impl Into<Node>) -> Result<u64, StoreError> {
        self.app.graph.clear_cache(node.into(), self.memory.as_deref()).await
    }

    /// The store.
    pub fn checkpointer(&self) -> &Arc<dyn Checkpointer> {
        &self.store
    }

    /// The graph with its resources.
    pub fn app(&self) -> &App<S, Cx> {
        &self.app
    }

    /// Drains all runs that were started through these threads: nothing more is dispatched, what is in flight commits.
    pub fn shutdown(&self) {
        self.live.iter().filter_map(|entry| entry.value().upgrade()).for_each(|control| control.drain());
    }
}

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    /// The thread's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The same thread, with a policy for its runs.
    #[must_use = "runs of this handle keep their policy; run the thread that this returns"]
    pub fn policy(&self, policy: RunPolicy) -> Self {
        Self { policy, ..self.clone() }
    }

    /// The same thread, each [`run`](Self::run) of which drops open questions and unfinished tasks.
    #[must_use = "nothing is abandoned before the thread that this returns is run"]
    pub fn abandon(&self) -> Self {
        Self { abandon: true, ..self.clone() }
    }

    /// Runs the graph: `input` is folded onto the state, then what follows START runs.
    pub fn run(&self, input: S::Update) -> Run<S> {
        self.launch(Opening::Run { input, abandon: self.abandon })
    }

    /// Answers questions and goes on. Answers are by key, or by id where several tasks ask under one key; some may be
    /// left out, and are asked again. All are checked before anything is stored or runs.
    pub fn resume(&self, answers: Answers) -> Run<S> {
        self.launch(Opening::Resume(answers))
    }

    /// Answers questions and updates the state, as one, and goes on as [`resume`](Self::resume) does. The update is no
    /// node's: it is folded by the reducers, no edge follows from it, and all tasks stay. Those that run again see it, so
    /// does the one that asked; a subgraph that was under way keeps its input. Tasks of the super-step that had finished
    /// commit after it.
    ///
    /// Both are checked before anything is stored, and are stored in one commit: after a crash both are there, or neither.
    ///
    /// # Errors
    /// As [`resume`](Self::resume); [`RunError::BadUpdate`], [`RunError::State`]: an update that the state cannot take
    /// leaves the questions open and the thread as it was.
    pub fn update_and_resume(&self, update: S::Update, answers: Answers) -> Run<S> {
        self.launch(open::Opening::Amend { update, answers })
    }

    /// Goes on where a run stopped: after a failure (attempts are counted anew), a crash, a drain, a cancel, a spent
    /// budget, a fork or an update.
    pub fn continue_(&self) -> Run<S> {
        self.launch(Opening::Continue)
    }

    /// Stops the thread's run in this process, if there is one: what is in flight is dropped.
    pub fn cancel(&self) -> bool {
        self.control().is_some_and(|control| {
            control.cancel();
            true
        })
    }

    /// Ends the thread's run in this process, if there is one, after what is in flight.
    pub fn drain(&self) -> bool {
        self.control().is_some_and(|control| {
            control.drain();
            true
        })
    }

    fn control(&self) -> Option<Arc<Control>> {
        self.threads.live.get(&self.id)?.upgrade()
    }

    fn launch(&self, opening: Opening<S::Update>) -> Run<S> {
        self.launch_with(move |thread, control, queue| async move { thread.open(opening, control, queue).await })
    }

    /// A run of what `open` makes of the thread when the run starts.
    fn launch_with<F>(&self, open: impl FnOnce(Self, Arc<Control>, Option<Arc<Queue>>) -> F + Send + 'static) -> Run<S>
    where
        F: Future<Output = Result<(Driver<S, Cx>, Entry<S>), RunError>> + Send + 'static,
    {
        let control = Arc::new(Control::default());
        let (thread, shared) = (self.clone(), Arc::clone(&control));
        Run::new(control, move |queue| {
            // Listed from its start on, so that it can be stopped before it is first polled.
            let live = Live::enter(&thread.threads.live, &thread.id, &shared);
            async move {
                let _live = live;
                let (mut driver, entry) = open(thread, shared, queue).await?;
                crate::executor::conclude(&mut driver, entry).await
            }
        })
    }

    /// What of the thread needs no type of its state.
    fn any(&self) -> AnyThread<'_> {
        let Threads { app, store, clock, known, .. } = &self.threads;
        let topology = &app.graph.executable.topology;
        let known = Some(&**known).filter(|_| self.policy.takes(FastPath::KnownStates));
        AnyThread { id: &self.id, store, clock, outline: &topology.outline, graph: &**topology, known }
    }
}

/// Lists a run among the live ones for as long as it lasts.
struct Live {
    live: Arc<DashMap<Arc<str>, Weak<Control>>>,
    id: Arc<str>,
    control: Weak<Control>,
}

impl Live {
    fn enter(live: &Arc<DashMap<Arc<str>, Weak<Control>>>, id: &Arc<str>, control: &Arc<Control>) -> Self {
        let (live, id, control) = (Arc::clone(live), Arc::clone(id), Arc::downgrade(control));
        live.entry(Arc::clone(&id))
            .and_modify(|entry| {
                // A second run of the thread is refused by the store; the first one stays listed.
                if entry.strong_count() == 0 {
                    *entry = Weak::clone(&control);
                }
            })
            .or_insert_with(|| Weak::clone(&control));
        Self { live, id, control }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.live.remove_if(&self.id, |_, entry| Weak::ptr_eq(entry, &self.control));
    }
}

impl<S: State, Cx> Clone for Threads<S, Cx> {
    fn clone(&self) -> Self {
        Self {
            app: self.app.clone(),
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            memory: self.memory.clone(),
            live: Arc::clone(&self.live),
            schedule: self.schedule.clone(),
            known: Arc::clone(&self.known),
        }
    }
}

impl<S: State, Cx> Clone for Thread<S, Cx> {
    fn clone(&self) -> Self {
        Self {
            threads: self.threads.clone(),
            id: Arc::clone(&self.id),
            policy: self.policy.clone(),
            abandon: self.abandon,
        }
    }
}

impl<S: State, Cx> fmt::Debug for Threads<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").field("app", &self.app).finish_non_exhaustive()
    }
}

impl<S: State, Cx> fmt::Debug for Thread<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id).field("policy", &self.policy).finish_non_exhaustive()
    }
}
