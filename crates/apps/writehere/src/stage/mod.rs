//! The stages of a task: each action of the table as an async function from the tree to a change of it.
//!
//! [`act`] takes any action. Each action has a folder, whose `mod.rs` chooses between `free.rs` and `guided.rs` by the
//! [`Strategy`] for its model. An action reads a tree and returns a [`TreeChange`]; the caller decides when and whether the
//! change is applied. All model calls go through [`Setup::models`] and all searches through
//! [`Setup::search`], one after the other, so that a caller can record them by wrapping those.

mod aggregate;
mod ask;
mod gather;
mod part;
mod plan;
mod reason;
mod repetition;
mod search;
mod write;

pub use gather::{Gathered, gather};
pub use write::quotable;

use std::fmt;
use std::sync::Arc;

use graphloom_agents::{AgentError, Exchange, Models, Prompts, Strategy, seed_of};
use graphloom_core_graph::Table;
use graphloom_retrieval::{Evidence, RetrievalError, Search};
use graphloom_state_machine::{NodeKey, TaskAction, TreeChange};

use crate::TaskType;
use crate::context::{PromptArgs, prompt_args};
use crate::plan::PlanRules;
use crate::profile::{self, WriteProfile};
use crate::review::PlanReviewer;
use crate::task::{ActionResult, Node, Task, TaskChange, Tree};

/// The prompts, models, search and limits that all stages share. Cheap to clone.
#[derive(Clone)]
pub struct Setup {
    /// The prompts.
    pub prompts: Arc<Prompts>,
    /// The profile.
    pub profile: Arc<WriteProfile>,
    /// The models.
    pub models: Models,
    /// What can be searched; `None` when nothing can.
    pub search: Option<Arc<dyn Search>>,
    /// Whoever reviews plans; `None` when they are carried out as they come.
    pub review: Option<Arc<dyn PlanReviewer>>,
    /// The date that prompts state, empty for none.
    pub today: String,
    /// Tasks at this layer and deeper are carried out without planning.
    pub max_depth: Option<usize>,
    /// A tree of this many nodes is not planned further.
    pub max_nodes: Option<usize>,
    /// The seed that samplers get, mixed with the task and the action.
    pub seed: u64,
}

/// The task that an action is taken on, and its tree.
#[derive(Clone, Copy)]
pub struct TaskContext<'a> {
    /// The tree as of now.
    pub tree: &'a Tree,
    /// The task.
    pub key: &'a NodeKey,
    /// The evidence found so far, by id.
    pub evidence: &'a Table<String, Evidence>,
    /// The time that results carry.
    pub time: Option<&'a str>,
}

/// The outcome of an action.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The change that reports it.
    pub change: TreeChange<Task>,
    /// Evidence that was found, new or known.
    pub evidence: Vec<Evidence>,
    /// The calls that were made.
    pub exchanges: Vec<Exchange>,
    /// What a user should know: repairs, cuts, fallbacks.
    pub notes: Vec<String>,
}

/// Why an action failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// A call of a model.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A search.
    #[error(transparent)]
    Search(#[from] RetrievalError),
    /// The run stops for the review of a plan.
    #[error("the plan of task `{key}` is not reviewed yet")]
    NotReviewed {
        /// The key.
        key: NodeKey,
    },
    /// The task is not in the tree.
    #[error("there is no task `{key}` in the tree")]
    NoTask {
        /// The key.
        key: NodeKey,
    },
}

impl StageError {
    /// Whether the same action may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Agent(error) => error.is_retryable(),
            Self::Search(_) => true,
            Self::NotReviewed { .. } | Self::NoTask { .. } => false,
        }
    }

    /// The calls that were made before the error.
    pub fn exchange(&self) -> Option<&Exchange> {
        match self {
            Self::Agent(error) => error.exchange(),
            _ => None,
        }
    }
}

