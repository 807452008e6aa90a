//! Messages that the phrase lists of one language cover from the first word to the last.

use super::Language;
use super::change::ReviewedItems;
use super::tokens::Text;
use super::typos;
use super::words::{self, LANGUAGES, WordLists};

/// The most tokens of a covered message.
const MOST: usize = 60;

/// The most words of a message that a language may not know for the message to be read in that language.
const SLIPS: usize = 2;

/// The meaning of a covered message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WholeMessage {
    /// An approval and nothing else.
    Approve,
    /// Nearly an approval: a weak yes, a denied problem (`no objections`), or an approval that is asked, quoted or left
    /// open.
    Nearly,
    /// A rejection and nothing else.
    Reject,
    /// An end of the journey and nothing else.
    Cancel,
}

/// Reads a message that the phrase lists of one language cover, and returns the words that decided.
pub(super) fn read(text: &Text, shown: &ReviewedItems) -> Option<(WholeMessage, Vec<String>)> {
    if text.digit || text.tokens.is_empty() || text.tokens.len() > MOST {
        return None;
    }
    let mut nearly = None;
    let language = words::language(text).language;
    // How many words of the message stand in no list of a language.
    let strange = |words: &WordLists| text.tokens.iter().filter(|token| !words.has(token)).count();
    for words in LANGUAGES.iter().filter(|words| strange(words) <= SLIPS) {
        let read = approval(text, words, shown)
            .or_else(|| typos::corrected(text, words).and_then(|corrected| approval(&corrected, words, shown)))
            .or_else(|| (words.language == language).then(|| after_denial(text, words, shown)).flatten());
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
    // The number of all queries (`all four`) is part of an approval; a smaller number would be a choice.
    let count = if shown.proposal { String::new() } else { format!("count {}", shown.count()) };
    let parts = cover(text, words, &["nearly", "weak", "approve", "filler", &count])?;
    let has = |list: &str| parts.iter().any(|part| part.list == list);
    if !has("approve") && !has("weak") && !has("nearly") || blocked(text, words, &parts) {
        return None;
    }
    // Words of approval that begin like a question are a question, except in phrases such as `could not be better`.
    let asked = text.asks || words.longest("asks", &text.tokens, 0) >= parts.first().map_or(1, |first| first.tokens);
    // Dots leave the message open, unless an approval stands behind the dots.
    let behind = |dots| parts.iter().any(|part| part.list == "approve" && text.tokens[part.at].start >= dots);
    let open = text.quotes || text.left_open.is_some_and(|dots| !behind(dots));
    let weak = has("weak") || stands_alone("weak", text, words, &parts);
    let sure = has("approve") && !weak && !asked && !open;
    let found = parts.into_iter().filter(|part| part.list != "filler").map(|part| format!("`{}`", part.text)).collect();
    Some((if sure { WholeMessage::Approve } else { WholeMessage::Nearly }, found))
}

/// The words of a list that, with words of approval and courtesy, are the whole message in some language.
pub(super) fn covered_by(list: &'static str, text: &Text) -> Option<String> {
    if text.digit || text.quotes || text.tokens.is_empty() || text.tokens.len() > MOST {
        return None;
    }
    LANGUAGES.iter().find_map(|words| {
        let parts = cover(text, words, &[list, "approve", "filler"])?;
        parts.into_iter().find(|part| part.list == list).map(|part| part.text)
    })
}

/// An approval behind a first `no` that answers something else: `no, looks great`. Without strong praise it is only
/// nearly one, as `no, yes` is.
fn after_denial(text: &Text, words: &WordLists, shown: &ReviewedItems) -> Option<(WholeMessage, Vec<String>)> {
    let denial = words.longest("denial", &text.tokens, 0);
    let next = text.tokens.get(denial).filter(|_| denial > 0)?;
    // In these languages the word is not the one that negates what follows.
    let apart = match words.language {
        Language::German | Language::French | Language::Italian | Language::Dutch | Language::Korean => true,
        Language::English => text.tokens[0].lower != "no",
        _ => false,
    };
    // `no good` is no such no, but in `no, good enough` there is one.
    let refuses = words.lengths("no", &text.tokens, 0).into_iter();
    let refuses = refuses.filter(|length| text.tokens[1..*length].iter().all(|token| !token.after_break));
    if !(apart || next.after_break) || refuses.max().is_some_and(|length| length > denial) {
        return None;
    }
    let rest = Text::new(&text.text[next.start..]);
    let (whole, found) = approval(&rest, words, shown)?;
    // Faint praise may be said of the no itself: `no, it is fine`, `いえ、いいです`.
    let praised = rest.tokens.len() > 1 && words.find("strong", &rest).is_some();
    Some((if praised { whole } else { WholeMessage::Nearly }, found))
}

/// Whether a text begins with a no that stands for itself, as in `no, looks great`.
pub(super) fn denies(text: &Text) -> bool {
    let (shown, words) = (ReviewedItems::default(), words::language(text));
    let denial = words.longest("denial", &text.tokens, 0);
    let apart = text.tokens.get(denial).is_none_or(|next| next.after_break);
    denial > 0 && (apart || approval(text, words, &shown).is_none() && after_denial(text, words, &shown).is_some())
}

/// Lists whose phrases cancel an approval anywhere in the message, except inside a longer phrase of approval.
const AGAINST: &[&str] = &["blocks", "no", "cancel", "cancels", "reject", "search"];

/// Lists of phrases that ask for a change. Single words of these lists also stand in approvals (`make`, `cut`).
const ASKING: &[&str] = &["change", "remove", "except"];

/// Whether the message is no approval although phrases of approval cover it: together the words say something else
/// (`i have to go`), or the message ends with an unfinished phrase.
fn blocked(text: &Text, words: &WordLists, parts: &[Part<'_>]) -> bool {
    AGAINST.iter().any(|list| stands_alone(list, text, words, parts))
        || ASKING.iter().any(|list| straddles(list, text, words, parts))
        || parts.last().is_some_and(|last| {
            last.list == "filler" && words.lengths("hangs", &text.tokens, last.at).contains(&last.tokens)
        })
}

/// Whether a phrase of a list stands in the text outside all longer parts.
fn stands_alone(list: &str, text: &Text, words: &WordLists, parts: &[Part<'_>]) -> bool {
    (0..text.tokens.len()).any(|at| {
        words.lengths(list, &text.tokens, at).into_iter().any(|length| {
            let inside =
                |part: &Part<'_>| part.at <= at && at + length <= part.at + part.tokens && part.tokens > length;
            !parts.iter().any(inside)
        })
    })
}

/// Whether a phrase of a list spans several parts: `passen an` spans a yes and a filler word.
fn straddles(list: &str, text: &Text, words: &WordLists, parts: &[Part<'_>]) -> bool {
    let holds = |part: &Part<'_>, at: usize, end: usize| part.at <= at && end <= part.at + part.tokens;
    (0..text.tokens.len()).any(|at| {
        let mut lengths = words.lengths(list, &text.tokens, at).into_iter();
        lengths.any(|length| !parts.iter().any(|part| holds(part, at, at + length)))
    })
}

/// A phrase of a list at a place of a message.
struct Part<'l> {
    list: &'l str,
    text: String,
    at: usize,
    tokens: usize,
}

/// Covers a message with phrases of the lists. At each place the longest phrase that leaves a coverable rest is taken,
/// and of equally long phrases the one of the first list. `None` when a word remains.
fn cover<'l>(text: &Text, words: &WordLists, lists: &[&'l str]) -> Option<Vec<Part<'l>>> {
    let count = text.tokens.len();
    // For each place, from the end to the front: the first phrase of a cover of the rest, if the rest has a cover.
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
