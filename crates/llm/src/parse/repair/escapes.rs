//! Escapes in strings, sound and unsound ones.

use super::{Reader, RepairKind};

impl Reader<'_> {
    /// Reads what follows a backslash.
    pub(super) fn escape(&mut self, at: usize, text: &mut String) {
        match self.bump() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some(c @ ('"' | '\\' | '/')) => text.push(c),
            Some('u') if self.cuts_code_point() => {
                self.at = self.text.len();
                self.note(RepairKind::CutOff, at);
            }
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

    /// Whether the text ends before the digits of a code point do, or before the second one of a pair of surrogates.
    fn cuts_code_point(&self) -> bool {
        let rest = &self.text[self.at..];
        let is_hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit());
        let Some(first) = self.hex(self.at) else { return rest.len() < 4 && is_hex(rest) };
        let second = &rest[4..];
        let cut = "\\u".starts_with(second) || second.len() < 6 && second.strip_prefix("\\u").is_some_and(is_hex);
        (0xD800..0xDC00).contains(&first) && cut
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.chars().all(|c| c.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    }
}
