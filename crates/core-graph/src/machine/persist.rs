//! Fields and frontier in stored form: whole values, or differences with a whole value from time to time.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_128;

use crate::checkpoint::{
    Chain, CheckpointId, CheckpointRow, Commit, CompactStep, FieldVersions, Source, StepOrigin, Write, put,
};
use crate::machine::MachineCore;
use crate::machine::commit::Folded;
use crate::machine::triggers::guarded;
use crate::record::{Pack, delta, pack_step};
use crate::state::{self, FieldChange, FieldSet, Op, StateError};
use crate::tasks::TaskId;

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
    /// Whether steps are handed to the store in compact form where they can be.
    compact: bool,
    /// What the commit that is being made changes of fields, encoded. Empty between commits.
    pub(super) changes: Vec<FieldChange>,
    /// The fields that the newest commit of a single task changed.
    pub(super) changed: FieldSet,
    /// What the commit writes of fields. Empty between commits; kept for its room, as are those below.
    writes: Vec<Write>,
    /// The same as bytes in a row, after what else the id is made of.
    content: Vec<u8>,
    /// Where the frontier is encoded.
    pack: Pack,
    /// The newest plain step, and where what it writes of fields is in `content`.
    step: (CompactStep, Range<usize>),
}

/// The stored form of a commit.
#[derive(Debug)]
pub(crate) enum StoredCommit {
    Commit(Box<Commit>),
    /// A plain step: [`MachineCore::compact_step`].
    Step,
}

/// How a frontier is stored.
const FRONTIER_STORED: state::Stored = state::Stored::Deltas;

impl Persist {
    pub(crate) fn new(fields: usize) -> Self {
        Self {
            parent: None,
            head: None,
            parent_id: CheckpointId::from(0),
            chains: vec![Chain::default(); fields],
            frontier: Chain::default(),
            anew: false,
            compact: false,
            changes: Vec::new(),
            changed: FieldSet::default(),
            writes: Vec::new(),
            content: Vec::new(),
            pack: Pack::default(),
            step: Default::default(),
        }
    }

    /// A namespace at a checkpoint that was read.
    pub(crate) fn at(row: &CheckpointRow, head: u64, chains: Vec<Chain>, frontier: Chain, anew: bool) -> Self {
        let (parent, head, parent_id) = (Some(row.number), Some(head), row.id.clone());
        Self { parent, head, parent_id, chains, frontier, anew, ..Self::new(0) }
    }

    /// The versions of the fields, with these names.
    fn versions(&self, names: &Arc<[Arc<str>]>) -> FieldVersions {
        FieldVersions::shared(names, self.chains.iter().chain([&self.frontier]).map(|chain| chain.version))
    }

    /// Makes commit `number` the head. Its id is the same for the same commit after the same parent, in every process.
    fn move_head(&mut self, number: u64) -> u128 {
        let id = xxh3_128(&self.content);
        (self.parent, self.head, self.parent_id) = (Some(number), Some(number), id.into());
        id
    }
}

/// Encodes the whole value of a field of the state.
pub(super) type SaveField<'s> = &'s dyn Fn(usize) -> Result<Vec<u8>, StateError>;

impl MachineCore {
    /// Keeps the encoded changes of a task for the commit that is being made. Without a store there are none.
    pub(super) fn keep_changes(&mut self, encoded: &mut Vec<FieldChange>) {
        if let Some(persist) = &mut self.persist {
            persist.changes.append(encoded);
        }
    }

    /// Forgets the changes of a commit that is not made.
    pub(super) fn forget_changes(&mut self) {
        if let Some(persist) = &mut self.persist {
            persist.changes.clear();
        }
    }

