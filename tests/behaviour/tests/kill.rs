//! A program that is killed two hundred times, at any moment: what it was told is durable is there, nothing is applied
//! twice, and no effect is repeated after its result was stored.

#![expect(clippy::unwrap_used, reason = "every function here is a part of a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use graphloom_behaviour::killed::{self, EFFECTS, ExternalEffects};
use graphloom_behaviour::random::Random;
use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::EventKind;
use graphloom_core_graph::checkpoint::{Checkpointer, HistoryFilter, ThreadStatus};

const KILLS: u64 = 200;

/// The seed of `GRAPHLOOM_SEED`, or the one that this test has of its own: another seed kills elsewhere.
fn seed() -> u64 {
    std::env::var("GRAPHLOOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_122)
}

/// What all lives said.
#[derive(Debug, Default)]
struct ProcessOutput {
    /// Events of commits, by thread.
    committed: BTreeMap<String, Vec<String>>,
    /// Effects whose result was stored, with the life that said so first.
    stored: BTreeMap<String, u64>,
    /// The first thread that is not known to be done.
    next: u64,
}

impl ProcessOutput {
    fn hear(&mut self, life: u64, line: &str) {
        match line.split_once(' ') {
            Some(("committed", rest)) => {
                let (thread, event) = rest.split_once(' ').expect("a thread and an event");
                self.committed.entry(thread.to_owned()).or_default().push(event.to_owned());
            }
            Some(("stored", name)) => drop(self.stored.entry(name.to_owned()).or_insert(life)),
            Some(("done", number)) => self.next = number.parse::<u64>().expect("a number") + 1,
            other => panic!("nobody says {other:?}"),
        }
    }
}

fn start(directory: &Path, life: u64, from: u64, until: u64) -> (Child, Receiver<String>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_victim"))
        .arg("--file")
        .arg(directory.join("threads.db"))
        .arg("--effects")
        .arg(directory.join("effects"))
        .args(["--life", &life.to_string(), "--from", &from.to_string(), "--until", &until.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut said = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        // What was cut off by the kill was not said.
        while said.read_line(&mut line).is_ok() && line.ends_with('\n') {
            if tell.send(line.trim_end().to_owned()).is_err() {
                break;
            }
            line.clear();
        }
    });
    (child, hear)
}

/// One life, which ends by a kill after some lines and some time.
fn killed_life(directory: &Path, life: u64, said: &mut ProcessOutput, random: &mut Random) {
    let (mut child, hear) = start(directory, life, said.next, u64::MAX);
    for _ in 0..random.below(24) {
        said.hear(life, &hear.recv().expect("it works until it is killed"));
    }
    let more = Duration::from_micros(random.below(4000));
    if let Ok(line) = hear.recv_timeout(more) {
        said.hear(life, &line);
    }
    child.kill().expect("it can be killed");
    hear.iter().for_each(|line| said.hear(life, &line));
    let ended = child.wait().expect("it ends");
    assert!(!ended.success(), "it was killed");
}

#[tokio::test]
async fn two_hundred_kills_lose_nothing_and_repeat_nothing() {
    let (directory, seed) = (tempfile::tempdir().unwrap(), seed());
    eprintln!("GRAPHLOOM_SEED={seed}");
    let (mut said, mut random) = (ProcessOutput::default(), Random::new(seed));
    for life in 0..KILLS {
        killed_life(directory.path(), life, &mut said, &mut random);
    }
    // The last life may finish what is left.
    let until = said.next + 2;
    let (mut child, hear) = start(directory.path(), KILLS, said.next, until);
    hear.iter().for_each(|line| said.hear(KILLS, &line));
    assert!(child.wait().unwrap().success());
    assert!(until > 3, "{KILLS} kills leave time for more than {until} threads");

    let store = Arc::new(SqliteCheckpointer::open(directory.path().join("threads.db")).unwrap());
    for number in 0..until {
        threads_are_whole(&store, number, &said).await;
    }
    effects_are_not_repeated(&std::fs::read_to_string(directory.path().join("effects")).unwrap(), &said, until);
}

async fn threads_are_whole(store: &Arc<SqliteCheckpointer>, number: u64, said: &ProcessOutput) {
    let world = ExternalEffects { effects: "unused".into(), life: u64::MAX };
    let app = killed::graph(killed::mode(number)).unwrap().with_context(world);
    let threads = app.with_shared_checkpointer(Arc::clone(store) as Arc<dyn Checkpointer>);
    let thread = threads.thread(killed::thread(number));
    let state = thread.state().await.unwrap();
    assert_eq!((state.status, &state.state.ran), (ThreadStatus::Done, &killed::expected()), "thread {number}");
    assert_eq!(state.state.effects, EFFECTS, "thread {number}");

    // What it was told is durable is there, as it was told.
    let journal = thread.journal(0, usize::MAX).await.unwrap();
    let stored: BTreeSet<_> = journal.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    for event in said.committed.get(thread.id()).into_iter().flatten() {
        assert!(stored.contains(event), "a commit was acknowledged and is gone: {event}");
    }
    let mut committed = BTreeSet::new();
    for event in &journal {
        let EventKind::Committed { tasks, .. } = &event.kind else { continue };
        for task in tasks {
            assert!(committed.insert(Arc::clone(task)), "`{task}` was committed twice");
        }
    }
    for ns in store.namespaces(thread.id()).await.unwrap() {
        let rows = store.checkpoints(thread.id(), &ns, &HistoryFilter::default()).await.unwrap();
        let parents: Vec<_> = rows.iter().map(|row| row.parent).collect();
        let chain: Vec<_> = rows.iter().skip(1).map(|row| Some(row.number)).chain([None]).collect();
        assert_eq!(parents, chain, "nobody asked for a branch of `{ns}`");
    }
}

fn effects_are_not_repeated(effects: &str, said: &ProcessOutput, threads: u64) {
    let mut had: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for line in effects.lines() {
        let (life, name) = line.split_once(' ').unwrap();
        had.entry(name).or_default().push(life.parse().unwrap());
    }
    assert_eq!(had.len() as u64, threads * EFFECTS);
    for (name, lives) in had {
        assert!(lives.is_sorted_by(|one, other| one < other), "`{name}` happened twice in a life: {lives:?}");
        let stored = said.stored.get(name).copied().unwrap_or(u64::MAX);
        let late = lives.iter().any(|life| *life > stored);
        assert!(!late, "`{name}` was stored in life {stored} and happened in {lives:?}");
    }
}
