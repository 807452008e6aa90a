//! Where answers are kept.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::CachePolicy;
use crate::ModelError;

/// A place for answers, by key. Keys and values are opaque to it.
pub trait ResponseStore: Send + Sync + fmt::Debug + 'static {
    /// The value of a key that was put at most `age` before `now`.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the store cannot be read.
    fn get(&self, key: &str, age: Duration, now: SystemTime) -> Result<Option<Vec<u8>>, ModelError>;

    /// Keeps a value, and forgets what is too old by the policy, or too much.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the store cannot be written.
    fn put(&self, key: &str, value: &[u8], policy: &CachePolicy, now: SystemTime) -> Result<(), ModelError>;
}

/// Answers in the memory of this process.
#[derive(Default)]
pub struct MemoryResponses(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    values: BTreeMap<String, Value>,
    /// Keys by their last use.
    used: BTreeMap<u64, String>,
    size: u64,
    clock: u64,
}

struct Value {
    bytes: Vec<u8>,
    at: SystemTime,
    used: u64,
}

impl Entries {
    fn touch(&mut self, key: &str) {
        self.clock += 1;
        if let Some(value) = self.values.get_mut(key) {
            self.used.remove(&value.used);
            value.used = self.clock;
            self.used.insert(self.clock, key.to_owned());
        }
    }

    fn remove(&mut self, key: &str) {
        if let Some(value) = self.values.remove(key) {
            self.used.remove(&value.used);
            self.size = self.size.saturating_sub(length(&value.bytes));
        }
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

impl ResponseStore for MemoryResponses {
    fn get(&self, key: &str, age: Duration, now: SystemTime) -> Result<Option<Vec<u8>>, ModelError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(value) = kept.values.get(key) else { return Ok(None) };
        if now.duration_since(value.at).unwrap_or_default() > age {
            kept.remove(key);
            return Ok(None);
        }
        let bytes = value.bytes.clone();
        kept.touch(key);
        Ok(Some(bytes))
    }

    fn put(&self, key: &str, value: &[u8], policy: &CachePolicy, now: SystemTime) -> Result<(), ModelError> {
        if length(value) > policy.size {
            return Ok(());
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.remove(key);
        kept.size += length(value);
        kept.values.insert(key.to_owned(), Value { bytes: value.to_owned(), at: now, used: 0 });
        kept.touch(key);
        while kept.size > policy.size {
            let Some(oldest) = kept.used.first_key_value().map(|(_, key)| key.clone()) else { break };
            kept.remove(&oldest);
        }
        Ok(())
    }
}

impl fmt::Debug for MemoryResponses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("MemoryResponses").field("answers", &kept.values.len()).field("size", &kept.size).finish()
    }
}
