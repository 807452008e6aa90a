//! Judging a place of the text by what follows it, within a bounded distance.

use super::Reader;

/// How far ahead a place is judged by what follows it, in bytes.
pub(super) const LOOK_AHEAD: usize = 256;

/// The longest quoted key that ends what stands before it, in bytes. Text in quotes before a colon is often no key when
/// it is longer.
pub(super) const LONGEST_KEY: usize = 64;

/// The marks that open and close a block of code.
const FENCE: &str = "```";

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

impl<'a> Reader<'a> {
    /// At most `length` bytes of the text from `at` on.
    pub(super) fn window(&self, at: usize, length: usize) -> &'a str {
        let rest = &self.text[at..];
        let mut end = rest.len().min(length);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        &rest[..end]
    }

    /// The text from `at` on without leading white space, bounded by [`LOOK_AHEAD`].
    pub(super) fn ahead(&self, at: usize) -> &'a str {
        self.window(at, LOOK_AHEAD).trim_start()
    }

    /// What follows a short quoted key and its colon, when such a key begins at `at`.
    pub(super) fn after_key(&self, at: usize) -> Option<&'a str> {
        after_key(self.window(at, LOOK_AHEAD))
    }

    /// The quoted key of the member that stands here in place of a value.
    pub(super) fn key_of_member(&self) -> Option<&'a str> {
        let (key, after) = split_key(self.window(self.at, LOOK_AHEAD))?;
        value_begins(after).then_some(key)
    }

    /// Whether a fence of a code block ends the JSON here.
    pub(super) fn at_fence(&self) -> bool {
        fence_ends(self.window(self.at, LOOK_AHEAD))
    }
}

/// Whether `text` begins with a fence and the line ends behind the fence.
pub(super) fn fence_ends(text: &str) -> bool {
    text.strip_prefix(FENCE).is_some_and(|rest| {
        let rest = rest.trim_start_matches('`').trim_start_matches([' ', '\t', '\r']);
        rest.is_empty() || rest.starts_with('\n')
    })
}

/// Splits `text`, which begins with a quote, into the quoted words and what follows their closing quote, without leading
/// white space. Nothing follows words that `text` cuts off. Words that a line break cuts are no key.
fn split_quoted(text: &str) -> Option<(&str, Option<&str>)> {
    let open = text.chars().next()?;
    let quotes = closing_quote(open)?;
    let mut body = &text[open.len_utf8()..];
    // An empty string has no letter right behind its quotes, so a letter tells that the quote is doubled.
    let doubled = body.strip_prefix(open);
    if let Some(doubled) = doubled.filter(|doubled| doubled.starts_with(char::is_alphanumeric)) {
        body = doubled;
    }
    let mut escaped = false;
    for (index, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return None,
            c if quotes.contains(&c) => {
                let after = &body[index + c.len_utf8()..];
                return Some((&body[..index], Some(after.strip_prefix(c).unwrap_or(after).trim_start())));
            }
            _ => {}
        }
    }
    Some((body, None))
}

/// A short quoted key, and what follows its colon, when `text` begins with them.
pub(super) fn split_key(text: &str) -> Option<(&str, &str)> {
    let (key, after) = split_quoted(text)?;
    let short = !key.trim().is_empty() && key.len() <= LONGEST_KEY;
    let value = after.filter(|_| short)?.strip_prefix(':')?;
    Some((key, value.trim_start()))
}

/// What follows a short quoted key and its colon, when `text` begins with them.
pub(super) fn after_key(text: &str) -> Option<&str> {
    split_key(text).map(|(_, after)| after)
}

/// Whether `text` begins as a value of JSON does. The end of the text may cut the value off.
pub(super) fn value_begins(text: &str) -> bool {
    const WORDS: [&str; 6] = ["true", "false", "null", "True", "False", "None"];
    text.starts_with(|c: char| matches!(c, '{' | '[' | '-') || c.is_ascii_digit() || closing_quote(c).is_some())
        || WORDS.iter().any(|word| text.starts_with(word) || word.starts_with(text))
}

/// Whether `text`, which stands behind a comma and begins with a quote, begins with a quoted key and a colon. A key that
/// `text` cuts off counts.
pub(super) fn member_follows(text: &str) -> bool {
    match split_quoted(text) {
        Some((_, Some(after))) => after.is_empty() || after.starts_with([':', '=']),
        Some((_, None)) => true,
        None => false,
    }
}

/// Whether `text`, which begins with a quote, begins with a whole quoted key and a colon.
pub(super) fn whole_member_follows(text: &str) -> bool {
    matches!(
        split_quoted(text),
        Some((key, Some(after))) if !key.trim().is_empty() && (after.is_empty() || after.starts_with([':', '=']))
    )
}

/// Whether `text` begins with a word and a colon.
pub(super) fn bare_member_follows(text: &str) -> bool {
    after_word(text).is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// Whether `text` begins with a word, a quote and a colon: a key without its opening quote.
pub(super) fn half_quoted_member_follows(text: &str) -> bool {
    after_word(text).and_then(|rest| rest.strip_prefix('"')).is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// Whether `text` begins with quoted words and a value: a key without its colon.
pub(super) fn colonless_member_follows(text: &str) -> bool {
    split_quoted(text).is_some_and(|(key, after)| {
        let words = !key.trim().is_empty() && key.len() <= LONGEST_KEY && key.chars().all(is_of_words);
        words && after.is_some_and(|after| !after.is_empty() && value_begins(after))
    })
}

/// Whether `text` begins with a quote, a word, a colon and a value: a key without its closing quote.
pub(super) fn half_closed_member_follows(text: &str) -> bool {
    let value = text.strip_prefix('"').and_then(after_word).and_then(|rest| rest.strip_prefix(':'));
    value.is_some_and(|value| value_begins(value.trim_start()))
}

fn after_word(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    (rest.len() < text.len()).then_some(rest)
}

/// Whether `text` begins with some words and, behind white space, with a quoted key and a value.
pub(super) fn words_then_member(text: &str) -> bool {
    let Some((words, _)) = text.split_once('"') else { return false };
    words.len() <= LONGEST_KEY
        && words.ends_with(char::is_whitespace)
        && words.chars().all(is_of_words)
        && after_key(&text[words.len()..]).is_some_and(value_begins)
}

/// Whether `c` is a character of plain words on one line.
pub(super) fn is_of_words(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.')
}

/// Whether a quote with a colon after it comes later on the line, before anything that ends a member.
pub(super) fn key_ends_later(text: &str) -> bool {
    let line = text.split(['\n', ',', '{', '}', '[', ']']).next().unwrap_or_default();
    line.char_indices()
        .filter(|(_, c)| closing_quote(*c).is_some())
        .any(|(index, c)| line[index + c.len_utf8()..].trim_start().starts_with(':'))
}
