//! An input at an older checkpoint.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::RunError;
use crate::executor::{Driver, Entry, Run};
use crate::limits::Control;
use crate::recorder::Queue;
use crate::state::State;
use crate::thread::{At, Thread};

impl<S: State, Cx: Send + Sync + 'static> At<S, Cx> {
    /// Runs the graph with an input from this checkpoint instead of from the head, whatever the thread's status is: what is
    /// pending here is dropped, `input` is folded onto the state of this checkpoint, and what follows START runs. The
    /// checkpoint of the input is a child of this one, and the thread's head. The branch that was the head stays reachable by
    /// its numbers, with its questions as they were. Subgraphs that are kept per thread stand where they stood here.
    ///
    /// Nobody else writes the thread in between: after a crash it is as it was, or it has the input.
    ///
    /// Checkpoint 0 is where the thread stood before its first input: the input is folded onto the initial state, its
    /// checkpoint has no parent, and subgraphs that are kept per thread begin anew.
    ///
    /// [`reuse_once`](Self::reuse_once) changes nothing: a task that is dropped leaves no results of durable steps.
    ///
    /// # Errors
    /// As [`fork`](Self::fork), and the run's own. An input that fails, in a reducer or in a router of START, leaves the thread
    /// as it was.
    pub fn run(&self, input: S::Update) -> Run<S> {
        let number = self.number;
        self.thread.launch_with(move |thread, control, queue| async move {
            Ok((thread.begun_at(number, control, queue).await?, Entry::Input(Some(input))))
        })
    }
}

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    /// A driver that stands at a checkpoint where nothing is pending, or before the first one.
    pub(super) async fn begun_at(
        &self,
        number: u64,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
    ) -> Result<Driver<S, Cx>, RunError> {
        let policy = self.policy.clone();
        if number == 0 {
            let (attached, places) = self.any().attach_anew().await?;
            let mut driver = self.driver(attached, policy, control, queue, BTreeMap::new(), None)?;
            if let Some((newest, head)) = places {
                driver.machine.begin_after(newest, head);
            }
            return Ok(driver);
        }
        let (attached, _, mut restored) = self.any().attach(Some(number)).await?;
        if let Some(restored) = &mut restored {
            // What its tasks left belongs to the branch that is left, so it stays in the store.
            restored.drop_unfinished(&"".into());
        }
        self.driver(attached, policy, control, queue, BTreeMap::new(), restored)
    }
}
