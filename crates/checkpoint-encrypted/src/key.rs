//! Keys, and which of them is used.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use chacha20poly1305::XChaCha20Poly1305;
use chacha20poly1305::aead::KeyInit;

use crate::EncryptionError;

/// A key of 256 bits with a name, which is stored beside everything that the key encrypts.
#[derive(Clone)]
pub struct Key {
    pub(crate) id: Arc<str>,
    pub(crate) cipher: XChaCha20Poly1305,
}

impl Key {
    /// A key of 32 random bytes. A passphrase is none: derive a key from it first.
    ///
    /// # Errors
    /// [`EncryptionError::KeyLength`], [`EncryptionError::KeyName`].
    pub fn new(id: &str, bytes: &[u8]) -> Result<Self, EncryptionError> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if id.is_empty() || id.len() > 64 || !id.chars().all(fits) {
            return Err(EncryptionError::KeyName { id: id.escape_debug().take(80).collect() });
        }
        let cipher =
            XChaCha20Poly1305::new_from_slice(bytes).map_err(|_| EncryptionError::KeyLength { found: bytes.len() })?;
        Ok(Self { id: id.into(), cipher })
    }
}

/// Only the name: a key is a secret.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The key that writes, and the keys that read.
#[derive(Clone, Debug)]
pub struct Keyring {
    writes: Key,
    reads: BTreeMap<Arc<str>, Key>,
}

impl Keyring {
    /// One key, which writes and reads.
    pub fn new(key: Key) -> Self {
        let reads = BTreeMap::from([(Arc::clone(&key.id), key.clone())]);
        Self { writes: key, reads }
    }

    /// Reads also what this key wrote. Of two keys of one name the first is kept.
    #[must_use]
    pub fn and(mut self, key: Key) -> Self {
        self.reads.entry(Arc::clone(&key.id)).or_insert(key);
        self
    }

    pub(crate) fn writes(&self) -> &Key {
        &self.writes
    }

    pub(crate) fn named(&self, id: &str) -> Option<&Key> {
        self.reads.get(id)
    }
}
