//! What can go, by counting what still needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Pruned, Retention};
use crate::checkpoint::{
    CheckpointError, CheckpointRow, Checkpointer, Cut, HistoryFilter, Pruning, RecordKind, TaskRecordKind, ThreadRow,
    load_frontier,
};
use crate::event::EventKind;
use crate::record::{FRONTIER, ReplayPoint};

/// A thread as it is read before pruning, and what has been decided to go.
pub(in crate::checkpoint) struct RetentionPlan<'s> {
    store: &'s dyn Checkpointer,
    pub(in crate::checkpoint) thread: ThreadRow,
    pub(in crate::checkpoint) namespaces: BTreeMap<Arc<str>, RetainedNamespace>,
}

/// One namespace.
#[derive(Default)]
pub(in crate::checkpoint) struct RetainedNamespace {
    pub(in crate::checkpoint) head: u64,
    /// Where the head moves.
    pub(in crate::checkpoint) new_head: Option<u64>,
    /// Those that are kept, by number.
    pub(in crate::checkpoint) kept: BTreeMap<u64, CheckpointRow>,
    /// Those that are kept only for the state that a task was dispatched on.
    for_state: BTreeSet<u64>,
    gone: Vec<u64>,
    records: BTreeMap<(Arc<str>, u64), Record>,
    gone_records: Vec<(Arc<str>, u64)>,
    gone_bytes: u64,
    pub(in crate::checkpoint) whole: bool,
}

/// A field record, and how many checkpoints and later records are read from it.
struct Record {
    builds_on: Option<u64>,
    bytes: u64,
    uses: u64,
}

/// Checkpoints that cannot go, by namespace.
pub(in crate::checkpoint) type Pins = BTreeMap<Arc<str>, BTreeSet<u64>>;

/// Rows read at a time.
const PAGE: usize = 1024;

impl<'s> RetentionPlan<'s> {
    pub(in crate::checkpoint) async fn read(
        store: &'s dyn Checkpointer,
        thread: &str,
    ) -> Result<Self, CheckpointError> {
        let unknown = || CheckpointError::UnknownThread { thread: thread.to_owned() };
        let row = store.thread(thread).await?.ok_or_else(unknown)?;
        let mut namespaces = BTreeMap::new();
        for ns in store.namespaces(thread).await? {
            let namespace = RetainedNamespace::read(store, thread, &ns).await?;
            namespaces.insert(ns.into(), namespace);
        }
        Ok(Self { store, thread: row, namespaces })
    }

