//! Fields and frontier in stored form: whole values, or differences with a whole value from time to time.

use std::sync::Arc;

use smallvec::SmallVec;
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_seed};

use crate::checkpoint::{
    CheckpointId, CheckpointRow, Commit, FieldRecord, FieldVersions, Payload, RecordBytes, RecordKind, Source,
};
use crate::machine::commit::Folded;
use crate::machine::{Machine, Pack, delta};
use crate::state::{FieldChange, FieldSet, Op, State, StateError, Stored};

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
    /// Whether the next commit stores all fields: those before it are of another state.
    pub(crate) anew: bool,
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

/// A whole value is stored after this many differences at the earliest.
const MIN_DELTAS: usize = 16;

/// About what a record takes in a store besides its bytes.
const RECORD_BYTES: usize = 64;

impl Persist {
    pub(crate) fn new(fields: usize) -> Self {
        Self {
            parent: None,
            head: None,
            parent_id: CheckpointId::from(0),
            chains: vec![Chain::default(); fields],
            frontier: Chain::default(),
            anew: false,
            room: None,
            pack: Pack::default(),
        }
    }

    /// A namespace at a checkpoint that was read.
    pub(crate) fn at(row: &CheckpointRow, head: u64, chains: Vec<Chain>, frontier: Chain, anew: bool) -> Self {
        let (parent, head, parent_id) = (Some(row.number), Some(head), row.id.clone());
        Self { parent, head, parent_id, chains, frontier, anew, ..Self::new(0) }
    }
}

impl Chain {
    /// Whether the next record is to be a whole value, so that few are to be read.
    ///
    /// Differences that overwrite each other are read as long as they are no larger than the value. Those that add up
    /// hold what the value holds, and only their number is to be spared: a whole value is stored when it is smaller than
    /// what so many records take besides their bytes. Either way the cost of whole values is at most that of the
    /// differences, and reading takes time in proportion to the value.
    fn wants_whole(&self, stored: Stored) -> bool {
        let costs_more = match stored {
            Stored::Additions => self.deltas * RECORD_BYTES > self.whole_bytes + self.delta_bytes,
            _ => self.delta_bytes > self.whole_bytes,
        };
        self.version == 0 || (self.deltas >= MIN_DELTAS && costs_more)
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
        let all: FieldSet;
        let changed = if persist.anew {
            all = (0..fields.len()).collect();
            &all
        } else {
            &folded.changed
        };
        for at in changed.iter() {
            let (Some(field), Some(chain)) = (fields.get(at), persist.chains.get_mut(at)) else { continue };
            let name = Arc::clone(&self.topology.field_names[at]);
            let of_field = || folded.changes.iter().filter(|change| change.field as usize == at);
            let replaced = persist.anew || folded.reset.contains(at) || of_field().any(|change| change.op == Op::Set);
            match field.stored {
                Stored::Never => {}
                stored @ (Stored::Deltas | Stored::Additions) if !replaced && !chain.wants_whole(stored) => {
                    let changes: SmallVec<[&FieldChange; 4]> = of_field().collect();
                    records.push(chain.delta(name, number, delta::encode(&field.name, &changes)?));
                }
                Stored::Deltas | Stored::Additions | Stored::Whole => {
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
        if chain.wants_whole(Stored::Deltas) || self.frontier.is_all(&changes) {
            self.frontier.encode(&self.topology, &mut persist.pack);
            records.push(chain.whole(name, number, persist.pack.bytes()));
        } else {
            self.frontier.encode_changes(changes, &self.topology, &mut persist.pack);
            records.push(chain.delta(name, number, persist.pack.bytes()));
        }
        persist.anew = false;
        Ok(())
    }

    /// The same for the same commit after the same parent, in every process.
    fn checkpoint_id(&self, persist: &Persist, number: u64, fields: &[FieldRecord]) -> CheckpointId {
        let numbers = u128::from(number) << 64 | u128::from(self.step);
        let mut chain = link(persist.parent_id.seed(), self.ns.as_bytes(), &numbers.to_le_bytes());
        for record in fields {
            chain = link(
                chain,
                record.field.as_bytes(),
                match &record.payload {
                    Payload::Inline(bytes) => bytes,
                    Payload::Blob(blob) => blob.hash.as_bytes(),
                },
            );
        }
        chain.into()
    }
}

/// A chain of hashes with a part of this name more.
fn link(chain: u128, name: &[u8], part: &[u8]) -> u128 {
    let seed = xxh3_64_with_seed(name, chain as u64);
    xxh3_128_with_seed(part, seed) ^ chain.rotate_left(29)
}
