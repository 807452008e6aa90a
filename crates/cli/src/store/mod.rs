//! Where runs are kept: `--store`.
//!
//! A store is a [`Checkpointer`] for threads and, beside it, a long-term [`Store`]: one SQLite file or PostgreSQL,
//! each encrypted or not. [`Session::store`](crate::Session::store) opens the one that was chosen, once in a process.

mod encrypted;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;
mod variable;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use graphloom_checkpoint_encrypted::{Keyring, MessageKeys};
use graphloom_core_graph::checkpoint::Checkpointer;
use graphloom_core_graph::store::{Signals, Store};
use tokio::sync::Mutex;

use crate::{CliError, DataDir, Failure};

/// Kinds of stores.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// A SQLite file of the data directory
    #[default]
    Sqlite,
    /// A SQLite file of the data directory whose values are encrypted with the key of `GRAPHLOOM_STORE_KEY`
    Encrypted,
    /// The PostgreSQL database of `GRAPHLOOM_POSTGRES_URL`
    Postgres,
    /// The same database, whose values are encrypted with the key of `GRAPHLOOM_STORE_KEY`
    EncryptedPostgres,
}

impl StoreKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Encrypted => "encrypted",
            Self::Postgres => "postgres",
            Self::EncryptedPostgres => "encrypted-postgres",
        }
    }

    /// Whether several processes may work in it at a time, on any machine.
    pub fn is_shared(self) -> bool {
        matches!(self, Self::Postgres | Self::EncryptedPostgres)
    }

    /// Whether its values are encrypted.
    pub fn is_encrypted(self) -> bool {
        matches!(self, Self::Encrypted | Self::EncryptedPostgres)
    }
}

/// The store of runs, open. Clones are the same.
#[derive(Clone)]
pub struct RunStore {
    checkpointer: Arc<dyn Checkpointer>,
    memory: Arc<dyn Store>,
    place: String,
    signals: Option<Arc<dyn Signals>>,
}

/// How often a program that shares its runs with others tells that it lives, and how long it may be silent before they take
/// its runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Between two signs of life.
    pub every: Duration,
    /// Without one.
    pub expiry: Duration,
}

impl RunStore {
    /// The database of a data directory, which is made when it is not there, for this user only: it holds every prompt and
    /// reply. Programs open what the user chose, by [`Session::store`](crate::Session::store).
    ///
    /// # Errors
    /// [`CliError::Io`] when the directory cannot be made, and the store's own: no database, a newer format, locked, a full
    /// disk.
    pub fn in_file(dirs: &DataDir) -> Result<Self, Failure> {
        sqlite::open(dirs)
    }

    /// The threads, for a graph or for who looks at runs.
    pub fn checkpointer(&self) -> Arc<dyn Checkpointer> {
        Arc::clone(&self.checkpointer)
    }

    /// The long-term store beside them.
    pub fn memory(&self) -> Arc<dyn Store> {
        Arc::clone(&self.memory)
    }

    /// Signals between the programs that share it, where several may do the same work at a time.
    pub fn signals(&self) -> Option<Arc<dyn Signals>> {
        self.signals.clone()
    }

    /// Where it is, for people: a file, or the name of a server without its password.
    pub fn place(&self) -> &str {
        &self.place
    }
}

impl fmt::Debug for RunStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunStore").field("place", &self.place).finish_non_exhaustive()
    }
}

/// The store of a process: chosen when it begins, opened when it is needed. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chosen {
    kind: StoreKind,
    data_dir: Option<PathBuf>,
    opened: Arc<Mutex<Opened>>,
}

#[derive(Debug, Default)]
struct Opened {
    store: Option<RunStore>,
    /// What is told to the server before the program ends.
    #[cfg(feature = "postgres")]
    server: Option<graphloom_checkpoint_postgres::PostgresCheckpointer>,
}

impl Chosen {
    pub(crate) fn new(kind: StoreKind, data_dir: Option<PathBuf>) -> Self {
        Self { kind, data_dir, opened: Arc::default() }
    }

    /// What was chosen.
    pub(crate) fn kind(&self) -> StoreKind {
        self.kind
    }

