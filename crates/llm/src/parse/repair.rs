//! Repair of almost valid JSON. Size, depth and work are bounded, and every change is listed.
//!
//! The reader goes through the text once and judges a doubtful place by what follows it, within a bounded distance. Two
//! rules stand above all others. Sound text stays as it is: a string is cut only where a quote stands that is not escaped,
//! or where the text ends without a quote. Nothing is lost: of two readings the one is taken in which what follows still
//! has its place.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::Shape;
use super::{MAX_BYTES, MAX_DEPTH};

mod array;
mod bare;
mod blank;
mod brackets;
mod escapes;
mod inside;
mod lookahead;
mod missing_quote;
mod object;
mod string_end;
mod strings;

/// One change made to a text so that it could be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// The kind of the change.
    pub kind: RepairKind,
    /// The place of the change, in bytes of the text.
    pub at: usize,
}

/// The kinds of repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RepairKind {
    /// A string had no closing quote.
    ClosedString,
    /// A string had no opening quote.
    OpenedString,
    /// An object or array had no closing bracket.
    ClosedBracket,
    /// An object or array had no opening bracket.
    OpenedBracket,
    /// A closing bracket had no opening one, or the wrong one.
    StrayBracket,
    /// A comma with nothing after it, or a doubled comma.
    ExtraComma,
    /// No comma between two values.
    MissingComma,
    /// No colon after a key.
    MissingColon,
    /// A key without a value became `null`.
    MissingValue,
    /// Quotes other than `"`.
    OtherQuotes,
    /// A key without quotes.
    UnquotedKey,
    /// A string without quotes.
    UnquotedText,
    /// `True`, `False`, `None`, `undefined`, `NaN` and the like.
    Literal,
    /// A number that JSON does not know, such as `.5`, `+1` or `1.`.
    Number,
    /// A line break or other control character in a string.
    ControlCharacter,
    /// A quote inside a string.
    InnerQuote,
    /// A quote that was written twice, as CSV does.
    DoubledQuote,
    /// A backslash that escapes nothing.
    InvalidEscape,
    /// A comment.
    Comment,
    /// An ellipsis in place of values.
    Ellipsis,
    /// Words or a quote that belong to no key and no value.
    StrayText,
    /// A key, an escape, a sign or an opening quote that the end of the text cut off. It is dropped.
    CutOff,
    /// Text before the value.
    LeadingText,
    /// Text after the value.
    TrailingText,
}

/// A repaired value.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The value.
    pub value: Value,
    /// The changes, in order; empty when the text was valid JSON.
    pub repairs: Vec<Repair>,
}

/// Why a text could not be repaired.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// There is no object and no array in the text.
    #[error("no JSON object or array begins in the text")]
    NoValue,
    /// The text is too long.
    #[error("the text has {0} bytes, more than the {MAX_BYTES} that are read")]
    TooLong(usize),
    /// The value is nested too deeply.
    #[error("at byte {0} the value is nested more than {MAX_DEPTH} deep")]
    TooDeep(usize),
}

/// Reads the first object or array in `text`, repairing what is broken.
///
/// # Errors
/// When no object or array begins in the text, when the text is longer than [`MAX_BYTES`], or when values are nested
/// deeper than [`MAX_DEPTH`].
pub fn repair_json(text: &str) -> Result<Repaired, RepairError> {
    if text.len() > MAX_BYTES {
        return Err(RepairError::TooLong(text.len()));
    }
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
        return Ok(Repaired { value, repairs: Vec::new() });
    }
    let start = text.find(['{', '[']).ok_or(RepairError::NoValue)?;
    let mut reader = Reader::new(text, start);
    if !text[..start].trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        reader.note(RepairKind::LeadingText, 0);
    }
    let value = reader.value(0, Place::Item)?.unwrap_or_default();
    reader.skip_blank();
    if reader.at < text.len() {
        let at = reader.at;
        reader.note(RepairKind::TrailingText, at);
    }
    Ok(Repaired { value, repairs: reader.repairs })
}

/// The place of a value, which decides what may follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Key,
    Member,
    Item,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    repairs: Vec<Repair>,
    /// The kinds of the values that are open, the outermost first.
    open: Vec<Shape>,
    /// The place of the last line break.
    last_break: Option<usize>,
    /// The place of the last end of a block comment.
    last_comment_end: Option<usize>,
    /// The bytes that may still be looked at in search of the ends of objects inside strings.
    budget: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            repairs: Vec::new(),
            open: Vec::new(),
            last_break: text.rfind('\n'),
            last_comment_end: text.rfind("*/"),
            budget: text.len().saturating_mul(4),
        }
    }
}

impl Reader<'_> {
    fn note(&mut self, kind: RepairKind, at: usize) {
        self.repairs.push(Repair { kind, at });
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Reads a value. There is none when the text ends, or cuts the value off before it says anything.
    fn value(&mut self, depth: usize, place: Place) -> Result<Option<Value>, RepairError> {
        self.check_depth(depth)?;
        self.skip_blank();
        match self.peek() {
            Some('{') => self.object(depth).map(Some),
            Some('[') => self.array(depth).map(Some),
            Some(c) if lookahead::closing_quote(c).is_some() => Ok(self.string(place).map(Value::String)),
            Some(_) => Ok(self.bare(place)),
            None => Ok(None),
        }
    }

    fn check_depth(&self, depth: usize) -> Result<(), RepairError> {
        if depth > MAX_DEPTH { Err(RepairError::TooDeep(self.at)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
