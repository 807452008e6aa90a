//! Documents that a search sees before they are written.

use std::path::Path;

use super::engine::Record;
use super::refresh;
use crate::document::{self, Format};

/// A document with a text that is not written to disk yet: a new document, or a new text of a file.
#[derive(Clone, Copy, Debug)]
pub struct PendingDocument<'a> {
    /// The path below the corpus folder, with `/` between the parts.
    pub path: &'a str,
    /// The whole text.
    pub text: &'a str,
}

/// The records that the index would hold of these documents. Documents that the index would not read have none.
pub(super) fn records(pending: &[PendingDocument<'_>], root: &str, size: usize) -> Vec<Record> {
    let mut records = Vec::new();
    for PendingDocument { path, text } in pending {
        let Some(format) = Format::of(Path::new(path)) else { continue };
        if !format.is_text() {
            continue;
        }
        let Ok(document) = document::read(format, path, text, size) else { continue };
        let hash = blake3::hash(text.as_bytes()).to_hex();
        records.extend(refresh::records(root, path, &hash, document));
    }
    records
}
