//! What can go, by counting what still needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Pruned, Retention};
use crate::checkpoint::{
    CheckpointError, CheckpointRow, Checkpointer, Cut, HistoryFilter, Pruning, RecordKind, ThreadRow,
};
use crate::driver::load_frontier;
use crate::event::EventKind;

/// A thread as it is read before pruning, and what has been decided to go.
pub(in crate::checkpoint) struct Plan<'s> {
    store: &'s dyn Checkpointer,
    pub(in crate::checkpoint) thread: ThreadRow,
    pub(in crate::checkpoint) namespaces: BTreeMap<Arc<str>, Namespace>,
}

/// One namespace.
#[derive(Default)]
pub(in crate::checkpoint) struct Namespace {
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

/// Rows read at a time.
const PAGE: usize = 1024;

impl<'s> Plan<'s> {
    pub(in crate::checkpoint) async fn read(
        store: &'s dyn Checkpointer,
        thread: &str,
    ) -> Result<Self, CheckpointError> {
        let unknown = || CheckpointError::UnknownThread { thread: thread.to_owned() };
        let row = store.thread(thread).await?.ok_or_else(unknown)?;
        let mut namespaces = BTreeMap::new();
        for ns in store.namespaces(thread).await? {
            let namespace = Namespace::read(store, thread, &ns).await?;
            namespaces.insert(ns.into(), namespace);
        }
        Ok(Self { store, thread: row, namespaces })
    }

    /// Lets go what the limits say.
    pub(super) async fn limit(&mut self, retention: &Retention, now: u64) -> Result<(), CheckpointError> {
        let oldest =
            retention.max_age.map_or(0, |age| now.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)));
        let mut pinned = BTreeMap::new();
        for (ns, namespace) in &self.namespaces {
            let mut pins = BTreeSet::from([namespace.head]);
            if let Some(head) = namespace.kept.get(&namespace.head) {
                let (frontier, _) = load_frontier(self.store, &self.thread.thread, ns, head).await?;
                pins.extend(frontier.tasks.iter().filter_map(|task| task.seen));
            }
            pinned.insert(Arc::clone(ns), pins);
        }
        for (ns, namespace) in &mut self.namespaces {
            let pins = pinned.get(ns);
            let numbers: Vec<(u64, u64)> = namespace.kept.values().rev().map(|row| (row.number, row.time)).collect();
            for (place, (number, time)) in (0u64..).zip(numbers) {
                let too_many = retention.keep_last.is_some_and(|most| place >= most.max(1));
                let too_old = time < oldest;
                if !too_many && !too_old {
                    continue;
                }
                if pins.is_some_and(|pins| pins.contains(&number)) {
                    namespace.for_state.insert(number);
                } else {
                    namespace.let_go(number);
                }
            }
        }
        if let Some(most) = retention.max_bytes {
            self.shrink(most, &pinned);
        }
        Ok(())
    }

    /// Lets the oldest checkpoints go until the records are small enough.
    fn shrink(&mut self, most: u64, pinned: &BTreeMap<Arc<str>, BTreeSet<u64>>) {
        let mut bytes: u64 = self.namespaces.values().map(Namespace::bytes).sum();
        let mut oldest_first: Vec<(u64, u64, Arc<str>)> = Vec::new();
        for (ns, namespace) in &self.namespaces {
            let free = namespace.kept.values().filter(|row| !pinned.get(ns).is_some_and(|p| p.contains(&row.number)));
            oldest_first.extend(free.map(|row| (row.time, row.number, Arc::clone(ns))));
        }
        oldest_first.sort();
        for (_, number, ns) in oldest_first {
            if bytes <= most {
                return;
            }
            if let Some(namespace) = self.namespaces.get_mut(&ns) {
                let before = namespace.gone_bytes;
                namespace.let_go(number);
                bytes -= namespace.gone_bytes - before;
            }
        }
    }

    /// The pruning that carries out what has been decided.
    pub(in crate::checkpoint) async fn finish(
        mut self,
        retention: &Retention,
    ) -> Result<(Pruning, Pruned), CheckpointError> {
        let thread = Arc::clone(&self.thread.thread);
        let mut pruned = Pruned::default();
        let mut pruning = Pruning::default();
        // Parents come before their children: a namespace is named by the task that it belongs to.
        let mut unfinished: BTreeMap<Arc<str>, BTreeSet<Arc<str>>> = BTreeMap::new();
        for (ns, namespace) in &mut self.namespaces {
            namespace.drop_unused();
            if retention.drop_finished_subgraphs && !ns.is_empty() && is_call(ns) {
                let parent = parent(ns);
                namespace.whole |= !unfinished.get(parent).is_some_and(|tasks| tasks.contains(ns));
            }
            let mut cut = Cut { ns: Arc::clone(ns), whole: namespace.whole, ..Cut::default() };
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
            let live =
                |row: &&CheckpointRow| row.number == namespace.head || !namespace.for_state.contains(&row.number);
            for row in namespace.kept.values().filter(|row| asked && live(row)) {
                let (frontier, _) = load_frontier(self.store, &thread, ns, row).await?;
                pending.extend(frontier.tasks.iter().map(|task| task.id.path(ns, &task.node)));
            }
            if something_goes {
                let records = self.store.task_records(&thread, ns).await?;
                let tasks: BTreeSet<Arc<str>> = records.into_iter().map(|record| record.task).collect();
                cut.tasks = tasks.into_iter().filter(|task| !belongs_to(task, &pending)).collect();
            }
            unfinished.insert(Arc::clone(ns), pending);
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

impl Namespace {
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
                for field in &row.fields {
                    namespace.used(&(Arc::clone(&field.field), field.version));
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
        for field in row.fields {
            self.unused((field.field, field.version));
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

fn parent(ns: &str) -> &str {
    ns.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Whether a namespace is named by a task, `write:7.0`: then it is of one call and not of the thread.
fn is_call(ns: &str) -> bool {
    let last = ns.rsplit_once('/').map_or(ns, |(_, last)| last);
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    last.rsplit_once(':')
        .and_then(|(_, id)| id.split_once('.'))
        .is_some_and(|(checkpoint, place)| number(checkpoint) && number(place))
}
