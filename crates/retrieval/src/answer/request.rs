//! A request and its parts.

use std::collections::BTreeSet;

use graphloom_text::{Language, sentences};

use super::quote::term_set;
use super::relevance::{SentenceInPlace, nearness, relevance};
use super::split::{Segment, segments};
use super::words::{FOLLOWING, PRONOUNS, QUESTIONS, is_empty};
use crate::terms::terms_in;

/// A thing that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// Its words, as the request has them.
    pub text: String,
    /// The terms that set it apart.
    pub(super) own: BTreeSet<String>,
    /// Those that stand beside each other.
    pub(super) pairs: Vec<(String, String)>,
    /// The words that it shares with the parts beside it, as the request has them.
    shared: String,
    /// Their terms.
    pub(super) context: BTreeSet<String>,
    /// These, and those of what it only stands in.
    pub(super) around: BTreeSet<String>,
    /// The terms of the part that a word such as `it` refers to.
    pub(super) refers: BTreeSet<String>,
    /// The terms of the first part, one of which keeps a short later part to its subject.
    pub(super) subject: BTreeSet<String>,
}

/// What somebody asks for, in parts; see [`answer`](crate::answer).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    text: String,
    language: Language,
    parts: Vec<Part>,
    /// The places of the parts that are looked at; all where it is empty.
    named: BTreeSet<usize>,
}

impl Request {
    /// Reads a request of any form. It has at least one part when it has a word.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::in_language(text, Language::detect(text))
    }

    /// Reads a request in a language.
    pub(super) fn in_language(text: &str, language: Language) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        let segments = segments(text, language);
        let mut group: Vec<&Segment<'_>> = Vec::new();
        for segment in &segments {
            if segment.begins && !group.is_empty() {
                take(&std::mem::take(&mut group), language, &mut parts);
            }
            group.push(segment);
        }
        take(&group, language, &mut parts);
        if parts.is_empty() {
            let own: BTreeSet<String> = terms_in(text, language).into_iter().collect();
            if !own.is_empty() {
                parts.push(Part {
                    text: one_line(text),
                    own,
                    pairs: Vec::new(),
                    shared: String::new(),
                    context: BTreeSet::new(),
                    around: BTreeSet::new(),
                    refers: BTreeSet::new(),
                    subject: BTreeSet::new(),
                });
            }
        }
        if let Some((first, later)) = parts.split_first_mut() {
            let is_short = |part: &&mut Part| part.own.len() < 3 && part.refers.is_empty() && part.context.is_empty();
            for part in later.iter_mut().filter(is_short) {
                part.subject = first.own.union(&first.around).cloned().collect();
            }
        }
        Self { text: one_line(text), language, parts, named: BTreeSet::new() }
    }

    /// The request on one line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The language it looks like; what is compared with it is read as that of this language.
    pub(super) fn language(&self) -> Language {
        self.language
    }

    /// Its parts, in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The words that name what is asked for, without those around them: what to search for.
    #[must_use]
    pub fn words(&self) -> String {
        let words = self.parts.iter().flat_map(|part| part.text.split(' '));
        words.filter(|word| !is_empty(&word.to_lowercase(), self.language)).collect::<Vec<_>>().join(" ")
    }

    /// Whether only some of its parts are looked at, see [`about`](Self::about).
    #[must_use]
    pub fn is_narrowed(&self) -> bool {
        !self.named.is_empty()
    }

    /// What to search for, a query for each part that is looked at: its words, and those that it shares with the parts beside
    /// it.
    #[must_use]
    pub fn queries(&self) -> Vec<String> {
        let parts = (0..).zip(&self.parts).filter(|(at, _)| self.is_looked_at(*at));
        parts.map(|(_, part)| format!("{} {}", part.text, part.shared).trim_end().to_owned()).collect()
    }

    /// The request for those of its parts only that a text names, in small letters or capitals; the whole where it names none.
    /// What bears more on another part is left to that.
    #[must_use]
    pub fn about(&self, text: &str) -> Self {
        let text = text.to_lowercase();
        let names = |part: &Part| has_words(&text, &part.text.to_lowercase());
        let places = (0..).zip(&self.parts).filter(|(_, part)| names(part)).map(|(at, _)| at);
        Self { named: places.collect(), ..self.clone() }
    }

    /// The parts that are looked at and that no sentence of a text bears on, where a heading counts for what stands below it.
    #[must_use]
    pub fn unanswered(&self, text: &str) -> Vec<&Part> {
        let mut above = BTreeSet::new();
        let mut open: Vec<usize> = (0..self.parts.len()).collect();
        for line in text.lines().filter(|line| !line.starts_with(UNANSWERED)) {
            if let Some(heading) = line.strip_prefix('#') {
                above = term_set(heading, self.language);
                continue;
            }
            let around = terms_in(line, self.language);
            for range in sentences(line) {
                let sentence = SentenceInPlace::new(&line[range], &above, &around, self.language);
                open.retain(|at| relevance(&self.parts[*at], &sentence).is_none());
            }
        }
        open.into_iter().filter(|at| self.is_looked_at(*at)).map(|at| &self.parts[at]).collect()
    }

    /// How much a sentence bears on the part that it bears on most; `None` where that part is not looked at.
    pub(super) fn relevance(&self, sentence: &SentenceInPlace<'_>, is_about: impl Fn(usize) -> bool) -> Option<f32> {
        let mut best: Option<(usize, f32)> = None;
        for (at, part) in self.parts.iter().enumerate().filter(|(at, _)| is_about(*at)) {
            let Some(score) = relevance(part, sentence) else { continue };
            if best.is_none_or(|(_, known)| known < score) {
                best = Some((at, score));
            }
        }
        best.filter(|(at, _)| self.is_looked_at(*at)).map(|(_, score)| score)
    }

    /// How near a sentence comes to the nearest of the parts that are looked at.
    pub(super) fn nearness(&self, sentence: &SentenceInPlace<'_>, is_about: impl Fn(usize) -> bool) -> Option<f32> {
        let parts = (0..).zip(&self.parts).filter(|(at, _)| self.is_looked_at(*at) && is_about(*at));
        parts.filter_map(|(_, part)| nearness(part, sentence)).max_by(f32::total_cmp)
    }

    fn is_looked_at(&self, at: usize) -> bool {
        self.named.is_empty() || self.named.contains(&at)
    }

    /// All terms of the request.
    pub(super) fn terms(&self) -> BTreeSet<String> {
        self.parts.iter().flat_map(|part| part.own.iter().chain(&part.around)).cloned().collect()
    }
}

