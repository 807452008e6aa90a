//! One sentence as the rules read it: its numbers and dates, each in its clause.

use std::ops::Range;

use graphloom_text::Language;

use crate::locate::Wording;
use crate::stem::{is_stop, stem};
use crate::token::{Kind, Token, tokens};

use super::bound::{Bound, bound};
use super::date::{Date, dates};
use super::quantity::{Quantity, quantities};

/// Words with which a clause of its own begins.
const BEGIN: &[&str] = &[
    "but", "while", "whereas", "although", "though", "because", "which", "who", "aber", "während", "sondern", "obwohl",
    "weil",
];
/// Words that begin a clause behind a comma.
const BEGIN_BEHIND_COMMA: &[&str] = &["and", "or", "so", "und", "oder", "der", "die", "das"];
/// What a number counts or names when it stands right behind one of these: no amount, but a label.
const LABELS: &[&str] = &[
    "version",
    "type",
    "table",
    "figure",
    "fig",
    "chapter",
    "section",
    "step",
    "phase",
    "level",
    "stage",
    "group",
    "class",
    "grade",
    "no",
    "number",
    "season",
    "episode",
    "part",
    "volume",
    "appendix",
    "rfc",
    "option",
    "page",
    "line",
    "error",
    "code",
    "kapitel",
    "tabelle",
    "abschnitt",
    "stufe",
    "seite",
];

/// A sentence with what can be checked in it.
pub(super) struct Sentence<'t> {
    text: &'t str,
    language: Language,
    tokens: Vec<Token>,
    pub(super) dates: Vec<Date>,
    pub(super) quantities: Vec<Quantity>,
}

impl<'t> Sentence<'t> {
    /// A sentence whose words are compared as those of `language`.
    pub(super) fn of(text: &'t str, language: Language) -> Self {
        let tokens = tokens(text);
        let dates = dates(&tokens);
        let quantities = quantities(text, &tokens, &dates);
        Self { text, language, tokens, dates, quantities }
    }

    /// The tokens of the clause that holds token `at`.
    pub(super) fn clause(&self, at: usize) -> Range<usize> {
        let begins = |index: usize| {
            let word = self.tokens[index].folded.as_str();
            let behind_comma = index > 0 && matches!(self.tokens[index - 1].folded.as_str(), "," | "，");
            matches!(word, ";" | "；" | "，" | "(" | ")" | ":" | "。" | "--")
                || BEGIN.contains(&word)
                || behind_comma && BEGIN_BEHIND_COMMA.contains(&word)
        };
        let start = (0..=at.min(self.tokens.len().saturating_sub(1))).rev().find(|&index| begins(index)).unwrap_or(0);
        let end = (at + 1..self.tokens.len()).find(|&index| begins(index)).unwrap_or(self.tokens.len());
        start..end
    }

    /// The words of some tokens without numbers and dates.
    pub(super) fn wording(&self, range: Range<usize>) -> Wording {
        let held = |index: usize| {
            self.dates.iter().any(|date| date.tokens.contains(&index))
                || self.quantities.iter().any(|quantity| quantity.tokens.contains(&index))
        };
        let mut words = String::new();
        let mut end = None;
        for index in range {
            let token = &self.tokens[index];
            if held(index) {
                end = None;
                continue;
            }
            // What stood apart stays apart, what touched touches.
            if end != Some(token.range.start) {
                words.push(' ');
            }
            words.push_str(&self.text[token.range.clone()]);
            end = Some(token.range.end);
        }
        Wording::of(&words, self.language)
    }

    pub(super) fn whole(&self) -> Range<usize> {
        0..self.tokens.len()
    }

