//! Whether a quote ends a string or belongs to its text.

use super::bare::json_scalar;
use super::inside::Inside;
use super::lookahead::{
    LONGEST_KEY, LOOK_AHEAD, after_key, bare_member_follows, closing_quote, colonless_member_follows, fence_ends,
    half_closed_member_follows, half_quoted_member_follows, is_of_words, key_ends_later, member_follows, value_begins,
    whole_member_follows, words_then_member,
};
use super::{Place, Reader};

impl Reader<'_> {
    /// Whether a quote before `at` ends a string, judged by what follows the quote and by what the string holds.
    pub(super) fn ends_string(&self, at: usize, place: Place, inside: Inside) -> bool {
        let ahead = self.ahead(at);
        let rest = &self.text[at..];
        let spaced = rest.starts_with(char::is_whitespace);
        let Some(next) = ahead.chars().next() else { return true };
        match (place, next) {
            (Place::Key, ':' | '=') => true,
            (_, '}' | ']') => !closes_inside(ahead, inside.depth),
            (_, '`') if fence_ends(ahead) => true,
            (Place::Key, _) => !key_ends_later(ahead),
            (Place::Member, ',') => member_ends(ahead[1..].trim_start(), inside),
            (Place::Item, ',') => item_ends(ahead[1..].trim_start(), inside),
            // A comma is missing: the next member or item begins on its own.
            (Place::Member, quote) if closing_quote(quote).is_some() => whole_member_follows(ahead),
            (Place::Item, '"') => spaced && (inside.paired() || !closes(ahead)),
            (Place::Item, '{' | '[') => spaced,
            (_, '/') => ahead.starts_with("//") || ahead.starts_with("/*"),
            (_, '#') => true,
            _ => {
                rest.starts_with('\n') && bare_member_follows(ahead)
                    || spaced && inside.paired() && self.stray_words_follow(at, place)
            }
        }
    }

    /// Whether words on their own follow at `at`, before a bracket or comma behind which the JSON goes on.
    fn stray_words_follow(&self, at: usize, place: Place) -> bool {
        let ahead = self.ahead(at);
        let length = ahead.find(|c| !is_of_words(c)).unwrap_or(ahead.len());
        let (words, rest) = ahead.split_at(length);
        if words.is_empty() || words.len() > LONGEST_KEY {
            return false;
        }
        let scalar_item = place == Place::Item && json_scalar(words.trim()).is_some();
        let Some(next) = rest.chars().next() else { return scalar_item && self.text.len() - at <= LOOK_AHEAD };
        let behind = rest.trim_start_matches(|c: char| matches!(c, '}' | ']') || c.is_whitespace());
        let after_comma = behind.strip_prefix(',').map(str::trim_start);
        match (next, after_comma) {
            ('}' | ']', None) => behind.is_empty(),
            ('}' | ']', Some(after)) => bare_member_follows(after) || value_begins(after),
            (',', Some(after)) => scalar_item || place == Place::Member && after_key(after).is_some_and(value_begins),
            _ => false,
        }
    }
}

/// Whether a member's value ends before a comma and `after`.
fn member_ends(after: &str, inside: Inside) -> bool {
    match after.chars().next() {
        None | Some('}' | ']' | '/' | '#' | ',' | '.' | '…' | '{') => true,
        Some('[') => inside.paired(),
        Some(quote) if closing_quote(quote).is_some() => {
            member_follows(after)
                || inside.paired() && (half_closed_member_follows(after) || colonless_member_follows(after))
        }
        Some(_) if bare_member_follows(after) => true,
        Some(_) => inside.paired() && (half_quoted_member_follows(after) || words_then_member(after)),
    }
}

/// Whether an item ends before a comma and `after`.
fn item_ends(after: &str, inside: Inside) -> bool {
    value_begins(after)
        || after.starts_with([']', '}', '/', '#', ',', '.', '…'])
        || inside.paired() && half_quoted_item_follows(after)
}

/// Whether `text` begins with some words, a quote, and a comma or bracket: an item without its opening quote.
fn half_quoted_item_follows(text: &str) -> bool {
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return index > 0 && closes(&text[index..]),
            ',' | ':' | '{' | '}' | '[' | ']' | '\n' => return false,
            _ => {}
        }
    }
    false
}

/// Whether the quote at the beginning of `text` ends a string, judged by the comma or bracket behind it.
fn closes(text: &str) -> bool {
    let after = text[1..].trim_start();
    after.is_empty() || after.starts_with([',', '}', ']'])
}

/// Whether the brackets at the beginning of `text` close brackets that the string itself opened, since the quote that ends
/// the string comes behind them.
fn closes_inside(text: &str, depth: usize) -> bool {
    let mut rest = text;
    for _ in 0..depth {
        match rest.strip_prefix(['}', ']']) {
            Some(behind) => rest = behind.trim_start(),
            None => break,
        }
    }
    rest.len() < text.len() && rest.starts_with('"') && closes(rest)
}
