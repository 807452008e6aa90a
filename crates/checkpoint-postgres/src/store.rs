//! The long-term store on a database.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::TryStreamExt;
use graphloom_core_graph::store::{
    Expected, Item, Namespace, NamespaceFilter, PutOptions, Query, Store, StoreError, check_item,
};
use graphloom_core_graph::{Clock, SystemClock};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::database::Database;
use crate::failure::{Failure, read_number};
use crate::options::PostgresOptions;
use crate::signals::PostgresSignals;

/// Joins segments of namespaces. No segment contains it, and every character of a segment sorts after it.
const SEPARATOR: &str = "\u{1f}";

/// A [`Store`] in a PostgreSQL schema: of its own, or that of a
/// [`PostgresCheckpointer`](crate::PostgresCheckpointer::store). A clone is another handle to the same store.
#[derive(Clone)]
pub struct PostgresStore {
    database: Database,
    clock: Arc<dyn Clock>,
}

impl PostgresStore {
    /// Connects, and makes the tables where there are none. The schema may be a checkpointer's.
    ///
    /// # Errors
    /// [`StoreError::Store`] when the server does not answer or the user may not make tables,
    /// [`StoreError::NewerFormat`] for tables of a newer version.
    pub async fn connect_with(url: &str, options: &PostgresOptions) -> Result<Self, StoreError> {
        let database =
            Database::open(url, options).await.map_err(|failure| failure.store("PostgreSQL", "connecting"))?;
        Ok(Self::on(database))
    }

    pub(crate) fn on(database: Database) -> Self {
        Self { database, clock: Arc::new(SystemClock) }
    }

    /// The same store, expiring items by this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Signals between all that use the same schema. They listen on connections of their own as long as a handle to them lives.
    pub fn signals(&self) -> PostgresSignals {
        PostgresSignals::on(&self.database)
    }

    fn now(&self) -> i64 {
        storable(self.clock.now())
    }

    /// What work on the database comes to, if it answers in time.
    async fn answered<T>(&self, action: &str, work: impl Future<Output = Result<T, Failure>>) -> Result<T, StoreError> {
        self.database.answered(work).await.map_err(|failure| failure.store(&self.database.place, action))
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("place", &self.database.place).finish_non_exhaustive()
    }
}

const PUT: &str = "INSERT INTO items (namespace, key, value, created, updated, expires) VALUES ($1, $2, $3, $4, $4, $5)
    ON CONFLICT (namespace, key) DO UPDATE SET
        value = excluded.value, updated = excluded.updated, expires = excluded.expires,
        created = CASE WHEN items.expires <= $4 THEN excluded.created ELSE items.created END";
/// Only an item that is expired is put over. Who puts at the same time waits for the row, and finds it taken.
const PUT_ABSENT: &str = "INSERT INTO items (namespace, key, value, created, updated, expires)
    VALUES ($1, $2, $3, $4, $4, $5)
    ON CONFLICT (namespace, key) DO UPDATE SET
        value = excluded.value, updated = excluded.updated, expires = excluded.expires, created = excluded.created
    WHERE items.expires <= $4";
/// `xmin` is the transaction that wrote the row: another one after every change.
const GET_VERSION: &str = "SELECT *, xmin::text AS version FROM items
    WHERE namespace = $1 AND key = $2 AND (expires IS NULL OR expires > $3)";
const PUT_OVER: &str = "UPDATE items SET value = $3, updated = $4, expires = $5
    WHERE namespace = $1 AND key = $2 AND xmin::text = $6";
const GET: &str = "SELECT * FROM items WHERE namespace = $1 AND key = $2 AND (expires IS NULL OR expires > $3)";

async fn get(connection: &mut PgConnection, place: &str, key: &str, now: i64) -> Result<Option<Item>, Failure> {
    let row = sqlx::query(GET).bind(place).bind(key).bind(now).fetch_optional(connection).await?;
    row.map(|row| item(&row)).transpose()
}

#[async_trait]
impl Store for PostgresStore {
    async fn put(&self, namespace: &Namespace, key: &str, value: Value, options: PutOptions) -> Result<(), StoreError> {
        check_item(key, &value)?;
        let expires = options.expires(self.clock.now()).map(storable);
        let query = sqlx::query(PUT).bind(joined(namespace)).bind(key).bind(value.to_string());
        let put = async { Ok(query.bind(self.now()).bind(expires).execute(&self.database.pool).await.map(drop)?) };
        self.answered("putting an item", put).await
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
        let (place, now) = (joined(namespace), self.now());
        let expires = options.expires(self.clock.now()).map(storable);
        let text = value.to_string();
        let pool = &self.database.pool;
        let put = async {
            if *expected == Expected::Absent {
                let query = sqlx::query(PUT_ABSENT).bind(&place).bind(key).bind(text).bind(now).bind(expires);
                return Ok(query.execute(pool).await?.rows_affected() > 0);
            }
            loop {
                let row = sqlx::query(GET_VERSION).bind(&place).bind(key).bind(now).fetch_optional(pool).await?;
                let Some(row) = row else { return Ok(false) };
                if !expected.is_met_by(Some(&item(&row)?.value)) {
                    return Ok(false);
                }
                let version: String = row.try_get("version")?;
                let query = sqlx::query(PUT_OVER).bind(&place).bind(key).bind(&text).bind(now).bind(expires);
                if query.bind(version).execute(pool).await?.rows_affected() > 0 {
                    return Ok(true);
                }
                // Another writer came between: it is looked at again.
            }
        };
        self.answered("putting an item", put).await
    }

