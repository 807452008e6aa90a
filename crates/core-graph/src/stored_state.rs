//! The state of a checkpoint, from the records of its fields.

use std::sync::Arc;

use crate::checkpoint::{Chain, CheckpointRow, FieldRecord, Known, RecordKind, check_chain, corrupt};
use crate::error::RunError;
use crate::record::delta;
use crate::state::{AnyState, Field, ReadFields, ReadState, State, StateError};

/// What a store has of the state at a checkpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredState<'r> {
    pub(crate) thread: &'r str,
    pub(crate) ns: &'r str,
    pub(crate) row: &'r CheckpointRow,
    /// For each of the row's fields, the records that make its value, or make it of that of the known state.
    pub(crate) records: &'r [Vec<FieldRecord>],
}

/// The state of a checkpoint as it was read. Later ones are read from it by what has changed since, and are the same as if
/// they were read whole: its values come from the store too, and no run has touched them.
#[derive(Clone, Debug)]
pub(crate) struct KnownState {
    pub(crate) checkpoint: Known,
    /// The version of the state's type.
    pub(crate) version: u32,
    state: AnyState,
    chains: Vec<Chain>,
}

impl KnownState {
    /// A state that was read of a checkpoint, and was not migrated.
    pub(crate) fn new(row: &CheckpointRow, state: &AnyState, chains: &[Chain]) -> Self {
        Self {
            checkpoint: Known { number: row.number, id: row.id.clone(), fields: row.fields.clone() },
            version: row.state_version,
            state: Arc::clone(state),
            chains: chains.to_vec(),
        }
    }

    /// How many bytes the records of the state have.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.chains)
    }
}

/// How many bytes the records of fields have that are stored so.
pub(crate) fn bytes_of(chains: &[Chain]) -> usize {
    chains.iter().map(|chain| chain.whole_bytes + chain.delta_bytes).sum()
}

impl StoredState<'_> {
    /// The state, and how each of its fields is stored. Records may build on a state of the same version that is known: it
    /// is changed in place when nobody else has it.
    ///
    /// # Errors
    /// A record that cannot be read, with its checkpoint.
    pub(crate) fn read<S: State>(
        &self,
        layout: &S::Layout,
        known: Option<KnownState>,
    ) -> Result<(S, Vec<Chain>), RunError> {
        let known = known.and_then(|known| Some((known.state.downcast::<S>().ok()?, known.chains)));
        let (mut read, mut chains) = match known {
            Some((state, chains)) => (ReadState { state: Arc::unwrap_or_clone(state), layout }, chains),
            None => (ReadState::new(layout), vec![Chain::default(); S::fields(layout).len()]),
        };
        self.read_into(&mut read, S::fields(layout), &mut chains)?;
        Ok((read.state, chains))
    }

    fn read_into(&self, state: &mut dyn ReadFields, fields: &[Field], chains: &mut [Chain]) -> Result<(), RunError> {
        let Self { thread, ns, row, records } = *self;
        for (at, field) in fields.iter().enumerate() {
            if chains[at].version > 0 && row.fields.of(&field.name).is_none() {
                chains[at] = Chain::default();
                state.reset(at);
            }
        }
        for ((name, version), records) in row.fields.iter().zip(records).filter(|((name, _), _)| !name.starts_with('#'))
        {
            let Some(at) = fields.iter().position(|field| *field.name == **name) else {
                tracing::warn!(thread, field = %name, "a stored field is not in the state any more and is left out");
                continue;
            };
            check_chain(thread, ns, name, chains[at].version, version, records)?;
            let wrong = |(version_of, error): (u64, StateError)| corrupt(thread, ns, name, version_of, &error);
            let mut updates = Vec::with_capacity(records.len());
            for record in records {
                chains[at].count(record);
                let (bytes, failed) = (record.payload.bytes(), |error| wrong((record.version, error)));
                match record.kind {
                    RecordKind::Whole => {
                        updates.clear();
                        state.load(at, bytes).map_err(failed)?;
                    }
                    RecordKind::Delta => {
                        let read = delta::decode(name, bytes).map_err(failed)?;
                        updates.extend(read.into_iter().map(|update| (record.version, update)));
                    }
                }
            }
            delta::fold(state, at, updates).map_err(wrong)?;
        }
        Ok(())
    }
}
