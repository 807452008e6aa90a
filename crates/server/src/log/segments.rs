//! Entries in the store: segments of entries that follow each other.
//!
//! A segment is an item whose value has the numbers of its first and last entry, the time of the last one, and the entries as they are
//! [packed](Packed), and with the number of the newest commit of the root graph among them. Its key is made so that the newest segment of a thread comes first in the order of keys, which is how the newest
//! is found without reading the others.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::store::{
    Comparison, Condition, Expected, Item, Namespace, PutOptions, Query, Store, StoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::log::entry::Entry;
use crate::log::states::Packed;
use crate::records::RESERVED;

/// The segments of one thread.
pub(super) struct Segments {
    store: Arc<dyn Store>,
    namespace: Namespace,
    /// Whether other processes may write the log.
    is_shared: bool,
}

/// The value of an item.
#[derive(Deserialize, Serialize)]
struct Segment<'s> {
    first: u64,
    last: u64,
    time: u64,
    /// Of the newest commit of the root graph that it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<u64>,
    #[serde(flatten)]
    packed: Cow<'s, Packed>,
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
        packed: &Packed,
        ttl: Option<Duration>,
    ) -> Result<bool, StoreError> {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Ok(true) };
        let commit = entries.iter().rev().find_map(|entry| entry.root_commit());
        let value =
            Segment { first: first.seq, last: last.seq, time: last.time, commit, packed: Cow::Borrowed(packed) };
        self.put_new(index, value, ttl).await
    }

    async fn put_new(&self, index: u64, value: Segment<'_>, ttl: Option<Duration>) -> Result<bool, StoreError> {
        let value = serde_json::to_value(value).map_err(|error| self.corrupt(&error.to_string()))?;
        let options = ttl.map(PutOptions::ttl).unwrap_or_default();
        if self.is_shared {
            return self.store.put_if(&self.namespace, &key(index), value, options, &Expected::Absent).await;
        }
        self.store.put(&self.namespace, &key(index), value, options).await.map(|()| true)
    }

    /// Takes the place of the next segment with one that has no entries, and returns it: a process that wrote the log before, and
    /// was on its way with a segment, finds its place taken.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn close_off(&self, ttl: Option<Duration>) -> Result<Place, StoreError> {
        loop {
            let newest = self.newest().await?;
            let (index, last, time) = newest.map_or((0, 0, 0), |place| (place.index + 1, place.last, place.time));
            let packed = Packed::nothing(index);
            let value = Segment { first: last + 1, last, time, commit: None, packed: Cow::Owned(packed) };
            if self.put_new(index, value, ttl).await? {
                return Ok(Place { index, last, time });
            }
        }
    }

    /// The segment that holds an entry, with its index; none when it is not there.
    pub(super) async fn holding(&self, seq: u64) -> Result<Option<(u64, Packed)>, StoreError> {
        let query = Query::below(self.namespace.clone())
            .when(Condition::new("first", Comparison::Lte, seq))
            .when(Condition::new("last", Comparison::Gte, seq))
            .limit(1);
        let item = self.store.query(&query).await?.pop();
        item.map(|item| Ok((self.index(&item)?, self.packed(item)?))).transpose()
    }

    /// The newest segment that ends before a commit of the root graph is told. Segments that do not say so are passed over.
    pub(super) async fn before_commit(&self, number: u64) -> Result<Option<Place>, StoreError> {
        let query =
            Query::below(self.namespace.clone()).when(Condition::new("commit", Comparison::Lt, number)).limit(1);
        self.store.query(&query).await?.first().map(|item| self.place(item)).transpose()
    }

    /// A segment by its index.
    pub(super) async fn at(&self, index: u64) -> Result<Option<Packed>, StoreError> {
        let item = self.store.get(&self.namespace, &key(index)).await?;
        item.map(|item| self.packed(item)).transpose()
    }

    /// Whether segment `index` is there with just these entries. Their states may be packed otherwise.
    pub(super) async fn is_stored(&self, index: u64, packed: &Packed) -> Result<bool, StoreError> {
        Ok(self.at(index).await?.is_some_and(|stored| stored.entries == packed.entries))
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

    fn packed(&self, item: Item) -> Result<Packed, StoreError> {
        let segment: Segment<'_> =
            serde_json::from_value(item.value).map_err(|error| self.corrupt(&error.to_string()))?;
        Ok(segment.packed.into_owned())
    }

    fn index(&self, item: &Item) -> Result<u64, StoreError> {
        let index = item.key.parse::<u64>().map_err(|error| self.corrupt(&error.to_string()))?;
        Ok(u64::MAX - index)
    }

    /// What is stored cannot be read.
    pub(super) fn corrupt(&self, message: &str) -> StoreError {
        StoreError::Corrupt { place: format!("the event log {:?}", self.namespace), message: message.to_owned() }
    }
}

fn key(index: u64) -> String {
    format!("{:020}", u64::MAX - index)
}
