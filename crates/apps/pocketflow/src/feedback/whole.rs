//! Messages that a closed list of one language covers from the first word to the last.

use super::change::ReviewedItems;
use super::tokens::Text;
use super::typos;
use super::words::{LANGUAGES, WordLists};

/// Messages of more tokens are not covered, whatever they say.
const MOST: usize = 60;

/// Messages with more words that a language does not know are none of that language.
const SLIPS: usize = 2;

/// What a covered message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WholeMessage {
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
pub(super) fn read(text: &Text, shown: &ReviewedItems) -> Option<(WholeMessage, Vec<String>)> {
    if text.digit || text.tokens.is_empty() || text.tokens.len() > MOST {
        return None;
    }
    let mut nearly = None;
    // A word that a language has in no list is covered by none of them.
    let strange = |words: &WordLists| text.tokens.iter().filter(|token| !words.has(token)).count();
    for words in LANGUAGES.iter().filter(|words| strange(words) <= SLIPS) {
        let read = approval(text, words, shown)
            .or_else(|| typos::mended(text, words).and_then(|mended| approval(&mended, words, shown)));
        match read {
            Some((WholeMessage::Approve, found)) => return Some((WholeMessage::Approve, found)),
            Some(other) => nearly = nearly.or(Some(other)),
            None => {}
        }
    }
    if nearly.is_some() {
        return nearly;
    }
    if text.asks || text.quotes || text.left_open.is_some() {
        return None;
    }
    let other = |list, whole| {
        LANGUAGES.iter().filter(|words| strange(words) == 0).find_map(|words| {
            let parts = cover(text, words, &[list, "filler"])?;
            let found: Vec<String> = parts.into_iter().filter(|part| part.list == list).map(|part| part.text).collect();
            (!found.is_empty()).then_some((whole, found))
        })
    };
    other("no", WholeMessage::Reject).or_else(|| other("cancel", WholeMessage::Cancel))
}

fn approval(text: &Text, words: &WordLists, shown: &ReviewedItems) -> Option<(WholeMessage, Vec<String>)> {
    // All four of four are all; two of four would be a choice.
    let count = if shown.proposal { String::new() } else { format!("count {}", shown.count()) };
    let parts = cover(text, words, &["nearly", "weak", "approve", "filler", &count])?;
    let has = |list: &str| parts.iter().any(|part| part.list == list);
    if !has("approve") && !has("weak") && !has("nearly") || blocked(text, words, &parts) {
        return None;
    }
    // Words of approval that begin as a question does are one, but for phrases such as `could not be better`.
    let asked = text.asks || words.longest("asks", &text.tokens, 0) >= parts.first().map_or(1, |first| first.tokens);
    // Dots leave something open, unless an approval stands behind them.
    let behind = |dots| parts.iter().any(|part| part.list == "approve" && text.tokens[part.at].start >= dots);
    let open = text.quotes || text.left_open.is_some_and(|dots| !behind(dots));
    let weak = has("weak") || stands_alone("weak", text, words, &parts);
    let sure = has("approve") && !weak && !asked && !open;
    let found = parts.into_iter().filter(|part| part.list != "filler").map(|part| format!("`{}`", part.text)).collect();
    Some((if sure { WholeMessage::Approve } else { WholeMessage::Nearly }, found))
}

/// Lists whose words take an approval back wherever they stand, unless a longer phrase of approval holds them.
const AGAINST: &[&str] = &["blocks", "no", "cancel", "cancels", "reject", "search"];

/// Lists of what asks for a change. Their single words stand in approvals too (`make`, `cut`).
const ASKING: &[&str] = &["change", "remove", "except"];

/// Whether words that may stand in an approval say something else together, as `i have to go` does, or leave the message
/// hanging at its end.
fn blocked(text: &Text, words: &WordLists, parts: &[Part<'_>]) -> bool {
    AGAINST.iter().any(|list| stands_alone(list, text, words, parts))
        || ASKING.iter().any(|list| straddles(list, text, words, parts))
        || parts.last().is_some_and(|last| {
            last.list == "filler" && words.lengths("hangs", &text.tokens, last.at).contains(&last.tokens)
        })
}

/// Whether a phrase of a list stands in a text that is not inside of a longer part.
fn stands_alone(list: &str, text: &Text, words: &WordLists, parts: &[Part<'_>]) -> bool {
    (0..text.tokens.len()).any(|at| {
        words.lengths(list, &text.tokens, at).into_iter().any(|length| {
            let inside =
                |part: &Part<'_>| part.at <= at && at + length <= part.at + part.tokens && part.tokens > length;
            !parts.iter().any(inside)
        })
    })
}

/// Whether a phrase of a list is made of words of several parts, as `passen an` is of a yes and a small word.
fn straddles(list: &str, text: &Text, words: &WordLists, parts: &[Part<'_>]) -> bool {
    let holds = |part: &Part<'_>, at: usize, end: usize| part.at <= at && end <= part.at + part.tokens;
    (0..text.tokens.len()).any(|at| {
        let mut lengths = words.lengths(list, &text.tokens, at).into_iter();
        lengths.any(|length| !parts.iter().any(|part| holds(part, at, at + length)))
    })
}

/// A phrase of a list in a message.
struct Part<'l> {
    list: &'l str,
    text: String,
    at: usize,
    tokens: usize,
}

/// Covers a message with phrases of lists, the longest first, and the first list where two are as long. None when a
/// word is left over.
fn cover<'l>(text: &Text, words: &WordLists, lists: &[&'l str]) -> Option<Vec<Part<'l>>> {
    let count = text.tokens.len();
    // Whether the rest from a place on can be covered, and by which first phrase; from the end to the front.
    let mut best: Vec<Option<(usize, &'l str)>> = vec![None; count + 1];
    best[count] = Some((0, ""));
    for at in (0..count).rev() {
        let mut chosen: Option<(usize, &'l str)> = None;
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
        parts.push(Part { list, text: slice.to_owned(), at, tokens: length });
        at += length;
    }
    Some(parts)
}
