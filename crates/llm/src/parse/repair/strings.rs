//! Strings that are almost JSON strings.

use super::{Place, Reader, RepairKind};

/// How far ahead a quote is judged by what follows it.
const LOOK_AHEAD: usize = 256;

/// The quotes that close a string opened with `c`.
pub(super) fn closing_quote(c: char) -> Option<&'static [char]> {
    match c {
        '"' => Some(&['"']),
        '\'' => Some(&['\'']),
        '`' => Some(&['`']),
        '“' | '”' | '„' => Some(&['”', '“', '"']),
        '‘' | '’' => Some(&['’', '‘', '\'']),
        '«' => Some(&['»']),
        _ => None,
    }
}

impl Reader<'_> {
    /// Reads a string whose opening quote is next.
    pub(super) fn string(&mut self, place: Place) -> String {
        let opened = self.at;
        let quotes = self.bump().and_then(closing_quote).unwrap_or(&['"']);
        if quotes != ['"'] {
            self.note(RepairKind::OtherQuotes, opened);
        }
        let mut text = String::new();
        loop {
            let at = self.at;
            let Some(c) = self.bump() else {
                self.note(RepairKind::ClosedString, at);
                return text.trim_end().to_owned();
            };
            if quotes.contains(&c) {
                if self.ends_string(place) {
                    return text;
                }
                self.note(RepairKind::InnerQuote, at);
                text.push(c);
            } else if c == '\\' {
                self.escape(at, &mut text);
            } else if c == '\n' && place == Place::Member && self.next_line_is_member() {
                self.note(RepairKind::ClosedString, at);
                return text.trim_end().trim_end_matches(',').to_owned();
            } else {
                if c.is_ascii_control() {
                    self.note(RepairKind::ControlCharacter, at);
                }
                text.push(c);
            }
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self, at: usize, text: &mut String) {
        match self.bump() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some(c @ ('"' | '\\' | '/')) => text.push(c),
            Some('u') => match self.code_point() {
                Some(c) => text.push(c),
                None => {
                    self.note(RepairKind::InvalidEscape, at);
                    text.push_str("\\u");
                }
            },
            Some(c @ '\'') => {
                self.note(RepairKind::InvalidEscape, at);
                text.push(c);
            }
            Some('\n') => self.note(RepairKind::InvalidEscape, at),
            Some(c) => {
                self.note(RepairKind::InvalidEscape, at);
                text.push('\\');
                text.push(c);
            }
            None => self.note(RepairKind::InvalidEscape, at),
        }
    }

    /// The character of four hexadecimal digits, or of a pair of surrogates.
    fn code_point(&mut self) -> Option<char> {
        let first = self.hex(self.at)?;
        if let Some(c) = char::from_u32(first) {
            self.at += 4;
            return Some(c);
        }
        if self.text.get(self.at + 4..self.at + 6) == Some("\\u") {
            let second = self.hex(self.at + 6)?;
            if (0xD800..0xDC00).contains(&first) && (0xDC00..0xE000).contains(&second) {
                self.at += 10;
                return char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00));
            }
        }
        self.at += 4;
        Some(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.chars().all(|c| c.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    }

    /// The text that follows, without leading white space, bounded by [`LOOK_AHEAD`].
    fn ahead(&self) -> &str {
        let rest = &self.text[self.at..];
        let mut end = rest.len().min(LOOK_AHEAD);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        rest[..end].trim_start()
    }

    /// Whether the quote just read ends the string, judged by what follows it.
    fn ends_string(&self, place: Place) -> bool {
        let ahead = self.ahead();
        let Some(next) = ahead.chars().next() else { return true };
        match (place, next) {
            (Place::Key, ':' | '=') | (_, '}' | ']') => true,
            (Place::Key, _) => !key_ends_later(ahead),
            (Place::Member, ',') => {
                let after = ahead[1..].trim_start();
                match after.chars().next() {
                    None | Some('}' | ']' | '/' | '#' | ',' | '.' | '…' | '{') => true,
                    Some(quote) if closing_quote(quote).is_some() => member_follows(after),
                    Some(_) => bare_member_follows(after),
                }
            }
            (Place::Item, ',') => {
                let after = ahead[1..].trim_start();
                after.is_empty()
                    || after.starts_with(['"', '\'', '“', '{', '[', ']', '}', '-', '/', '#', ',', '.', '…', '`'])
                    || after.starts_with(|c: char| c.is_ascii_digit())
                    || ["true", "false", "null", "True", "False", "None"].iter().any(|word| after.starts_with(word))
            }
            // A comma is missing: the next member or item begins on its own.
            (Place::Member, quote) if closing_quote(quote).is_some() => member_follows(ahead),
            (Place::Item, '"' | '{' | '[') => self.text[self.at..].starts_with(|c: char| c.is_whitespace()),
            (_, '/') => ahead.starts_with("//") || ahead.starts_with("/*"),
            (_, '#') => true,
            (Place::Top, _) => true,
            _ => self.text[self.at..].starts_with('\n') && bare_member_follows(ahead),
        }
    }

    /// Whether the text that follows begins with a quoted key and a colon.
    fn next_line_is_member(&self) -> bool {
        let ahead = self.ahead();
        ahead.starts_with('"') && member_follows(ahead) && ahead[1..].find('"').is_some_and(|end| end <= 64)
    }
}

/// Whether `text`, which begins with a quote, begins with a quoted key and a colon. A key whose end lies beyond `text`
/// counts.
fn member_follows(text: &str) -> bool {
    let mut chars = text.char_indices();
    let Some(quotes) = chars.next().and_then(|(_, c)| closing_quote(c)) else { return false };
    for (index, c) in chars {
        if quotes.contains(&c) {
            let after = text[index + c.len_utf8()..].trim_start();
            return after.is_empty() || after.starts_with([':', '=']);
        }
        if c == '\n' {
            return false;
        }
    }
    true
}

/// Whether a quote with a colon after it comes later on the line, before anything that ends a member.
fn key_ends_later(text: &str) -> bool {
    let line = text.split(['\n', ',', '{', '}', '[', ']']).next().unwrap_or_default();
    line.char_indices()
        .filter(|(_, c)| closing_quote(*c).is_some())
        .any(|(index, c)| line[index + c.len_utf8()..].trim_start().starts_with(':'))
}

/// Whether `text` begins with a word and a colon.
fn bare_member_follows(text: &str) -> bool {
    let word = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    word.len() < text.len() && word.trim_start().starts_with(':')
}
