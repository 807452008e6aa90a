//! The state of a checkpoint, from the records of its fields.

use crate::checkpoint::{Chain, CheckpointRow, FieldRecord, RecordKind, check_chain, corrupt};
use crate::error::RunError;
use crate::record::delta;
use crate::state::{Field, ReadFields, ReadState, State, StateError};

/// What a store has of the state at a checkpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredState<'r> {
    pub(crate) thread: &'r str,
    pub(crate) ns: &'r str,
    pub(crate) row: &'r CheckpointRow,
    /// For each of the row's fields, the records that make its value.
    pub(crate) records: &'r [Vec<FieldRecord>],
}

impl StoredState<'_> {
    /// The state, and how each of its fields is stored.
    ///
    /// # Errors
    /// A record that cannot be read, with its checkpoint.
    pub(crate) fn read<S: State>(&self, layout: &S::Layout) -> Result<(S, Vec<Chain>), RunError> {
        let mut read = ReadState::new(layout);
        let chains = self.read_into(&mut read, S::fields(layout))?;
        Ok((read.state, chains))
    }

    fn read_into(&self, state: &mut dyn ReadFields, fields: &[Field]) -> Result<Vec<Chain>, RunError> {
        let Self { thread, ns, row, records } = *self;
        let mut chains = vec![Chain::default(); fields.len()];
        for ((name, version), records) in row.fields.iter().zip(records).filter(|((name, _), _)| !name.starts_with('#'))
        {
            let Some(at) = fields.iter().position(|field| *field.name == **name) else {
                tracing::warn!(thread, field = %name, "a stored field is not in the state any more and is left out");
                continue;
            };
            check_chain(thread, ns, name, version, records)?;
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
        Ok(chains)
    }
}