    /// How the number at some tokens is meant.
    pub(super) fn bound(&self, range: &Range<usize>) -> Bound {
        let start = self.tokens.get(range.start).map_or(0, |token| token.range.start);
        let end = range.end.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |last| last.range.end);
        bound(&self.text[..start], &self.text[end..])
    }

    /// The words before and behind some tokens, and the next ones on both sides.
    pub(super) fn neighbours(&self, range: &Range<usize>) -> [(Option<String>, Option<String>); 2] {
        let stem = |token: &Token| stem(&token.folded, self.language);
        let word = |index: usize| self.tokens.get(index).map(stem).filter(|word| word != ".");
        let at = |far: usize| (range.start.checked_sub(far).and_then(word), word(range.end + far - 1));
        [at(1), at(2)]
    }

    /// Whether a number is a year: `in 2015` and `(2015)` are, `2015 pages` are not.
    pub(super) fn is_year(&self, quantity: &Quantity) -> bool {
        const BEFORE: &[&str] =
            &["in", "since", "until", "by", "from", "during", "before", "after", "early", "late", "im", "seit"];
        let before = quantity.tokens.start.checked_sub(1).map(|index| self.tokens[index].folded.as_str());
        quantity.looks_like_a_year()
            && (before.is_some_and(|word| BEFORE.contains(&word)) || self.head(&quantity.tokens).is_none())
    }

    /// The word that a number counts, where one stands right behind it.
    pub(super) fn head(&self, range: &Range<usize>) -> Option<String> {
        let token = self.tokens.get(range.end)?;
        let counts = match token.kind {
            Kind::Word => !is_stop(&token.folded, self.language),
            Kind::Ideograph => true,
            Kind::Number | Kind::Sign => false,
        };
        counts.then(|| stem(&token.folded, self.language))
    }

    /// Whether a number names something rather than counting it: `Python 3`, `table 2`, `#5`.
    pub(super) fn is_label(&self, range: &Range<usize>) -> bool {
        let Some(before) = range.start.checked_sub(1).map(|index| &self.tokens[index]) else { return false };
        let capital = before.kind == Kind::Word && self.text[before.range.clone()].starts_with(char::is_uppercase);
        let touches = self.tokens[range.start].range.start == before.range.end;
        capital && range.start > 1
            || LABELS.contains(&before.folded.as_str())
            || before.folded == "#"
            || touches && matches!(before.folded.as_str(), "/" | "." | "-" | ":")
    }

    /// Whether a number is a part of something larger that is not read: `March 16`, `a hundred and five`.
    pub(super) fn is_part(&self, range: &Range<usize>) -> bool {
        let Some(before) = range.start.checked_sub(1).map(|index| &self.tokens[index]) else { return false };
        let word = before.folded.as_str();
        super::date::month_of(word).is_some()
            || word == "and" && range.start >= 2 && self.tokens[range.start - 2].folded.contains("hundred")
    }

    /// Whether a date says when something was counted: `as of March 16`.
    pub(super) fn is_moment(&self, range: &Range<usize>) -> bool {
        let before = |back: usize| range.start.checked_sub(back).map(|index| self.tokens[index].folded.as_str());
        before(2) == Some("as") && before(1) == Some("of")
            || matches!(before(1), Some("by" | "until" | "since" | "for"))
    }

    /// The words of a clause that are no names.
    pub(super) fn plain_words(&self, range: Range<usize>) -> Wording {
        self.wording(range).without_names()
    }

    /// Whether a number is one end of a range: `3-5 days`, `from 2010 to 2015`, `between 3 and 5`.
    pub(super) fn is_ranged(&self, range: &Range<usize>) -> bool {
        let joins = |index: usize| {
            self.tokens.get(index).is_some_and(|token| {
                matches!(
                    token.folded.as_str(),
                    "-" | "--" | "/" | "to" | "through" | "until" | "and" | "or" | "bis" | "至" | "到" | "x" | "×"
                )
            })
        };
        let number = |index: usize| {
            self.quantities.iter().any(|other| other.tokens.contains(&index))
                || self.tokens.get(index).is_some_and(|token| token.kind == Kind::Number)
        };
        let sign = |index: usize| usize::from(self.tokens.get(index).is_some_and(|token| token.kind == Kind::Sign));
        let next = range.end + 1;
        let behind = joins(range.end) && (number(next) || sign(next) == 1 && number(next + 1));
        let before = range.start.checked_sub(2).is_some_and(|two| joins(two + 1) && number(two))
            || range
                .start
                .checked_sub(3)
                .is_some_and(|three| joins(three + 1) && sign(three + 2) == 1 && number(three));
        behind || before
    }

    /// A date as it stands.
    pub(super) fn date_text(&self, date: &Date) -> String {
        self.text[date.range.clone()].to_owned()
    }
}
