//! Stores and a clock for the tests of records.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use graphloom_checkpoint_sqlite::SqliteStore;
use graphloom_core_graph::Clock;
use graphloom_core_graph::store::{MemoryStore, Store};
use serde_json::{Map, Value};
use tempfile::TempDir;

use super::Records;

/// When the clocks of tests begin.
pub(super) const START: u64 = 1_780_000_000_000;

/// A clock that stands until it is moved.
pub(super) struct ManualClock(AtomicU64);

impl ManualClock {
    /// Moves the clock on by milliseconds.
    pub(super) fn advance(&self, millis: u64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// An empty store in memory and one in a SQLite file, whose folder goes when it is dropped.
pub(super) fn stores() -> [(Arc<dyn Store>, Option<TempDir>); 2] {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(folder.path().join("records.db")).unwrap();
    [(Arc::new(MemoryStore::new()), None), (Arc::new(sqlite), Some(folder))]
}

/// Records over one of [`stores`], and their clock.
pub(super) struct Fixture {
    pub(super) records: Records,
    pub(super) clock: Arc<ManualClock>,
    pub(super) store: Arc<dyn Store>,
    _folder: Option<TempDir>,
}

/// Records over each of [`stores`].
pub(super) fn fixtures() -> [Fixture; 2] {
    stores().map(|(store, folder)| {
        let clock = Arc::new(ManualClock(AtomicU64::new(START)));
        let records = Records::new(&store, &(Arc::clone(&clock) as Arc<dyn Clock>));
        Fixture { records, clock, store, _folder: folder }
    })
}

/// The fields of an object.
pub(super) fn fields(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("not an object: {value}") };
    fields
}
