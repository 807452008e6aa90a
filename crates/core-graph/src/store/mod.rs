//! Long-term memory beside the threads: JSON values under a key, in namespaces.
//!
//! What a [`Store`] keeps outlives every thread: what is known of a user, results worth reusing, notes for later.
//! Items are found by key, by the beginning of their [`Namespace`] and by [`Condition`]s on their values, and may
//! expire.

mod condition;
mod memory;
mod namespace;
mod signals;

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use crate::depth::is_nested_within;
use crate::error_text::debug_is_text;

pub use condition::{Comparison, Condition};
pub use memory::MemoryStore;
pub use namespace::Namespace;
pub use signals::{Signal, Signals};

/// A stored value and what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Where it is.
    pub namespace: Namespace,
    /// Its name there.
    pub key: String,
    /// The value.
    pub value: Value,
    /// Milliseconds since 1970 of the first `put`.
    pub created: u64,
    /// Milliseconds since 1970 of the last `put`.
    pub updated: u64,
    /// Milliseconds since 1970 from which on it is no longer there.
    pub expires: Option<u64>,
}

impl Item {
    /// Whether the item is still there at a time.
    pub fn is_live(&self, now: u64) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

/// How [`Store::put`] keeps a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PutOptions {
    /// How long the value is kept; for ever when not set. Putting it again starts anew.
    pub ttl: Option<Duration>,
}

impl PutOptions {
    /// Keeps a value for this long.
    pub fn ttl(ttl: Duration) -> Self {
        Self { ttl: Some(ttl) }
    }

    /// When a value put at this time expires, both in milliseconds since 1970.
    pub fn expires(self, now: u64) -> Option<u64> {
        self.ttl.map(|ttl| now.saturating_add(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX)))
    }
}

/// What must be under a key for [`Store::put_if`] to put. What is expired is not there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Expected {
    /// Nothing.
    Absent,
    /// An item whose value satisfies this.
    Holds(Condition),
}

impl Expected {
    /// Whether what is under a key is what is expected.
    pub fn is_met_by(&self, value: Option<&Value>) -> bool {
        match (self, value) {
            (Self::Absent, None) => true,
            (Self::Holds(condition), Some(value)) => condition.holds(value),
            (Self::Absent, Some(_)) | (Self::Holds(_), None) => false,
        }
    }
}

/// Which items [`Store::query`] answers, ordered by namespace and key.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Query {
    /// Only items in this namespace and below.
    pub prefix: Namespace,
    /// Only items whose value satisfies all of these.
    pub conditions: Vec<Condition>,
    /// At most this many. 100 unless set.
    pub limit: usize,
    /// Skips this many matching items.
    pub offset: usize,
}

impl Query {
    /// Items in a namespace and below.
    pub fn below(prefix: Namespace) -> Self {
        Self { prefix, ..Self::default() }
    }

    /// Adds a condition.
    #[must_use]
    pub fn when(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// Answers at most this many.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Skips this many.
    #[must_use]
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }
}

impl Default for Query {
    fn default() -> Self {
        Self { prefix: Namespace::root(), conditions: Vec::new(), limit: 100, offset: 0 }
    }
}

/// Which namespaces [`Store::list_namespaces`] answers, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamespaceFilter {
    /// Only this namespace and those below.
    pub prefix: Namespace,
    /// Cuts deeper namespaces to this many segments.
    pub depth: Option<usize>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl NamespaceFilter {
    /// A namespace and those below.
    pub fn below(prefix: Namespace) -> Self {
        Self { prefix, ..Self::default() }
    }

    /// Cuts deeper namespaces to this many segments.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Answers at most this many.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }
}

/// The most levels of arrays and objects within each other in the value of an item, which readers of JSON read.
pub const ITEM_LEVELS: usize = 127;

/// Checks that every store can keep an item, and that its value can be read again from the JSON that a store makes of it. Stores do
/// so before they put it.
///
/// # Errors
/// [`StoreError::InvalidKey`]; [`StoreError::TooDeep`].
pub fn check_item(key: &str, value: &Value) -> Result<(), StoreError> {
    if key.contains('\0') {
        return Err(StoreError::InvalidKey { key: key.escape_debug().to_string() });
    }
    if is_nested_within(value, ITEM_LEVELS) { Ok(()) } else { Err(StoreError::TooDeep { key: key.to_owned() }) }
}

/// Long-term memory. What is expired is not there, whether or not it has been swept.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Puts a value, over the one that is there. One that is nested too deeply is refused, as [`check_item`] does.
    async fn put(&self, namespace: &Namespace, key: &str, value: Value, options: PutOptions) -> Result<(), StoreError>;

    /// Puts a value where what is there is what is expected, in one step that no other writer can come between, and
    /// tells whether it was put.
    async fn put_if(
        &self,
        namespace: &Namespace,
        key: &str,
        value: Value,
        options: PutOptions,
        expected: &Expected,
    ) -> Result<bool, StoreError>;

    /// The item of a key.
    async fn get(&self, namespace: &Namespace, key: &str) -> Result<Option<Item>, StoreError>;

    /// Deletes a key, and tells whether it was there.
    async fn delete(&self, namespace: &Namespace, key: &str) -> Result<bool, StoreError>;

    /// The items that match, ordered by namespace and key.
    async fn query(&self, query: &Query) -> Result<Vec<Item>, StoreError>;

    /// The namespaces that hold items, sorted.
    async fn list_namespaces(&self, filter: &NamespaceFilter) -> Result<Vec<Namespace>, StoreError>;

    /// Removes what is expired and tells how many items that were.
    async fn sweep(&self) -> Result<u64, StoreError>;
}

/// An error of a long-term store.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A segment of a namespace is not allowed.
    #[error("`{segment}` cannot be a segment of a namespace: {reason}")]
    InvalidSegment {
        /// The segment, with control characters escaped.
        segment: String,
        /// Why not.
        reason: &'static str,
    },
    /// A key that not every store can keep.
    #[error("`{key}` cannot be the key of an item: it contains the character U+0000")]
    InvalidKey {
        /// The key, with control characters escaped.
        key: String,
    },
    /// A value is nested more deeply than an item can be read again.
    #[error("the item `{key}` is nested too deeply: at most {ITEM_LEVELS} arrays and objects may be within each other")]
    TooDeep {
        /// The item's key.
        key: String,
    },
    /// The store's file was written by a newer version of this crate.
    #[error(
        "`{path}` has format {found}, this program reads up to {known}; update the program, or choose another file"
    )]
    NewerFormat {
        /// The file.
        path: String,
        /// The file's format.
        found: u32,
        /// The newest known format.
        known: u32,
    },
    /// Stored data is not what it must be.
    #[error("stored data of {place} cannot be read: {message}")]
    Corrupt {
        /// The file or the item.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// The store is locked by another program for longer than the time-out.
    #[error("`{path}` is locked by another program ({message}); close that program or wait, then try again")]
    Locked {
        /// The file.
        path: String,
        /// The database's words.
        message: String,
    },
    /// No room is left.
    #[error("no room is left for `{path}` ({message}); free some and try again")]
    Full {
        /// The file.
        path: String,
        /// The database's words.
        message: String,
    },
    /// Any other failure of the store below.
    #[error("the store failed at {action}: {source}")]
    Store {
        /// What was being done, and where.
        action: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

debug_is_text!(StoreError);
