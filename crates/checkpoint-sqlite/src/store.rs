//! The long-term store on a database.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::store::{
    Expected, Item, Namespace, NamespaceFilter, PutOptions, Query, Store, StoreError, check_item,
};
use graphloom_core_graph::{Clock, SystemClock};
use rusqlite::types::Value as Bound;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde_json::Value;

use crate::condition::narrowed;
use crate::database::Database;
use crate::failure::Failure;
use crate::options::SqliteOptions;

/// Joins segments of namespaces. No segment contains it, and every character of a segment sorts after it.
const SEPARATOR: &str = "\u{1f}";

/// A [`Store`] in a SQLite file: its own, or that of a
/// [`SqliteCheckpointer`](crate::SqliteCheckpointer::store). A clone is another handle to the same store.
#[derive(Clone)]
pub struct SqliteStore {
    database: Arc<Database>,
    clock: Arc<dyn Clock>,
}

impl SqliteStore {
    /// Opens a file with the default options, and makes it when it is not there. It may be a checkpointer's file.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] for a file that is not a database of this crate, [`StoreError::NewerFormat`] for one of
    /// a newer version, [`StoreError::Locked`], [`StoreError::Full`], and [`StoreError::Store`] when the file or its
    /// directory cannot be written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, SqliteOptions::default())
    }

    /// Opens a file, and makes it when it is not there. Errors as for [`SqliteStore::open`].
    pub fn open_with(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let database = Database::open(path, options).map_err(|failure| failure.store(path, "opening the store"))?;
        Ok(Self::on(database))
    }

    pub(crate) fn on(database: Arc<Database>) -> Self {
        Self { database, clock: Arc::new(SystemClock) }
    }

    /// The same store, expiring items by this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    fn error(&self, failure: Failure, action: &str) -> StoreError {
        failure.store(&self.database.path, action)
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.database.path).finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn put(&self, namespace: &Namespace, key: &str, value: Value, options: PutOptions) -> Result<(), StoreError> {
        check_item(key, &value)?;
        let (namespace, key, value) = (joined(namespace), key.to_owned(), value.to_string());
        let now = self.clock.now();
        let expires = options.expires(now).map(storable);
        let put = move |connection: &Connection| insert(connection, &namespace, &key, &value, now, expires);
        let result = self.database.writer.write(Box::new(put)).await;
        result.map_err(|failure| self.error(failure, "putting an item"))
    }

    async fn put_if(
        &self,
        namespace: &Namespace,
        key: &str,
        value: Value,
        options: PutOptions,
        expected: &Expected,
    ) -> Result<bool, StoreError> {
        check_item(key, &value)?;
        let (namespace, key, value, expected) =
            (joined(namespace), key.to_owned(), value.to_string(), expected.clone());
        let now = self.clock.now();
        let expires = options.expires(now).map(storable);
        let put = move |connection: &Connection| {
            let met = is_there(connection, &namespace, &key, now, &expected)?;
            if met {
                insert(connection, &namespace, &key, &value, now, expires)?;
            }
            Ok(met)
        };
        self.database.writer.answer(put).await.map_err(|failure| self.error(failure, "putting an item"))
    }

    async fn get(&self, namespace: &Namespace, key: &str) -> Result<Option<Item>, StoreError> {
        let now = self.clock.now();
        let result = self.database.read_row(|connection| {
            let statement = format!("SELECT {ITEM} FROM items WHERE namespace = ?1 AND key = ?2 AND {LIVE}");
            let mut statement = connection.prepare_cached(&statement.replace("?now", "?3"))?;
            statement.query_row(params![joined(namespace), key, now], |row| Ok(item(row))).optional()?.transpose()
        });
        result.map_err(|failure| self.error(failure, "getting an item"))
    }

    async fn delete(&self, namespace: &Namespace, key: &str) -> Result<bool, StoreError> {
        let (namespace, key, now) = (joined(namespace), key.to_owned(), self.clock.now());
        let delete = move |connection: &Connection| {
            let statement = "DELETE FROM items WHERE namespace = ?1 AND key = ?2 RETURNING expires";
            let mut statement = connection.prepare_cached(statement)?;
            let mut rows = statement.query(params![namespace, key])?;
            let mut deleted = false;
            while let Some(row) = rows.next()? {
                let expires: Option<u64> = row.get(0)?;
                deleted = expires.is_none_or(|expires| now < expires);
            }
            Ok(deleted)
        };
        self.database.writer.answer(delete).await.map_err(|failure| self.error(failure, "deleting an item"))
    }

    async fn query(&self, query: &Query) -> Result<Vec<Item>, StoreError> {
        let now = self.clock.now();
        let result = self.database.read(|connection| {
            let (from, to) = range(&query.prefix);
            let mut bound = vec![from, to, Bound::Integer(storable(now))];
            let narrowed = narrowed(&query.conditions, &mut bound);
            let statement = format!(
                "SELECT {ITEM} FROM items WHERE namespace >= ?1 AND namespace < ?2 AND {LIVE}{narrowed} ORDER BY namespace, key"
            );
            let mut statement = connection.prepare_cached(&statement.replace("?now", "?3"))?;
            let mut rows = statement.query(params_from_iter(bound))?;
            let mut found = Vec::new();
            let mut skip = query.offset;
            while found.len() < query.limit
                && let Some(row) = rows.next()?
            {
                let item = item(row)?;
                if !query.conditions.iter().all(|condition| condition.holds(&item.value)) {
                } else if skip > 0 {
                    skip -= 1;
                } else {
                    found.push(item);
                }
            }
            Ok(found)
        });
        result.map_err(|failure| self.error(failure, "querying items"))
    }

    async fn list_namespaces(&self, filter: &NamespaceFilter) -> Result<Vec<Namespace>, StoreError> {
        let now = self.clock.now();
        let result = self.database.read(|connection| {
            let statement = format!(
                "SELECT DISTINCT namespace FROM items WHERE namespace >= ?1 AND namespace < ?2 AND {LIVE}
                ORDER BY namespace"
            );
            let mut statement = connection.prepare_cached(&statement.replace("?now", "?3"))?;
            let (from, to) = range(&filter.prefix);
            let mut rows = statement.query(params![from, to, now])?;
            let mut found: Vec<Namespace> = Vec::new();
            while let Some(row) = rows.next()? {
                let namespace = split(&row.get::<_, String>(0)?)?.cut(filter.depth.unwrap_or(usize::MAX));
                // Cut namespaces stay sorted, so equal ones are neighbours.
                if found.last() != Some(&namespace) {
                    if filter.limit.is_some_and(|limit| found.len() >= limit) {
                        break;
                    }
                    found.push(namespace);
                }
            }
            Ok(found)
        });
        result.map_err(|failure| self.error(failure, "listing namespaces"))
    }

    async fn sweep(&self) -> Result<u64, StoreError> {
        let now = self.clock.now();
        let swept = self.database.writer.answer(move |connection| {
            let swept = connection.prepare_cached("DELETE FROM items WHERE expires <= ?1")?.execute([now])?;
            Ok(swept as u64)
        });
        swept.await.map_err(|failure| self.error(failure, "sweeping expired items"))
    }
}

