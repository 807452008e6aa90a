//! Single bytes of a file are changed, in rows of every kind. What is read then is what was written, or an error that says
//! what is damaged: never something else, and never a panic.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, HistoryFilter, ThreadFilter};
use graphloom_core_graph::{
    ChildOutcome, Clock, Compiled, Context, Log, Node, NodeError, Outcome, RunError, START, Snapshot, State, StateGraph,
};
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Trip {
    #[state(add)]
    days: u64,
    #[state(append)]
    notes: Log<String>,
    picture: String,
}

const VISIT: Node = Node::named("visit");
const BOOK: Node = Node::named("book");
const ASK: Node = Node::named("ask");

/// A loop with a durable step in each round, then a subgraph, which asks.
fn trips() -> Compiled<Trip> {
    let mut booking = StateGraph::<Trip>::new("booking");
    booking
        .add_node(ASK, async |_: Snapshot<Trip>, cx: Context| {
            let price = cx.once("price", async { Ok(20_u64) }).await?;
            let answer: String = cx.ask("hotel", &price).await?;
            Ok(Trip::update().notes([answer]))
        })
        .asks::<String>("hotel");
    booking.add_edge(START, ASK);
    let mut graph = StateGraph::<Trip>::new("trips");
    graph.add_node(VISIT, async |trip: Snapshot<Trip>, cx: Context| {
        let note = cx.once("note", async { Ok(format!("day {} in Lisbon", trip.days)) }).await?;
        let update = Trip::update().days(1).notes([note]);
        Ok(if trip.days == 1 { update.picture("*".repeat(70_000)) } else { update })
    });
    graph.add_subgraph(
        BOOK,
        booking.compile().unwrap(),
        |trip: &Trip| Trip::update().days(trip.days),
        |child: ChildOutcome<Trip>| Ok::<_, NodeError>(Trip::update().notes(child.done()?.notes.iter().cloned())),
    );
    graph.add_edge(START, VISIT);
    graph.add_conditional_edges(
        VISIT,
        (VISIT, BOOK),
        |trip: &Trip| if trip.days.is_multiple_of(5) { BOOK } else { VISIT },
    );
    graph.compile().unwrap()
}

const THREADS: [&str; 3] = ["ada", "bob", "eve"];

/// All that can be read of a file, by what is asked for: a list, of which rows may be missing, or one thing.
type Read = BTreeMap<String, Result<Found, CheckpointError>>;

#[derive(Debug, PartialEq)]
enum Found {
    One(String),
    List(Vec<String>),
}

impl Found {
    /// Whether all of it is in what was written, in that order.
    fn is_true_of(&self, written: &Self) -> bool {
        match (self, written) {
            (Self::List(found), Self::List(written)) => {
                let mut written = written.iter();
                found.iter().all(|row| written.any(|other| other == row))
            }
            (found, written) => found == written,
        }
    }
}

fn one<T: Debug>(found: Result<T, CheckpointError>) -> Result<Found, CheckpointError> {
    found.map(|found| Found::One(format!("{found:?}")))
}

fn list<T: Debug>(found: Result<Vec<T>, CheckpointError>) -> Result<Found, CheckpointError> {
    found.map(|found| Found::List(found.iter().map(|row| format!("{row:?}")).collect()))
}

async fn read(path: &Path, graph: &Compiled<Trip>, spaces: &[String]) -> Read {
    let mut read = Read::new();
    let store = match SqliteCheckpointer::open(path) {
        Ok(store) => store,
        Err(error) => return [("opening".to_owned(), Err(error))].into(),
    };
    let threads = graph.with_checkpointer(store.clone());
    let of_run = |error: RunError| match error {
        RunError::Checkpoint(error) => error,
        other => panic!("an error of another kind: {other}"),
    };
    read.insert("the threads".into(), list(store.threads(&ThreadFilter::default()).await));
    for name in THREADS {
        let mut put = |what: &str, found| read.insert(format!("{name}: {what}"), found);
        let thread = threads.thread(name);
        put("state", one(thread.state().await.map_err(of_run)));
        put("history", list(thread.history(&HistoryFilter::default()).await.map_err(of_run)));
        put("lease", one(store.acquire(name).await.inspect(|lease| store.release(lease)).map(|lease| lease.epoch)));
        let events = store.journal(name, 0, 1000).await;
        put("events", list(events.map(|rows| rows.iter().map(|row| row.event.read().unwrap()).collect())));
        put("namespaces", list(store.namespaces(name).await));
        for ns in spaces {
            put(&format!("`{ns}`"), one(store.load(name, ns, None, None).await));
            put(&format!("records of `{ns}`"), one(store.task_records(name, ns).await));
            for row in store.checkpoints(name, ns, &HistoryFilter::default()).await.unwrap_or_default() {
                put(&format!("`{ns}` at {}", row.number), one(store.load(name, ns, Some(row.number), None).await));
            }
        }
    }
    read
}

