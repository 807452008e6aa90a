//! States of older versions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::error::{NodeError, RunError, panic_text};
use crate::graph::blueprint::Blueprint;
use crate::graph::compile::Checks;
use crate::graph::{CompileError, StateGraph};
use crate::state::State;
use crate::stored_state::StoredState;

impl<S: State, Cx: Send + Sync + 'static> StateGraph<S, Cx> {
    /// States how a thread whose state is of an older [`version`](Self::versions) is read: as `O`, the state as it was
    /// then, from which `migration` makes today's. The next commit stores the new state as a whole; older checkpoints
    /// stay as they are and are migrated whenever they are read.
    ///
    /// Versions without a migration are read as they are, field by field: a field that is not there has its initial
    /// value, and one that the state does not have any more is left out. Updates of tasks that had finished in a
    /// super-step which was not committed are of the old state: these tasks run again, with their durable steps kept.
    ///
    /// ```
    /// # use graphloom_core_graph::{Node, START, Snapshot, State, StateGraph};
    /// # use schemars::JsonSchema;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    /// struct TripOf1 {
    ///     days: u32,
    /// }
    ///
    /// # #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    /// struct Trip {
    ///     nights: u32,
    /// }
    ///
    /// # const PLAN: Node = Node::named("plan");
    /// let mut graph = StateGraph::<Trip>::new("trip");
    /// graph.versions(1, 2).migrate(1, |old: TripOf1| Ok(Trip { nights: old.days.saturating_sub(1) }));
    /// # graph.add_node(PLAN, |_: Snapshot<Trip>| async { Ok(()) });
    /// # graph.add_edge(START, PLAN);
    /// # assert!(graph.compile().is_ok());
    /// ```
    pub fn migrate<O: State<Layout = ()>>(
        &mut self,
        version: u32,
        migration: impl Fn(O) -> Result<S, NodeError> + Send + Sync + 'static,
    ) -> &mut Self {
        let migrate = move |stored: &StoredState<'_>| {
            let (old, _) = stored.read::<O>(&(), None)?;
            let made = catch_unwind(AssertUnwindSafe(|| migration(old)));
            let made = made.map_err(|payload| format!("it panicked: {}", panic_text(payload.as_ref())));
            made.and_then(|made| made.map_err(|error| error.to_string())).map_err(|message| RunError::Migration {
                thread: stored.thread.to_owned(),
                ns: stored.ns.to_owned(),
                checkpoint: stored.row.number,
                version,
                message,
            })
        };
        self.blueprint.migrations.push(version);
        self.migrations.push(Arc::new(migrate));
        self
    }
}

impl Checks {
    /// A migration reads a version that is older than the state's, and no other migration reads.
    pub(super) fn migrations(&mut self, graph: &Blueprint) {
        let known = graph.state_version;
        for (at, version) in graph.migrations.iter().enumerate() {
            let reason = if *version >= known {
                format!("the state has version {known}; state a newer one with `versions`")
            } else if graph.migrations[..at].iter().any(|other| other == version) {
                "there is another one; keep one of them".to_owned()
            } else {
                continue;
            };
            self.errors.push(CompileError::Migration { version: *version, reason });
        }
    }
}
