//! Tasks that commit, the task that writes and the subscriber against each other, over a store that takes its time.

use async_trait::async_trait;
use shuttle::future::block_on;
use shuttle::rand::{Rng, thread_rng};

use super::*;
use crate::checkpoint::{CheckpointerLayer, MemoryCheckpointer, ThreadStatus};
use crate::event::{EVENT_VERSION, Event, EventKind, EventMode};
use crate::limits::Control;
use crate::recorder::Lag;
use crate::sync::{explore, spawn, thread, yield_now};

/// A store that takes its time for some commits, and that fails at one if told to. It keeps namespace and journal of what it
/// wrote.
struct Slow {
    inner: MemoryCheckpointer,
    written: Mutex<Vec<(Arc<str>, Vec<u64>)>>,
    /// The commit that fails, counted from 0.
    fails_at: Option<usize>,
    commits: AtomicUsize,
    at_work: AtomicUsize,
}

impl Slow {
    fn has(&self, ns: &str) -> bool {
        lock(&self.written).iter().any(|(written, _)| **written == *ns)
    }
}

#[async_trait]
impl CheckpointerLayer for Slow {
    fn inner(&self) -> &dyn Checkpointer {
        &self.inner
    }

    async fn commit(&self, _: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        assert_eq!(self.at_work.fetch_add(1, Ordering::SeqCst), 0, "two write at the same time");
        let slow = thread_rng().gen_range(0..2);
        for _ in 0..slow {
            yield_now().await;
        }
        let failed = {
            let mut written = lock(&self.written);
            let failed = self.fails_at == Some(self.commits.fetch_add(1, Ordering::SeqCst));
            if !failed {
                written.push((commit.ns, commit.journal.iter().map(|row| row.seq).collect()));
            }
            failed
        };
        for _ in 0..slow {
            yield_now().await;
        }
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        match failed {
            true => Err(CheckpointError::Store { action: "committing".to_owned(), source: "it is told to".into() }),
            false => Ok(()),
        }
    }
}

/// A run over a slow store.
struct CommittingRun {
    store: Arc<Slow>,
    log: CommitLog,
    reader: Option<Arc<Queue>>,
}

impl CommittingRun {
    fn new(fails_at: Option<usize>, reader: Option<Arc<Queue>>) -> Arc<Self> {
        let inner = MemoryCheckpointer::new();
        let (commits, at_work) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let store = Arc::new(Slow { inner, written: Mutex::default(), fails_at, commits, at_work });
        let lease = Lease { thread: "t".into(), owner: "o".into(), epoch: 1 };
        let (status, empty) = (ThreadStatus::Running, String::new);
        let row = ThreadRow {
            thread: "t".into(),
            graph: empty(),
            graph_version: 1,
            status,
            detail: empty(),
            created: 0,
            updated: 0,
            epoch: 1,
            owner: empty(),
        };
        let log = CommitLog::new(Arc::clone(&store) as Arc<dyn Checkpointer>, lease, row, 0);
        // Whether others are in flight decides by which way a commit goes.
        log.beside().store(thread_rng().gen_range(0..3), Ordering::SeqCst);
        Arc::new(Self { store, log, reader })
    }

    /// Commits once, with one event that is kept and one that is only told.
    async fn commit(&self, ns: &str, durability: Durability) -> Result<(), CheckpointError> {
        let event =
            |kind| Event { v: EVENT_VERSION, seq: None, ns: ns.into(), step: 0, task: None, attempt: 0, time: 0, kind };
        let kept = EventKind::Warning { message: String::new() };
        let told = EventKind::TaskStarted { node: String::new(), packet: None };
        let mut events = Events::from_iter([event(kept).into(), event(told).into()]);
        let commit = Box::new(Commit { ns: ns.into(), ..Commit::default() });
        self.log.write_commit(commit, &Heads::default(), &mut events, durability, self.reader.as_ref()).await
    }

    /// Everything was written once, in the order of the journal.
    fn check(&self, all: usize) {
        let written = lock(&self.store.written);
        let mut namespaces: Vec<_> = written.iter().map(|(ns, _)| Arc::clone(ns)).collect();
        namespaces.sort();
        namespaces.dedup();
        assert_eq!((namespaces.len(), written.len()), (all, all), "each is written once: {written:?}");
        let seqs: Vec<_> = written.iter().flat_map(|(_, seqs)| seqs).collect();
        assert!(seqs.is_sorted_by(|one, next| one < next), "out of order: {written:?}");
    }
}

/// Whether a commit was acknowledged. An error is the store's own.
fn is_done(told: Result<(), CheckpointError>) -> bool {
    let Err(error) = told else { return true };
    assert!(error.to_string().contains("it is told to"), "{error}");
    false
}

