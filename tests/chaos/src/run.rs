//! Faults are drawn until the time is over and all threads have ended.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use graphloom_checkpoint_postgres::PostgresCheckpointer;
use graphloom_core_graph::checkpoint::{Checkpointer, ThreadStatus};
use graphloom_postgres_server::{Server, url_at};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use crate::check::{StepCounts, check};
use crate::network::{Network, Place};
use crate::process::{Process, Program, Trouble};

/// What is done to processes and servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    KillWorker,
    StopWorker,
    CutWorker,
    KillDriver,
    /// It stands still for so long that another one takes over, and comes back.
    StopDriver,
    CutDriver,
    KillServer(&'static str),
}

/// How often each is done to processes, beside how often servers are killed.
const FAULTS: [(Fault, u32); 6] = [
    (Fault::KillWorker, 30),
    (Fault::StopWorker, 10),
    (Fault::CutWorker, 10),
    (Fault::KillDriver, 20),
    (Fault::StopDriver, 5),
    (Fault::CutDriver, 10),
];

/// So many workers.
const WORKERS: usize = 3;
/// So many drivers at a time, since a database has so many connections and no more.
const MOST_DRIVERS: usize = 6;
/// How long after the time is over it is said what threads wait for that have not ended.
const PATIENCE: Duration = Duration::from_secs(180);

/// How long faults are drawn, for how many threads at a time, and from which seed.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What is drawn depends on it alone, when it is drawn does not.
    pub seed: u64,
    /// How long faults are drawn.
    pub time: Duration,
    /// How many threads are driven at a time.
    pub threads: usize,
}

impl Settings {
    /// As the environment says it; a dozen threads for ten seconds from a seed of chance unless it does. `GRAPHLOOM_SEED` is the seed.
    pub fn told() -> Self {
        fn told<T: std::str::FromStr>(name: &str) -> Option<T> {
            std::env::var(name).ok()?.parse().ok()
        }
        Self {
            seed: told("GRAPHLOOM_SEED").unwrap_or_else(rand::random),
            time: Duration::from_secs(told("CHAOS_SECONDS").unwrap_or(10)),
            threads: told("CHAOS_THREADS").unwrap_or(12),
        }
    }
}

/// The servers over which workers and drivers work with each other.
pub trait Servers {
    /// Where threads are stored. It listens on the network of the run.
    fn database(&self) -> &Server;

    /// The servers that are killed, and how often, beside the 85 faults of processes.
    fn mortal(&self) -> Vec<(&'static str, u32)>;

    /// Kills the server of this name as a crash would, and has it start again.
    fn kill(&mut self, name: &str);

    /// What a program at this place is told of the servers, as variables of its environment.
    fn told(&mut self, program: Program, place: &Place) -> Vec<(&'static str, String)>;

    /// How many tasks there are that have not ended.
    fn left(&self) -> impl Future<Output = u64>;

    /// What is known of tasks that have not ended, for people.
    fn described(&self) -> impl Future<Output = String>;
}

/// What was done, and what came of it.
#[derive(Debug)]
pub struct Report {
    faults: BTreeMap<Fault, u64>,
    threads: usize,
    took: Duration,
    kept: StepCounts,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { faults, threads, took, kept: StepCounts { steps, executions } } = self;
        let took = took.as_secs();
        write!(f, "{faults:?}, {threads} threads in {took} s, {steps} durable steps, {executions} executions of them")
    }
}

/// Has threads driven to their ends by processes that die, stand still and are cut off, and checks what came of it.
///
/// # Panics
/// Where something does not hold that must.
pub async fn run(settings: &Settings, network: &Network, servers: &mut impl Servers) -> Report {
    let Settings { seed, time, .. } = *settings;
    let folder = tempfile::tempdir().expect("a folder");
    let mut chaos = Chaos {
        random: StdRng::seed_from_u64(seed),
        network,
        notes: folder.path().join("notes"),
        workers: Vec::new(),
        drivers: Vec::new(),
    };
    for _ in 0..WORKERS {
        let worker = chaos.worker(servers);
        chaos.workers.push(worker);
    }
    let mut possible = FAULTS.to_vec();
    possible.extend(servers.mortal().into_iter().map(|(name, often)| (Fault::KillServer(name), often)));
    let (mut faults, mut names) = (BTreeMap::<Fault, u64>::new(), Vec::new());
    let (began, mut is_said) = (Instant::now(), false);
    while began.elapsed() < time || !chaos.drivers.is_empty() {
        if !is_said && began.elapsed() > time + PATIENCE {
            let (stuck, servers) = (stuck(servers.database(), &chaos.notes, &names).await, servers.described().await);
            say(&format!("GRAPHLOOM_SEED={seed}: runs have not ended yet\n{stuck}{servers}"));
            is_said = true;
        }
        if chaos.drivers.is_empty() {
            for _ in 0..2 {
                let threads = (0..settings.threads.div_ceil(2)).map(|n| format!("book-{}", names.len() + n));
                let threads: Vec<String> = threads.collect();
                names.extend(threads.clone());
                chaos.begin_driver(servers, threads.join(" "));
            }
        }
        let pause = Duration::from_millis(chaos.random.random_range(50..600));
        tokio::time::sleep(pause).await;
        chaos.mend();
        if began.elapsed() < time {
            let (fault, _) = *possible.choose_weighted(&mut chaos.random, |(_, often)| *often).expect("faults");
            if chaos.is_done(fault, servers) {
                *faults.entry(fault).or_default() += 1;
            }
        }
    }
    let took = began.elapsed();
    let kept = check(servers, &chaos.notes, &names, seed).await;
    Report { faults, threads: names.len(), took, kept }
}

/// The processes of a run.
struct Chaos<'n> {
    random: StdRng,
    network: &'n Network,
    notes: PathBuf,
    workers: Vec<Process>,
    drivers: Vec<Process>,
}

