//! Rules that can reject a claim, and never accept one.

mod date;
mod name;
mod negation;
mod number;
mod quantity;
mod unit;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::locate::{Span, Wording};
use crate::segment::Language;
use crate::token::tokens;
use crate::verdict::SourceText;
use date::{Date, dates};
use name::{Name, Vocabulary, names};
use quantity::{Quantity, quantities};

/// What a claim says that its source does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Which rule found it.
    pub kind: FaultKind,
    /// As the claim has it.
    pub claimed: String,
    /// What the evidence has in its place; none when the source has nothing of the kind.
    pub found: Option<String>,
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
}

/// From which share of common wording two sentences are about the same, so that a difference is a contradiction.
const SAME_WORDING: f32 = 0.6;

/// All faults of `claim` against a source, where `span` is the part of it that speaks of the claim.
pub(crate) fn faults(claim: &str, source: &SourceText<'_>, span: Option<Span>) -> Vec<Fault> {
    let passage = span.and_then(|span| span.of(source.text)).unwrap_or_default();
    let whole = format!("{}\n\n{}", source.title, source.text);
    let mine = Facts::of(claim);
    let near = Facts::of(passage);
    let all = Facts::of(&whole);
    let vocabulary = Vocabulary::of(&whole);
    let alike = {
        let wording = Wording::of(claim)
            .without(|word| word.starts_with(|c: char| c.is_ascii_digit()) || mine.is_own(word, &vocabulary));
        let there = Wording::of(passage);
        wording.share_in(&there.words()) >= SAME_WORDING
    };

    let mut found = Vec::new();
    for quantity in &mine.quantities {
        found.extend(quantity_fault(quantity, &mine, &near, &all, alike));
    }
    for date in &mine.dates {
        found.extend(date_fault(date, claim, passage, &near, &all, alike));
    }
    found.extend(name_faults(&mine, &near, &all, &vocabulary, passage, alike));
    if alike && let Some((claimed, there)) = negation::differences(claim, passage) {
        found.push(Fault { kind: FaultKind::Negation, claimed, found: Some(there) });
    }
    found
}

/// Whether the wording of `claim` turns round what the sentence says from which it is quoted.
pub(crate) fn is_turned_round(claim: &str, sentence: &str) -> bool {
    negation::differences(claim, sentence).is_some()
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
    fn is_own(&self, word: &str, vocabulary: &Vocabulary) -> bool {
        self.names.iter().any(|name| crate::stem::stem(&name.folded) == word && !vocabulary.has(&name.folded))
    }
}

fn quantity_fault(quantity: &Quantity, mine: &Facts, near: &Facts, all: &Facts, alike: bool) -> Option<Fault> {
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

fn date_fault(date: &Date, claim: &str, passage: &str, near: &Facts, all: &Facts, alike: bool) -> Option<Fault> {
    if near.dates.iter().any(|other| date.is_in(other)) {
        return None;
    }
    let claimed = claim[date.range.clone()].to_owned();
    if alike && let Some(other) = near.dates.first() {
        return Some(Fault { kind: FaultKind::Date, claimed, found: Some(passage[other.range.clone()].to_owned()) });
    }
    (!all.dates.iter().any(|other| date.is_in(other))).then_some(Fault { kind: FaultKind::Date, claimed, found: None })
}

fn name_faults(
    mine: &Facts,
    near: &Facts,
    all: &Facts,
    vocabulary: &Vocabulary,
    passage: &str,
    alike: bool,
) -> Vec<Fault> {
    let own: Vec<&str> = mine.names.iter().map(|name| name.folded.as_str()).collect();
    let here = Vocabulary::of(passage);
    // A name of the passage that the claim does not have: surely one, or one that is a name elsewhere in the source.
    let surely =
        |name: &Name| !name.doubtful || all.names.iter().any(|other| !other.doubtful && other.folded == name.folded);
    let replaced = near.names.iter().find(|name| surely(name) && !own.contains(&name.folded.as_str()));
    let mut found = Vec::new();
    for name in &mine.names {
        let there = vocabulary.has(&name.folded);
        if name.doubtful {
            // At the beginning of a sentence any word has a capital: only where a name was taken out is it one.
            if !there
                && alike
                && let Some(other) = replaced
            {
                found.push(fault_of(name, Some(other)));
            }
        } else if !there {
            found.push(fault_of(name, replaced.filter(|_| alike)));
        } else if alike && !here.has(&name.folded) && is_swap(name, near, &own, &surely) {
            found.push(fault_of(name, replaced));
        }
    }
    found
}

/// Whether a name that the source knows stands where the passage has exactly one other.
fn is_swap(name: &Name, near: &Facts, own: &[&str], surely: &impl Fn(&Name) -> bool) -> bool {
    let mut others: Vec<&str> =
        near.names.iter().filter(|other| surely(other)).map(|other| other.folded.as_str()).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|other| !own.contains(other));
    others.len() == 1 && !name.doubtful
}

fn fault_of(name: &Name, found: Option<&Name>) -> Fault {
    Fault { kind: FaultKind::Name, claimed: name.shown.clone(), found: found.map(|other| other.shown.clone()) }
}
