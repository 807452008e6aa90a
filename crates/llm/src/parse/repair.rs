//! Repair of almost valid JSON. Size, depth and work are bounded, and every change is listed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::{MAX_BYTES, MAX_DEPTH};

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
    /// An object or array had no closing bracket.
    ClosedBracket,
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
    /// A backslash that escapes nothing.
    InvalidEscape,
    /// A comment.
    Comment,
    /// An ellipsis in place of values.
    Ellipsis,
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
    let mut reader = Reader { text, at: start, repairs: Vec::new() };
    if !text[..start].trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        reader.note(RepairKind::LeadingText, 0);
    }
    let value = reader.value(0, Place::Top)?;
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
    Top,
    Key,
    Member,
    Item,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    repairs: Vec<Repair>,
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

    /// Steps over white space and comments.
    fn skip_blank(&mut self) {
        loop {
            while self.peek().is_some_and(|c| c.is_whitespace() || c == '\u{feff}') {
                self.bump();
            }
            let rest = &self.text[self.at..];
            let length = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.note(RepairKind::Comment, self.at);
            self.at += length;
        }
    }

    fn value(&mut self, depth: usize, place: Place) -> Result<Value, RepairError> {
        if depth > MAX_DEPTH {
            return Err(RepairError::TooDeep(self.at));
        }
        self.skip_blank();
        match self.peek() {
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            Some(c) if strings::closing_quote(c).is_some() => Ok(Value::String(self.string(place))),
            Some(_) => Ok(self.bare(place)),
            None => {
                self.note(RepairKind::MissingValue, self.at);
                Ok(Value::Null)
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, RepairError> {
        self.bump();
        let mut members = Map::new();
        let mut separated = true;
        loop {
            self.skip_blank();
            let at = self.at;
            match self.peek() {
                None => {
                    self.note(RepairKind::ClosedBracket, at);
                    return Ok(Value::Object(members));
                }
                Some('}') => {
                    self.bump();
                    if separated && !members.is_empty() {
                        self.note(RepairKind::ExtraComma, at);
                    }
                    return Ok(Value::Object(members));
                }
                Some(']') => {
                    // The bracket ends the array around the object when there is one; else the bracket is the wrong
                    // one.
                    if depth > 0 {
                        self.note(RepairKind::ClosedBracket, at);
                        return Ok(Value::Object(members));
                    }
                    self.bump();
                    self.note(RepairKind::StrayBracket, at);
                    continue;
                }
                Some(',') => {
                    self.bump();
                    if separated {
                        self.note(RepairKind::ExtraComma, at);
                    }
                    separated = true;
                    continue;
                }
                Some('.' | '…') if self.ellipsis() => continue,
                Some('{' | '[' | ':') => {
                    self.bump();
                    self.note(RepairKind::StrayBracket, at);
                    continue;
                }
                Some(_) => {}
            }
            if !separated {
                self.note(RepairKind::MissingComma, at);
            }
            let key = self.key();
            self.skip_blank();
            let value = match self.peek() {
                Some(':') => {
                    self.bump();
                    self.skip_blank();
                    self.member_value(depth)?
                }
                Some(',' | '}' | ']') | None => {
                    self.note(RepairKind::MissingValue, self.at);
                    Value::Null
                }
                Some('=') => {
                    self.note(RepairKind::MissingColon, self.at);
                    self.bump();
                    if self.peek() == Some('>') {
                        self.bump();
                    }
                    self.member_value(depth)?
                }
                Some(_) => {
                    self.note(RepairKind::MissingColon, self.at);
                    self.member_value(depth)?
                }
            };
            members.insert(key, value);
            separated = false;
        }
    }

    fn member_value(&mut self, depth: usize) -> Result<Value, RepairError> {
        self.skip_blank();
        if matches!(self.peek(), Some(',' | '}' | ']')) {
            self.note(RepairKind::MissingValue, self.at);
            return Ok(Value::Null);
        }
        self.value(depth + 1, Place::Member)
    }

    fn array(&mut self, depth: usize) -> Result<Value, RepairError> {
        self.bump();
        let mut items = Vec::new();
        let mut separated = true;
        loop {
            self.skip_blank();
            let at = self.at;
            match self.peek() {
                None => {
                    self.note(RepairKind::ClosedBracket, at);
                    return Ok(Value::Array(items));
                }
                Some(']') => {
                    self.bump();
                    if separated && !items.is_empty() {
                        self.note(RepairKind::ExtraComma, at);
                    }
                    return Ok(Value::Array(items));
                }
                Some('}') => {
                    if depth > 0 {
                        self.note(RepairKind::ClosedBracket, at);
                        return Ok(Value::Array(items));
                    }
                    self.bump();
                    self.note(RepairKind::StrayBracket, at);
                }
                Some(',') => {
                    self.bump();
                    if separated {
                        self.note(RepairKind::ExtraComma, at);
                    }
                    separated = true;
                }
                Some(':') => {
                    self.bump();
                    self.note(RepairKind::StrayBracket, at);
                }
                Some('.' | '…') if self.ellipsis() => {}
                Some(_) => {
                    if !separated {
                        self.note(RepairKind::MissingComma, at);
                    }
                    items.push(self.value(depth + 1, Place::Item)?);
                    separated = false;
                }
            }
        }
    }

    fn key(&mut self) -> String {
        if self.peek().is_some_and(|c| strings::closing_quote(c).is_some()) {
            return self.string(Place::Key);
        }
        let start = self.at;
        while self.peek().is_some_and(|c| !matches!(c, ':' | '=' | ',' | '}' | ']' | '{' | '[' | '\n')) {
            self.bump();
        }
        if self.at == start {
            self.bump();
        }
        self.note(RepairKind::UnquotedKey, start);
        self.text[start..self.at].trim().to_owned()
    }

    /// Steps over `...` or `…`, with the comma that follows.
    fn ellipsis(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let length = if rest.starts_with("...") {
            3
        } else if rest.starts_with('…') {
            '…'.len_utf8()
        } else {
            return false;
        };
        self.note(RepairKind::Ellipsis, self.at);
        self.at += length;
        self.skip_blank();
        if self.peek() == Some(',') {
            self.bump();
        }
        true
    }

    /// A number, a literal, or text without quotes.
    fn bare(&mut self, place: Place) -> Value {
        let start = self.at;
        while let Some(c) = self.peek() {
            let ends = match c {
                '}' | ']' | '\n' => true,
                ',' => place != Place::Top,
                _ if c.is_whitespace() => self.scalar_ends(start, place),
                _ => self.text[self.at..].starts_with("//") || self.text[self.at..].starts_with("/*"),
            };
            if ends {
                break;
            }
            self.bump();
        }
        if self.at == start {
            self.bump();
        }
        let word = self.text[start..self.at].trim();
        if let Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::Null)) = serde_json::from_str(word) {
            return value;
        }
        let literal = match word.to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(Value::Bool(true)),
            "false" | "no" => Some(Value::Bool(false)),
            "null" | "none" | "nil" | "undefined" | "nan" | "n/a" => Some(Value::Null),
            _ => None,
        };
        if let Some(value) = literal {
            self.note(RepairKind::Literal, start);
            return value;
        }
        if let Some(number) = loose_number(word) {
            self.note(RepairKind::Number, start);
            return Value::Number(number);
        }
        self.note(RepairKind::UnquotedText, start);
        Value::String(word.trim_end_matches(['"', '\'']).to_owned())
    }
}

impl Reader<'_> {
    /// Whether the text since `start` is a whole scalar and another value or key begins after the next space.
    fn scalar_ends(&self, start: usize, place: Place) -> bool {
        let next = self.text[self.at..].trim_start().chars().next();
        let begins = match place {
            Place::Item => next.is_some_and(|c| matches!(c, '{' | '[' | '-') || c.is_ascii_digit()),
            _ => false,
        };
        let quoted = next.is_some_and(|c| strings::closing_quote(c).is_some());
        (begins || quoted)
            && matches!(
                serde_json::from_str(self.text[start..self.at].trim()),
                Ok(Value::Number(_) | Value::Bool(_) | Value::Null)
            )
    }
}

/// A number with a plus sign, a bare point, or underscores between digits.
fn loose_number(word: &str) -> Option<Number> {
    let plain: String = word.trim_start_matches('+').chars().filter(|c| *c != '_').collect();
    if !plain.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'))
        || !plain.ends_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return None;
    }
    plain.parse::<i64>().map(Number::from).ok().or_else(|| plain.parse::<f64>().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests;
