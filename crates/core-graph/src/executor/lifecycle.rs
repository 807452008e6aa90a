//! A namespace from its beginning to its end, with the events of both.

use crate::checkpoint::ThreadStatus;
use crate::error::RunError;
use crate::event::EventKind;
use crate::executor::run_loop::{Driver, Entry};
use crate::machine::Stop;
use crate::state::State;

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Runs until nothing is in flight and nothing more is dispatched.
    pub(crate) async fn run(&mut self, entry: Entry<S>) -> Result<Stop, RunError> {
        match entry {
            Entry::Input(update) if self.session.is_silent() => {
                self.fold_input(update)?;
                match self.run_unobserved().await? {
                    Some(stop) => Ok(stop),
                    // On the heap: it is large, and most calls of subgraphs do without.
                    None => Box::pin(self.drive()).await,
                }
            }
            entry => Box::pin(self.run_told(entry)).await,
        }
    }

    /// Sends the events of a subgraph's beginning and end. Those of a root are part of its first and its last commit.
    async fn run_told(&mut self, entry: Entry<S>) -> Result<Stop, RunError> {
        if self.is_root || !self.session.is_watched() {
            return self.proceed(entry).await;
        }
        let graph = self.runtime.topology.name.clone();
        let how = entry.how().to_owned();
        self.tell(None, EventKind::SubgraphStarted { graph: graph.clone(), how }).await;
        let stop = self.proceed(entry).await;
        let (status, detail) = match &stop {
            Ok(stop) => (status_of(*stop), self.detail_of(*stop)),
            Err(error) => (ThreadStatus::Failed, error.to_string()),
        };
        self.tell(None, EventKind::SubgraphEnded { graph, status, detail }).await;
        stop
    }

    fn detail_of(&self, stop: Stop) -> String {
        let machine = self.machine();
        match stop {
            Stop::Done => String::new(),
            Stop::Failed => {
                machine.failure().map_or_else(String::new, |(_, node, _, error)| format!("node `{node}`: {error}"))
            }
            Stop::Waiting => {
                let keys: Vec<_> = machine.questions().iter().map(|question| format!("`{}`", question.key)).collect();
                keys.join(", ")
            }
            Stop::Budget | Stop::StepLimit | Stop::Drained | Stop::Cancelled => machine.next_nodes().join(", "),
        }
    }
}

fn status_of(stop: Stop) -> ThreadStatus {
    match stop {
        Stop::Done => ThreadStatus::Done,
        Stop::Waiting => ThreadStatus::Waiting,
        Stop::Failed => ThreadStatus::Failed,
        Stop::Budget | Stop::StepLimit => ThreadStatus::BudgetSpent,
        Stop::Drained => ThreadStatus::Drained,
        Stop::Cancelled => ThreadStatus::Cancelled,
    }
}
