//! Answers where something is wanted other than a verdict: other queries, or whether to try again.
//!
//! An answer is read as at a review first: a stop is a stop, an edit is an edit, a question is answered. Only what is
//! none of these, and no remark, can be queries.

use unicode_normalization::UnicodeNormalization;

use super::change::{Candidate, Edit, ReviewedItems};
use super::tokens::Text;
use super::values::{Value, read_value};
use super::words::{self, WordLists};
use super::{ReadReply, Reading, read_shown, whole};

/// The beginning of an answer that is queries whatever its words say.
const QUERIES: &str = "queries:";

/// Reads an answer. `shown` are the queries that found nothing, where others are asked for; without them the question is
/// only whether to try again.
///
/// ```
/// use graphloom_pocketflow::feedback::{Candidate, Reading, ReviewedItems, read_answer};
///
/// let shown = ReviewedItems::queries(["spring tides", "neap tides"]);
/// let read = |message| read_answer(message, Some(&shown)).reading;
/// assert_eq!(read("try tidal forces; moon"), Reading::Queries(vec!["tidal forces".into(), "moon".into()]));
/// assert_eq!(read("stop, do not search the network"), Reading::Candidate(Candidate::Cancel));
/// assert_eq!(read("hold on a second"), Reading::Unclear);
/// ```
pub fn read_answer(message: &str, shown: Option<&ReviewedItems>) -> ReadReply {
    let fixed = |reading| ReadReply { reading, evidence: Vec::new(), language: super::Language::Command };
    match read_value(message) {
        Value::Retry => return fixed(Reading::Retry),
        Value::Insist => return fixed(Reading::Insist),
        _ => {}
    }
    let normal: String = message.nfkc().collect();
    if shown.is_some()
        && let Some(given) = normal.trim().get(QUERIES.len()..)
        && normal.trim()[..QUERIES.len()].eq_ignore_ascii_case(QUERIES)
    {
        let queries: Vec<String> = pieces(given).map(str::to_owned).collect();
        return fixed(if queries.is_empty() { Reading::Unclear } else { Reading::Queries(queries) });
    }
    let text = Text::new(message);
    for (list, reading) in [("again", Reading::Retry), ("insist", Reading::Insist)] {
        if !text.asks
            && let Some(found) = whole::covered_by(list, &text)
        {
            let language = words::language(&text).language;
            return ReadReply { reading, evidence: vec![format!("`{found}`")], language };
        }
    }
    let nothing = ReviewedItems::default();
    let read = read_shown(message, shown.unwrap_or(&nothing));
    let words = words::language(&text);
    let reading = match read.reading {
        Reading::Cancel | Reading::NewTopic { .. } => read.reading,
        Reading::Edit(_) if shown.is_some() => read.reading,
        Reading::Candidate(Candidate::Cancel) => read.reading,
        Reading::Candidate(Candidate::Edit(edits)) if says_what(&edits, &text, words) => {
            Reading::Candidate(Candidate::Edit(edits))
        }
        Reading::Reject { .. } => read.reading,
        Reading::Question if words.longest("offer", &text.tokens, 0) == 0 => read.reading,
        Reading::Question | Reading::Unclear | Reading::Candidate(Candidate::Edit(_)) => {
            match shown.and_then(|_| queries(&text, words)) {
                Some(queries) => Reading::Queries(queries),
                None => Reading::Unclear,
            }
        }
        // Nothing is under review here that could be approved or made again.
        _ => Reading::Unclear,
    };
    ReadReply { reading, ..read }
}

/// Whether edits name a place, or all: the words of a query can look like an edit that does neither.
fn says_what(edits: &[Edit], text: &Text, words: &WordLists) -> bool {
    !super::vague(edits) || words.find("all", text).is_some()
}

/// The queries of an answer; none where it speaks of persons, is a remark, or has no words of its own.
fn queries(text: &Text, words: &WordLists) -> Option<Vec<String>> {
    let of_persons = ["remark", "self"].iter().any(|list| words.find(list, text).is_some());
    if of_persons || text.left_open.is_some() || whole::covered_by("hold", text).is_some() {
        return None;
    }
    let queries: Vec<String> = pieces(&text.text).filter_map(|piece| offered(piece, words)).collect();
    (!queries.is_empty()).then_some(queries)
}

/// The parts of an answer that are a query each, without the marks of a list before them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';', '；'])
        .map(|piece| {
            let piece = piece.trim().trim_start_matches(['-', '*', '•']).trim_start();
            let numbered = piece.trim_start_matches(|c: char| c.is_ascii_digit());
            let marked = numbered.len() < piece.len() && numbered.starts_with(['.', ')']);
            if marked { numbered[1..].trim() } else { piece }
        })
        .filter(|piece| !piece.is_empty())
}

/// A query without the words around it: `sleep in infants` of `try sleep in infants instead`.
fn offered(piece: &str, words: &WordLists) -> Option<String> {
    let text = Text::new(piece);
    let tokens = &text.tokens;
    let (mut from, mut until) = (0, tokens.len());
    loop {
        match words.longest("offer", &tokens[..until], from) {
            0 => break,
            length => from += length,
        }
    }
    while let Some(length) = (1..=until - from)
        .rev()
        .find(|length| words.lengths("offer_end", &tokens[..until], until - length).contains(length))
    {
        until -= length;
    }
    let own = tokens.get(from..until)?;
    // Words that only stand in approvals and courtesies are no query.
    let (first, last) = (own.first()?, own.last()?);
    if own.iter().all(|token| token.forms.iter().any(|form| words.is_of_approvals(form))) {
        return None;
    }
    Some(text.text[first.start..last.end].to_owned())
}
