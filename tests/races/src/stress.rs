//! The stress run: drivers of many threads against each other, on as many threads as there are cores.
//!
//! Each driver stands for a process: it has the file open by itself. All of them run the same few threads, so that leases
//! are fought for, with every durability, in both modes; some read their runs to the end, some go away in the middle, and
//! some cancel. At the end the states of the threads must add up to what the drivers were told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteOptions, Synchronous};
use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::{Durability, EventKind, Mode, Outcome, RunError, RunPolicy, Thread, Threads};

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::work::{Work, wide, wide_behind};

/// How much a stress run does.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Drivers, each with its own handle of the file.
    pub drivers: u64,
    /// Threads that all of them run.
    pub threads: u64,
    /// Runs that each driver begins.
    pub runs: u64,
    /// Tasks of a super-step.
    pub width: u64,
}

/// Super-steps of a run that are wide.
const ROUNDS: u64 = 3;

/// What the drivers were told.
#[derive(Debug, Default)]
pub struct Tally {
    /// Runs that ended.
    pub done: AtomicU64,
    /// Runs that were refused, because another driver had the lease.
    pub busy: AtomicU64,
    /// Runs whose reader went away.
    pub left: AtomicU64,
    /// Runs that were cancelled.
    pub cancelled: AtomicU64,
}

/// Runs the load against one SQLite file in each way of writing, and against memory.
///
/// # Panics
/// A promise was broken.
pub async fn run(load: Load) -> Tally {
    let tally = Arc::new(Tally::default());
    for options in
        [SqliteOptions::default(), SqliteOptions::default().own_thread(), SqliteOptions::synchronous(Synchronous::Full)]
    {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("stress.db");
        let open = |_| Arc::new(open(&file, options)) as Arc<dyn Checkpointer>;
        fight(load, &tally, (0..load.drivers).map(open).collect()).await;
    }
    let memory = MemoryCheckpointer::new();
    fight(load, &tally, (0..load.drivers).map(|_| Arc::new(memory.clone()) as Arc<dyn Checkpointer>).collect()).await;
    Arc::into_inner(tally).expect("all drivers have ended")
}

fn open(file: &Path, options: SqliteOptions) -> SqliteCheckpointer {
    SqliteCheckpointer::open_with(file, options).expect("a new file can be opened")
}

/// Lets one driver run on each of the stores, which are handles of one, and looks at what is stored then. A run of its own holds the
/// first thread until a driver was refused, so that there is a fight however the drivers come.
async fn fight(load: Load, tally: &Arc<Tally>, stores: Vec<Arc<dyn Checkpointer>>) {
    let Load { threads, width, .. } = load;
    let gate = Arc::new(Semaphore::new(0));
    let held = wide_behind(&gate, Mode::Barrier, width, ROUNDS).with_shared_checkpointer(Arc::clone(&stores[0]));
    let mut held = held.thread("fought-0").run(Work::update());
    while !matches!(held.next().await.expect("the run waits").kind, EventKind::Committed { .. }) {}
    let before = tally.busy.load(Ordering::Relaxed);
    let ended: Arc<Vec<AtomicU64>> = Arc::new((0..threads).map(|_| AtomicU64::new(0)).collect());
    let drivers: Vec<_> = stores
        .iter()
        .enumerate()
        .map(|(number, store)| {
            let driver = Driver {
                number: number as u64,
                load,
                store: Arc::clone(store),
                tally: Arc::clone(tally),
                ended: Arc::clone(&ended),
            };
            tokio::spawn(driver.work())
        })
        .collect();
    while tally.busy.load(Ordering::Relaxed) == before && !drivers.iter().any(JoinHandle::is_finished) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    gate.add_permits(1);
    assert!(matches!(held.await, Ok(Outcome::Done(_))), "the run that held the thread ends");
    ended[0].fetch_add(1, Ordering::Relaxed);
    for driver in drivers {
        driver.await.expect("no driver panics");
    }
    let threads = wide(Mode::Barrier, width, ROUNDS).with_shared_checkpointer(Arc::clone(&stores[0]));
    for (number, ended) in ended.iter().enumerate() {
        check(&threads.thread(format!("fought-{number}")), ended.load(Ordering::Relaxed), width).await;
    }
}

