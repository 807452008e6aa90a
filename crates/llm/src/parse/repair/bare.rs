//! Values without quotes: numbers, literals and text.

use serde_json::{Number, Value};

use super::lookahead::{LOOK_AHEAD, closing_quote};
use super::{Place, Reader, RepairKind};

/// The longest text that is compared with numbers and literals before its end is known, in bytes.
const LONGEST_SCALAR: usize = 32;

impl Reader<'_> {
    /// Reads a number, a literal, or text without quotes. There is no value when the end of the text cuts a number off
    /// behind its sign.
    pub(super) fn bare(&mut self, place: Place) -> Option<Value> {
        let start = self.at;
        let mut before = ' ';
        while let Some(c) = self.peek() {
            if self.at > start && self.bare_ends(start, place, before, c) {
                break;
            }
            match c {
                '{' | '[' => self.at = self.balanced_end().unwrap_or(self.at + 1),
                _ => self.at += c.len_utf8(),
            }
            before = c;
        }
        let words = self.text[start..self.at].trim();
        if words == "-" && self.at == self.text.len() {
            self.note(RepairKind::CutOff, start);
            return None;
        }
        let half_quoted = ['"', '\'']
            .into_iter()
            .find_map(|quote| words.strip_suffix(quote).filter(|text| text.matches(quote).count().is_multiple_of(2)));
        let text = half_quoted.unwrap_or(words).trim_end();
        let (value, kind) = if let Some(value) = json_scalar(text) {
            (value, half_quoted.map(|_| RepairKind::StrayText))
        } else if let Some(value) = literal(text).or_else(|| self.cut_literal(text)) {
            (value, Some(RepairKind::Literal))
        } else if let Some(number) = loose_number(text) {
            (Value::Number(number), Some(RepairKind::Number))
        } else {
            let kind = if half_quoted.is_some() { RepairKind::OpenedString } else { RepairKind::UnquotedText };
            // Text with a closing quote may have escapes.
            let escaped = half_quoted.and_then(|text| serde_json::from_str(&format!("\"{text}\"")).ok());
            (Value::String(escaped.unwrap_or_else(|| text.to_owned())), Some(kind))
        };
        if let Some(kind) = kind {
            self.note(kind, start);
        }
        Some(value)
    }

    /// The value of a literal of JSON that the end of the text cuts off.
    fn cut_literal(&self, text: &str) -> Option<Value> {
        let cut = self.at == self.text.len() && !text.is_empty();
        let word = ["true", "false", "null"].into_iter().find(|word| cut && word.starts_with(text))?;
        json_scalar(word)
    }

    /// Whether the value that began at `start` ends before `c`, which is next. `before` is the character before `c`.
    fn bare_ends(&self, start: usize, place: Place, before: char, c: char) -> bool {
        match c {
            '}' | ']' | '\n' => true,
            ',' => place == Place::Item || !self.words_go_on(start),
            '/' => {
                let rest = &self.text[self.at..];
                // The slashes of an address follow its colon.
                rest.starts_with("/*") || rest.starts_with("//") && before != ':'
            }
            '`' if self.at_fence() => true,
            // A comma is missing: the next member begins.
            c if closing_quote(c).is_some() && place == Place::Member && self.after_key(self.at).is_some() => true,
            // A comma is missing behind a number or a literal.
            c if before.is_whitespace() => {
                let begins = match place {
                    Place::Item => matches!(c, '{' | '[' | '-') || c.is_ascii_digit(),
                    _ => false,
                };
                (begins || c == '#' || closing_quote(c).is_some()) && is_scalar(&self.text[start..self.at])
            }
            _ => false,
        }
    }

    /// Whether the text of a member that began at `start` goes on behind the comma that is next: words follow on the
    /// line, and they are no key.
    fn words_go_on(&self, start: usize) -> bool {
        let text = self.text[start..self.at].trim_end();
        let after = self.window(self.at + 1, LOOK_AHEAD).trim_start_matches([' ', '\t']);
        let quoted = text.ends_with(['"', '\'']) && !text.ends_with("\\\"");
        if quoted || is_scalar(text) || !after.starts_with(char::is_alphanumeric) {
            return false;
        }
        match after.find([':', '=', ',', '{', '}', '[', ']', '"', '\n']) {
            Some(end) => {
                let rest = &after[end..];
                !rest.strip_prefix('"').unwrap_or(rest).trim_start().starts_with([':', '='])
            }
            // The end of the text may have cut a key off.
            None => false,
        }
    }

    /// The end of the brackets that open here, when they close on the same line within a bounded distance. They belong to
    /// the text then.
    fn balanced_end(&self) -> Option<usize> {
        let mut depth = 0_usize;
        for (index, c) in self.window(self.at, LOOK_AHEAD).char_indices() {
            match c {
                '{' | '[' => depth += 1,
                '}' | ']' if depth == 1 => return Some(self.at + index + 1),
                '}' | ']' => depth -= 1,
                '\n' => return None,
                _ => {}
            }
        }
        None
    }
}

/// Whether `text` is a number or a literal.
fn is_scalar(text: &str) -> bool {
    let text = text.trim();
    text.len() <= LONGEST_SCALAR && (json_scalar(text).is_some() || literal(text).is_some())
}

/// The number or literal of JSON that `text` is.
pub(super) fn json_scalar(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(|value| matches!(value, Value::Number(_) | Value::Bool(_) | Value::Null))
}

/// The value of a literal that JSON writes otherwise.
fn literal(text: &str) -> Option<Value> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(Value::Bool(true)),
        "false" | "no" => Some(Value::Bool(false)),
        "null" | "none" | "nil" | "undefined" | "nan" | "n/a" => Some(Value::Null),
        _ => None,
    }
}

/// A number with a plus sign, a bare point, underscores between digits, or an exponent without digits.
fn loose_number(word: &str) -> Option<Number> {
    let mut plain: String = word.trim_start_matches('+').chars().filter(|c| *c != '_').collect();
    let whole = plain.trim_end_matches(['+', '-']).trim_end_matches(['e', 'E']).len();
    if plain[whole..].starts_with(['e', 'E']) {
        plain.truncate(whole);
    }
    if !plain.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'))
        || !plain.ends_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return None;
    }
    plain.parse::<i64>().map(Number::from).ok().or_else(|| plain.parse::<f64>().ok().and_then(Number::from_f64))
}
