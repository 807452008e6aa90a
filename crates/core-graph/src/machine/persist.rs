//! Fields and frontier in stored form: whole values, or differences with a whole value from time to time.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::checkpoint::{Chain, CheckpointId, CheckpointRow, Commit, CompactStep, Source, Writes, is_short};
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
    /// What the commit writes; kept for its room, as are those below.
    writes: Writes,
    /// Where the frontier is encoded.
    pack: Pack,
    /// A commit that is written, for its room.
    spare: Option<Box<Commit>>,
}

/// What a step of one task led to.
#[derive(Clone, Copy, Debug)]
struct StepOutcome {
    node: u32,
    /// The node of the task that follows alone.
    next: Option<u32>,
    changed: u64,
    /// Whether the frontier is stored as a whole.
    whole: bool,
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
            writes: Writes::default(),
            pack: Pack::default(),
            spare: None,
        }
    }

    /// A namespace at a checkpoint that was read.
    pub(crate) fn at(row: &CheckpointRow, head: u64, chains: Vec<Chain>, frontier: Chain, anew: bool) -> Self {
        let (parent, head, parent_id) = (Some(row.number), Some(head), row.id.clone());
        Self { parent, head, parent_id, chains, frontier, anew, ..Self::new(0) }
    }

    /// Adds the frontier, which is encoded, to what commit `number` writes.
    fn put_frontier(&mut self, number: u64, whole: bool) {
        let bytes = self.pack.bytes();
        let previous = self.frontier.add(number, whole, bytes.len());
        self.writes.add(number, self.chains.len(), previous, bytes);
    }

    /// Makes commit `number` the head. Its id is the same for the same commit after the same parent, in every process.
    fn move_head(&mut self, number: u64) -> u128 {
        let id = self.writes.id();
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
        let written = self.write_fields(&mut persist, number, (&folded.changed, &folded.reset), true, save);
        let commit = written.map(|()| self.commit_of(&mut persist, number, source, None, now));
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
    ) -> Result<Option<Box<Commit>>, StateError> {
        let Some(mut persist) = self.persist.take() else { return Ok(None) };
        let before = Some(number - 1);
        let follows = persist.compact && !persist.anew && persist.parent == before && persist.head == before;
        // The last step of a root is more than itself: the run ends with it.
        let goes_on = next.is_some() || !self.ns.is_empty();
        let compact = follows && goes_on && finished.0 == TaskId { number: number - 1, place: 0 };
        let written = self.write_fields(&mut persist, number, (changed, &FieldSet::default()), !compact, save);
        let stored = written.map(|()| {
            let step = if compact { self.outcome_of(&mut persist, number, (finished.1, next), changed) } else { None };
            self.commit_of(&mut persist, number, Source::Step, step, now)
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

    /// Takes back a commit that is written: the next takes its room.
    pub(crate) fn reuse(&mut self, commit: Box<Commit>) {
        if let Some(persist) = &mut self.persist {
            persist.spare = Some(commit);
        }
    }

    /// What is to be known of a step of one task to commit it in compact form, when it can be. Its frontier is encoded then.
    fn outcome_of(
        &self,
        persist: &mut Persist,
        number: u64,
        (node, next): (u32, Option<u32>),
        changed: &FieldSet,
    ) -> Option<StepOutcome> {
        let (changed, whole) = (changed.as_bits()?, self.frontier.as_step(number, next.is_some())?);
        let follows =
            whole || (persist.frontier.version + 1 == number && !persist.frontier.wants_whole(FRONTIER_STORED));
        if !follows || persist.writes.all_short()? != changed.count_ones() as usize {
            return None;
        }
        let name = next.map(|next| self.outline.node(next).name.as_str());
        pack_step(&mut persist.pack, number, name, whole);
        is_short(persist.pack.bytes()).then_some(StepOutcome { node, next, changed, whole })
    }

    /// A commit of the namespace that brings nothing yet.
    fn commit_of_nothing(&self) -> Box<Commit> {
        Box::new(Commit { ns: Arc::clone(&self.ns), ..Commit::default() })
    }

    /// Makes a commit of what is written of fields, and of the frontier: in compact form when a step of one task is given.
    fn commit_of(
        &mut self,
        persist: &mut Persist,
        number: u64,
        source: Source,
        step: Option<StepOutcome>,
        now: u64,
    ) -> Box<Commit> {
        let fields = persist.writes.content().len();
        match &step {
            None => self.write_frontier(persist, number),
            Some(step) => {
                self.frontier.clear_changes();
                persist.put_frontier(number, step.whole);
            }
        }
        let (parent, expected_head) = (persist.parent, persist.head);
        let id = persist.move_head(number);
        let mut commit = persist.spare.take().unwrap_or_else(|| self.commit_of_nothing());
        // Its writer may have taken all of it.
        if !Arc::ptr_eq(&commit.ns, &self.ns) {
            commit.ns = Arc::clone(&self.ns);
        }
        commit.expected_head = expected_head;
        let row = commit.checkpoint.get_or_insert_with(CheckpointRow::unset);
        (row.number, row.parent, row.id, row.step) = (number, parent, id.into(), self.step);
        (row.source, row.time, row.executed) = (source, now, self.executed);
        row.state_version = self.outline.state_version;
        let chains = persist.chains.iter().chain([&persist.frontier]);
        row.fields.fill(&self.outline.field_names, chains.map(|chain| chain.version));
        match step {
            None => {
                commit.step = None;
                commit.fields = persist.writes.records(number, &self.outline.field_names);
            }
            Some(StepOutcome { node, next, changed, whole }) => {
                let names = self.step_names();
                commit.step.take_if(|step| !Arc::ptr_eq(&step.names, names));
                let step = commit.step.get_or_insert_with(|| CompactStep::of(Arc::clone(names)));
                (step.seq, step.node, step.next, step.changed, step.whole) = (0, node, next, changed, whole);
                step.set_content(persist.writes.content(), fields);
            }
        }
        commit
    }

    /// Writes the records of fields; `keeps` says that rows are to be made of them.
    fn write_fields(
        &mut self,
        persist: &mut Persist,
        number: u64,
        (changed, reset): (&FieldSet, &FieldSet),
        keeps: bool,
        save: SaveField<'_>,
    ) -> Result<(), StateError> {
        let counted = u128::from(self.step) << 64 | u128::from(number);
        persist.writes.begin([persist.parent_id.seed(), counted], &self.ns, keeps);
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
            let writes = &mut persist.writes;
            match field.stored {
                state::Stored::Never => {}
                stored @ (state::Stored::Deltas | state::Stored::Additions)
                    if !replaced && !chain.wants_whole(stored) =>
                {
                    let changes: SmallVec<[&FieldChange; 4]> = of_field().collect();
                    let bytes = delta::encode(&field.name, &changes)?;
                    writes.add(number, at, chain.add(number, false, bytes.len()), bytes);
                }
                _ => {
                    let mut sets = of_field();
                    match (sets.next(), sets.next()) {
                        (Some(only), None) if only.op == Op::Set && !reset.contains(at) => {
                            writes.add(number, at, chain.add(number, true, only.bytes.len()), only.bytes.clone());
                        }
                        _ => {
                            let saved = guarded("serialization", || save(at)).unwrap_or_else(|panicked| {
                                let message = panicked.to_string();
                                Err(StateError { field: field.name.to_string(), action: "encoded", message })
                            })?;
                            writes.add(number, at, chain.add(number, true, saved.len()), saved);
                        }
                    }
                }
            }
        }
        persist.anew = false;
        persist.changes.clear();
        Ok(())
    }

    fn write_frontier(&mut self, persist: &mut Persist, number: u64) {
        let changes = self.frontier.take_changes();
        let whole = persist.frontier.wants_whole(FRONTIER_STORED) || self.frontier.is_all(&changes);
        if whole {
            self.frontier.encode(&self.outline, &mut persist.pack);
        } else {
            self.frontier.encode_changes(changes, &self.outline, &mut persist.pack);
        }
        persist.put_frontier(number, whole);
    }
}