/// Runs two tasks that commit twice each. Returns by namespace what each was told.
fn two_commit_twice(run: &Arc<CommittingRun>, durability: Durability) -> Vec<(String, bool)> {
    let tasks: Vec<_> = (0..2)
        .map(|task| {
            let run = Arc::clone(run);
            thread::spawn(move || {
                let commit = |commit| {
                    let ns = format!("{task}.{commit}");
                    let done = is_done(block_on(run.commit(&ns, durability)));
                    let waits = durability == Durability::Sync;
                    assert!(!done || !waits || run.store.has(&ns), "`{ns}` is acknowledged before it is written");
                    (ns, done)
                };
                [commit(0), commit(1)]
            })
        })
        .collect();
    tasks.into_iter().flat_map(|task| task.join().unwrap()).collect()
}

#[test]
fn a_commit_is_written_once_and_then_acknowledged() {
    for durability in [Durability::Sync, Durability::Async] {
        explore(1500, move || {
            let run = CommittingRun::new(None, None);
            let told = two_commit_twice(&run, durability);
            assert!(told.iter().all(|(_, done)| *done), "{told:?}");
            block_on(run.log.flush()).expect("the store writes");
            run.check(4);
        });
    }
}

#[test]
fn a_failure_of_the_store_is_told_to_all_that_wait_and_nothing_is_written_after_it() {
    for durability in [Durability::Sync, Durability::Async] {
        explore(1500, move || {
            let fails_at = thread_rng().gen_range(0..4);
            let run = CommittingRun::new(Some(fails_at), None);
            let told = two_commit_twice(&run, durability);
            assert!(!is_done(block_on(run.log.flush())), "the run fails with its store");
            assert!(!is_done(block_on(run.commit("late", durability))));
            let done = told.iter().filter(|(_, done)| *done).count();
            // Of those that shared a transaction, what was written is told as failed, too.
            assert!(durability != Durability::Sync || done <= fails_at, "{told:?}, {fails_at} were written");
            run.check(fails_at);
        });
    }
}

#[test]
fn a_subscriber_is_told_in_order_of_what_is_written() {
    explore(2000, || {
        let queue = Arc::new(Queue::new(Lag::Block, vec![EventMode::Debug], Arc::<Control>::default()));
        let run = CommittingRun::new(None, Some(Arc::clone(&queue)));
        let reading = thread::spawn({
            let (queue, run) = (Arc::clone(&queue), Arc::clone(&run));
            move || {
                let (mut last, mut commit, mut told) = (None, None, 0);
                while let Some(event) = block_on(queue.next()) {
                    assert!(run.store.has(&event.ns), "`{}` is told before it is written", event.ns);
                    match event.seq {
                        Some(seq) => {
                            assert!(last < Some(seq), "{seq} after {last:?}");
                            (last, commit) = (Some(seq), Some(event.ns));
                        }
                        None => assert_eq!(commit.as_ref(), Some(&event.ns), "events of a commit are told together"),
                    }
                    told += 1;
                }
                told
            }
        });
        two_commit_twice(&run, Durability::Sync);
        block_on(run.log.flush()).expect("the store writes");
        queue.finish();
        assert_eq!(reading.join().unwrap(), 8, "each event is told once");
        run.check(4);
    });
}

#[test]
fn who_goes_away_leaves_order_and_others_as_they_are() {
    explore(2000, || {
        let run = CommittingRun::new(None, None);
        let leaves = spawn({
            let run = Arc::clone(&run);
            async move {
                for ns in ["left.0", "left.1"] {
                    run.commit(ns, Durability::Sync).await.expect("the store writes");
                }
            }
        });
        let stops = thread::spawn(move || {
            leaves.abort();
            leaves
        });
        let told = two_commit_twice(&run, Durability::Sync);
        assert!(told.iter().all(|(_, done)| *done), "{told:?}");
        let _ = block_on(stops.join().unwrap());
        block_on(run.log.flush()).expect("the store writes");
        let left = ["left.0", "left.1"].into_iter().filter(|ns| run.store.has(ns)).count();
        run.check(4 + left);
    });
}

#[test]
fn what_waits_for_the_end_is_written_before_a_record_and_with_the_end() {
    explore(2000, || {
        let run = CommittingRun::new(None, None);
        let records = spawn({
            let run = Arc::clone(&run);
            async move {
                let kind = crate::checkpoint::TaskRecordKind::Once;
                let record = TaskRecord { task: "r:1.0".into(), kind, key: "k".into(), payload: Arc::default() };
                run.log.record(&"r".into(), record, Durability::Exit).await.expect("the store writes");
                assert!(run.store.has("r"), "a record is durable at once");
            }
        });
        let told = two_commit_twice(&run, Durability::Exit);
        block_on(run.log.settle("0.0", Durability::Exit)).expect("the store writes");
        assert!(run.store.has("0.0"), "what is read in the middle of a run is written");
        block_on(records).expect("it is not stopped");
        block_on(run.log.flush()).expect("the store writes");
        assert!(told.iter().all(|(ns, _)| run.store.has(ns)), "{told:?}");
        let written = lock(&run.store.written).len();
        assert_eq!(written, 5, "each namespace is written once");
    });
}