/// What a text says of parts that no sentence of its sources bears on; empty for none.
///
/// ```
/// use graphloom_retrieval::answer::{Request, unanswered_line};
///
/// let request = Request::of("Compare bread and rice");
/// let parts: Vec<_> = request.parts().iter().collect();
/// assert_eq!(unanswered_line(&parts), "No sentence that was found plainly answers: “bread”; “rice”.");
/// ```
#[must_use]
pub fn unanswered_line(parts: &[&Part]) -> String {
    if parts.is_empty() {
        return String::new();
    }
    let named: Vec<String> = parts.iter().map(|part| format!("“{}”", part.text)).collect();
    format!("{UNANSWERED} {}.", named.join("; "))
}

/// How a line about unanswered parts begins.
pub(super) const UNANSWERED: &str = "No sentence that was found plainly answers:";

/// Takes the parts of one question or sentence: each item of a list, with what stands around the list.
fn take(group: &[&Segment<'_>], language: Language, parts: &mut Vec<Part>) {
    let Some((last, before)) = group.split_last() else { return };
    let mut items: Vec<&[&str]> = Vec::new();
    let mut around: Vec<&str> = Vec::new();
    for (at, segment) in before.iter().enumerate() {
        let from = if at == 0 { item_start(&segment.words, language) } else { 0 };
        // "Common table expressions in SQLite, trees and graphs": the first item is not where it is found.
        let is_only_place = (from..segment.words.len()).all(|word| is_place(&segment.words, word, language));
        let from = if at == 0 && is_only_place { first_named(&segment.words, language) } else { from };
        around.extend(&segment.words[..from]);
        items.push(&segment.words[from..]);
    }
    let from = if before.is_empty() { first_named(&last.words, language) } else { 0 };
    let usual = items.iter().map(|item| item.len()).max();
    // "How do bees and wasps build nests": what is asked of the items stands behind the last.
    let is_question = before.first().and_then(|first| first.words.first()).is_some_and(|word| is_question(word));
    let most = |usual| if is_question { usual } else { usize::MAX };
    let end = usual.map_or(last.words.len(), |usual| item_end(&last.words, most(usual), language));
    around.extend(&last.words[end..]);
    items.push(&last.words[from..end]);
    // What joins two verbs of one question joins no list.
    let whole: Vec<&str> = group.iter().flat_map(|segment| segment.words.iter().copied()).collect();
    if items.iter().any(|item| content_terms(item, language).is_empty()) {
        items = vec![&whole[first_named(&whole, language)..]];
        around.clear();
    }

    let shared_words = content_words(&around, language);
    let shared: BTreeSet<String> = terms_in(&shared_words, language).into_iter().collect();
    let is_pronoun = |word: &&str| PRONOUNS.contains(&word.to_lowercase().as_str());
    let referred = parts.first().filter(|_| whole.iter().any(is_pronoun)).map(|part| part.own.clone());
    let is_clause = items.len() == 1 && referred.is_some();
    for item in items {
        let (own, places) = apart(item, language);
        let context: BTreeSet<String> = shared.difference(&own).cloned().collect();
        let refers: BTreeSet<String> = referred.iter().flatten().filter(|term| !own.contains(*term)).cloned().collect();
        let around: BTreeSet<String> =
            context.iter().cloned().chain(places).filter(|term| !own.contains(term)).collect();
        if !own.is_empty() && parts.iter().all(|part| part.own != own) {
            let text = if is_clause { whole.join(" ") } else { tidy(item, language) };
            parts.push(Part {
                text,
                pairs: pairs(item, language),
                own,
                shared: shared_words.clone(),
                context,
                around,
                refers,
                subject: BTreeSet::new(),
            });
        }
    }
}

fn is_question(word: &str) -> bool {
    QUESTIONS.contains(&word.to_lowercase().as_str())
}

/// The terms of an item, and those of the places, products and people that it only stands in: names behind a preposition, and
/// names with capitals inside, unless there is nothing else.
fn apart(words: &[&str], language: Language) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut own, mut places) = (Vec::new(), Vec::new());
    for (at, word) in words.iter().enumerate() {
        if is_place(words, at, language) { places.push(*word) } else { own.push(*word) }
    }
    match content_terms(&own, language) {
        own if own.is_empty() => (content_terms(words, language), BTreeSet::new()),
        own => (own, content_terms(&places, language)),
    }
}