    /// Returns the stored form of a commit, none without a store.
    pub(super) fn store(
        &mut self,
        number: u64,
        source: Source,
        folded: &Folded,
        now: u64,
        save: SaveField<'_>,
    ) -> Result<Option<Box<Commit>>, StateError> {
        let Some(mut persist) = self.persist.take() else { return Ok(None) };
        let written = self.write_fields(&mut persist, number, (&folded.changed, &folded.reset), save);
        let commit = written.map(|()| self.commit_of(&mut persist, number, source, now));
        self.persist = Some(persist);
        commit.map(Some)
    }

    /// Returns the stored form of a step of one task, after which one task of node `next` is left, or what it led to
    /// otherwise.
    pub(super) fn store_step(
        &mut self,
        number: u64,
        finished: (TaskId, u32),
        next: Option<u32>,
        changed: &FieldSet,
        now: u64,
        save: SaveField<'_>,
    ) -> Result<Option<StoredCommit>, StateError> {
        let Some(mut persist) = self.persist.take() else { return Ok(None) };
        let before = Some(number - 1);
        let follows = persist.compact && !persist.anew && persist.parent == before && persist.head == before;
        // The last step of a root is more than itself: the run ends with it.
        let goes_on = next.is_some() || !self.ns.is_empty();
        let compact = follows && goes_on && finished.0 == TaskId { number: number - 1, place: 0 };
        let written = self.write_fields(&mut persist, number, (changed, &FieldSet::default()), save);
        let stored = written.map(|()| {
            let step = if compact { self.step_of(&persist, number, next.is_some(), changed) } else { None };
            match step {
                Some(step) => {
                    self.put_compact(&mut persist, CompactStep { node: finished.1, next, time: now, ..step });
                    StoredCommit::Step
                }
                None => StoredCommit::Commit(self.commit_of(&mut persist, number, Source::Step, now)),
            }
        });
        self.persist = Some(persist);
        stored.map(Some)
    }

    /// Sets whether steps are handed to the store in compact form from now on, where they can be.
    pub(crate) fn compact_steps(&mut self, compact: bool) {
        if let Some(persist) = &mut self.persist {
            persist.compact = compact;
        }
    }

    /// The newest plain step, and what it writes of fields.
    pub(crate) fn compact_step(&self) -> Option<(&CompactStep, &[u8])> {
        let (step, fields) = &self.persist.as_ref()?.step;
        Some((step, self.persist.as_ref()?.content.get(fields.clone())?))
    }

    /// The newest plain step as a commit.
    pub(crate) fn commit_of_step(&self, origin: &StepOrigin) -> Option<Box<Commit>> {
        let (step, content) = self.compact_step()?;
        let versions = self.persist.as_ref()?.versions(&self.outline.field_names);
        Some(Box::new(Commit {
            ns: Arc::clone(&self.ns),
            expected_head: Some(step.number - 1),
            checkpoint: Some(step.row(origin, versions)),
            fields: step.records(origin, content).collect(),
            ..Commit::default()
        }))
    }

    /// What is to be known of the newest step to hand it over in short, when it is plain.
    fn step_of(&self, persist: &Persist, number: u64, goes_on: bool, changed: &FieldSet) -> Option<CompactStep> {
        let (changed, whole) = (changed.as_bits()?, self.frontier.as_step(number, goes_on)?);
        let follows =
            whole || (persist.frontier.version + 1 == number && !persist.frontier.wants_whole(FRONTIER_STORED));
        let all = persist.writes.len() == changed.count_ones() as usize;
        let step =
            CompactStep { number, step: self.step, executed: self.executed, changed, whole, ..CompactStep::default() };
        (follows && all && persist.writes.iter().all(Write::is_short)).then_some(step)
    }

    /// Hands a step over in compact form.
    fn put_compact(&mut self, persist: &mut Persist, step: CompactStep) {
        let (number, fields, start) = (step.number, self.outline.fields.len(), persist.content.len());
        persist.writes.drain(..).for_each(|write| write.put(number, &mut persist.content));
        let writes = start..persist.content.len();
        self.frontier.clear_changes();
        let node = step.next.map(|next| self.outline.node(next).name.as_str());
        pack_step(&mut persist.pack, number, node, step.whole);
        let bytes = persist.pack.bytes();
        let previous = (!step.whole).then_some(persist.frontier.version);
        persist.frontier.add(number, step.whole, bytes.len());
        put(&mut persist.content, number, fields, previous, bytes);
        let id = persist.move_head(number);
        persist.step = (CompactStep { id, ..step }, writes);
    }

