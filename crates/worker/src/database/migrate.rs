//! The format of the tables, and how an older one becomes the current.

use graphile_worker::WorkerUtils;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Row};

use crate::error::QueueError;

/// What makes format `n + 1` of format `n`; the first makes it of an empty schema.
const MIGRATIONS: &[&str] = &[include_str!("schema_1.sql")];

/// Brings both schemas to the formats of this version, and refuses a newer one.
pub(super) async fn prepare(pool: &PgPool, jobs: &WorkerUtils, schema: &str, place: &str) -> Result<(), QueueError> {
    let failed = |source| QueueError::Database { place: place.to_owned(), source };
    let mut transaction = pool.begin().await.map_err(|error| failed(error.into()))?;
    known(prepare_own(&mut transaction, schema).await.map_err(|error| failed(error.into()))?, place)?;
    // The lock of the transaction is held while the tables of the jobs are made, on another connection: it may be idle for longer
    // than others.
    let patience = sqlx::query("SET LOCAL idle_in_transaction_session_timeout = '1min'");
    patience.execute(&mut *transaction).await.map_err(|error| failed(error.into()))?;
    jobs.migrate().await.map_err(|error| failed(error.into()))?;
    transaction.commit().await.map_err(|error| failed(error.into()))
}

/// Whether the tables are there, and refuses those of a newer version. Nothing is made.
pub(super) async fn found(pool: &PgPool, schema: &str, place: &str) -> Result<bool, QueueError> {
    let found = async {
        let there = sqlx::query("SELECT to_regclass($1) IS NOT NULL").bind(format!("{schema}.format"));
        if !there.fetch_one(pool).await?.try_get(0)? {
            return Ok(0);
        }
        version(&mut *pool.acquire().await?).await
    };
    let failed = |source: sqlx::Error| QueueError::Database { place: place.to_owned(), source: source.into() };
    known(found.await.map_err(failed)?, place).map(|found| found > 0)
}

/// A format that this program knows.
fn known(found: u32, place: &str) -> Result<u32, QueueError> {
    let known = MIGRATIONS.len() as u32;
    if found > known {
        return Err(QueueError::NewerFormat { place: place.to_owned(), found, known });
    }
    Ok(found)
}

/// The format of the tables; 0 where there are none yet.
async fn version(connection: &mut PgConnection) -> Result<u32, sqlx::Error> {
    let version = sqlx::query("SELECT max(version) FROM format").fetch_one(connection).await?;
    let version = version.try_get::<Option<i64>, _>(0)?.unwrap_or(0);
    Ok(u32::try_from(version).unwrap_or(u32::MAX))
}

/// The format of our own schema after it; a newer one is left as it is.
async fn prepare_own(connection: &mut PgConnection, schema: &str) -> Result<u32, sqlx::Error> {
    let known = MIGRATIONS.len() as u32;
    // Whoever opens the schema for the first time makes its tables; the others wait.
    let lock = "SELECT pg_advisory_xact_lock(1198681199, hashtext($1))";
    sqlx::query(lock).bind(schema).execute(&mut *connection).await?;
    let make = format!(
        "CREATE SCHEMA IF NOT EXISTS {schema}; CREATE TABLE IF NOT EXISTS {schema}.format (version BIGINT NOT NULL)"
    );
    sqlx::raw_sql(AssertSqlSafe(make)).execute(&mut *connection).await?;
    let version = version(connection).await?;
    if version < known {
        for migration in MIGRATIONS.iter().skip(version as usize) {
            sqlx::raw_sql(*migration).execute(&mut *connection).await?;
        }
        sqlx::query("DELETE FROM format").execute(&mut *connection).await?;
        let insert = sqlx::query("INSERT INTO format (version) VALUES ($1)").bind(i64::from(known));
        insert.execute(&mut *connection).await?;
    }
    Ok(version.max(known))
}
