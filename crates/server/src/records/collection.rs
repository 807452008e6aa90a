//! Typed items of one kind in the store, each with a revision that changes are compared with.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
#[cfg(feature = "mcp")]
use std::time::Duration;

use graphloom_core_graph::store::{Comparison, Condition, Expected, Namespace, PutOptions, Query, Store, StoreError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::RESERVED;
use super::error::RecordError;

/// How many items the first query of a listing asks for.
const FIRST_QUERY: usize = 1_000;
/// How many times more each further query asks for.
const GROWTH: usize = 8;

/// The items of one kind, below a namespace of their own.
pub(super) struct Collection<T> {
    store: Arc<dyn Store>,
    /// The kind in messages: `Thread`.
    what: &'static str,
    /// The segment below [`RESERVED`].
    segment: &'static str,
    record: PhantomData<fn() -> T>,
}

/// A record as it is stored.
#[derive(Deserialize, Serialize)]
struct Envelope<T> {
    revision: u64,
    record: T,
}

/// A record as it was read.
pub(super) struct Revised<T> {
    revision: u64,
    /// The record.
    pub(super) record: T,
}

impl<T> Clone for Collection<T> {
    fn clone(&self) -> Self {
        Self { store: Arc::clone(&self.store), what: self.what, segment: self.segment, record: PhantomData }
    }
}

impl<T> fmt::Debug for Collection<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collection").field("what", &self.what).finish_non_exhaustive()
    }
}

impl<T: DeserializeOwned + Serialize> Collection<T> {
    /// A collection named `what` in messages, below a segment of the records' namespace.
    pub(super) fn new(store: &Arc<dyn Store>, what: &'static str, segment: &'static str) -> Self {
        Self { store: Arc::clone(store), what, segment, record: PhantomData }
    }

    /// Puts a record where there is none, and tells whether it did.
    pub(super) async fn insert(&self, within: &[String], key: &str, record: &T) -> Result<bool, RecordError> {
        // A first revision that another record of this key hardly had: a change that was read before a deletion
        // does not fit the record that came after it.
        let revision = u64::from(rand::random::<u32>());
        let value = self.value(key, revision, record)?;
        let put = self.store.put_if(&self.place(within)?, key, value, PutOptions::default(), &Expected::Absent).await?;
        Ok(put)
    }

    /// Puts a record, whatever is there. For records that never change.
    pub(super) async fn put(&self, within: &[String], key: &str, record: &T) -> Result<(), RecordError> {
        let value = self.value(key, 0, record)?;
        Ok(self.store.put(&self.place(within)?, key, value, PutOptions::default()).await?)
    }

    /// Puts a record for a while, whatever is there.
    #[cfg(feature = "mcp")]
    pub(super) async fn put_for(
        &self,
        within: &[String],
        key: &str,
        record: &T,
        ttl: Duration,
    ) -> Result<(), RecordError> {
        let value = self.value(key, 0, record)?;
        Ok(self.store.put(&self.place(within)?, key, value, PutOptions::ttl(ttl)).await?)
    }

    /// Reads a record and its revision.
    pub(super) async fn read(&self, within: &[String], key: &str) -> Result<Option<Revised<T>>, RecordError> {
        let Some(item) = self.store.get(&self.place(within)?, key).await? else { return Ok(None) };
        self.open(key, item.value).map(Some)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`RecordError::NotFound`] when there is none.
    pub(super) async fn get(&self, within: &[String], key: &str) -> Result<T, RecordError> {
        Ok(self.read(within, key).await?.ok_or_else(|| self.not_found(key))?.record)
    }

    /// Puts a record over the one that was read, and tells whether it was still there.
    pub(super) async fn replace(
        &self,
        within: &[String],
        key: &str,
        revision: &Revised<T>,
        record: &T,
    ) -> Result<bool, RecordError> {
        let expected = Expected::Holds(Condition::new("revision", Comparison::Eq, revision.revision));
        let value = self.value(key, revision.revision.wrapping_add(1), record)?;
        Ok(self.store.put_if(&self.place(within)?, key, value, PutOptions::default(), &expected).await?)
    }

    /// Changes a record and answers it. The change is made again on what another writer put meanwhile.
    ///
    /// # Errors
    /// [`RecordError::NotFound`] when there is none, and what `change` fails with: nothing is put then.
    pub(super) async fn update(
        &self,
        within: &[String],
        key: &str,
        mut change: impl FnMut(&mut T) -> Result<(), RecordError> + Send,
    ) -> Result<T, RecordError>
    where
        T: Clone + Send + Sync,
    {
        loop {
            let read = self.read(within, key).await?.ok_or_else(|| self.not_found(key))?;
            let mut record = read.record.clone();
            change(&mut record)?;
            if self.replace(within, key, &read, &record).await? {
                return Ok(record);
            }
            tokio::task::yield_now().await;
        }
    }

    /// Deletes a record, and tells whether it was there.
    pub(super) async fn delete(&self, within: &[String], key: &str) -> Result<bool, RecordError> {
        Ok(self.store.delete(&self.place(within)?, key).await?)
    }

    /// Deletes every record of a namespace.
    pub(super) async fn delete_all(&self, within: &[String]) -> Result<(), RecordError> {
        for item in self.items(self.query(within)?).await? {
            self.store.delete(&item.namespace, &item.key).await?;
        }
        Ok(())
    }

