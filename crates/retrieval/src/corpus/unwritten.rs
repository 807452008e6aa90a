//! Documents that are not written yet.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::engine::Record;
use super::refresh;
use crate::document::{self, Format};

/// A document that is not written yet, or another text of one that is.
#[derive(Clone, Copy, Debug)]
pub struct Unwritten<'a> {
    /// The path below the corpus folder, with `/` between the parts.
    pub path: &'a str,
    /// The whole text.
    pub text: &'a str,
}

/// The records that the index would keep of these documents; none of what it would not read.
pub(super) fn records(unwritten: &[Unwritten<'_>], root: &str, size: usize) -> Vec<Record> {
    let mut records = Vec::new();
    for Unwritten { path, text } in unwritten {
        let Some(format) = Format::of(Path::new(path)) else { continue };
        // As in a refresh, no reader of a format may end the program.
        let read = catch_unwind(AssertUnwindSafe(|| document::read(format, path, text, size)));
        let Ok(Ok(document)) = read else { continue };
        let hash = blake3::hash(text.as_bytes()).to_hex();
        records.extend(refresh::records(root, path, &hash, document));
    }
    records
}
