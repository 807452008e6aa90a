//! Headings and block ids: the parts of a note that a link can name.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::Anchor;

/// A heading outside code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Heading {
    /// 1 for `#` to 6 for `######`.
    pub level: u8,
    /// Its text as written, without the `#`s.
    pub text: String,
    /// The line it is on, counted from 1.
    pub line: usize,
    /// Whether it stands in a quote or a list, so that it does not begin a section of the note.
    pub nested: bool,
    /// The bytes of its lines in the note's text, with the last line break.
    pub span: Range<usize>,
}

/// A block id, `^id` at the end of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Block {
    /// The id without the `^`.
    pub id: String,
    /// The line it is on, counted from 1.
    pub line: usize,
}

/// The heading's text reduced to what a link compares: lower case, letters and digits, single spaces.
pub(crate) fn heading_key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() || (!c.is_ascii() && !c.is_whitespace()) {
            key.extend(c.to_lowercase());
        } else if !key.is_empty() && !key.ends_with(' ') {
            key.push(' ');
        }
    }
    key.truncate(key.trim_end().len());
    key
}

/// Whether the parts named by the anchor are there: each heading of the chain below the one before it.
pub(crate) fn holds(headings: &[Heading], blocks: &[Block], anchor: &Anchor) -> bool {
    match anchor {
        Anchor::Block(id) => blocks.iter().any(|block| block.id.eq_ignore_ascii_case(id)),
        Anchor::Heading(chain) => {
            let keys: Vec<String> = chain.iter().map(|part| heading_key(part)).collect();
            let whole = heading_key(&chain.join("#"));
            if headings.iter().any(|heading| heading_key(&heading.text) == whole) {
                return true;
            }
            let mut wanted = keys.iter();
            let Some(mut key) = wanted.next() else { return true };
            let mut above = 0;
            for heading in headings {
                if heading.level > above && heading_key(&heading.text) == *key {
                    above = heading.level;
                    match wanted.next() {
                        Some(next) => key = next,
                        None => return true,
                    }
                }
            }
            false
        }
    }
}