/// Whether the word at a place of an item names what the item only stands in.
fn is_place(words: &[&str], at: usize, language: Language) -> bool {
    let word = words[at];
    let begins = word.chars().next().is_some_and(char::is_uppercase);
    let inside = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let before = at.checked_sub(1).map(|before| words[before].to_lowercase()).unwrap_or_default();
    let is_behind = matches!(before.as_str(), "in" | "of" | "for" | "with" | "by" | "at");
    // "in WAL mode" names a mode.
    let ends = words.get(at + 1).is_none_or(|after| is_empty(&after.to_lowercase(), language));
    begins && (inside || (is_behind && ends))
}

/// The terms of words that stand beside each other.
fn pairs(words: &[&str], language: Language) -> Vec<(String, String)> {
    let term = |at: usize| {
        let is_one = !is_empty(&words[at].to_lowercase(), language) && !is_place(words, at, language);
        terms_in(words[at], language).into_iter().next_back().filter(|_| is_one)
    };
    (1..words.len()).filter_map(|at| Some((term(at - 1)?, term(at)?))).collect()
}

/// Where the first item of a list begins: after the last word of its segment that names nothing.
fn item_start(words: &[&str], language: Language) -> usize {
    let last_empty = words.iter().rposition(|word| is_empty(&word.to_lowercase(), language));
    last_empty.map_or(0, |at| at + 1).min(words.len().saturating_sub(1))
}

/// Where the last item of a list ends: before a word that names nothing or a verb, and with no more words than the longest
/// item before it.
fn item_end(words: &[&str], most: usize, language: Language) -> usize {
    let ends = |word: &&str| {
        let lower = word.to_lowercase();
        is_empty(&lower, language) || FOLLOWING.contains(&lower.as_str())
    };
    let first = words.iter().position(|word| !ends(word)).unwrap_or(0);
    let end = words[first..].iter().position(ends).map_or(words.len(), |at| first + at);
    end.min(first.saturating_add(most.max(1)))
}

/// The place of the first word that names something.
fn first_named(words: &[&str], language: Language) -> usize {
    words.iter().position(|word| !is_empty(&word.to_lowercase(), language)).unwrap_or(0)
}

fn content_terms(words: &[&str], language: Language) -> BTreeSet<String> {
    terms_in(&content_words(words, language), language).into_iter().collect()
}

/// Those of the words that name something.
fn content_words(words: &[&str], language: Language) -> String {
    let content: Vec<&str> = words.iter().copied().filter(|word| !is_empty(&word.to_lowercase(), language)).collect();
    content.join(" ")
}

/// The words without those at both ends that name nothing.
fn tidy(words: &[&str], language: Language) -> String {
    let from = first_named(words, language);
    let end = words.iter().rposition(|word| !is_empty(&word.to_lowercase(), language)).map_or(words.len(), |at| at + 1);
    words[from..end].join(" ")
}

/// Whether a text has some words, and not only as a piece of others. In scripts without spaces every piece counts.
fn has_words(text: &str, words: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() && c.is_lowercase();
    let begins_and_ends = |at: usize| {
        let (before, behind) = (text[..at].chars().next_back(), text[at + words.len()..].chars().next());
        !before.is_some_and(goes_on) && !behind.is_some_and(goes_on)
    };
    text.match_indices(words).any(|(at, _)| begins_and_ends(at))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_named_by_whole_words_in_any_case() {
        let request = Request::of("How do Mali, Somalia and Chad differ in rainfall?");
        assert_eq!(request.about("Somalia").queries(), ["Somalia rainfall"]);
        assert_eq!(request.about("mali; CHAD").queries(), ["Mali rainfall", "Chad rainfall"]);
        assert!(!request.about("Summary").is_narrowed());
    }
}