    /// Lets go what the limits say.
    pub(super) async fn limit(&mut self, retention: &Retention, now: u64) -> Result<(), CheckpointError> {
        let oldest =
            retention.max_age.map_or(0, |age| now.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)));
        let mut pinned = Pins::new();
        for ns in self.outside_in() {
            self.needed_by_head(&ns, &mut pinned).await?;
            let pins = pinned.remove(&ns).unwrap_or_default();
            let Some(namespace) = self.namespaces.get_mut(&ns) else { continue };
            let numbers: Vec<(u64, u64)> = namespace.kept.values().rev().map(|row| (row.number, row.time)).collect();
            for (place, (number, time)) in (0u64..).zip(numbers) {
                let too_many = retention.keep_last.is_some_and(|most| place >= most.max(1));
                let too_old = time < oldest;
                if !too_many && !too_old {
                    continue;
                }
                if pins.contains(&number) {
                    namespace.for_state.insert(number);
                } else {
                    namespace.let_go(number);
                }
            }
            self.recorded_by(&ns, &mut pinned).await?;
        }
        if let Some(most) = retention.max_bytes {
            // What goes may be all that needed a checkpoint of a subgraph, which then can go as well.
            while self.bytes() > most && self.shrink(most).await? {}
        }
        Ok(())
    }

    /// Namespaces, each after those that may record where it stands or hold the call that it is of.
    pub(in crate::checkpoint) fn outside_in(&self) -> Vec<Arc<str>> {
        let depth = |ns: &str| if ns.is_empty() { 0 } else { 1 + ns.matches('/').count() };
        let mut all: Vec<_> = self.namespaces.keys().map(Arc::clone).collect();
        all.sort_by_key(|ns| depth(ns));
        all
    }

    /// Whether the thread has subgraphs that are kept per thread.
    fn keeps_subgraphs(&self) -> bool {
        self.namespaces.keys().any(|ns| !ns.is_empty() && !is_call(ns))
    }

    fn bytes(&self) -> u64 {
        self.namespaces.values().map(RetainedNamespace::bytes).sum()
    }

    /// Adds the head, the checkpoints that its unfinished tasks were dispatched on, and those that their subgraphs are to go
    /// on from.
    async fn needed_by_head(&self, ns: &Arc<str>, pins: &mut Pins) -> Result<(), CheckpointError> {
        let Some(namespace) = self.namespaces.get(ns) else { return Ok(()) };
        let needed = pins.entry(Arc::clone(ns)).or_default();
        needed.insert(namespace.head);
        let Some(head) = namespace.kept.get(&namespace.head) else { return Ok(()) };
        let (frontier, _) = load_frontier(self.store, &self.thread.thread, ns, head).await?;
        needed.extend(frontier.tasks.iter().filter_map(|task| task.seen));
        if !frontier.tasks.is_empty() {
            for (child, number) in replayed_by(self.store, &self.thread.thread, ns).await? {
                pins.entry(child).or_default().insert(number);
            }
        }
        Ok(())
    }

    /// Adds the checkpoints of subgraphs that the kept checkpoints of a namespace record. Without them, going back to
    /// such a checkpoint would find its subgraphs gone.
    pub(in crate::checkpoint) async fn recorded_by(
        &self,
        ns: &Arc<str>,
        pins: &mut Pins,
    ) -> Result<(), CheckpointError> {
        let Some(namespace) = self.namespaces.get(ns).filter(|_| self.keeps_subgraphs()) else { return Ok(()) };
        let mut seen = BTreeSet::new();
        for row in namespace.kept.values() {
            // A frontier that did not change records the same.
            if !seen.insert(row.fields.of(FRONTIER)) {
                continue;
            }
            let (frontier, _) = load_frontier(self.store, &self.thread.thread, ns, row).await?;
            for (child, number) in frontier.children() {
                pins.entry(Arc::clone(child)).or_default().insert(number);
            }
        }
        Ok(())
    }

    /// Lets the oldest checkpoints go until the records are small enough; whether any went.
    async fn shrink(&mut self, most: u64) -> Result<bool, CheckpointError> {
        let mut pinned = Pins::new();
        for ns in self.outside_in() {
            self.needed_by_head(&ns, &mut pinned).await?;
            self.recorded_by(&ns, &mut pinned).await?;
        }
        let mut bytes = self.bytes();
        let mut oldest_first: Vec<(u64, u64, Arc<str>)> = Vec::new();
        for (ns, namespace) in &self.namespaces {
            let free = namespace.kept.values().filter(|row| !pinned.get(ns).is_some_and(|p| p.contains(&row.number)));
            oldest_first.extend(free.map(|row| (row.time, row.number, Arc::clone(ns))));
        }
        oldest_first.sort();
        let mut any = false;
        for (_, number, ns) in oldest_first {
            if bytes <= most {
                break;
            }
            if let Some(namespace) = self.namespaces.get_mut(&ns) {
                let before = namespace.gone_bytes;
                namespace.let_go(number);
                bytes -= namespace.gone_bytes - before;
                any = true;
            }
        }
        Ok(any)
    }

    /// The pruning that carries out what has been decided.
    pub(in crate::checkpoint) async fn finish(
        mut self,
        retention: &Retention,
    ) -> Result<(Pruning, Pruned), CheckpointError> {
        let thread = Arc::clone(&self.thread.thread);
        let mut pruned = Pruned::default();
        let mut pruning = Pruning::default();
        let keeps_subgraphs = self.keeps_subgraphs();
        let mut unfinished: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut replayed = Pins::new();
        for ns in self.outside_in() {
            let Some(namespace) = self.namespaces.get_mut(&ns) else { continue };
            namespace.drop_unused();
            if retention.drop_finished_subgraphs && !ns.is_empty() && is_call(&ns) {
                namespace.whole |= !unfinished.contains(&ns) && !replayed.contains_key(&ns);
            }
            let mut cut = Cut { ns: Arc::clone(&ns), whole: namespace.whole, ..Cut::default() };
            if namespace.whole {
                pruned.namespaces += 1;
                pruned.checkpoints += (namespace.kept.len() + namespace.gone.len()) as u64;
                pruned.records += (namespace.records.len() + namespace.gone_records.len()) as u64;
                pruned.bytes += namespace.bytes() + namespace.gone_bytes;
                pruning.cuts.push(cut);
                continue;
            }
            let mut pending = BTreeSet::new();
            let something_goes = !namespace.gone.is_empty() || namespace.new_head.is_some();
            let asked = something_goes || retention.drop_finished_subgraphs;
            let goes_on = |number: u64| replayed.get(&ns).is_some_and(|numbers| numbers.contains(&number));
            let live = |row: &&CheckpointRow| {
                row.number == namespace.head || !namespace.for_state.contains(&row.number) || goes_on(row.number)
            };
            for row in namespace.kept.values().filter(|row| (asked || keeps_subgraphs) && live(row)) {
                let (frontier, _) = load_frontier(self.store, &thread, &ns, row).await?;
                let base = frontier.base(&ns);
                // What a call that has ended left undone is not gone on with.
                if *base == ns || unfinished.contains(base) || goes_on(row.number) {
                    pending.extend(frontier.tasks.iter().map(|task| task.id.path(base, &task.node)));
                }
            }
            if !pending.is_empty() {
                for (child, number) in replayed_by(self.store, &thread, &ns).await? {
                    replayed.entry(child).or_default().insert(number);
                }
            }
            if something_goes {
                let records = self.store.task_records(&thread, &ns).await?;
                let tasks: BTreeSet<Arc<str>> = records.into_iter().map(|record| record.task).collect();
                cut.tasks = tasks.into_iter().filter(|task| !belongs_to(task, &pending)).collect();
            }
            unfinished.extend(pending);
            pruned.checkpoints += namespace.gone.len() as u64;
            pruned.records += namespace.gone_records.len() as u64;
            pruned.bytes += namespace.gone_bytes;
            pruned.tasks += cut.tasks.len() as u64;
            cut.checkpoints = std::mem::take(&mut namespace.gone);
            cut.records = std::mem::take(&mut namespace.gone_records);
            cut.head = namespace.new_head;
            if something_goes || !cut.records.is_empty() {
                pruning.cuts.push(cut);
            }
        }
        if retention.cut_journal {
            pruning.journal_before = self.journal_begin().await?;
        }
        Ok((pruning, pruned))
    }

    /// The sequence number with which the run begins that made the oldest kept checkpoint of the root; 0 when that
    /// cannot be told.
    async fn journal_begin(&self) -> Result<u64, CheckpointError> {
        let oldest = self.namespaces.get("").and_then(|root| root.kept.keys().next().copied());
        let Some(oldest) = oldest else { return Ok(0) };
        let (mut last, mut begin) = (0, 0);
        loop {
            let rows = self.store.journal(&self.thread.thread, last, PAGE).await?;
            let Some(newest) = rows.last() else { return Ok(0) };
            last = newest.seq;
            for row in rows {
                // Rows that some other program wrote tell nothing.
                let Ok(event) = row.event.read() else { continue };
                match event.kind {
                    EventKind::RunStarted { .. } if event.ns.is_empty() => begin = row.seq,
                    EventKind::Committed { checkpoint, .. } if event.ns.is_empty() && checkpoint == oldest => {
                        return Ok(begin);
                    }
                    _ => {}
                }
            }
        }
    }
}