impl Chaos<'_> {
    fn worker(&self, servers: &mut impl Servers) -> Process {
        let place = self.network.place();
        let mut told = servers.told(Program::Worker, &place);
        told.push(("CHAOS_NOTES", self.notes.display().to_string()));
        Process::start(Program::Worker, place, told, String::new())
    }

    /// Begins a driver of these threads, whose clock is up to an hour off.
    fn begin_driver(&mut self, servers: &mut impl Servers, threads: String) {
        let ahead: i64 = self.random.random_range(-3_600_000..3_600_000);
        let place = self.network.place();
        let database = servers.database().address().expect("the database is on the network");
        let mut told = servers.told(Program::Driver, &place);
        told.push(("CHAOS_NOTES", self.notes.display().to_string()));
        told.push(("CHAOS_STORE", url_at(place.way_to(database))));
        told.push(("CHAOS_OF", threads.clone()));
        told.push(("CHAOS_CLOCK", ahead.to_string()));
        self.drivers.push(Process::start(Program::Driver, place, told, threads));
    }

    /// Ends troubles whose time is over, and forgets drivers that have ended.
    fn mend(&mut self) {
        self.workers.iter_mut().for_each(Process::mend);
        self.drivers.retain_mut(|driver| {
            driver.mend();
            !driver.has_ended()
        });
    }

    /// Does a fault, unless there is nothing that it could be done to.
    fn is_done(&mut self, fault: Fault, servers: &mut impl Servers) -> bool {
        let worker = self.random.random_range(0..WORKERS);
        let length = Duration::from_millis(self.random.random_range(300..6000));
        match fault {
            Fault::KillWorker => self.workers[worker].replace(),
            Fault::StopWorker => self.workers[worker].begin(Trouble::Still, length),
            Fault::CutWorker => self.workers[worker].begin(Trouble::Cut, length),
            Fault::KillServer(name) => servers.kill(name),
            Fault::KillDriver | Fault::StopDriver | Fault::CutDriver if self.drivers.is_empty() => return false,
            Fault::StopDriver if self.drivers.len() >= MOST_DRIVERS => return false,
            Fault::KillDriver => {
                let one = self.random.random_range(0..self.drivers.len());
                let threads = self.drivers.swap_remove(one).threads.clone();
                self.begin_driver(servers, threads);
            }
            Fault::StopDriver => {
                let one = self.random.random_range(0..self.drivers.len());
                self.drivers[one].begin(Trouble::Still, Duration::from_secs(4));
                let threads = self.drivers[one].threads.clone();
                self.begin_driver(servers, threads);
            }
            Fault::CutDriver => {
                let one = self.random.random_range(0..self.drivers.len());
                self.drivers[one].begin(Trouble::Cut, length);
            }
        }
        true
    }
}

/// Says something to whoever watches the tests, also where what a test says is kept back until it has failed: one that waits for ever
/// does not.
pub(crate) fn say(what: &str) {
    // There may be nobody.
    let _ = writeln!(std::io::stderr(), "{what}");
}

/// What is known of threads that are not done: how they stand, and what was noted of them last.
async fn stuck(database: &Server, notes: &Path, names: &[String]) -> String {
    let store = PostgresCheckpointer::connect(&database.url()).await.expect("a store");
    let told = std::fs::read_to_string(notes).expect("the notes are read");
    let mut text = String::new();
    for name in names {
        let row = store.thread(name).await.expect("the store reads");
        if row.as_ref().is_some_and(|row| row.status == ThreadStatus::Done) {
            continue;
        }
        let of = format!("\t{name}\t");
        let lines: Vec<&str> = told.lines().filter(|line| line.contains(&of)).collect();
        let last = lines[lines.len().saturating_sub(6)..].join("; ");
        let row = row.map(|row| (row.status, row.detail, row.epoch, row.owner));
        text.push_str(&format!("{name}: {row:?}; {last}\n"));
    }
    text
}
