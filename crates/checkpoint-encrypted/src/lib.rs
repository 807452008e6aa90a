//! Encryption at rest around any checkpointer and any long-term store of [`graphloom_core_graph`].
//!
//! - **Everything that a program says is encrypted**: values of fields, results and answers of tasks, events, the details
//!   of statuses, items. Each is bound to its place, so that what was moved to another place or changed is refused.
//! - **Keys have names and are rotated.** A [`Keyring`] writes with one key and reads with all it has.
//! - **A wrong key is told from damaged data**: [`EncryptionError::UnknownKey`] names the key that is needed,
//!   [`EncryptionError::Refused`] the place whose data cannot be trusted.
//!
//! ```
//! use graphloom_checkpoint_encrypted::{Encrypted, Key, Keyring};
//! use graphloom_core_graph::checkpoint::MemoryCheckpointer;
//! use graphloom_core_graph::store::{MemoryStore, Namespace, PutOptions, Store};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let secret = [7; 32];
//! let keys = Keyring::new(Key::new("2026-11", &secret)?);
//! let checkpointer = Encrypted::new(MemoryCheckpointer::new(), keys.clone());
//! // Given to a graph as any other: `graph.compile()?.with_checkpointer(checkpointer)`.
//! # let _ = checkpointer;
//! let memory = Encrypted::new(MemoryStore::new(), keys);
//! let ada = Namespace::new(["users", "ada"])?;
//! memory.put(&ada, "city", "Lisbon".into(), PutOptions::default()).await?;
//! assert_eq!(memory.get(&ada, "city").await?.map(|item| item.value), Some("Lisbon".into()));
//! assert_ne!(memory.inner().get(&ada, "city").await?.map(|item| item.value), Some("Lisbon".into()));
//! # Ok(())
//! # }
//! ```
//!
//! # What stays readable
//! Names and numbers, by which a store finds things: threads, graphs, namespaces, fields, tasks, keys of questions and
//! durable steps, statuses, times, sizes. Do not put secrets into names.
//!
//! # How
//! XChaCha20-Poly1305 with a random nonce of 192 bits for each value, so equal values have unequal ciphertexts: a store
//! cannot share them ([`Capabilities::shares_values`](graphloom_core_graph::checkpoint::Capabilities) is off), and a value
//! grows by 46 bytes and the name of its key. Bound to it are the kind of the value and its place: thread, namespace,
//! field and version; task, kind and key; sequence number; namespace and key of an item. Because the thread's name is
//! among them, a store cannot copy a thread by itself, and the ability `copy_thread` is off.
//!
//! What encryption does not show is something that is missing, or an older state of the whole store put in the place of
//! a newer one.
//!
//! # Queues and engines
//! Tasks that other processes execute go through a queue or an engine, which keep them for a while: [`MessageKeys`] encrypts them
//! there. `graphloom-worker` and `graphloom-restate` take such keys.
//!
//! # Rotation
//! `Keyring::new(new).and(old)` writes with the new key and still reads what the old one wrote. Values that are not
//! written again keep their key, so keep old keys for as long as their threads, or prune and delete these.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod checkpointer;
mod error;
mod key;
mod messages;
mod seal;
mod store;

pub use error::EncryptionError;
pub use key::{Key, Keyring};
pub use messages::MessageKeys;

use std::fmt;

/// A checkpointer or a long-term store whose values are encrypted.
#[derive(Clone)]
pub struct Encrypted<S> {
    inner: S,
    keys: Keyring,
}

impl<S> Encrypted<S> {
    /// What is put into `inner` is encrypted, and what comes from it must have been.
    pub fn new(inner: S, keys: Keyring) -> Self {
        Self { inner, keys }
    }

    /// The store that holds what is encrypted.
    pub fn inner(&self) -> &S {
        &self.inner
    }
}

impl<S: fmt::Debug> fmt::Debug for Encrypted<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encrypted").field("inner", &self.inner).field("keys", &self.keys).finish()
    }
}
