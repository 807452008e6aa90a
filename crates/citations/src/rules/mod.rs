//! Rules that compare a claim with its source. They never accept a claim; one of them rejects, the others ask.
//!
//! [`refuted`] decides alone, for a number, unit or date of the same quantity in the same clause. All that [`doubts`]
//! finds is a reason for a judge to look twice: a name that the source does not have, a word that is denied on one side,
//! an opposite, another word in the same place, a number that stands nowhere in the source.

mod bound;
mod clause;
mod date;
mod met_bound;
mod name;
mod negation;
mod opposite;
mod quantity;
mod refutation;
mod word;

use std::fmt;

use graphloom_text::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::locate::{Span, Wording};
use crate::stem::stem;
use crate::token::tokens;
use crate::verdict::SourceText;
use date::{Date, dates};
use name::{Name, Vocabulary, names};
use quantity::{Quantity, quantities};
pub(crate) use refutation::refuted;

/// What a rule found: why it rejects a claim, or why a judge should look twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Which rule found it.
    pub kind: FaultKind,
    /// As the claim has it.
    pub claimed: String,
    /// What the evidence has in its place; none when the source has nothing of the kind.
    pub found: Option<String>,
}

impl Fault {
    /// Whether the evidence, in nearly the words of the claim, has something else in the place of what the claim says: another
    /// number, unit, date or name, or the same denied. Another word may be a synonym, and is none.
    #[must_use]
    pub fn opposes(&self) -> bool {
        let kind = matches!(
            self.kind,
            FaultKind::Number | FaultKind::Unit | FaultKind::Date | FaultKind::Name | FaultKind::Negation
        );
        kind && self.found.is_some()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Some(found) => write!(f, "`{}`, where the source has `{found}`", self.claimed),
            None => write!(f, "`{}`, which the source does not have", self.claimed),
        }
    }
}

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultKind {
    /// A number that the source does not have.
    Number,
    /// A number that the source has with another unit.
    Unit,
    /// A date that the source does not have.
    Date,
    /// A name or identifier that the source does not have.
    Name,
    /// Something denied in one and stated in the other, or a word and its opposite.
    Negation,
    /// Another word where the sentence is otherwise the same.
    Word,
    /// The source has the words of the claim, but inside a sentence that may not stand for them: a myth, a report, a
    /// condition, a question, a denial.
    Frame,
}

/// From which share of common wording two sentences are about the same, so that a difference is worth a look.
const SAME_WORDING: f32 = 0.6;

/// Why a judge should look twice at `claim`, where `span` is the part of the source, in `language`, that speaks of it.
pub(crate) fn doubts(claim: &str, source: &SourceText<'_>, span: Span, language: Language) -> Vec<Fault> {
    let passage = span.of(source.text).unwrap_or_default();
    let whole = format!("{}\n\n{}", source.title, source.text);
    let mine = Facts::of(claim);
    let near = Facts::of(passage);
    let all = Facts::of(&whole);
    let vocabulary = Vocabulary::of(&whole);
    let alike = {
        let wording = Wording::of(claim, language)
            .without(|word| word.starts_with(|c: char| c.is_ascii_digit()) || mine.is_own(word, &vocabulary, language));
        let there = Wording::of(passage, language);
        wording.share_in(&there.words()) >= SAME_WORDING
    };

    let mut found = Vec::new();
    let met = met_bound::with_met_bound(claim, passage, language);
    for quantity in mine.quantities.iter().filter(|quantity| !met.contains(&quantity.tokens)) {
        found.extend(quantity_doubt(quantity, &mine, &near, &all, alike));
    }
    for date in mine.dates.iter().filter(|date| !met.contains(&date.tokens)) {
        found.extend(date_doubt(date, claim, passage, &near, &all, alike));
    }
    found.extend(name_doubts(&mine, &near, &vocabulary, passage, alike));
    if alike && let Some((claimed, there)) = negation::differences(claim, passage, language) {
        found.push(Fault { kind: FaultKind::Negation, claimed, found: Some(there) });
    }
    if let Some((claimed, there)) = word::replaced(claim, passage, language).filter(|_| found.is_empty()) {
        found.push(Fault { kind: FaultKind::Word, claimed, found: Some(there) });
    }
    found
}

