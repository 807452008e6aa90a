//! Messages that a closed list of one language covers from the first word to the last.

use super::tokens::Text;
use super::words::{LANGUAGES, Words};

/// Messages of more tokens are not covered, whatever they say.
const MOST: usize = 60;

/// What a covered message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// An approval and nothing else.
    Approve,
    /// Nearly one: a weak yes, a trouble that is denied, or an approval that is asked, quoted or left open.
    Nearly,
    /// A rejection and nothing else.
    Reject,
    /// The end and nothing else.
    Cancel,
}

/// Reads a message that a closed list covers, and says by which words.
pub(super) fn read(text: &Text) -> Option<(Whole, Vec<String>)> {
    if text.digit || text.tokens.is_empty() || text.tokens.len() > MOST {
        return None;
    }
    let mut nearly = None;
    for words in LANGUAGES.iter() {
        match approval(text, words) {
            Some((Whole::Approve, found)) => return Some((Whole::Approve, found)),
            Some(other) => nearly = nearly.or(Some(other)),
            None => {}
        }
    }
    if nearly.is_some() {
        return nearly;
    }
    if text.asks || text.open {
        return None;
    }
    let other = |list, whole| {
        LANGUAGES.iter().find_map(|words| {
            let parts = cover(text, words, &[list, "filler"])?;
            let found: Vec<String> = parts.into_iter().filter(|part| part.list == list).map(|part| part.text).collect();
            (!found.is_empty()).then_some((whole, found))
        })
    };
    other("no", Whole::Reject).or_else(|| other("cancel", Whole::Cancel))
}

fn approval(text: &Text, words: &Words) -> Option<(Whole, Vec<String>)> {
    let parts = cover(text, words, &["nearly", "weak", "approve", "filler"])?;
    let has = |list: &str| parts.iter().any(|part| part.list == list);
    if !has("approve") && !has("weak") && !has("nearly") {
        return None;
    }
    // Words of approval that begin as a question does are one, but for phrases such as `could not be better`.
    let asked = text.asks || words.longest("asks", &text.tokens, 0) >= parts.first().map_or(1, |first| first.tokens);
    let sure = has("approve") && !has("weak") && !asked && !text.open;
    let found = parts.into_iter().filter(|part| part.list != "filler").map(|part| format!("`{}`", part.text)).collect();
    Some((if sure { Whole::Approve } else { Whole::Nearly }, found))
}

/// A phrase of a list in a message.
struct Part {
    list: &'static str,
    text: String,
    tokens: usize,
}

/// Covers a message with phrases of lists, the longest first, and the first list where two are as long. None when a
/// word is left over.
fn cover(text: &Text, words: &Words, lists: &[&'static str]) -> Option<Vec<Part>> {
    let count = text.tokens.len();
    // Whether the rest from a place on can be covered, and by which first phrase; from the end to the front.
    let mut best: Vec<Option<(usize, &'static str)>> = vec![None; count + 1];
    best[count] = Some((0, ""));
    for at in (0..count).rev() {
        let mut chosen: Option<(usize, &'static str)> = None;
        for list in lists {
            for length in words.lengths(list, &text.tokens, at) {
                if best[at + length].is_some() && chosen.is_none_or(|(longest, _)| length > longest) {
                    chosen = Some((length, list));
                }
            }
        }
        best[at] = chosen;
    }
    let (mut at, mut parts) = (0, Vec::new());
    while at < count {
        let (length, list) = best[at]?;
        let slice = &text.text[text.tokens[at].start..text.tokens[at + length - 1].end];
        parts.push(Part { list, text: slice.to_owned(), tokens: length });
        at += length;
    }
    Some(parts)
}
