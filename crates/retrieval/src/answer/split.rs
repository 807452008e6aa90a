//! A request cut where its parts meet.

use graphloom_text::{Language, sentences_in};

use super::words::{ADDING, AFTER_COMMA, ATTACHING, JOINING, QUESTIONS, SUBORDINATE, asks, is_empty, is_pair};

/// Words of a request between two places where it can be cut.
#[derive(Debug)]
pub(super) struct Segment<'r> {
    /// Its words as they stand, without marks around them.
    pub(super) words: Vec<&'r str>,
    /// Whether it begins a question or a sentence, and no further item of a list.
    pub(super) begins: bool,
}

impl Segment<'_> {
    /// Whether one of its words names something.
    fn names(&self, language: Language) -> bool {
        self.words.iter().any(|word| !is_empty(&word.to_lowercase(), language))
    }

    fn begins_with(&self, words: &[&str]) -> bool {
        self.words.first().is_some_and(|word| words.contains(&word.to_lowercase().as_str()))
    }
}

/// The segments of a request in a language. A sentence that asks nothing is left out where another one asks.
pub(super) fn segments(text: &str, language: Language) -> Vec<Segment<'_>> {
    let clauses: Vec<&str> = sentences_in(text, language)
        .into_iter()
        .flat_map(|range| text[range].split_inclusive([';', '?', '？', '；', '。']))
        .map(without_marker)
        .filter(|clause| clause.contains(char::is_alphanumeric))
        .collect();
    let any_asks = clauses.iter().any(|clause| asks_something(clause));
    let mut found = Vec::new();
    for clause in clauses.iter().filter(|clause| !any_asks || asks_something(clause)) {
        of_clause(clause, language, &mut found);
    }
    found
}

fn asks_something(clause: &str) -> bool {
    let is_question_word = |word: &str| asks(word) || QUESTIONS.contains(&word);
    clause.ends_with(['?', '？', ';']) || words(clause).any(|word| is_question_word(&word.to_lowercase()))
}

/// A clause without the number or sign of a list before it.
fn without_marker(clause: &str) -> &str {
    let clause = clause.trim();
    let rest = clause.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '(' | '-' | '*' | '•'));
    match rest.strip_prefix(['.', ')', ' ']) {
        Some(rest) if rest.len() < clause.len() => rest.trim(),
        _ => clause,
    }
}

/// Cuts a clause: a comma cuts in a list and before a question only; a word that joins cuts everywhere but inside a pair,
/// after `between` and after `whether`, and unless nothing is named on one side of it.
fn of_clause<'r>(clause: &'r str, language: Language, found: &mut Vec<Segment<'r>>) {
    let compares = ["difference", "differences", "compare", "comparison", "choose", "differ"];
    let lower: Vec<String> = words(clause).map(str::to_lowercase).collect();
    let joined = lower.iter().any(|word| is_joining(word));
    let is_compared = lower.iter().any(|word| compares.contains(&word.as_str()));
    let mut segments: Vec<Segment<'r>> = vec![Segment { words: Vec::new(), begins: true }];
    let (mut after_comma, mut bound) = (false, false);
    let pieces: Vec<&str> = clause.split_whitespace().collect();
    for (at, piece) in pieces.iter().enumerate() {
        let word = bare(piece);
        let lower = word.to_lowercase();
        let joins = is_joining(&lower) || *piece == "&";
        let before = at.checked_sub(1).map(|before| bare(pieces[before]).to_lowercase()).unwrap_or_default();
        let after = pieces.get(at + 1).map(|after| bare(after).to_lowercase()).unwrap_or_default();
        let is_bound = std::mem::take(&mut bound);
        bound = lower == "whether" || (lower == "between" && !is_compared) || (is_bound && !joins);
        let cuts = match joins {
            true => !is_bound && !is_pair(&before, &after),
            false if AFTER_COMMA.contains(&lower.as_str()) => after_comma,
            false => after_comma && joined && ![QUESTIONS, ATTACHING].concat().contains(&lower.as_str()),
        };
        after_comma = piece.ends_with([',', '，', '、', ':']);
        let here = segments.last_mut();
        let asks_here = cuts && !joins && AFTER_COMMA.contains(&lower.as_str());
        if let Some(here) = here.filter(|here| !cuts || (!here.names(language) && !asks_here)) {
            let is_first = here.words.is_empty();
            let adds = is_first && ADDING.contains(&lower.as_str());
            if !word.is_empty() && (!joins || !is_first) && !adds {
                here.words.push(word);
            }
        } else {
            segments.push(Segment { words: if joins { Vec::new() } else { vec![word] }, begins: false });
        }
    }
    for mut segment in segments {
        segment.begins |= segment.begins_with(QUESTIONS);
        match found.last_mut() {
            // A question rests on the clause before it.
            Some(before)
                if segment.begins && before.begins && before.begins_with(SUBORDINATE) && !segment.words.is_empty() =>
            {
                before.words.append(&mut segment.words);
            }
            _ if segment.names(language) => found.push(segment),
            // What names nothing belongs to what stands before it.
            Some(before) if !segment.begins => before.words.append(&mut segment.words),
            _ => {}
        }
    }
}

fn is_joining(word: &str) -> bool {
    JOINING.contains(&word)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(bare)
}

/// A word without the marks around it.
fn bare(piece: &str) -> &str {
    piece.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#'))
}