    /// Makes a commit of what is written of fields, and of the frontier.
    fn commit_of(&mut self, persist: &mut Persist, number: u64, source: Source, now: u64) -> Box<Commit> {
        self.write_frontier(persist, number);
        let (parent, expected_head) = (persist.parent, persist.head);
        persist.writes.iter().for_each(|write| write.put(number, &mut persist.content));
        let row = CheckpointRow {
            number,
            parent,
            id: persist.move_head(number).into(),
            step: self.step,
            source,
            time: now,
            executed: self.executed,
            fields: persist.versions(&self.outline.field_names),
            state_version: self.outline.state_version,
        };
        let names = &self.outline.field_names;
        Box::new(Commit {
            ns: Arc::clone(&self.ns),
            expected_head,
            checkpoint: Some(row),
            fields: persist.writes.drain(..).filter_map(|write| write.record(number, names)).collect(),
            ..Commit::default()
        })
    }

    fn write_fields(
        &mut self,
        persist: &mut Persist,
        number: u64,
        (changed, reset): (&FieldSet, &FieldSet),
        save: SaveField<'_>,
    ) -> Result<(), StateError> {
        persist.content.clear();
        for part in [&persist.parent_id.seed().to_le_bytes()[..], &number.to_le_bytes(), &self.step.to_le_bytes()] {
            persist.content.extend_from_slice(part);
        }
        persist.content.extend_from_slice(self.ns.as_bytes());
        persist.writes.clear();
        let fields = &self.outline.fields;
        let all: FieldSet;
        let changed = if persist.anew {
            all = (0..fields.len()).collect();
            &all
        } else {
            changed
        };
        for at in changed.iter() {
            let (Some(field), Some(chain)) = (fields.get(at), persist.chains.get_mut(at)) else { continue };
            let of_field = || persist.changes.iter().filter(|change| change.field as usize == at);
            let replaced = persist.anew || reset.contains(at) || of_field().any(|change| change.op == Op::Set);
            persist.writes.push(match field.stored {
                state::Stored::Never => continue,
                stored @ (state::Stored::Deltas | state::Stored::Additions)
                    if !replaced && !chain.wants_whole(stored) =>
                {
                    let changes: SmallVec<[&FieldChange; 4]> = of_field().collect();
                    chain.delta(at, number, delta::encode(&field.name, &changes)?)
                }
                _ => {
                    let mut sets = of_field();
                    match (sets.next(), sets.next()) {
                        (Some(only), None) if only.op == Op::Set && !reset.contains(at) => {
                            chain.whole(at, number, only.bytes.clone())
                        }
                        _ => {
                            let saved = guarded("serialization", || save(at)).unwrap_or_else(|panicked| {
                                let message = panicked.to_string();
                                Err(StateError { field: field.name.to_string(), action: "encoded", message })
                            });
                            chain.whole(at, number, saved?)
                        }
                    }
                }
            });
        }
        persist.anew = false;
        persist.changes.clear();
        Ok(())
    }

    fn write_frontier(&mut self, persist: &mut Persist, number: u64) {
        let (chain, at) = (&mut persist.frontier, self.outline.fields.len());
        let changes = self.frontier.take_changes();
        persist.writes.push(if chain.wants_whole(FRONTIER_STORED) || self.frontier.is_all(&changes) {
            self.frontier.encode(&self.outline, &mut persist.pack);
            chain.whole(at, number, persist.pack.bytes())
        } else {
            self.frontier.encode_changes(changes, &self.outline, &mut persist.pack);
            chain.delta(at, number, persist.pack.bytes())
        });
    }
}
