//! How a vault is opened.

/// How a vault is read.
///
/// ```
/// use graphloom_vault::VaultOptions;
/// assert_eq!(VaultOptions::default().max_note_bytes, 8 * 1024 * 1024);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VaultOptions {
    /// Files with more bytes are not read as notes. Default: 8 MiB.
    pub max_note_bytes: u64,
    /// How many bytes of text are kept in memory with what was read in them. Default: 128 MiB.
    pub cache_bytes: usize,
}

impl VaultOptions {
    /// Sets [`max_note_bytes`](Self::max_note_bytes).
    #[must_use]
    pub fn max_note_bytes(mut self, bytes: u64) -> Self {
        self.max_note_bytes = bytes;
        self
    }

    /// Sets [`cache_bytes`](Self::cache_bytes).
    #[must_use]
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }
}

impl Default for VaultOptions {
    fn default() -> Self {
        Self { max_note_bytes: 8 * 1024 * 1024, cache_bytes: 128 * 1024 * 1024 }
    }
}
