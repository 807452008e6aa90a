//! States of older versions, as they are read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::Chain;
use crate::error::RunError;
use crate::state::{AnyState, State};
use crate::stored_state::{KnownState, StoredState};
use crate::topology::{Outline, Topology};

/// Reads a state of an older version and makes one of today's.
pub(crate) type Migration<S> = Arc<dyn Fn(&StoredState<'_>) -> Result<S, RunError> + Send + Sync>;

/// By the version that they read.
pub(crate) type Migrations<S> = BTreeMap<u32, Migration<S>>;

/// A graph as its states are read, whatever their type.
pub(crate) trait ReadStates: Send + Sync {
    /// The state of a checkpoint as the graph has it now, how its fields are stored, and whether it was migrated. It may be
    /// read from one that is known.
    fn state_of(
        &self,
        stored: &StoredState<'_>,
        known: Option<KnownState>,
    ) -> Result<(AnyState, Vec<Chain>, bool), RunError>;
}

impl<S: State> ReadStates for Topology<S> {
    fn state_of(
        &self,
        stored: &StoredState<'_>,
        known: Option<KnownState>,
    ) -> Result<(AnyState, Vec<Chain>, bool), RunError> {
        let is_older = self.outline.reads_older(stored)?;
        match self.migrations.get(&stored.row.state_version).filter(|_| is_older) {
            None => {
                let (state, chains) = stored.read::<S>(&self.layout, known)?;
                Ok((Arc::new(state), chains, false))
            }
            Some(migrate) => {
                let chains = vec![Chain::default(); self.fields.len()];
                migrate(stored).map(|state| (Arc::new(state) as AnyState, chains, true))
            }
        }
    }
}

impl Outline {
    /// Whether a state is of an older version than the graph's; an error when it is of a newer one.
    fn reads_older(&self, stored: &StoredState<'_>) -> Result<bool, RunError> {
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
        Ok(found < known)
    }
}
