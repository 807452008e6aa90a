//! Where a string ends whose closing quote is missing, and which quotes do not end it.

use super::inside::Inside;
use super::lookahead::{LONGEST_KEY, key_ends_later, value_begins};
use super::{Place, Reader};

/// The longest object inside a string whose quotes are taken for quotes of the string's text, in bytes.
const LONGEST_INNER_OBJECT: usize = 1024;

impl Reader<'_> {
    /// Where a string ends that began at `start`, behind its opening quote, and that no quote closes: before the closing
    /// brackets at the end of the text. A key ends before its colon.
    pub(super) fn open_string_end(&self, place: Place, start: usize) -> Option<usize> {
        let end = self.before_closers(start)?;
        let colon = self.text[start..end].find(':').filter(|colon| place == Place::Key && *colon <= LONGEST_KEY);
        Some(colon.map_or(end, |colon| start + colon))
    }

    /// Where a key ends whose closing quote is missing, when the quote at `at` closes or opens the value: the first colon.
    pub(super) fn key_end(&self, start: usize, at: usize) -> Option<usize> {
        let raw = self.text.get(start..at).filter(|raw| raw.len() <= LONGEST_KEY)?;
        let ahead = self.ahead(self.at);
        let colon = raw.find(':').filter(|colon| *colon > 0 && !raw[*colon..].starts_with("://"))?;
        let value_goes_on = raw.trim_end().ends_with([',', '{', '[']);
        let closes_key = ahead.is_empty() || ahead.starts_with([':', '=']);
        (!closes_key && (value_goes_on || !key_ends_later(ahead))).then_some(start + colon)
    }

    /// Where a string ends whose closing quote is missing, when the quote at `at` begins the next key: behind its last
    /// words.
    pub(super) fn before_next_key(&self, at: usize, inside: Inside) -> Option<usize> {
        if inside.words_depth > 0 {
            return None;
        }
        let value = self.after_key(at)?;
        let tail = &self.text[inside.words_end..at];
        ((tail.contains('\n') || value_begins(value)) && self.leads_to_key(tail)).then_some(inside.words_end)
    }

    /// The end of an object in the text of a string whose quotes are not escaped, when the quote at `at` opens the first
    /// key of such an object.
    pub(super) fn inner_object_end(&mut self, at: usize, inside: Inside) -> usize {
        let opens = inside.depth > 0 && self.text[..at].trim_end().ends_with('{') && self.after_key(at).is_some();
        let length = LONGEST_INNER_OBJECT.min(self.budget);
        if !opens || length == 0 {
            return 0;
        }
        let mut depth = 1_usize;
        for (index, byte) in self.text.as_bytes()[at..].iter().take(length).enumerate() {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at + index;
            }
        }
        self.budget -= length;
        0
    }
}