/// The namespaces of all threads.
fn namespaces(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut names = connection.prepare("SELECT DISTINCT ns FROM heads").unwrap();
    let names = names.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

/// Where rows of each table are in the file: what lies between the beginning of the first cell of a page and its end.
fn rows(path: &Path) -> BTreeMap<String, Vec<usize>> {
    let connection = Connection::open(path).unwrap();
    let page_size: usize = connection.pragma_query_value(None, "page_size", |row| row.get(0)).unwrap();
    let bytes = std::fs::read(path).unwrap();
    let mut places = BTreeMap::<String, Vec<usize>>::new();
    let mut pages = connection
        .prepare(
            "SELECT d.name, d.pageno, d.pagetype FROM dbstat d JOIN sqlite_master m ON m.name = d.name
            WHERE m.type = 'table' AND d.pagetype <> 'internal' AND m.name NOT IN ('sqlite_schema', 'items')",
        )
        .unwrap();
    let mut pages = pages.query([]).unwrap();
    while let Some(row) = pages.next().unwrap() {
        let (table, number, kind): (String, usize, String) =
            (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap());
        let page = (number - 1) * page_size;
        let two = |at: usize| usize::from(u16::from_be_bytes([bytes[page + at], bytes[page + at + 1]]));
        let cells = |count: usize| (0..count).map(|cell| two(8 + 2 * cell)).min();
        let first = if kind == "leaf" { cells(two(3)).unwrap_or(page_size) } else { 0 };
        places.entry(table).or_default().extend(page + first..page + page_size);
    }
    places
}

/// The same file each time.
#[derive(Debug)]
struct Noon;

impl Clock for Noon {
    fn now(&self) -> u64 {
        1_800_000_000_000
    }
}

/// A file with two threads that wait and one that is done.
async fn written(path: &Path, graph: &Compiled<Trip>) {
    let threads = graph.with_checkpointer(SqliteCheckpointer::open(path).unwrap()).with_clock(Arc::new(Noon));
    for name in THREADS {
        let thread = threads.thread(name);
        let Outcome::Waiting(questions) = thread.run(Trip::update()).await.unwrap() else { panic!("it waits") };
        if name != "ada" {
            let Outcome::Done(_) = thread.resume(questions.answer("hotel", "Sol").unwrap()).await.unwrap() else {
                panic!("it is done")
            };
        }
        if name == "eve" {
            let Outcome::Waiting(_) = thread.run(Trip::update()).await.unwrap() else { panic!("it waits") };
        }
    }
}

/// Changes bytes at up to `most` places of each kind of row; answers how many changes were told, and how many have no
/// effect.
async fn damage(most: usize) -> (usize, usize) {
    let directory = tempfile::tempdir().unwrap();
    let (whole, path) = (directory.path().join("whole.db"), directory.path().join("damaged.db"));
    let graph = trips();
    written(&whole, &graph).await;
    let spaces = namespaces(&whole);
    assert_eq!(spaces.len(), 3, "{spaces:?}");
    let truth = read(&whole, &graph, &spaces).await;
    assert!(truth.values().all(Result::is_ok), "{truth:?}");
    let places = rows(&whole);
    let tables = ["blobs", "checkpoints", "fields", "heads", "journal", "names", "task_records", "threads"];
    assert_eq!(places.keys().collect::<Vec<_>>(), tables, "every kind of row is there");
    let good = std::fs::read(&whole).unwrap();
    let (mut told, mut unseen, mut wrong) = (0, 0, Vec::new());
    for (table, places) in places {
        for (turn, at) in places.iter().step_by(places.len().div_ceil(most)).enumerate() {
            let mut bytes = good.clone();
            bytes[*at] ^= [1, 0x80, 4, 0xff, 0x10][turn % 5];
            std::fs::write(&path, bytes).unwrap();
            let found = read(&path, &graph, &spaces).await;
            for (what, found) in &found {
                match found {
                    Ok(found) => {
                        let written = truth[what].as_ref().unwrap();
                        if !found.is_true_of(written) {
                            wrong.push(format!("{what} after byte {at} of `{table}`: {found:?}, not {written:?}"));
                        }
                    }
                    Err(CheckpointError::Corrupt { .. }) => {}
                    Err(other) => wrong.push(format!("{what} after byte {at} of `{table}`: {other}")),
                }
            }
            if found.values().any(Result::is_err) { told += 1 } else { unseen += 1 }
        }
    }
    assert!(wrong.is_empty(), "{} readings of {}: {wrong:#?}", wrong.len(), told + unseen);
    (told, unseen)
}

#[tokio::test]
async fn a_damaged_row_is_told_or_does_not_matter() {
    let (told, unseen) = damage(60).await;
    assert!(told > 250, "{told} changes were told, {unseen} were not seen");
}

/// Every byte of every row; takes minutes.
#[tokio::test]
#[ignore = "takes minutes"]
async fn every_damaged_byte_is_told_or_does_not_matter() {
    let (told, unseen) = damage(usize::MAX).await;
    assert!(told > 500, "{told} changes were told, {unseen} were not seen");
}