    /// Where the runs are or would be, for people.
    pub(crate) fn place(&self) -> Result<String, CliError> {
        match self.file()? {
            Some(file) => Ok(file.display().to_string()),
            None => self.server_place(),
        }
    }

    /// The store, where something may have been kept in it; looking makes neither a file nor tables.
    pub(crate) async fn existing(&self) -> Result<Option<RunStore>, Failure> {
        let is_there = match self.file()? {
            Some(file) => file.exists(),
            None => self.is_on_server().await?,
        };
        if is_there { self.open(None).await.map(Some) } else { Ok(None) }
    }

    /// The store, which is made where there is none. A lease is for a database that programs share; files have none.
    pub(crate) async fn open(&self, shared: Option<Lease>) -> Result<RunStore, Failure> {
        let mut opened = self.opened.lock().await;
        if let Some(store) = &opened.store {
            return Ok(store.clone());
        }
        let store = match self.kind {
            StoreKind::Sqlite => RunStore::in_file(&self.dirs()?)?,
            StoreKind::Encrypted => encrypted::open(&self.dirs()?)?,
            StoreKind::Postgres => self.connect(&mut opened, shared, None).await?,
            StoreKind::EncryptedPostgres => self.connect(&mut opened, shared, Some(encrypted::keys()?)).await?,
        };
        opened.store = Some(store.clone());
        Ok(store)
    }

    /// With what messages about the store's threads are encrypted which others keep on their way: with the keys of the store.
    pub(crate) fn message_keys(&self) -> Result<MessageKeys, CliError> {
        if self.kind.is_encrypted() { Ok(encrypted::keys()?.into()) } else { Ok(MessageKeys::default()) }
    }

    /// Gives back what others would otherwise wait for. The program ends, so nobody is told when that fails.
    pub(crate) async fn close(&self) {
        #[cfg(feature = "postgres")]
        if let Some(server) = self.opened.lock().await.server.take() {
            postgres::close(server).await;
        }
    }

    fn dirs(&self) -> Result<DataDir, CliError> {
        DataDir::new(self.data_dir.as_deref())
    }

    /// The file of the store; none for a server.
    fn file(&self) -> Result<Option<PathBuf>, CliError> {
        Ok(match self.kind {
            StoreKind::Sqlite => Some(self.dirs()?.threads_db()),
            StoreKind::Encrypted => Some(self.dirs()?.encrypted_threads_db()),
            StoreKind::Postgres | StoreKind::EncryptedPostgres => None,
        })
    }

    /// The address of the server, which may hold a password.
    #[cfg(feature = "postgres")]
    pub(crate) fn address(&self) -> Result<String, CliError> {
        postgres::address()
    }

    #[cfg(feature = "postgres")]
    fn server_place(&self) -> Result<String, CliError> {
        postgres::address().map(|address| postgres::place(&address))
    }

    #[cfg(feature = "postgres")]
    async fn is_on_server(&self) -> Result<bool, Failure> {
        postgres::is_there().await
    }

    #[cfg(feature = "postgres")]
    async fn connect(
        &self,
        opened: &mut Opened,
        shared: Option<Lease>,
        keys: Option<Keyring>,
    ) -> Result<RunStore, Failure> {
        let (store, server) = postgres::open(shared, keys).await?;
        opened.server = Some(server);
        Ok(store)
    }

    #[cfg(not(feature = "postgres"))]
    pub(crate) fn address(&self) -> Result<String, CliError> {
        Err(not_built())
    }

    #[cfg(not(feature = "postgres"))]
    fn server_place(&self) -> Result<String, CliError> {
        Err(not_built())
    }

    #[cfg(not(feature = "postgres"))]
    async fn is_on_server(&self) -> Result<bool, Failure> {
        Err(not_built().into())
    }

    #[cfg(not(feature = "postgres"))]
    async fn connect(&self, _: &mut Opened, _: Option<Lease>, _: Option<Keyring>) -> Result<RunStore, Failure> {
        Err(not_built().into())
    }
}

#[cfg(not(feature = "postgres"))]
fn not_built() -> CliError {
    CliError::NotBuilt { feature: "postgres", option: "--store" }
}