/// What can be checked in a text.
struct Facts {
    quantities: Vec<Quantity>,
    dates: Vec<Date>,
    names: Vec<Name>,
}

impl Facts {
    fn of(text: &str) -> Self {
        let all = tokens(text);
        let dates = dates(&all);
        Self { quantities: quantities(text, &all, &dates), dates, names: names(text, Language::detect(text)) }
    }

    /// Whether a word belongs to a name that only this text has.
    fn is_own(&self, word: &str, vocabulary: &Vocabulary, language: Language) -> bool {
        self.names.iter().any(|name| stem(&name.folded, language) == word && !vocabulary.has(&name.folded))
    }
}

fn quantity_doubt(quantity: &Quantity, mine: &Facts, near: &Facts, all: &Facts, alike: bool) -> Option<Fault> {
    if near.quantities.iter().any(|other| quantity.agrees(other)) {
        return None;
    }
    let fault = |kind, found: Option<&Quantity>| {
        Some(Fault { kind, claimed: quantity.shown.clone(), found: found.map(|other| other.shown.clone()) })
    };
    let free = |other: &&Quantity| !mine.quantities.iter().any(|own| own.agrees(other));
    // The number is there with another unit.
    if let Some(other) =
        near.quantities.iter().filter(free).find(|other| quantity.same_value(other) && other.unit.is_some())
        && quantity.unit.is_some()
        && alike
    {
        return fault(FaultKind::Unit, Some(other));
    }
    // Another number stands in its place.
    if alike && let Some(other) = near.quantities.iter().filter(free).find(|other| quantity.is_alike(other)) {
        return fault(FaultKind::Number, Some(other));
    }
    let absent = !all.quantities.iter().any(|other| quantity.agrees(other));
    let unit_only = absent && all.quantities.iter().any(|other| quantity.same_value(other));
    match (absent && !quantity.soft, unit_only) {
        (true, true) => fault(FaultKind::Unit, None),
        (true, false) => fault(FaultKind::Number, None),
        (false, _) => None,
    }
}

fn date_doubt(date: &Date, claim: &str, passage: &str, near: &Facts, all: &Facts, alike: bool) -> Option<Fault> {
    if near.dates.iter().any(|other| date.is_in(other)) {
        return None;
    }
    let claimed = claim[date.range.clone()].to_owned();
    if alike && let Some(other) = near.dates.first() {
        return Some(Fault { kind: FaultKind::Date, claimed, found: Some(passage[other.range.clone()].to_owned()) });
    }
    (!all.dates.iter().any(|other| date.is_in(other))).then_some(Fault { kind: FaultKind::Date, claimed, found: None })
}

fn name_doubts(mine: &Facts, near: &Facts, vocabulary: &Vocabulary, passage: &str, alike: bool) -> Vec<Fault> {
    let own: Vec<&str> = mine.names.iter().map(|name| name.folded.as_str()).collect();
    let here = Vocabulary::of(passage);
    // A name of the passage that the claim does not have.
    let mut others = near.names.iter().filter(|name| !own.contains(&name.folded.as_str()));
    let other = others.next();
    let only = other.is_some_and(|first| others.all(|name| name.folded == first.folded));
    let fault = |name: &Name, found: Option<&Name>| Fault {
        kind: FaultKind::Name,
        claimed: name.shown.clone(),
        found: found.map(|other| other.shown.clone()),
    };
    let mut found = Vec::new();
    for name in &mine.names {
        if !vocabulary.has(&name.folded) {
            found.push(fault(name, other.filter(|_| alike)));
        } else if alike && only && !here.has(&name.folded) {
            // The source knows the name, but where it speaks of the claim it has exactly one other.
            found.push(fault(name, other));
        }
    }
    found
}
