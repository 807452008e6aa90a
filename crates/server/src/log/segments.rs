//! Entries in the store: segments of entries that follow each other.
//!
//! A segment is an item whose value is `{"first", "last", "time", "entries"}`, the entries as the text of a JSON list: nobody asks
//! for what is inside of them, and a text is a fraction of the memory and the time of a tree of values. Its key is made so that the newest segment of a thread
//! comes first in the order of keys, which is how the newest is found without reading the others.

use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::store::{
    Comparison, Condition, Expected, Item, Namespace, PutOptions, Query, Store, StoreError,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::log::entry::Entry;
use crate::records::RESERVED;

/// The segments of one thread.
pub(super) struct Segments {
    store: Arc<dyn Store>,
    namespace: Namespace,
    /// Whether other processes may write the log.
    is_shared: bool,
}

/// A segment's place: which it is, and the number and the time of its last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) index: u64,
    pub(super) last: u64,
    pub(super) time: u64,
}

/// Items that are deleted at a time.
const PAGE: usize = 500;

impl Segments {
    pub(super) fn new(store: Arc<dyn Store>, thread: Uuid, is_shared: bool) -> Self {
        let namespace = Namespace::new([RESERVED, "log", &thread.to_string()]).unwrap_or_else(|_| Namespace::root());
        Self { store, namespace, is_shared }
    }

    /// The newest segment.
    pub(super) async fn newest(&self) -> Result<Option<Place>, StoreError> {
        let items = self.store.query(&Query::below(self.namespace.clone()).limit(1)).await?;
        items.first().map(|item| self.place(item)).transpose()
    }

    /// Stores entries as segment `index`, for a time or for ever. Tells whether it did: of a log that is shared the segment may be
    /// there, from a process that writes the log instead of this one.
    pub(super) async fn put(
        &self,
        index: u64,
        entries: &[Arc<Entry>],
        ttl: Option<Duration>,
    ) -> Result<bool, StoreError> {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Ok(true) };
        let value = json!({"first": first.seq, "last": last.seq, "time": last.time, "entries": self.text(entries)?});
        let options = ttl.map(PutOptions::ttl).unwrap_or_default();
        if self.is_shared {
            return self.store.put_if(&self.namespace, &key(index), value, options, &Expected::Absent).await;
        }
        self.store.put(&self.namespace, &key(index), value, options).await.map(|()| true)
    }

    /// The segment that holds an entry, with its index; none when it is not there.
    pub(super) async fn holding(&self, seq: u64) -> Result<Option<(u64, Vec<Arc<Entry>>)>, StoreError> {
        let query = Query::below(self.namespace.clone())
            .when(Condition::new("first", Comparison::Lte, seq))
            .when(Condition::new("last", Comparison::Gte, seq))
            .limit(1);
        let items = self.store.query(&query).await?;
        items.first().map(|item| self.entries(item)).transpose()
    }

    /// A segment by its index.
    pub(super) async fn at(&self, index: u64) -> Result<Option<Vec<Arc<Entry>>>, StoreError> {
        let item = self.store.get(&self.namespace, &key(index)).await?;
        item.map(|item| Ok(self.entries(&item)?.1)).transpose()
    }

    /// Whether segment `index` is there with just these entries.
    pub(super) async fn is_stored(&self, index: u64, entries: &[Arc<Entry>]) -> Result<bool, StoreError> {
        let item = self.store.get(&self.namespace, &key(index)).await?;
        let Some(text) = item.as_ref().and_then(|item| item.value.get("entries")) else { return Ok(false) };
        Ok(text == self.text(entries)?.as_str())
    }

    pub(super) async fn delete(&self) -> Result<(), StoreError> {
        loop {
            let items = self.store.query(&Query::below(self.namespace.clone()).limit(PAGE)).await?;
            for item in &items {
                self.store.delete(&self.namespace, &item.key).await?;
            }
            if items.len() < PAGE {
                return Ok(());
            }
        }
    }

    fn place(&self, item: &Item) -> Result<Place, StoreError> {
        let number = |name: &str| item.value.get(name).and_then(Value::as_u64);
        let last = number("last").ok_or_else(|| self.corrupt("it has no `last`"))?;
        let time = number("time").unwrap_or_default();
        Ok(Place { index: self.index(item)?, last, time })
    }

    fn text(&self, entries: &[Arc<Entry>]) -> Result<String, StoreError> {
        serde_json::to_string(entries).map_err(|error| self.corrupt(&error.to_string()))
    }

    fn entries(&self, item: &Item) -> Result<(u64, Vec<Arc<Entry>>), StoreError> {
        let text =
            item.value.get("entries").and_then(Value::as_str).ok_or_else(|| self.corrupt("it has no `entries`"))?;
        let entries = serde_json::from_str(text).map_err(|error| self.corrupt(&error.to_string()))?;
        Ok((self.index(item)?, entries))
    }

    fn index(&self, item: &Item) -> Result<u64, StoreError> {
        let index = item.key.parse::<u64>().map_err(|error| self.corrupt(&error.to_string()))?;
        Ok(u64::MAX - index)
    }

    fn corrupt(&self, message: &str) -> StoreError {
        StoreError::Corrupt { place: format!("the event log {:?}", self.namespace), message: message.to_owned() }
    }
}

fn key(index: u64) -> String {
    format!("{:020}", u64::MAX - index)
}
