//! Citation marks as they stand in a text.

use std::ops::Range;

use graphloom_text::markdown::{code, touches};
use graphloom_text::{KeyWords, key_marks_anywhere, target_length, without_brackets, without_cut_mark};
use serde::{Deserialize, Serialize};

/// How the mark of a source that is not yet checked begins.
const SOURCE: KeyWords<'_> = KeyWords { words: &["citation", "citations", "cite"], numbers: true };
/// The widest range of numbers that gives each of its numbers, as `3-5` does.
const WIDEST: u64 = 50;

/// A citation mark and the bytes it takes up. A bracket that names several sources is as many marks: the last has all its
/// bytes, and those before it have none and stand at its beginning.
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
    /// `[citation:KEY]` in any usual spelling: a source as its writer names it, not yet checked.
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

/// All citation marks of `text`, in order. What is not well formed is text, and so is a source that stands
/// in code.
///
/// ```
/// use graphloom_citations::{Target, marks};
///
/// let found = marks("It is so [ citation : wal#1f ].[checked_citation:3][[1]](https://a.example/b) `[citation:x]`");
/// assert_eq!(found[0].target, Target::Source("wal#1f".into()));
/// let url = Some("https://a.example/b".to_owned());
/// assert_eq!(found[1].target, Target::Checked { id: 3, number: Some(1), url });
/// assert_eq!(found.len(), 2);
///
/// let keys: Vec<Target> = marks("So it is【Citation：1，3-4】.").into_iter().map(|mark| mark.target).collect();
/// assert_eq!(keys, ["1", "3", "4"].map(|key| Target::Source(key.to_owned())));
/// ```
#[must_use]
pub fn marks(text: &str) -> Vec<Mark> {
    let mut found: Vec<Mark> = key_marks_anywhere(text, SOURCE)
        .into_iter()
        .filter_map(|mark| Some((mark.range, keys(&mark.keys)?)))
        .flat_map(|(range, keys)| {
            let last = keys.len() - 1;
            keys.into_iter().enumerate().map(move |(at, key)| Mark {
                range: range.start..if at == last { range.end } else { range.start },
                target: Target::Source(key),
            })
        })
        .collect();
    for (start, _) in text.match_indices("[checked_citation:") {
        found.extend(read_checked(text, start));
    }
    if found.is_empty() {
        return found;
    }
    found.sort_by_key(|mark| mark.range.start);
    let code = code(&without_brackets(text, found.iter().map(|mark| &mark.range)));
    // A checked mark is ours wherever it stands.
    found.retain(|mark| {
        let bytes = mark.range.start..mark.range.end.max(mark.range.start + 1);
        matches!(mark.target, Target::Checked { .. }) || !touches(&bytes, &code)
    });
    found
}

/// `text` without a mark that it breaks off in, as `[citation:1` at its end.
///
/// ```
/// assert_eq!(graphloom_citations::whole_marks("It is so [citation:1, 2"), "It is so");
/// ```
#[must_use]
pub fn whole_marks(text: &str) -> &str {
    without_cut_mark(text, SOURCE)
}

/// The keys of a mark, with each number of a range; none where one is no key.
fn keys(written: &[String]) -> Option<Vec<String>> {
    let mut keys = Vec::with_capacity(written.len());
    for key in written {
        let number = |text: &str| text.parse::<u64>().ok();
        let numbers = key.split_once('-').and_then(|(first, last)| Some((number(first)?, number(last)?)));
        match numbers {
            Some((first, last)) if (first..=first.saturating_add(WIDEST)).contains(&last) => {
                keys.extend((first..=last).map(|number| number.to_string()));
            }
            _ => {
                let number = key.strip_prefix('#').filter(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
                keys.push(number.unwrap_or(key).to_owned());
            }
        }
    }
    let is_key = |key: &String| {
        !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'#' | b'-'))
    };
    (!keys.is_empty() && keys.iter().all(is_key)).then_some(keys)
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
