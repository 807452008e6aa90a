//! The YAML block at the start of a note, read without losing a byte.

mod edit;
mod emit;
mod items;
mod join;
mod read;

use std::ops::Range;

use serde_json::{Map, Value};

use super::encoding::{Decoded, Encoding};
pub(crate) use edit::{EditProblem, remove_key, set_key};
pub(crate) use join::{LeftOutReason, with_keys_of};

/// The frontmatter of a note: its keys in order, each with its value and the bytes it is written in.
///
/// It is read from between a first line `---` and the next line `---`. Broken YAML reads as no keys, with a
/// [problem](Self::problem); it is never rewritten.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frontmatter {
    /// The bytes from the first fence to the line after the last, in the note's text; empty when there is none.
    pub(crate) span: Range<usize>,
    /// The bytes of the YAML between the fences.
    pub(crate) source: Range<usize>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) scalars: Vec<Scalar>,
    problem: Option<FrontmatterProblem>,
}

/// What is wrong with a frontmatter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrontmatterProblem {
    /// The line in the note, counted from 1.
    pub line: usize,
    /// What the reader stumbled over.
    pub message: String,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) value: Value,
    /// The bytes from the key to the end of the value's last character.
    pub(crate) span: Range<usize>,
    /// Where the value starts; after the `:` when it is empty.
    pub(crate) value_start: usize,
    pub(crate) shape: Shape,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar,
    BlockScalar,
    Flow,
    Block,
}

/// A text somewhere in a value, where links can stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) span: Range<usize>,
    pub(crate) single_quoted: bool,
    pub(crate) double_quoted: bool,
}

impl Scalar {
    /// Its text without quotes and escapes; `None` for an escape that is not understood.
    pub(crate) fn decoded(&self, file: &str) -> Option<Decoded> {
        let encoding = match (self.single_quoted, self.double_quoted) {
            (true, _) => Encoding::YamlSingle,
            (_, true) => Encoding::YamlDouble,
            _ => Encoding::Plain,
        };
        let quotes = usize::from(encoding != Encoding::Plain);
        let (start, end) = (self.span.start + quotes, self.span.end.checked_sub(quotes)?);
        if start > end { None } else { encoding.decode(file, start..end) }
    }
}

/// The texts of a YAML file that is one map: its values at every depth.
pub(crate) fn scalars_of(text: &str) -> Result<Vec<Scalar>, FrontmatterProblem> {
    let start = if text.starts_with(super::lines::BOM) { super::lines::BOM.len_utf8() } else { 0 };
    match read::read(&text[start..], start) {
        Ok(found) => Ok(found.scalars),
        Err((line, message)) => Err(FrontmatterProblem { line, message }),
    }
}

impl Frontmatter {
    /// Reads the frontmatter of a note's text.
    #[must_use]
    pub(crate) fn read(text: &str) -> Self {
        let Some((span, source)) = fences(text) else {
            let start = if text.starts_with(super::lines::BOM) { super::lines::BOM.len_utf8() } else { 0 };
            return Self { span: start..start, source: start..start, ..Self::default() };
        };
        match read::read(&text[source.clone()], source.start) {
            Ok(found) => Self { span, source, entries: found.entries, scalars: found.scalars, problem: None },
            Err((line, message)) => {
                let problem = Some(FrontmatterProblem { line: line + 1, message });
                Self { span, source, problem, ..Self::default() }
            }
        }
    }

    /// Whether the note has the two fences, with or without keys between them.
    #[must_use]
    pub fn is_present(&self) -> bool {
        !self.span.is_empty()
    }

    /// Whether there are no keys, because there is no frontmatter, it is empty, or it is broken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The keys and values in the order they are written.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.entries.iter().map(|entry| (entry.key.as_str(), &entry.value))
    }

    /// All of it as one JSON object, in the order it is written.
    #[must_use]
    pub fn to_map(&self) -> Map<String, Value> {
        self.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect()
    }

    /// Why it could not be read, if it could not.
    #[must_use]
    pub fn problem(&self) -> Option<&FrontmatterProblem> {
        self.problem.as_ref()
    }
}

/// The bytes of the whole block and of the YAML in it.
fn fences(text: &str) -> Option<(Range<usize>, Range<usize>)> {
    let start = if text.starts_with(super::lines::BOM) { super::lines::BOM.len_utf8() } else { 0 };
    let first = text[start..].split_inclusive('\n').next()?;
    if first.trim_end() != "---" || !first.ends_with('\n') {
        return None;
    }
    let source_start = start + first.len();
    let mut at = source_start;
    for line in text[source_start..].split_inclusive('\n') {
        if line.starts_with("---") && line.trim_end() == "---" {
            return Some((start..at + line.len(), source_start..at));
        }
        at += line.len();
    }
    None
}