    async fn get(&self, namespace: &Namespace, key: &str) -> Result<Option<Item>, StoreError> {
        let get = async {
            let mut connection = self.database.pool.acquire().await?;
            get(&mut connection, &joined(namespace), key, self.now()).await
        };
        self.answered("getting an item", get).await
    }

    async fn delete(&self, namespace: &Namespace, key: &str) -> Result<bool, StoreError> {
        let delete = "DELETE FROM items WHERE namespace = $1 AND key = $2
            RETURNING expires IS NULL OR expires > $3";
        let query = sqlx::query_scalar(delete).bind(joined(namespace)).bind(key).bind(self.now());
        let delete = async { Ok(query.fetch_optional(&self.database.pool).await?) };
        let there: Option<bool> = self.answered("deleting an item", delete).await?;
        Ok(there.unwrap_or(false))
    }

    async fn query(&self, query: &Query) -> Result<Vec<Item>, StoreError> {
        const BELOW: &str = "SELECT * FROM items
            WHERE namespace >= $1 AND ($2::text IS NULL OR namespace < $2) AND (expires IS NULL OR expires > $3)
            ORDER BY namespace, key LIMIT $4";
        let read = async {
            let (from, to) = range(&query.prefix);
            let mut found = Vec::new();
            if query.limit == 0 {
                return Ok(found);
            }
            // Conditions are looked at here, so that only without them it is known how many rows are needed.
            let rows = query.limit.saturating_add(query.offset);
            let most = i64::try_from(rows).ok().filter(|_| query.conditions.is_empty());
            let rows = sqlx::query(BELOW).bind(from).bind(to).bind(self.now()).bind(most);
            let mut rows = rows.fetch(&self.database.pool);
            let mut skip = query.offset;
            while let Some(row) = rows.try_next().await? {
                let item = item(&row)?;
                if !query.conditions.iter().all(|condition| condition.holds(&item.value)) {
                } else if skip > 0 {
                    skip -= 1;
                } else {
                    found.push(item);
                    if found.len() >= query.limit {
                        break;
                    }
                }
            }
            Ok(found)
        };
        self.answered("querying items", read).await
    }

    async fn list_namespaces(&self, filter: &NamespaceFilter) -> Result<Vec<Namespace>, StoreError> {
        const BELOW: &str = "SELECT DISTINCT namespace FROM items
            WHERE namespace >= $1 AND ($2::text IS NULL OR namespace < $2) AND (expires IS NULL OR expires > $3)
            ORDER BY namespace";
        let read = async {
            let (from, to) = range(&filter.prefix);
            let mut rows = sqlx::query_scalar(BELOW).bind(from).bind(to).bind(self.now()).fetch(&self.database.pool);
            let mut found: Vec<Namespace> = Vec::new();
            while let Some(name) = rows.try_next().await? {
                let name: String = name;
                let namespace = split(&name)?.cut(filter.depth.unwrap_or(usize::MAX));
                // Cut namespaces stay sorted, so equal ones are neighbours.
                if found.last() != Some(&namespace) {
                    if filter.limit.is_some_and(|limit| found.len() >= limit) {
                        break;
                    }
                    found.push(namespace);
                }
            }
            Ok(found)
        };
        self.answered("listing namespaces", read).await
    }

    async fn sweep(&self) -> Result<u64, StoreError> {
        let sweep = sqlx::query("DELETE FROM items WHERE expires <= $1").bind(self.now());
        let swept = sweep.execute(&self.database.upkeep).await;
        let swept =
            swept.map_err(|error| Failure::from(error).store(&self.database.place, "sweeping expired items"))?;
        Ok(swept.rows_affected())
    }
}

fn item(row: &PgRow) -> Result<Item, Failure> {
    let namespace = split(row.try_get("namespace")?)?;
    let key: String = row.try_get("key")?;
    let place = || format!("item `{key}` of `{namespace}`");
    let value = serde_json::from_str(row.try_get("value")?)
        .map_err(|error| Failure::Corrupt { place: place(), message: error.to_string() })?;
    let expires: Option<i64> = row.try_get("expires")?;
    let (created, updated) =
        (read_number(row.try_get("created")?, place)?, read_number(row.try_get("updated")?, place)?);
    let expires = expires.map(|expires| read_number(expires, place)).transpose()?;
    Ok(Item { namespace, key, value, created, updated, expires })
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
/// one of those that follows a prefix. The columns sort by bytes.
fn range(prefix: &Namespace) -> (String, Option<String>) {
    let from = joined(prefix);
    let to = (!from.is_empty()).then(|| format!("{from} "));
    (from, to)
}

/// A time that fits a column: one beyond it is as good as never.
fn storable(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}