    /// All records of a namespace and those below it that have certain values, ordered by namespace and key.
    pub(super) async fn all(&self, within: &[String], having: &[(String, Value)]) -> Result<Vec<T>, RecordError> {
        let mut query = self.query(within)?;
        for (field, value) in having {
            query = query.when(Condition::new(format!("record.{field}"), Comparison::Eq, value.clone()));
        }
        let records = self.items(query).await?.into_iter().map(|item| Ok(self.open(&item.key, item.value)?.record));
        records.collect()
    }

    /// The error for a record that is not there.
    pub(super) fn not_found(&self, key: &str) -> RecordError {
        RecordError::NotFound { what: self.what, id: key.to_owned() }
    }

    /// The items of a query, all of one moment: where there are more than it asks for, it is made again for more, not
    /// for the next ones, between which another writer could have come.
    async fn items(&self, query: Query) -> Result<Vec<graphloom_core_graph::store::Item>, RecordError> {
        let mut limit = FIRST_QUERY;
        loop {
            let items = self.store.query(&query.clone().limit(limit)).await?;
            if items.len() < limit {
                return Ok(items);
            }
            limit = limit.saturating_mul(GROWTH);
        }
    }

    fn query(&self, within: &[String]) -> Result<Query, StoreError> {
        Ok(Query::below(self.place(within)?))
    }

    fn place(&self, within: &[String]) -> Result<Namespace, StoreError> {
        Namespace::new([RESERVED, self.segment].into_iter().chain(within.iter().map(String::as_str)))
    }

    fn value(&self, key: &str, revision: u64, record: &T) -> Result<Value, StoreError> {
        serde_json::to_value(Envelope { revision, record }).map_err(|error| self.corrupt(key, &error))
    }

    fn open(&self, key: &str, value: Value) -> Result<Revised<T>, RecordError> {
        let Envelope { revision, record } = Envelope::deserialize(value).map_err(|error| self.corrupt(key, &error))?;
        Ok(Revised { revision, record })
    }

    fn corrupt(&self, key: &str, error: &serde_json::Error) -> StoreError {
        StoreError::Corrupt { place: format!("{} `{key}`", self.what), message: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::testing::stores;
    use super::*;

    fn none() -> [String; 0] {
        []
    }

    #[tokio::test]
    async fn a_listing_has_every_item_however_many_there_are() {
        for (store, _folder) in stores() {
            let numbers: Collection<u64> = Collection::new(&store, "Number", "numbers");
            let count = (FIRST_QUERY * 2 + 7) as u64;
            for n in 0..count {
                numbers.put(&[format!("{}", n % 3)], &format!("{n:05}"), &n).await.unwrap();
            }
            let all: BTreeSet<u64> = numbers.all(&none(), &[]).await.unwrap().into_iter().collect();
            assert_eq!(all, (0..count).collect());
            let third = numbers.all(&["1".to_owned()], &[]).await.unwrap();
            assert_eq!(third, (0..count).filter(|n| n % 3 == 1).collect::<Vec<_>>());
            numbers.delete_all(&["1".to_owned()]).await.unwrap();
            let left = numbers.all(&none(), &[]).await.unwrap().len();
            assert_eq!(left, all.len() - third.len());
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn no_change_of_many_at_once_is_lost() {
        for (store, _folder) in stores() {
            let sets: Collection<BTreeSet<u32>> = Collection::new(&store, "Set", "sets");
            assert!(sets.insert(&none(), "a", &BTreeSet::new()).await.unwrap());
            assert!(!sets.insert(&none(), "a", &BTreeSet::from([7])).await.unwrap());
            let tasks = (0..64u32).map(|n| {
                let sets = sets.clone();
                tokio::spawn(async move {
                    let change = |set: &mut BTreeSet<u32>| {
                        set.insert(n);
                        Ok(())
                    };
                    sets.update(&none(), "a", change).await.unwrap();
                })
            });
            for task in tasks.collect::<Vec<_>>() {
                task.await.unwrap();
            }
            assert_eq!(sets.get(&none(), "a").await.unwrap(), (0..64).collect());
        }
    }

    #[tokio::test]
    async fn a_change_read_before_a_deletion_does_not_fit_what_came_after() {
        for (store, _folder) in stores() {
            let numbers: Collection<u64> = Collection::new(&store, "Number", "numbers");
            numbers.insert(&none(), "a", &1).await.unwrap();
            let read = numbers.read(&none(), "a").await.unwrap().unwrap();
            assert!(numbers.delete(&none(), "a").await.unwrap());
            numbers.insert(&none(), "a", &2).await.unwrap();
            assert!(!numbers.replace(&none(), "a", &read, &3).await.unwrap());
            assert_eq!(numbers.get(&none(), "a").await.unwrap(), 2);
            let refused = numbers.update(&none(), "a", |_| Err(RecordError::BadRequest("no".to_owned()))).await;
            assert!(matches!(refused, Err(RecordError::BadRequest(_))));
            let missing = numbers.update(&none(), "b", |_| Ok(())).await.unwrap_err();
            assert_eq!(missing.to_string(), "Number with ID b not found");
        }
    }

    #[tokio::test]
    async fn a_damaged_item_is_told_by_its_place() {
        for (store, _folder) in stores() {
            let place = Namespace::new([RESERVED, "numbers"]).unwrap();
            store.put(&place, "a", serde_json::json!({"revision": 1}), PutOptions::default()).await.unwrap();
            let numbers: Collection<u64> = Collection::new(&store, "Number", "numbers");
            let error = numbers.get(&none(), "a").await.unwrap_err();
            assert_eq!(error.to_string(), "stored data of Number `a` cannot be read: missing field `record`");
        }
    }
}
