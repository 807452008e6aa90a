//! Bounds that the source meets: `more than 120` where it counts 128, `before 2019` where it says March 2018.
//!
//! A claim that gives only a bound differs from its source in the number and says the same. So such a number is no reason
//! to look, as long as the source has an amount of the same kind within the bound.

use std::cmp::Ordering;
use std::ops::Range;

use graphloom_text::Language;

use crate::segment::sentences_in;

use super::bound::{Bound, implies};
use super::clause::Sentence;
use super::date::Date;
use super::quantity::Quantity;

/// The tokens of the claim's numbers and dates whose bound an amount of `passage` meets.
pub(super) fn with_met_bound(claim: &str, passage: &str, language: Language) -> Vec<Range<usize>> {
    let mine = Sentence::of(claim, language);
    let ranges = sentences_in(passage, language);
    let there: Vec<Sentence<'_>> = ranges.into_iter().map(|range| Sentence::of(&passage[range], language)).collect();
    // The year of a date is the date's.
    let dated = |quantity: &Quantity| mine.dates.iter().any(|date| date.tokens == quantity.tokens);
    let numbers = mine.quantities.iter().filter(|quantity| !dated(quantity) && number_is_met(&mine, quantity, &there));
    let dates = mine.dates.iter().filter(|date| date_is_met(&mine, date, &there));
    numbers.map(|quantity| quantity.tokens.clone()).chain(dates.map(|date| date.tokens.clone())).collect()
}

fn number_is_met(mine: &Sentence<'_>, quantity: &Quantity, there: &[Sentence<'_>]) -> bool {
    let bound = mine.bound(&quantity.tokens);
    if bound == Bound::Exactly {
        return false;
    }
    let year = mine.is_year(quantity);
    let alike = |(sentence, other): &(&Sentence<'_>, &Quantity)| {
        !other.ordinal && quantity.is_alike(other) && sentence.is_year(other) == year
    };
    let all = there.iter().flat_map(|sentence| sentence.quantities.iter().map(move |other| (sentence, other)));
    let mut there: Vec<(&Sentence<'_>, &Quantity)> = all.filter(alike).collect();
    // Where the source counts the same thing, only that amount can meet the bound.
    let head = mine.head(&quantity.tokens);
    let same = |(sentence, other): &(&Sentence<'_>, &Quantity)| head.is_some() && sentence.head(&other.tokens) == head;
    if there.iter().any(same) {
        there.retain(same);
    }
    // Of several the one whose clause says most of what the claim's clause says.
    let clause = mine.wording(mine.clause(quantity.tokens.start));
    let near = |(sentence, other): &(&Sentence<'_>, &Quantity)| {
        clause.share_in(&sentence.wording(sentence.clause(other.tokens.start)).words())
    };
    let nearest = there.iter().map(near).fold(0.0, f32::max);
    there.retain(|one| near(one) >= nearest);
    // And of several in one clause the one with the same words around it.
    let around = mine.neighbours(&quantity.tokens);
    let close = |(sentence, other): &(&Sentence<'_>, &Quantity)| {
        let theirs = sentence.neighbours(&other.tokens);
        let words = |all: &[(Option<String>, Option<String>); 2]| {
            all.iter().flat_map(|(before, behind)| [before.clone(), behind.clone()]).collect::<Vec<_>>()
        };
        words(&around).into_iter().zip(words(&theirs)).filter(|(one, two)| one.is_some() && one == two).count()
    };
    let closest = there.iter().map(close).max();
    there.retain(|one| Some(close(one)) == closest);
    let first = |one: &Quantity| Quantity { values: one.values.iter().take(1).copied().collect(), ..one.clone() };
    // `254,500` could be 254.5 to some writers, which every bound from 245,000 down meets.
    there
        .iter()
        .any(|(sentence, other)| implies((&first(other), sentence.bound(&other.tokens)), (&first(quantity), bound)))
}

fn date_is_met(mine: &Sentence<'_>, date: &Date, there: &[Sentence<'_>]) -> bool {
    let wanted = match mine.bound(&date.tokens) {
        Bound::AtLeast => Ordering::Greater,
        Bound::AtMost => Ordering::Less,
        Bound::Exactly | Bound::About => return false,
    };
    there.iter().flat_map(|sentence| &sentence.dates).any(|other| other.order(date) == Some(wanted))
}
