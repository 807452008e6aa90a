//! Fields and frontier in stored form: whole values, or differences with a whole value from time to time.

use std::sync::Arc;

use crate::checkpoint::{
    CheckpointId, CheckpointRow, Commit, FieldRecord, FieldVersions, Payload, RecordBytes, RecordKind, Source,
};
use crate::machine::commit::Folded;
use crate::machine::parts::Parts;
use crate::machine::{Machine, Pack};
use crate::state::{FieldChange, Op, State, StateError, Stored, codec};

/// The stored side of a namespace.
#[derive(Debug)]
pub(crate) struct Persist {
    /// The checkpoint that the next one builds on.
    pub(crate) parent: Option<u64>,
    /// The head that the store has.
    pub(crate) head: Option<u64>,
    pub(crate) parent_id: CheckpointId,
    /// Per field.
    pub(crate) chains: Vec<Chain>,
    pub(crate) frontier: Chain,
    /// The room of a commit that is written.
    room: Option<Box<Commit>>,
    /// Where the frontier is encoded.
    pack: Pack,
}

/// The chain of records that makes a field's value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    /// The newest record's version, 0 for none.
    pub(crate) version: u64,
    pub(crate) whole_bytes: usize,
    pub(crate) deltas: usize,
    pub(crate) delta_bytes: usize,
}

/// After this many differences, and when they are larger than the last whole value, a whole value is stored: so the
/// cost of whole values is a constant share of the cost of differences.
const MIN_DELTAS: usize = 16;

impl Persist {
    pub(crate) fn new(fields: usize) -> Self {
        Self {
            parent: None,
            head: None,
            parent_id: CheckpointId::from(0),
            chains: vec![Chain::default(); fields],
            frontier: Chain::default(),
            room: None,
            pack: Pack::default(),
        }
    }

    /// A namespace at a checkpoint that was read.
    pub(crate) fn at(row: &CheckpointRow, head: u64, chains: Vec<Chain>, frontier: Chain) -> Self {
        let (parent, head, parent_id) = (Some(row.number), Some(head), row.id.clone());
        Self { parent, head, parent_id, chains, frontier, ..Self::new(0) }
    }
}

impl Chain {
    fn wants_whole(&self) -> bool {
        self.version == 0 || (self.deltas >= MIN_DELTAS && self.delta_bytes > self.whole_bytes)
    }

    fn whole(
        &mut self,
        field: Arc<str>,
        version: u64,
        bytes: impl AsRef<[u8]> + Into<RecordBytes> + Into<Arc<[u8]>>,
    ) -> FieldRecord {
        *self = Self { version, whole_bytes: bytes.as_ref().len(), deltas: 0, delta_bytes: 0 };
        FieldRecord { field, version, previous: None, kind: RecordKind::Whole, payload: Payload::new(bytes) }
    }

    fn delta(
        &mut self,
        field: Arc<str>,
        version: u64,
        bytes: impl AsRef<[u8]> + Into<RecordBytes> + Into<Arc<[u8]>>,
    ) -> FieldRecord {
        let previous = Some(self.version);
        self.version = version;
        self.deltas += 1;
        self.delta_bytes += bytes.as_ref().len();
        FieldRecord { field, version, previous, kind: RecordKind::Delta, payload: Payload::new(bytes) }
    }

    /// Counts a record that was read back.
    pub(crate) fn count(&mut self, record: &FieldRecord) {
        let bytes = record.payload.bytes().len();
        self.version = record.version;
        match record.kind {
            RecordKind::Whole => (self.whole_bytes, self.deltas, self.delta_bytes) = (bytes, 0, 0),
            RecordKind::Delta => {
                self.deltas += 1;
                self.delta_bytes += bytes;
            }
        }
    }
}

impl<S: State> Machine<S> {
    /// The stored form of a commit; nothing without a store.
    pub(super) fn store(
        &mut self,
        number: u64,
        source: Source,
        folded: &Folded,
        now: u64,
    ) -> Result<Option<Box<Commit>>, StateError> {
        let Some(mut persist) = self.persist.take() else { return Ok(None) };
        let mut commit = persist.room.take().unwrap_or_default();
        let result = self.records(&mut persist, number, folded, &mut commit.fields);
        let result = result.map(|()| self.fill(&mut persist, number, source, now, &mut commit));
        self.persist = Some(persist);
        result.map(|()| Some(commit))
    }

