//! A SQLite checkpointer and long-term store for [`graphloom_core_graph`]: durable threads in one file, without a
//! server.
//!
//! - **A commit costs what changed.** Compare-and-set of the head, the checkpoint and the changed fields are a few
//!   prepared statements in one transaction of a write-ahead log; large values are stored once per content.
//! - **One writer per thread, and no waiting for the dead.** Every open checkpointer holds an operating-system lock on
//!   a file of its own beside the database. The kernel frees it when the process ends, so a thread whose writer was
//!   killed is taken over at once, and one whose writer lives is refused with
//!   [`ThreadBusy`](graphloom_core_graph::checkpoint::CheckpointError::ThreadBusy).
//! - **Damage is told.** Every row has a checksum; one that is not as it was written is
//!   [`Corrupt`](graphloom_core_graph::checkpoint::CheckpointError::Corrupt), with thread, namespace and row.
//! - **Chosen durability.** [`Synchronous::Normal`] survives the death of the process, [`Synchronous::Full`] also
//!   power loss; commits that wait for each other share a transaction either way.
//!
//! ```
//! use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteOptions, Synchronous};
//! use graphloom_core_graph::checkpoint::Checkpointer;
//! use graphloom_core_graph::store::{Comparison, Condition, Namespace, PutOptions, Query, Store};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let file = directory.path().join("trips.db");
//! let checkpointer = SqliteCheckpointer::open_with(&file, SqliteOptions::synchronous(Synchronous::Full))?;
//! let lease = checkpointer.acquire("lisbon").await?;
//! // A thread has one writer: another is refused until the lease is given back.
//! assert!(checkpointer.acquire("lisbon").await.is_err());
//! checkpointer.release(&lease);
//!
//! let memory = checkpointer.store();
//! let ada = Namespace::new(["users", "ada"])?;
//! memory.put(&ada, "trip", serde_json::json!({"city": "Lisbon", "days": 3}), PutOptions::default()).await?;
//! let long = Query::below(Namespace::new(["users"])?).when(Condition::new("days", Comparison::Gte, 3));
//! assert_eq!(memory.query(&long).await?[0].key, "trip");
//! # Ok(())
//! # }
//! ```
//!
//! # Files
//! Beside `trips.db` lie `trips.db-wal` and `trips.db-shm` while it is open, and the directory `trips.db.owners` with
//! one small file per open checkpointer. Copy a database with `sqlite3 trips.db ".backup copy.db"`, or when nobody has
//! it open. The file must lie on a local disk: locks of network file systems do not do.
//!
//! A file of an older format is brought to the current one when it is opened, and a program of an older version that has it
//! open writes it no more. Rows that are there have no checksums until they are next written.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod checkpointer;
mod condition;
mod database;
mod failure;
mod options;
mod store;
mod sync;

pub use checkpointer::SqliteCheckpointer;
pub use options::{SqliteOptions, Synchronous};
pub use store::SqliteStore;