/// Takes an action on a task. The actions that are hooks (update and the reflections) do nothing.
///
/// # Errors
/// [`StageError`]; a plan or judgement that no model gave is no error but leads to an atomic task, with a note.
pub async fn act(setup: &Setup, context: TaskContext<'_>, action: TaskAction) -> Result<Outcome, StageError> {
    let node = context.node()?;
    match action {
        TaskAction::Plan => plan::plan(setup, context).await,
        TaskAction::Execute => match node.payload.info.task_type {
            TaskType::Write => write::write(setup, context).await,
            TaskType::Think => reason::reason(setup, context).await,
            TaskType::Search => search::search(setup, context).await,
        },
        TaskAction::FinalAggregate => aggregate::aggregate(setup, context).await,
        TaskAction::Update
        | TaskAction::PriorReflect
        | TaskAction::PlanningPostReflect
        | TaskAction::ExecutePostReflect => {
            Ok(Outcome { change: TreeChange::acted(context.key.clone(), action), ..Outcome::nothing(context.key) })
        }
    }
}

impl Setup {
    /// A setup without limits, seeds and searches.
    pub fn new(prompts: Arc<Prompts>, profile: Arc<WriteProfile>, models: Models) -> Self {
        Self {
            prompts,
            profile,
            models,
            search: None,
            review: None,
            today: String::new(),
            max_depth: None,
            max_nodes: None,
            seed: 0,
        }
    }

    /// The rules for plans of this run: the types are those of the profile's `[task_types]`, and without something to
    /// search there are no search tasks.
    pub fn plan_rules(&self) -> PlanRules {
        let mut rules = self.profile.settings.plan.clone();
        let words = profile::task_types(&self.profile).unwrap_or_default();
        if !words.is_empty() {
            rules.allowed.retain(|task_type| words.values().any(|known| known == task_type));
        }
        for (word, task_type) in words {
            rules.words.entry(word).or_insert(task_type);
        }
        if self.search.is_none() {
            rules.allowed.retain(|task_type| *task_type != TaskType::Search);
        }
        rules
    }

    /// The strategy for the model of an action on tasks of a type.
    fn strategy(&self, action: &str, task_type: TaskType) -> Result<Strategy, StageError> {
        Ok(ask::agent(self, action, task_type.word())?.strategy())
    }

    /// A seed for an action on a task.
    fn seed(&self, key: &NodeKey, action: &str) -> u64 {
        seed_of(self.seed, &format!("{key}/{action}"))
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup")
            .field("profile", &self.profile.name)
            .field("models", &self.models)
            .field("search", &self.search.as_ref().map(|search| search.engines()))
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for TaskContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskContext")
            .field("key", self.key)
            .field("evidence", &self.evidence.len())
            .finish_non_exhaustive()
    }
}

impl<'a> TaskContext<'a> {
    fn node(&self) -> Result<&'a Node, StageError> {
        self.tree.node(self.key).ok_or_else(|| StageError::NoTask { key: self.key.clone() })
    }

    fn args(&self, setup: &Setup) -> Result<PromptArgs, StageError> {
        prompt_args(self.tree, self.key, &setup.profile.settings.context, &setup.today)
            .ok_or_else(|| StageError::NoTask { key: self.key.clone() })
    }

    /// An outcome that stores the result of an action.
    fn result(&self, action: TaskAction, mut result: ActionResult) -> Outcome {
        result.time = self.time.map(str::to_string);
        let change = TreeChange::changed(self.key.clone(), TaskChange::Result { action, result })
            .and(TreeChange::acted(self.key.clone(), action));
        Outcome { change, ..Outcome::nothing(self.key) }
    }
}

impl Outcome {
    fn nothing(key: &NodeKey) -> Self {
        Self {
            change: TreeChange::acted(key.clone(), TaskAction::Update),
            evidence: Vec::new(),
            exchanges: Vec::new(),
            notes: Vec::new(),
        }
    }
}
