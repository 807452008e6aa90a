//! How shapes are measured: rounds in which floor and subject take turns, and a table of what came of them.

mod cost;
mod floor;
mod place;
mod plain;
mod recorder;
mod row;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use graphloom_core_graph::checkpoint::Checkpointer;

pub(crate) use self::cost::{Clock, Compared, Cost, median};
use self::cost::{Work, compare};
pub(crate) use self::floor::Floor;
pub(crate) use self::place::{Place, Store, bytes};
use self::plain::PlainRows;
use self::recorder::OneByOne;
pub(crate) use self::recorder::Recorder;
pub(crate) use self::row::Row;
use crate::Failure;

/// A shape of work: what a row is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// What is counted.
    pub(crate) unit: &'static str,
    /// How many of them one run makes.
    pub(crate) units: u64,
}

/// Work on a store.
pub(crate) type OnStore = Arc<dyn Fn(Arc<dyn Checkpointer>) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;

/// The measurements that are wanted, and their results so far.
#[derive(Debug)]
pub(crate) struct Measurements {
    pub(crate) place: Arc<Place>,
    pub(crate) rows: Vec<Row>,
    /// Findings that are no rows: a name and a sentence.
    pub(crate) findings: Vec<(String, f64)>,
    pub(crate) all: bool,
    words: Vec<String>,
    patience: Duration,
}

impl Measurements {
    pub(crate) fn new(all: bool, words: Vec<String>) -> Result<Self, Failure> {
        let patience = Duration::from_millis(if all { 2_000 } else { 500 });
        Ok(Self { place: Place::new()?, rows: Vec::new(), findings: Vec::new(), all, words, patience })
    }

    /// Whether something is to be measured: what any word names, or without words all, the slow only with `--all`.
    pub(crate) fn wants(&self, label: &str, quick: bool) -> bool {
        if self.words.is_empty() {
            quick || self.all
        } else {
            self.words.iter().any(|word| label.contains(word.as_str()))
        }
    }

    /// Measures a shape without a store.
    #[expect(clippy::print_stdout, reason = "a row is told when it is there")]
    pub(crate) async fn transient(
        &mut self,
        shape: Shape,
        floor: Floor,
        work: impl Fn() -> BoxFuture<'static, Result<(), Failure>> + Send + Sync + 'static,
    ) -> Result<(), Failure> {
        if !self.wants(&format!("{} none", shape.name), true) {
            return Ok(());
        }
        let work: Work<()> = Arc::new(move |()| work());
        let compared = compare(shape.units, self.patience, &floor, || Ok(()), &work).await?;
        let row = Row::new(shape, Store::None, &floor, compared);
        println!("{row}");
        self.rows.push(row);
        Ok(())
    }

    /// Measures a shape on a store. SQLite is compared with plain rusqlite, memory with `floor`. Where commits share
    /// transactions, there are two more rows: next to plain rusqlite with as few, and with the sharing left out on both
    /// sides.
    #[expect(clippy::print_stdout, reason = "a row is told when it is there")]
    pub(crate) async fn durable(
        &mut self,
        shape: Shape,
        store: Store,
        quick: bool,
        floor: Floor,
        work: &OnStore,
    ) -> Result<(), Failure> {
        if !self.wants(&format!("{} {}", shape.name, store.name()), quick) {
            return Ok(());
        }
        let (mut size, mut commits) = (None, None);
        let mut floors = vec![floor];
        if store.is_file() {
            let file = self.place.file();
            let recorder = Recorder::new(Place::open(store, &file)?);
            work(Arc::new(recorder.clone())).await?;
            let recorded = recorder.take();
            drop(recorder);
            let rows = |shared| PlainRows::new(&self.place, store, shape.units, &recorded, shared);
            let (single, shared) = (Arc::new(rows(false)?), Arc::new(rows(true)?));
            single.check_against(&file)?;
            size = Some(bytes(&file)?);
            commits = Some(single.len() as u64);
            floors = vec![Floor::PlainRows(Arc::clone(&single))];
            if shared.len() < single.len() {
                floors.extend([Floor::PlainRows(shared), Floor::OneByOne(single)]);
            }
        }
        let on_store = Arc::clone(work);
        let work: Work<Opened> = Arc::new(move |opened| on_store(opened.store));
        let place = Arc::clone(&self.place);
        for floor in floors {
            let prepare = || {
                let opened = Place::open(store, &place.file())?;
                let alone = matches!(floor, Floor::OneByOne(_));
                Ok(Opened { store: if alone { Arc::new(OneByOne(opened)) } else { opened } })
            };
            let compared = compare(shape.units, self.patience, &floor, prepare, &work).await?;
            let mut row = Row::new(shape, store, &floor, compared);
            (row.bytes, row.commits) = (size, commits);
            println!("{row}");
            self.rows.push(row);
        }
        Ok(())
    }

    /// The first row of a shape on a store.
    pub(crate) fn row(&self, shape: &str, store: Store) -> Option<&Row> {
        self.rows.iter().find(|row| row.shape == shape && row.store == store.name())
    }

    /// Keeps a figure that is no row.
    pub(crate) fn found(&mut self, name: impl Into<String>, figure: f64) {
        self.findings.push((name.into(), figure));
    }

    /// A figure that is no row.
    pub(crate) fn figure(&self, name: &str) -> Option<f64> {
        self.findings.iter().find(|(known, _)| known == name).map(|(_, figure)| *figure)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.place.file()
    }
}

/// A store that is ready before the clock starts, and closed after it has stopped.
#[derive(Clone)]
struct Opened {
    store: Arc<dyn Checkpointer>,
}
