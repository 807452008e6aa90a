//! The format of the tables, and how an older one becomes the current.

use sqlx::{AssertSqlSafe, PgPool, Row};

use crate::failure::Failure;

/// What makes format `n + 1` of format `n`; the first makes it of an empty schema.
const MIGRATIONS: &[&str] = &[include_str!("schema_1.sql"), include_str!("schema_2.sql")];

/// Brings the schema to the format of this version, and refuses a newer one.
pub(super) async fn prepare(pool: &PgPool, schema: &str) -> Result<(), Failure> {
    let known = MIGRATIONS.len() as u32;
    if found(pool, schema).await? == Some(known) {
        return Ok(());
    }
    let mut transaction = pool.begin().await?;
    // Whoever opens the schema for the first time makes its tables; the others wait.
    let lock = "SELECT pg_advisory_xact_lock(1198681198, hashtext($1))";
    sqlx::query(lock).bind(schema).execute(&mut *transaction).await?;
    let make = format!(
        "CREATE SCHEMA IF NOT EXISTS {schema}; CREATE TABLE IF NOT EXISTS {schema}.format (version BIGINT NOT NULL)"
    );
    sqlx::raw_sql(AssertSqlSafe(make)).execute(&mut *transaction).await?;
    let version = sqlx::query("SELECT max(version) AS version FROM format").fetch_one(&mut *transaction).await?;
    let version = version.try_get::<Option<i64>, _>("version")?.unwrap_or(0);
    let version = u32::try_from(version).unwrap_or(u32::MAX);
    if version > known {
        return Err(Failure::NewerFormat { found: version, known });
    }
    for migration in MIGRATIONS.iter().skip(version as usize) {
        sqlx::raw_sql(*migration).execute(&mut *transaction).await?;
    }
    if version < known {
        sqlx::query("DELETE FROM format").execute(&mut *transaction).await?;
        let insert = sqlx::query("INSERT INTO format (version) VALUES ($1)").bind(i64::from(known));
        insert.execute(&mut *transaction).await?;
    }
    Ok(transaction.commit().await?)
}

/// The format of a schema that has one.
pub(super) async fn found(pool: &PgPool, schema: &str) -> Result<Option<u32>, Failure> {
    let table = "SELECT to_regclass($1 || '.format') IS NOT NULL AS there";
    let there: bool = sqlx::query(table).bind(schema).fetch_one(pool).await?.try_get("there")?;
    if !there {
        return Ok(None);
    }
    let version = sqlx::query("SELECT max(version) AS version FROM format").fetch_one(pool).await?;
    let version: Option<i64> = version.try_get("version")?;
    Ok(version.and_then(|version| u32::try_from(version).ok()))
}
