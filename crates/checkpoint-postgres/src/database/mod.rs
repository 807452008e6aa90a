//! The connections, the tables, and who is alive.

mod heartbeat;
mod migrate;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

pub(crate) use self::heartbeat::{Heartbeat, instance_name};
use crate::failure::Failure;
use crate::options::PostgresOptions;

/// Connections to one schema of a database.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pub(crate) pool: PgPool,
    /// For messages: server, database and schema, without a password.
    pub(crate) place: Arc<str>,
    pub(crate) schema: Arc<str>,
}

impl Database {
    /// Connects, and makes the tables where there are none.
    pub(crate) async fn open(url: &str, options: &PostgresOptions) -> Result<Self, Failure> {
        let schema = options.schema.as_str();
        check_schema(schema)?;
        let connect = PgConnectOptions::from_str(url)?
            .application_name("graphloom")
            .options([("search_path", schema), ("client_min_messages", "warning")])
            .statement_cache_capacity(64);
        let place = format!(
            "{}:{}/{}, schema {schema}",
            connect.get_host(),
            connect.get_port(),
            connect.get_database().unwrap_or(connect.get_username())
        );
        let pool = PgPoolOptions::new()
            .max_connections(options.max_connections.max(1))
            .acquire_timeout(options.connect_timeout)
            // A ping before every commit would double its time; a dead connection is told by its first use.
            .test_before_acquire(false)
            .idle_timeout(Duration::from_secs(60))
            .connect_with(connect)
            .await?;
        migrate::prepare(&pool, schema).await?;
        Ok(Self { pool, place: place.into(), schema: schema.into() })
    }
}

/// A schema's name goes into statements as it is, so only plain names are allowed.
fn check_schema(schema: &str) -> Result<(), Failure> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = schema.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    if begins && schema.len() <= 63 && schema.chars().all(plain) && !schema.starts_with("pg_") {
        return Ok(());
    }
    Err(Failure::Setting(format!(
        "`{}` cannot be the schema's name; use small letters, digits and `_`, at most 63, beginning with a letter",
        schema.escape_debug().take(80).collect::<String>()
    )))
}
