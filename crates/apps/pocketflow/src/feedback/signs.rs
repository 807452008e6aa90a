//! Single signs in a reply that neither a rule nor a model has read: words of praise and of refusal, a verb of change
//! beside a place. What they say is shown back, and counts after a yes only.

use super::change::{Candidate, Edit, ReviewedItems};
use super::tags::{Tag, tag};
use super::tokens::Text;
use super::words::{self, WordLists};
use super::{ReadReply, Reading};

/// The most tokens of a reply that is read by signs.
const MOST: usize = 45;

/// Lists that mark a change. Verbs such as `make` and `put` also stand in verdicts.
const CHANGES: &[&str] = &["remove", "add", "swap", "merge", "how", "except"];

/// Reads an unclear reply to `shown` by its signs, as a candidate.
///
/// ```
/// use graphloom_pocketflow::feedback::{Candidate, Reading, ReviewedItems, by_signs, read_shown};
///
/// let shown = ReviewedItems::queries(["spring tides", "neap tides"]);
/// let read = |message| by_signs(read_shown(message, &shown), message, &shown).reading;
/// assert_eq!(read("my granny would find that excellent work"), Reading::Candidate(Candidate::Approve));
/// assert_eq!(read("my granny went to the beach"), Reading::Unclear);
/// ```
#[must_use]
pub fn by_signs(read: ReadReply, message: &str, shown: &ReviewedItems) -> ReadReply {
    if read.reading != Reading::Unclear || shown.items.is_empty() {
        return read;
    }
    let text = Text::new(message);
    let words = words::language(&text);
    if text.asks || text.quotes || text.tokens.len() > MOST || words.find("remark", &text).is_some() {
        return read;
    }
    let meant = change(&text, words, shown).or_else(|| verdict(&text, words));
    let Some((candidate, found)) = meant else { return read };
    let evidence = read.evidence.into_iter().chain([format!("the sign `{found}`")]).collect();
    ReadReply { reading: Reading::Candidate(candidate), evidence, language: read.language }
}

/// A change of the places or parts that a reply names, in the person's own words.
fn change(text: &Text, words: &WordLists, shown: &ReviewedItems) -> Option<(Candidate, String)> {
    let mut places: Vec<Option<usize>> = Vec::new();
    for one in tag(text, words, shown) {
        match one.tag {
            Tag::Place(at, _) => places.extend(at.into_iter().map(Some)),
            Tag::Part(at) => places.push(at),
            _ => {}
        }
    }
    let at = match places[..] {
        [] => return None,
        [at] => at,
        _ => None,
    };
    let signs = CHANGES.iter().chain(&["change", "move", "bad", "not", "but"]);
    let found = signs.copied().find_map(|list| words.find(list, text))?;
    Some((Candidate::Edit(vec![Edit::Rework { at, how: text.text.clone() }]), found))
}

/// Where a sign of a list stands, and its words. What stands inside a longer phrase of approval is none (`without a
/// doubt`), and neither is a first no that stands for itself.
fn sign(list: &str, text: &Text, words: &WordLists) -> Option<(usize, String)> {
    let phrases = ["approve", "filler", "nearly"].iter().flat_map(|list| words.spans(list, text));
    let phrases: Vec<(usize, usize)> = phrases.filter(|(_, length)| *length > 1).collect();
    let denial = words.longest("denial", &text.tokens, 0);
    let denied = text.tokens.get(denial).is_some_and(|next| next.after_break);
    let (at, length) = words.spans(list, text).into_iter().find(|(at, length)| {
        let inside = phrases.iter().any(|(from, long)| from <= at && at + length <= from + long && long > length);
        !(inside || denied && at + length <= denial)
    })?;
    Some((at, text.text[text.tokens[at].start..text.tokens[at + length - 1].end].to_owned()))
}

/// An approval or a rejection that has signs for it and none against it.
pub(super) fn verdict(text: &Text, words: &WordLists) -> Option<(Candidate, String)> {
    let sign = |list: &str| sign(list, text, words);
    let reject = |found: (usize, String)| Some((Candidate::Reject(text.text.clone()), found.1));
    let (negated, bad) = (sign("not"), sign("bad"));
    // `not bad` and `nothing is wrong` are no refusals.
    let bad = bad.filter(|(bad, _)| negated.as_ref().is_none_or(|(not, _)| not > bad || bad - not > 2));
    if let Some(bad) = bad {
        return reject(bad);
    }
    let doubts = ["but", "weak", "cancel"].iter().any(|list| sign(list).is_some());
    let praise = words.find("praise", text);
    if let Some(negated) = negated {
        return if praise.is_some() && !doubts { reject(negated) } else { None };
    }
    let changes = CHANGES.iter().any(|list| sign(list).is_some())
        || words.names().any(|name| name.starts_with("place ") && sign(name).is_some());
    let strange = text.tokens.iter().filter(|token| !words.has(token)).count();
    let digits = text.text.replace("100", "").replace("10/10", "").contains(char::is_numeric);
    let known = strange * 3 <= text.tokens.len() * 2;
    praise.filter(|_| known && !doubts && !changes && !digits).map(|praise| (Candidate::Approve, praise))
}
