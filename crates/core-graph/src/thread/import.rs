//! Histories from elsewhere.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use crate::checkpoint::ThreadStatus;
use crate::error::RunError;
use crate::executor::Entry;
use crate::limits::{Control, RunPolicy};
use crate::name::{Name, Node};
use crate::state::State;
use crate::step::Step;
use crate::thread::Thread;
use crate::thread::open::Opening;
use crate::thread::replayed::{import, rehearse};

/// What a task returned, for [`Thread::import`].
#[derive(Clone)]
pub struct Imported<S: State> {
    pub(crate) node: Name,
    pub(crate) key: Option<Arc<str>>,
    pub(crate) step: Step<S>,
}

impl<S: State> Imported<S> {
    /// The result of a task of `node`: an update, or a step that also says where it went.
    pub fn new(node: impl Into<Node>, step: impl Into<Step<S>>) -> Self {
        Self { node: node.into().into_name(), key: None, step: step.into() }
    }

    /// The same result, of the task of this key.
    #[must_use]
    pub fn key(mut self, key: impl Into<Arc<str>>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    /// Makes a new thread with the history of a run that took place elsewhere: its input, and what its tasks returned,
    /// in the order in which they did. No node runs; routes, joins and super-steps are those of the graph, so that
    /// checkpoints, steps and what is next are as if the run had taken place here. A result without a key belongs to
    /// the first task of its node. What is left unfinished can be [continued](Self::continue_).
    ///
    /// The whole import is rehearsed before anything is written: a mistake leaves no thread.
    ///
    /// # Errors
    /// A thread that exists; a result that no task waits for; a result that cannot be committed; the store's.
    pub async fn import(
        &self,
        input: S::Update,
        made: impl IntoIterator<Item = Imported<S>>,
    ) -> Result<ThreadStatus, RunError> {
        let made: VecDeque<_> = made.into_iter().collect();
        rehearse(&self.threads.app.graph.executable.topology, input.clone(), &made)?;
        // Nothing stops an import in the middle.
        let thread = self.policy(RunPolicy::default().durability(self.policy.durability));
        let (mut driver, entry) = thread.open(Opening::Import(input), Arc::new(Control::default()), None).await?;
        let Entry::Input(Some(input)) = entry else {
            return Err(RunError::Internal("an import without an input".to_owned()));
        };
        let imported = import(&mut driver, input, made).await;
        let status = if driver.machine().is_idle() { ThreadStatus::Done } else { ThreadStatus::Drained };
        match imported {
            Ok(()) => {
                let detail = if status == ThreadStatus::Done { "" } else { "imported" };
                driver.close_with(status, detail, Ok(status)).await
            }
            Err(error) => {
                driver.release();
                Err(error)
            }
        }
    }
}

impl<S: State> fmt::Debug for Imported<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Imported").field("node", &self.node.as_str()).field("key", &self.key).finish_non_exhaustive()
    }
}
