//! Places in a text, counted in different units.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What offsets count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Unicode code points, as the original counts.
    #[default]
    CodePoints,
    /// Bytes of UTF-8.
    Bytes,
    /// Units of UTF-16, as JavaScript counts.
    Utf16,
}

impl Unit {
    /// The unit of a name: `code_points`, `bytes`, `utf16`.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "code_points" => Some(Self::CodePoints),
            "bytes" => Some(Self::Bytes),
            "utf16" => Some(Self::Utf16),
            _ => None,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Self::CodePoints => 1,
            Self::Bytes => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
        }
    }

    /// How long a text is.
    ///
    /// ```
    /// use graphloom_deepsearch::feedback::Unit;
    ///
    /// let text = "a🙂é";
    /// assert_eq!([Unit::CodePoints, Unit::Bytes, Unit::Utf16].map(|unit| unit.length(text)), [3, 7, 4]);
    /// ```
    pub fn length(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            _ => text.chars().map(|c| self.width(c)).sum(),
        }
    }

    /// The byte at an offset; none outside of the text and inside of a character.
    pub fn byte(self, text: &str, offset: usize) -> Option<usize> {
        let mut counted = 0;
        for (at, c) in text.char_indices() {
            if counted >= offset {
                return (counted == offset).then_some(at);
            }
            counted += self.width(c);
        }
        (counted == offset).then_some(text.len())
    }

    /// The bytes between two offsets; none where one of them is no place of the text, or they are not in order.
    pub fn bytes(self, text: &str, start: usize, end: usize) -> Option<Range<usize>> {
        let range = self.byte(text, start)?..self.byte(text, end)?;
        (range.start < range.end).then_some(range)
    }

    /// The offset of a byte that begins a character, or of the end.
    pub fn offset(self, text: &str, byte: usize) -> usize {
        self.length(&text[..text.floor_char_boundary(byte)])
    }
}
