//! Citation marks as they stand in a text.

use std::ops::Range;

use graphloom_text::target_length;
use serde::{Deserialize, Serialize};

/// A citation mark and the bytes it takes up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The whole mark.
    pub range: Range<usize>,
    /// What it refers to.
    pub target: Target,
}

/// What a mark refers to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Target {
    /// `[citation:KEY]`: a source as its writer names it, not yet checked.
    Source(String),
    /// `[checked_citation:ID]`, with the numbered link `[[N]](URL)` that follows it at once, where one does.
    Checked {
        /// The id of the checked citation.
        id: u64,
        /// The number in the list of references.
        number: Option<u64>,
        /// The address the number leads to.
        url: Option<String>,
    },
}

/// All citation marks of `text`, in order. What is not well formed is text.
///
/// ```
/// use graphloom_citations::{Target, marks};
///
/// let found = marks("It is so [ citation : wal#1f ].[checked_citation:3][[1]](https://a.example/b)");
/// assert_eq!(found[0].target, Target::Source("wal#1f".into()));
/// let url = Some("https://a.example/b".to_owned());
/// assert_eq!(found[1].target, Target::Checked { id: 3, number: Some(1), url });
/// ```
#[must_use]
pub fn marks(text: &str) -> Vec<Mark> {
    let mut found: Vec<Mark> = Vec::new();
    let mut from = 0;
    while let Some(offset) = text[from..].find('[') {
        let start = from + offset;
        let mark = read_source(text, start).or_else(|| read_checked(text, start));
        from = mark.as_ref().map_or(start + 1, |mark| mark.range.end);
        found.extend(mark);
    }
    found
}

/// `text` without its citation marks, and without the spaces that stood before them.
#[must_use]
pub fn without_marks(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for mark in marks(text) {
        clean.push_str(&text[from..mark.range.start]);
        let end = clean.trim_end_matches([' ', '\t']).len();
        // A space is kept where the mark stood between two words.
        let joins = text[mark.range.end..].starts_with(char::is_alphanumeric);
        clean.truncate(end);
        if joins && !clean.is_empty() {
            clean.push(' ');
        }
        from = mark.range.end;
    }
    clean.push_str(&text[from..]);
    clean
}

fn read_source(text: &str, start: usize) -> Option<Mark> {
    let spaces = [' ', '\t'];
    let body = text[start + 1..].trim_start_matches(spaces).strip_prefix("citation")?;
    let body = body.trim_start_matches(spaces).strip_prefix(':')?.trim_start_matches(spaces);
    let length =
        body.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '#' | '-'))).unwrap_or(body.len());
    let rest = body[length..].trim_start_matches(spaces).strip_prefix(']')?;
    let key = &body[..length];
    (!key.is_empty()).then(|| Mark { range: start..text.len() - rest.len(), target: Target::Source(key.to_owned()) })
}

fn read_checked(text: &str, start: usize) -> Option<Mark> {
    let body = text[start..].strip_prefix("[checked_citation:")?;
    let (id, rest) = digits(body)?;
    let rest = rest.strip_prefix(']')?;
    let (number, url, rest) = match read_link(rest) {
        Some((number, url, rest)) => (Some(number), Some(url), rest),
        None => (None, None, rest),
    };
    Some(Mark { range: start..text.len() - rest.len(), target: Target::Checked { id, number, url } })
}

/// `[[N]](URL)`.
fn read_link(text: &str) -> Option<(u64, String, &str)> {
    let (number, rest) = digits(text.strip_prefix("[[")?)?;
    let rest = rest.strip_prefix("]]")?;
    let length = target_length(rest)?;
    Some((number, rest[1..length - 1].to_owned(), &rest[length..]))
}

fn digits(text: &str) -> Option<(u64, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..length].parse().ok()?, &text[length..]))
}
