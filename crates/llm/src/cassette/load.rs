//! Reading a cassette.

use std::path::Path;

use super::entry::{Entry, Header, Line, ModelLine, VERSION};
use crate::ModelError;

/// The content of a recording.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) models: Vec<ModelLine>,
    pub(super) entries: Vec<Entry>,
    /// Faults of the file that do not prevent loading.
    pub(super) warnings: Vec<String>,
    /// The number of bytes at the start of the file that are whole lines.
    pub(super) whole: usize,
}

pub(super) fn parse(text: &[u8], path: &Path) -> Result<Loaded, ModelError> {
    let setup = |message: String| ModelError::Setup { message };
    let mut loaded = Loaded::default();
    let mut header = None;
    for (index, bytes) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let number = index + 1;
        let ended = bytes.ends_with(b"\n");
        let line = std::str::from_utf8(bytes).unwrap_or("\u{0}").trim();
        match serde_json::from_str::<Line>(line) {
            _ if line.is_empty() => {}
            // A last line without its line break may be torn.
            Ok(line) if ended => match line {
                Line::Header(found) => header = Some(check(found, path)?),
                _ if header.is_none() => break,
                Line::Model(model) => loaded.models.push(model),
                Line::Entry(entry) => loaded.entries.push(*entry),
            },
            _ if !ended && (header.is_some() || begins_header(line)) => {
                loaded.warnings.push(format!(
                    "`{}` ends in a torn line {number}, which is dropped: its call was under way when recording stopped",
                    path.display()
                ));
                break;
            }
            Err(error) if header.is_some() => {
                return Err(setup(format!("`{}` is damaged in line {number}: {error}", path.display())));
            }
            _ => break,
        }
        loaded.whole += bytes.len();
    }
    if header.is_none() && loaded.warnings.is_empty() {
        return Err(setup(format!("`{}` is not a recording: its first line does not say so", path.display())));
    }
    Ok(loaded)
}

/// Whether a torn first line is the start of a header. A file that begins otherwise is no recording.
fn begins_header(line: &str) -> bool {
    let header = "{\"cassette\":\"graphloom\",\"v\":";
    line.starts_with(header) || header.starts_with(line)
}

fn check(header: Header, path: &Path) -> Result<Header, ModelError> {
    if header.cassette != "graphloom" {
        return Err(ModelError::Setup {
            message: format!("`{}` is a recording of `{}`", path.display(), header.cassette),
        });
    }
    if header.v > VERSION {
        let message = format!(
            "`{}` has version {}, this program reads up to {VERSION}; use a newer program or record again",
            path.display(),
            header.v
        );
        return Err(ModelError::Setup { message });
    }
    Ok(header)
}
