//! The connections and the tables.

mod migrate;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use graphile_worker::WorkerUtils;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::error::QueueError;
use crate::options::QueueOptions;

/// Connections to the queue of a database.
#[derive(Clone)]
pub(crate) struct Database {
    pub(crate) pool: PgPool,
    /// A connection that listens.
    pub(crate) listening: PgPool,
    pub(crate) jobs: Arc<WorkerUtils>,
    /// The schema of the jobs.
    pub(crate) jobs_schema: Arc<str>,
    /// For messages: server, database and schema, without a password.
    pub(crate) place: Arc<str>,
}

impl Database {
    /// Connects, and makes the tables where there are none.
    pub(crate) async fn open(url: &str, options: &QueueOptions) -> Result<Self, QueueError> {
        let (database, schema) = Self::connect(url, options).await?;
        migrate::prepare(&database.pool, &database.jobs, &schema, &database.place).await?;
        Ok(database)
    }

    /// Connects to tables that are there; none where there are none.
    pub(crate) async fn existing(url: &str, options: &QueueOptions) -> Result<Option<Self>, QueueError> {
        let (database, schema) = Self::connect(url, options).await?;
        let found = migrate::found(&database.pool, &schema, &database.place).await?;
        Ok(found.then_some(database))
    }

    /// Connects, and says which schema is that of the tables.
    async fn connect(url: &str, options: &QueueOptions) -> Result<(Self, String), QueueError> {
        check_schema(&options.schema)?;
        let schema = format!("{}_work", options.schema);
        let jobs_schema = format!("{}_jobs", options.schema);
        let connect = PgConnectOptions::from_str(url)
            .map_err(|error| QueueError::Database { place: "the address".to_owned(), source: error.into() })?
            .application_name("graphloom")
            .options([("search_path", schema.as_str()), ("client_min_messages", "warning")])
            .options([("statement_timeout", "30s")])
            .options(standstill(options));
        let place: Arc<str> = format!(
            "{}:{}/{}, schema {}",
            connect.get_host(),
            connect.get_port(),
            connect.get_database().unwrap_or(connect.get_username()),
            options.schema
        )
        .into();
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| QueueError::Database {
            place: place.to_string(),
            source,
        };
        let connections = |most| {
            PgPoolOptions::new()
                .max_connections(most)
                .acquire_timeout(options.connect_timeout)
                .test_before_acquire(false)
                .idle_timeout(Duration::from_secs(60))
        };
        let listening = connections(1).connect_lazy_with(connect.clone());
        let pool = connections(options.max_connections.max(3) - 1).connect_with(connect).await;
        let pool = pool.map_err(|error| failed(error.into()))?;
        let jobs = Arc::new(WorkerUtils::new(pool.clone(), jobs_schema.clone()));
        Ok((Self { pool, listening, jobs, jobs_schema: jobs_schema.into(), place }, schema))
    }

    /// The failure of a statement.
    pub(crate) fn failed(&self, source: impl std::error::Error + Send + Sync + 'static) -> QueueError {
        QueueError::Database { place: self.place.to_string(), source: Box::new(source) }
    }
}

/// Frees what a process that stands still holds: the locks of a transaction that it does not go on with, or of a statement whose
/// rows it does not read.
fn standstill(options: &QueueOptions) -> [(&'static str, String); 2] {
    let longest = options.expiry().as_millis().clamp(1, i32::MAX as u128).to_string();
    [("idle_in_transaction_session_timeout", longest.clone()), ("tcp_user_timeout", longest)]
}

/// A schema's name goes into statements as it is, so only plain names are allowed.
fn check_schema(schema: &str) -> Result<(), QueueError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = schema.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    if begins && schema.len() <= 58 && schema.chars().all(plain) && !schema.starts_with("pg_") {
        return Ok(());
    }
    Err(QueueError::Setting(format!(
        "`{}` cannot be the schema's name; use small letters, digits and `_`, at most 58, beginning with a letter",
        schema.escape_debug().take(80).collect::<String>()
    )))
}
