//! The parts of a file that is a ZIP archive, within a limit of what they unpack to.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::{UnreadReason, decode};

/// An archive whose parts together may unpack to a limited number of bytes.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    limit: u64,
    left: u64,
}

impl<'a> Archive<'a> {
    /// Opens an archive; nothing if the bytes are none.
    pub(super) fn open(bytes: &'a [u8], limit: u64) -> Option<Self> {
        let zip = ZipArchive::new(Cursor::new(bytes)).ok()?;
        Some(Self { zip, limit, left: limit })
    }

    /// The text of a part; nothing if there is no such part.
    ///
    /// # Errors
    /// A part that is encrypted, damaged, no text, or too large.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, UnreadReason> {
        let damaged = |error: &dyn std::fmt::Display| UnreadReason::malformed(format!("its part `{name}`: {error}"));
        let part = match self.zip.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => return Err(UnreadReason::Encrypted),
            Err(error) => return Err(damaged(&error)),
        };
        let mut bytes = Vec::new();
        // What an archive says of its parts is not relied on.
        part.take(self.left + 1).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
        let size = bytes.len() as u64;
        if size > self.left {
            return Err(UnreadReason::Expands { limit: self.limit });
        }
        self.left -= size;
        match decode(&bytes, None, true) {
            Some(decoded) => Ok(Some(decoded.text)),
            None => Err(damaged(&"it is no text")),
        }
    }
}