/// Whether what is expected is under a key. The transaction has the write lock: nobody writes before it ends.
fn is_there(
    connection: &Connection,
    namespace: &str,
    key: &str,
    now: u64,
    expected: &Expected,
) -> Result<bool, Failure> {
    let statement =
        format!("SELECT {ITEM} FROM items WHERE namespace = ?1 AND key = ?2 AND {LIVE}").replace("?now", "?3");
    let mut statement = connection.prepare_cached(&statement)?;
    let there = statement.query_row(params![namespace, key, now], |row| Ok(item(row))).optional()?.transpose()?;
    Ok(expected.is_met_by(there.as_ref().map(|item| &item.value)))
}

fn insert(
    connection: &Connection,
    namespace: &str,
    key: &str,
    value: &str,
    now: u64,
    expires: Option<i64>,
) -> Result<(), Failure> {
    // What is expired is not there, so the item over it is a new one.
    let statement = "INSERT INTO items (namespace, key, value, created, updated, expires)
        VALUES (?1, ?2, ?3, ?4, ?4, ?5)
        ON CONFLICT (namespace, key) DO UPDATE SET
            value = excluded.value, updated = excluded.updated, expires = excluded.expires,
            created = iif(items.expires <= ?4, excluded.created, items.created)";
    connection.prepare_cached(statement)?.execute(params![namespace, key, value, now, expires])?;
    Ok(())
}

const ITEM: &str = "namespace, key, value, created, updated, expires";
const LIVE: &str = "(expires IS NULL OR expires > ?now)";

fn item(row: &Row<'_>) -> Result<Item, Failure> {
    let namespace = split(&row.get::<_, String>(0)?)?;
    let key: String = row.get(1)?;
    let value = serde_json::from_str(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?).map_err(|error| {
        Failure::Corrupt { place: format!("item `{key}` of `{namespace}`"), message: error.to_string() }
    })?;
    Ok(Item { namespace, key, value, created: row.get(3)?, updated: row.get(4)?, expires: row.get(5)? })
}

fn joined(namespace: &Namespace) -> String {
    namespace.segments().join(SEPARATOR)
}

fn split(stored: &str) -> Result<Namespace, Failure> {
    let segments = stored.split(SEPARATOR).filter(|_| !stored.is_empty());
    Namespace::new(segments)
        .map_err(|error| Failure::Corrupt { place: "a namespace".to_owned(), message: error.to_string() })
}

/// What a namespace and those below it lie between: the separator is the last character below the space, and the only
/// one of those that follows a prefix.
fn range(prefix: &Namespace) -> (Bound, Bound) {
    let from = joined(prefix);
    // Every text sorts before every blob.
    let to = if from.is_empty() { Bound::Blob(Vec::new()) } else { Bound::Text(format!("{from} ")) };
    (Bound::Text(from), to)
}

/// A time that fits a column: one beyond it is as good as never.
fn storable(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}
