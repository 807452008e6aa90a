//! States of older versions, as they are read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::Chain;
use crate::error::RunError;
use crate::state::State;
use crate::stored_state::StoredState;
use crate::topology::Topology;

/// Reads a state of an older version and makes one of today's.
pub(crate) type Migration<S> = Arc<dyn Fn(&StoredState<'_>) -> Result<S, RunError> + Send + Sync>;

/// By the version that they read.
pub(crate) type Migrations<S> = BTreeMap<u32, Migration<S>>;

impl<S: State> Topology<S> {
    /// The state of a checkpoint as the graph has it now, how its fields are stored, and whether it was migrated.
    pub(crate) fn state_of(&self, stored: &StoredState<'_>) -> Result<(S, Vec<Chain>, bool), RunError> {
        let (found, known) = (stored.row.state_version, self.state_version);
        if found > known {
            return Err(RunError::GraphMismatch {
                thread: stored.thread.to_owned(),
                graph: self.name.clone(),
                message: format!(
                    "its state was written in version {found}, this program has version {known}; update the program"
                ),
            });
        }
        match self.migrations.get(&found).filter(|_| found < known) {
            None => stored.read(&self.layout).map(|(state, chains)| (state, chains, false)),
            Some(migrate) => {
                let chains = vec![Chain::default(); S::fields(&self.layout).len()];
                migrate(stored).map(|state| (state, chains, true))
            }
        }
    }
}