/// The state of a thread is that of the runs that ended, and no task was committed twice.
async fn check(thread: &Thread<Work>, ended: u64, width: u64) {
    let state = thread.state().await.expect("the thread can be read");
    let id = thread.id();
    let expected = (ended * ROUNDS * width, ended * ROUNDS);
    assert_eq!((state.state.tasks, state.state.rounds), expected, "`{id}` after {ended} runs");
    let mut committed: BTreeMap<_, u64> = BTreeMap::new();
    let mut last = 0;
    for event in thread.journal(0, usize::MAX).await.expect("the journal can be read") {
        let seq = event.seq.expect("an event of the journal has its place");
        assert!(seq > last, "`{id}`: place {seq} comes after {last}");
        last = seq;
        if let EventKind::Committed { tasks, .. } = event.kind {
            tasks.into_iter().for_each(|task| *committed.entry(task).or_default() += 1);
        }
    }
    let twice: BTreeSet<_> = committed.into_iter().filter(|(_, times)| *times > 1).collect();
    assert!(twice.is_empty(), "`{id}`: committed more than once: {twice:?}");
}

/// One that stands for a process.
struct Driver {
    number: u64,
    load: Load,
    store: Arc<dyn Checkpointer>,
    tally: Arc<Tally>,
    /// By thread, how many runs were acknowledged.
    ended: Arc<Vec<AtomicU64>>,
}

impl Driver {
    async fn work(self) {
        for run in 0..self.load.runs {
            let mode = if (run + self.number).is_multiple_of(2) { Mode::Barrier } else { Mode::Eager };
            let graph = wide(mode, self.load.width, ROUNDS);
            let threads = graph.with_shared_checkpointer(Arc::clone(&self.store));
            match run % 4 {
                0 => self.abandoned(&threads, run).await,
                1 => {
                    let end = graph.run_once(Work::update()).await.expect("a run without a store ends");
                    let Outcome::Done(state) = end else { panic!("{end:?}") };
                    assert_eq!(state.tasks, ROUNDS * self.load.width);
                }
                _ => self.fought_for(&threads, run).await,
            }
        }
    }

    fn durability(&self, run: u64) -> RunPolicy {
        let all = [Durability::Sync, Durability::Async, Durability::Exit];
        RunPolicy::default().durability(all[(run / 2 + self.number) as usize % all.len()])
    }

    /// Runs a thread of all drivers to its end. One in two is read.
    async fn fought_for(&self, threads: &Threads<Work>, run: u64) {
        let number = run % self.load.threads;
        let thread = threads.thread(format!("fought-{number}")).policy(self.durability(run));
        loop {
            let mut run_of = thread.run(Work::update());
            if run.is_multiple_of(2) {
                while run_of.next().await.is_some() {}
            }
            match run_of.await {
                Ok(end) => {
                    assert!(matches!(end, Outcome::Done(_)), "{end:?}");
                    self.ended[number as usize].fetch_add(1, Ordering::Relaxed);
                    self.tally.done.fetch_add(1, Ordering::Relaxed);
                    return;
                }
                // Of two that ask at the same time, the first to write has it.
                Err(RunError::Checkpoint(CheckpointError::ThreadBusy { .. } | CheckpointError::StaleHead { .. })) => {
                    self.tally.busy.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                Err(error) => panic!("driver {} on `{}`: {error}", self.number, thread.id()),
            }
        }
    }

    /// Runs a thread of the driver's own, goes away in the middle of it, and finishes it then.
    async fn abandoned(&self, threads: &Threads<Work>, run: u64) {
        let id = format!("own-{}-{run}", self.number);
        let thread = threads.thread(id.as_str()).policy(self.durability(run));
        let mut reading = thread.run(Work::update());
        for _ in 0..run % 23 {
            reading.next().await;
        }
        if run.is_multiple_of(8) {
            reading.handle().cancel();
            self.tally.cancelled.fetch_add(1, Ordering::Relaxed);
            drop(reading);
        } else {
            self.tally.left.fetch_add(1, Ordering::Relaxed);
            reading.detach();
        }
        loop {
            let state = thread.state().await.expect("the thread can be read");
            let again = match state.status {
                ThreadStatus::Done => break,
                _ if state.checkpoint.is_none() => thread.run(Work::update()),
                _ => thread.continue_(),
            };
            match again.await {
                Ok(_) | Err(RunError::Checkpoint(CheckpointError::ThreadBusy { .. })) => {}
                // It ended between the look at it and this.
                Err(RunError::WrongStatus { .. }) => {}
                Err(error) => panic!("driver {} on `{id}`: {error}", self.number),
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        check(&thread, 1, self.load.width).await;
    }
}