impl RetainedNamespace {
    async fn read(store: &dyn Checkpointer, thread: &str, ns: &str) -> Result<Self, CheckpointError> {
        let head = store.checkpoint(thread, ns, None).await?;
        let mut namespace = Self { head: head.map_or(0, |head| head.number), ..Self::default() };
        for record in store.outline(thread, ns).await? {
            let builds_on = record.previous.filter(|_| record.kind == RecordKind::Delta);
            let key = (record.field, record.version);
            namespace.records.insert(key, Record { builds_on, bytes: record.bytes, uses: 0 });
        }
        let links: Vec<_> = namespace
            .records
            .iter()
            .filter_map(|((field, _), record)| Some((Arc::clone(field), record.builds_on?)))
            .collect();
        for link in links {
            namespace.used(&link);
        }
        let mut filter = HistoryFilter { limit: Some(PAGE), ..HistoryFilter::default() };
        loop {
            let rows = store.checkpoints(thread, ns, &filter).await?;
            let Some(last) = rows.last() else { return Ok(namespace) };
            filter.before = Some(last.number);
            for row in rows {
                for (field, version) in row.fields.iter() {
                    namespace.used(&(Arc::clone(field), version));
                }
                namespace.kept.insert(row.number, row);
            }
        }
    }

    fn used(&mut self, key: &(Arc<str>, u64)) {
        if let Some(record) = self.records.get_mut(key) {
            record.uses += 1;
        }
    }

