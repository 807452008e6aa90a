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
    /// Connections for what takes as long as it takes: upkeep of the tables.
    pub(crate) upkeep: PgPool,
    /// How long a piece of work is waited for: two statements of the longest time, and a connection.
    patience: Duration,
    /// For messages: server, database and schema, without a password.
    pub(crate) place: Arc<str>,
    pub(crate) schema: Arc<str>,
}

impl Database {
    /// Connects, and makes the tables where there are none.
    pub(crate) async fn open(url: &str, options: &PostgresOptions) -> Result<Self, Failure> {
        let database = Self::connect(url, options).await?;
        migrate::prepare(&database.upkeep, &database.schema).await?;
        Ok(database)
    }

    /// Whether there are tables, of whatever format.
    pub(crate) async fn is_there(url: &str, options: &PostgresOptions) -> Result<bool, Failure> {
        let database = Self::connect(url, options).await?;
        let found = database.answered(migrate::found(&database.pool, &database.schema)).await;
        database.pool.close().await;
        Ok(found?.is_some())
    }

    async fn connect(url: &str, options: &PostgresOptions) -> Result<Self, Failure> {
        let schema = options.schema.as_str();
        check_schema(schema)?;
        let connect = PgConnectOptions::from_str(url)?
            .application_name("graphloom")
            .options([("search_path", schema), ("client_min_messages", "warning")])
            .options(standstill(options))
            .statement_cache_capacity(64);
        let place = format!(
            "{}:{}/{}, schema {schema}",
            connect.get_host(),
            connect.get_port(),
            connect.get_database().unwrap_or(connect.get_username())
        );
        let connections = |most| {
            PgPoolOptions::new()
                .max_connections(most)
                .acquire_timeout(options.connect_timeout)
                // A ping before every commit would double its time; a dead connection is told by its first use.
                .test_before_acquire(false)
                .idle_timeout(Duration::from_secs(60))
        };
        let upkeep = connections(2).connect_lazy_with(connect.clone());
        let timeout = options.statement_timeout;
        let milliseconds = timeout.as_millis().clamp(1, i32::MAX as u128).to_string();
        let connect = connect.options([("statement_timeout", milliseconds.as_str())]);
        let pool = connections(options.max_connections.max(1)).connect_with(connect).await?;
        let patience = timeout.saturating_mul(2).saturating_add(options.connect_timeout);
        Ok(Self { pool, upkeep, patience, place: place.into(), schema: schema.into() })
    }

    /// What a piece of work comes to, if the database answers in time. What it was asked to write may be written all the same
    /// otherwise, as after a connection that was lost.
    pub(crate) async fn answered<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        tokio::time::timeout(self.patience, work).await.unwrap_or(Err(Failure::Silent { waited: self.patience }))
    }
}

/// Frees what a process that stands still holds: the locks of a transaction that it does not go on with, or of a statement whose
/// rows it does not read.
fn standstill(options: &PostgresOptions) -> [(&'static str, String); 2] {
    let longest = options.expiry.as_millis().clamp(1, i32::MAX as u128).to_string();
    [("idle_in_transaction_session_timeout", longest.clone()), ("tcp_user_timeout", longest)]
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
