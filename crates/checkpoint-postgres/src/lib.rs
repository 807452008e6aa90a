//! A PostgreSQL checkpointer and long-term store for [`graphloom_core_graph`]: durable threads that many machines share.
//!
//! - **A commit is one round trip.** Owner, epoch and head are compared and everything is written by one call of a
//!   function in the database, which is a transaction by itself. Commits of many threads run on several connections,
//!   and the server writes those that wait together to its log at once.
//! - **One writer per thread, among all machines.** A program tells by a heartbeat that it is alive. The threads of one
//!   that is silent for longer than its expiry are taken over by whoever asks, with a raised epoch; should it come back,
//!   that epoch refuses it.
//! - **The same promises as every store**, long-term memory included: see the conformance cases of
//!   `graphloom-core-graph`.
//!
//! ```no_run
//! use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
//! use graphloom_core_graph::checkpoint::Checkpointer;
//! use std::time::Duration;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = PostgresOptions::schema("trips").heartbeat(Duration::from_secs(2), Duration::from_secs(10));
//! let checkpointer = PostgresCheckpointer::connect_with("postgres://ada@db.example/trips", &options).await?;
//! let lease = checkpointer.acquire("lisbon").await?;
//! // A thread has one writer: another is refused until the lease is given back.
//! assert!(checkpointer.acquire("lisbon").await.is_err());
//! checkpointer.release(&lease);
//! checkpointer.close().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Durability
//! What a commit has survived when it returns is the server's `synchronous_commit`: with the default `on` the failure of
//! power, with `off` not even the death of the server.
//!
//! # Taking over
//! An expiry is a wait after a crash, and a pause that is longer than it costs a program its threads. The defaults,
//! five and thirty seconds, suit programs in one data centre. A program that ends orderly calls
//! [`PostgresCheckpointer::close`], after which nobody waits. Programs that hand threads to each other while they run wait a
//! moment for one that is being given back: [`PostgresOptions::patience`].
//!
//! # Signals
//! [`PostgresStore::signals`] are short messages between the programs of a schema, by `LISTEN` and `NOTIFY`: one need not ask
//! again and again for what another one put into the store.
//!
//! # Tables
//! They lie in a schema of their own, `graphloom` unless another is asked for, with the number of their format; a newer
//! program brings an older format up to date when it connects, an older program refuses a newer one, and writes no more when it
//! was connected before. Every row of a thread has a checksum, and one that is not as it was written is
//! [`Corrupt`](graphloom_core_graph::checkpoint::CheckpointError::Corrupt); rows of the first format have none until they are
//! next written. Names of threads,
//! tasks and keys must not contain the character zero, which PostgreSQL does not store in texts.
//!
//! # Features
//! `tls` connects over TLS, with the roots of trust of the system.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod checkpointer;
mod database;
mod failure;
mod options;
mod signals;
mod store;

pub use checkpointer::PostgresCheckpointer;
pub use options::PostgresOptions;
pub use signals::PostgresSignals;
pub use store::PostgresStore;