    fn bytes(&self) -> u64 {
        self.records.values().map(|record| record.bytes).sum()
    }

    /// Lets a checkpoint go, with the records that only it is read from.
    pub(in crate::checkpoint) fn let_go(&mut self, number: u64) {
        let Some(row) = self.kept.remove(&number) else { return };
        self.gone.push(number);
        for (field, version) in row.fields.iter() {
            self.unused((Arc::clone(field), version));
        }
    }

    fn unused(&mut self, mut key: (Arc<str>, u64)) {
        loop {
            let Some(record) = self.records.get_mut(&key) else { return };
            record.uses = record.uses.saturating_sub(1);
            if record.uses > 0 {
                return;
            }
            let builds_on = record.builds_on;
            self.remove(&key);
            match builds_on {
                Some(previous) => key.1 = previous,
                None => return,
            }
        }
    }

    fn remove(&mut self, key: &(Arc<str>, u64)) {
        if let Some(record) = self.records.remove(key) {
            self.gone_bytes += record.bytes;
            self.gone_records.push((Arc::clone(&key.0), key.1));
        }
    }

    /// Removes records that no checkpoint was ever read from, such as those of a branch that an earlier version left.
    fn drop_unused(&mut self) {
        let unused: Vec<_> = self.records.iter().filter(|(_, r)| r.uses == 0).map(|(key, _)| key.clone()).collect();
        for key in unused {
            if let Some(record) = self.records.get_mut(&key) {
                record.uses = 1;
            }
            self.unused(key);
        }
    }
}

/// The checkpoints that calls of unfinished tasks of a namespace are to go on from, which replays went back to.
async fn replayed_by(
    store: &dyn Checkpointer,
    thread: &str,
    ns: &Arc<str>,
) -> Result<Vec<(Arc<str>, u64)>, CheckpointError> {
    let mut checkpoints = Vec::new();
    for record in store.open_records(thread, ns).await? {
        if record.kind == TaskRecordKind::Replay {
            let point = ReplayPoint::decode(&record.payload).map_err(|error| CheckpointError::Corrupt {
                place: format!("thread `{thread}`, namespace `{ns}`, task `{}`", record.task),
                message: error.to_string(),
            })?;
            checkpoints.extend(point.checkpoints().map(|(child, number)| (Arc::clone(child), number)));
        }
    }
    Ok(checkpoints)
}

/// Whether records of a task are for an unfinished task, or for one inside of it.
fn belongs_to(task: &str, unfinished: &BTreeSet<Arc<str>>) -> bool {
    let mut end = task.len();
    loop {
        if unfinished.contains(&task[..end]) {
            return true;
        }
        match task[..end].rfind('/') {
            Some(slash) => end = slash,
            None => return false,
        }
    }
}

/// Whether a namespace is named by a task, `write:7.0`: then it is of one call and not of the thread.
fn is_call(ns: &str) -> bool {
    let last = ns.rsplit_once('/').map_or(ns, |(_, last)| last);
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    last.rsplit_once(':')
        .and_then(|(_, id)| id.split_once('.'))
        .is_some_and(|(checkpoint, place)| number(checkpoint) && number(place))
}