    /// Takes the room of a commit back that is written.
    pub(crate) fn reuse(&mut self, commit: Box<Commit>) {
        if let Some(persist) = &mut self.persist {
            persist.room = Some(commit);
        }
    }

    /// Makes a commit of the records that it has.
    fn fill(&self, persist: &mut Persist, number: u64, source: Source, now: u64, commit: &mut Commit) {
        let chains = persist.chains.iter().chain([&persist.frontier]);
        let versions = FieldVersions::shared(&self.topology.field_names, chains.map(|chain| chain.version));
        let id = self.checkpoint_id(persist, number, &commit.fields);
        let row = CheckpointRow {
            number,
            parent: persist.parent,
            id: id.clone(),
            step: self.step,
            source,
            time: now,
            executed: self.executed,
            fields: versions,
            state_version: self.topology.state_version,
        };
        if *commit.ns != *self.ns {
            commit.ns = Arc::clone(&self.ns);
        }
        commit.expected_head = persist.head;
        commit.checkpoint = Some(row);
        (persist.parent, persist.head, persist.parent_id) = (Some(number), Some(number), id);
    }

    fn records(
        &mut self,
        persist: &mut Persist,
        number: u64,
        folded: &Folded,
        records: &mut Vec<FieldRecord>,
    ) -> Result<(), StateError> {
        let fields = S::fields(&self.topology.layout);
        records.clear();
        for at in folded.changed.iter() {
            let (Some(field), Some(chain)) = (fields.get(at), persist.chains.get_mut(at)) else { continue };
            let name = Arc::clone(&self.topology.field_names[at]);
            let of_field = || folded.changes.iter().filter(|change| change.field as usize == at);
            let replaced = folded.reset.contains(at) || of_field().any(|change| change.op == Op::Set);
            match field.stored {
                Stored::Never => {}
                Stored::Deltas if !replaced && !chain.wants_whole() => {
                    let parts: Vec<&FieldChange> = of_field().collect();
                    records.push(chain.delta(name, number, codec::encode(&field.name, &parts)?));
                }
                Stored::Deltas | Stored::Whole => {
                    let mut sets = of_field();
                    records.push(match (sets.next(), sets.next()) {
                        (Some(only), None) if only.op == Op::Set && !folded.reset.contains(at) => {
                            chain.whole(name, number, only.bytes.clone())
                        }
                        _ => chain.whole(name, number, self.state.save(&self.topology.layout, at)?),
                    });
                }
            }
        }
        let chain = &mut persist.frontier;
        let changes = self.frontier.take_changes();
        let name = Arc::clone(&self.topology.field_names[fields.len()]);
        if chain.wants_whole() {
            self.frontier.encode(&self.topology, &mut persist.pack);
            records.push(chain.whole(name, number, persist.pack.bytes()));
        } else {
            self.frontier.encode_changes(changes, &self.topology, &mut persist.pack);
            records.push(chain.delta(name, number, persist.pack.bytes()));
        }
        Ok(())
    }

    /// The same for the same commit after the same parent, in every process.
    fn checkpoint_id(&self, persist: &Persist, number: u64, fields: &[FieldRecord]) -> CheckpointId {
        let mut parts = Parts::default();
        let [parent, numbers] = [persist.parent_id.seed(), u128::from(number) << 64 | u128::from(self.step)];
        parts.add(&parent.to_le_bytes());
        parts.add(&numbers.to_le_bytes());
        parts.add_text(self.ns.as_bytes());
        for record in fields {
            parts.add_text(record.field.as_bytes());
            parts.add_text(match &record.payload {
                Payload::Inline(bytes) => bytes,
                Payload::Blob(blob) => blob.hash.as_bytes(),
            });
        }
        parts.hash().into()
    }
}

/// Folds stored changes of one field into a state.
pub(crate) fn fold_parts<S: State>(
    state: &mut S,
    layout: &S::Layout,
    at: usize,
    parts: Vec<FieldChange>,
) -> Result<(), StateError> {
    let field = u32::try_from(at).unwrap_or(u32::MAX);
    let parts: Vec<_> = parts.into_iter().map(|part| FieldChange { field, ..part }).collect();
    let update = S::decode_update(layout, &parts)?;
    state.apply(layout, update, &mut crate::state::FieldSet::default());
    Ok(())
}
