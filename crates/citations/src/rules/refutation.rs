//! The one rule that decides alone: another number, unit or date stands for the same quantity in the same clause.
//!
//! A number refutes a claim only where nothing else is left to explain it: the clause around it says what the claim says,
//! it counts the same thing, it is the only one there that does and is not another number of the claim, the claim's number
//! stands nowhere in the source, and neither bound, rounding nor unit makes the two agree. What lacks one of these is a
//! reason to look, not a verdict.

use graphloom_text::Language;

use super::bound::{Bound, excludes, implies};
use super::clause::Sentence;
use super::date::Date;
use super::quantity::Quantity;
use super::{Fault, FaultKind};
use crate::locate::{Span, Wording};
use crate::segment::sentences_in;
use crate::verdict::SourceText;

/// The share of the claim's clause that a sentence must have when it counts the same thing.
const SAME_THING: f32 = 0.8;
/// The share when the words right before and right behind the number are the same, too.
const SAME_PLACE: f32 = 0.7;
/// The share from which two clauses are one but for what was changed in it.
const SAME_CLAUSE: f32 = 0.95;

/// A number, unit or date of the claim that the source refutes, and the sentence that does.
pub(crate) fn refuted(claim: &str, source: &SourceText<'_>, language: Language) -> Option<(Fault, Span)> {
    let mine = Sentence::of(claim, language);
    if mine.quantities.is_empty() && mine.dates.is_empty() {
        return None;
    }
    let ranges = sentences_in(source.text, language);
    let there: Vec<(Span, Sentence<'_>)> = ranges
        .into_iter()
        .map(|range| (Span::from(range.clone()), Sentence::of(&source.text[range], language)))
        .collect();
    let title = Sentence::of(source.title, language);
    let all: Vec<&Sentence<'_>> = there.iter().map(|(_, sentence)| sentence).chain([&title]).collect();
    let quantity = mine.quantities.iter().find_map(|quantity| refutes(&mine, quantity, &there, &all));
    quantity.or_else(|| mine.dates.iter().find_map(|date| refutes_date(&mine, claim, date, &there, &all)))
}

fn refutes(
    mine: &Sentence<'_>,
    quantity: &Quantity,
    there: &[(Span, Sentence<'_>)],
    all: &[&Sentence<'_>],
) -> Option<(Fault, Span)> {
    // A year within a date is the date's.
    let dated = mine.dates.iter().any(|date| date.tokens == quantity.tokens);
    if dated || quantity.ordinal || all.iter().any(|one| one.quantities.iter().any(|other| quantity.agrees(other))) {
        return None;
    }
    let context = context(mine, mine.clause(quantity.tokens.start))?;
    let Counterpart { found, span, sentence, exact } = counterpart(mine, quantity, &context, there)?;
    let year = mine.is_year(quantity);
    let (bound, there_bound) = (mine.bound(&quantity.tokens), sentence.bound(&found.tokens));
    // The same words around it on both sides: whatever they make of the number, it is another one.
    let changed = exact && bound == there_bound;
    let read = |sentence: &Sentence<'_>, one: &Quantity| {
        let is_moment = year && sentence.is_moment(&one.tokens);
        !(sentence.is_ranged(&one.tokens) || sentence.is_part(&one.tokens) || is_moment)
    };
    // A year is of what happened in its clause.
    let happened = !year || happened(mine, &quantity.tokens, sentence, &found.tokens);
    let head = mine.head(&quantity.tokens);
    let possible = |sentence: &Sentence<'_>, other: &Quantity| {
        let counted = bound == Bound::Exactly || other.unit.is_some() || sentence.head(&other.tokens) == head;
        counted
            && quantity.is_alike(other)
            && sentence.is_year(other) == year
            && !excludes((quantity, bound), (other, sentence.bound(&other.tokens)))
    };
    let explained = all.iter().any(|one| one.quantities.iter().any(|other| possible(one, other)))
        || quantity.is_alike(found) && implies((found, there_bound), (quantity, bound));
    let sure = changed || read(mine, quantity) && read(sentence, found) && happened && !explained;
    if !sure || !others_agree(mine, &quantity.tokens, sentence) {
        return None;
    }
    let kind = match (quantity.unit, found.unit) {
        _ if year => FaultKind::Date,
        (Some(_), Some(_)) if quantity.same_value(found) => FaultKind::Unit,
        _ => FaultKind::Number,
    };
    Some((Fault { kind, claimed: quantity.shown.clone(), found: Some(found.shown.clone()) }, span))
}

/// The number of the source that corresponds to a number of the claim.
struct Counterpart<'s, 't> {
    found: &'s Quantity,
    span: Span,
    sentence: &'s Sentence<'t>,
    /// The clauses are the same, word for word around the number.
    exact: bool,
}

/// The number of the source that corresponds to a number of the claim, if there is exactly one.
fn counterpart<'s, 't>(
    mine: &Sentence<'_>,
    quantity: &Quantity,
    context: &Wording,
    there: &'s [(Span, Sentence<'t>)],
) -> Option<Counterpart<'s, 't>> {
    let (share, span, sentence) = nearest(context, there)?;
    let around = mine.neighbours(&quantity.tokens);
    let place = |other: &Quantity| sentence.neighbours(&other.tokens)[0] == around[0];
    let year = mine.is_year(quantity);
    let alike = |other: &Quantity| quantity.is_alike(other) && sentence.is_year(other) == year;
    let changed_unit = |other: &Quantity| quantity.unit.is_some() && other.unit.is_some() && quantity.same_value(other);
    let is_same = |other: &&Quantity| {
        let counts = match (quantity.unit, other.unit) {
            (Some(_), Some(_)) => alike(other),
            (None, None) if alike(other) => {
                let head = mine.head(&quantity.tokens);
                year || head.is_some() && head == sentence.head(&other.tokens)
            }
            _ => false,
        };
        let same = counts && share >= SAME_THING
            || (alike(other) || changed_unit(other)) && place(other) && share >= SAME_PLACE
            || changed_unit(other) && share >= SAME_CLAUSE;
        // Of several numbers of one kind in the claim, each needs its own place.
        let several = mine.quantities.iter().filter(|own| own.is_alike(quantity) && mine.is_year(own) == year);
        let placed = place(other) || several.count() < 2 || changed_unit(other);
        let label = mine.is_label(&quantity.tokens) || sentence.is_label(&other.tokens);
        same && placed && !other.ordinal && (!label || place(other) && share >= SAME_CLAUSE)
    };
    let mut found: Vec<&Quantity> = sentence.quantities.iter().filter(is_same).collect();
    // What another number of the claim already is stands for that one.
    let taken = |other: &Quantity| {
        mine.quantities.iter().any(|own| own.tokens != quantity.tokens && own.unit == other.unit && own.agrees(other))
    };
    if !found.iter().all(|one| taken(one)) {
        found.retain(|one| !taken(one));
    }
    if found.iter().any(|one| place(one)) {
        found.retain(|one| place(one));
        // As in `2, 4, 8 and 16`.
        let wide = |other: &Quantity| sentence.neighbours(&other.tokens) == around;
        let half = |other: &Quantity| {
            let far = &sentence.neighbours(&other.tokens)[1];
            far.0 == around[1].0 || far.1 == around[1].1
        };
        for nearer in [&half as &dyn Fn(&Quantity) -> bool, &wide] {
            if found.len() > 1 && found.iter().any(|one| nearer(one)) {
                found.retain(|one| nearer(one));
            }
        }
    } else if found.len() > 1 {
        // Several in one sentence: the one in whose clause the claim stands.
        found
            .retain(|one| context.share_in(&sentence.wording(sentence.clause(one.tokens.start)).words()) >= SAME_THING);
    }
    let first = *found.first()?;
    let exact = place(first) && share >= SAME_CLAUSE;
    let strangers = sentence
        .quantities
        .iter()
        .filter(|other| alike(other) && !taken(other) && !found.iter().any(|one| std::ptr::eq(*one, *other)))
        .count();
    let unique = found.iter().all(|one| one.agrees(first)) && (place(first) || strangers == 0);
    unique.then_some(Counterpart { found: first, span, sentence, exact })
}

/// The sentence that has most of a clause's words.
fn nearest<'s, 't>(context: &Wording, there: &'s [(Span, Sentence<'t>)]) -> Option<(f32, Span, &'s Sentence<'t>)> {
    let mut best: Option<(f32, Span, &Sentence<'_>)> = None;
    for (span, sentence) in there {
        let share = context.share_in(&sentence.wording(sentence.whole()).words());
        if best.as_ref().is_none_or(|(most, ..)| share > *most) {
            best = Some((share, *span, sentence));
        }
    }
    best.filter(|(share, ..)| *share >= SAME_PLACE)
}

/// The words of a clause, or of the whole claim where the clause says too little; none where that does, too.
fn context(mine: &Sentence<'_>, clause: std::ops::Range<usize>) -> Option<Wording> {
    let wording = mine.wording(clause);
    let wording = if wording.words().len() < 3 { mine.wording(mine.whole()) } else { wording };
    (wording.words().len() >= 2).then_some(wording)
}

/// Whether every other number and date of the claim is in the sentence: where two differ, another case is spoken of.
fn others_agree(mine: &Sentence<'_>, except: &std::ops::Range<usize>, sentence: &Sentence<'_>) -> bool {
    let mut numbers = mine.quantities.iter().filter(|one| one.tokens != *except);
    let mut dates = mine.dates.iter().filter(|date| date.tokens != *except);
    let number = |one: &Quantity| sentence.quantities.iter().any(|other| one.agrees(other));
    let date = |one: &Date| sentence.dates.iter().any(|other| one.is_in(other));
    numbers.all(number) && dates.all(date)
}

/// Whether all that the claim says to have happened at a time stands in the clause of the source with the other time.
fn happened(
    mine: &Sentence<'_>,
    when: &std::ops::Range<usize>,
    sentence: &Sentence<'_>,
    then: &std::ops::Range<usize>,
) -> bool {
    let claimed = mine.plain_words(mine.clause(when.start));
    let claimed = if claimed.words().is_empty() { mine.plain_words(mine.whole()) } else { claimed };
    let clause = sentence.wording(sentence.clause(then.start));
    !claimed.words().is_empty() && claimed.share_in(&clause.words()) >= 1.0
}

/// A date of the claim in whose place the source has another one.
fn refutes_date(
    mine: &Sentence<'_>,
    claim: &str,
    date: &Date,
    there: &[(Span, Sentence<'_>)],
    all: &[&Sentence<'_>],
) -> Option<(Fault, Span)> {
    if all.iter().any(|one| one.dates.iter().any(|other| date.is_in(other))) {
        return None;
    }
    let context = context(mine, mine.clause(date.tokens.start))?;
    let (share, span, sentence) = nearest(&context, there)?;
    // What another date of the claim already is stands for that one.
    let taken = |other: &Date| mine.dates.iter().any(|own| own.tokens != date.tokens && own.is_in(other));
    let mut others: Vec<&Date> = sentence.dates.iter().filter(|other| !taken(other)).collect();
    if others.len() > 1 {
        let wide = mine.neighbours(&date.tokens);
        others.retain(|other| sentence.neighbours(&other.tokens) == wide);
    }
    let [other] = others[..] else { return None };
    let (here, around) = (sentence.neighbours(&other.tokens)[0].clone(), mine.neighbours(&date.tokens)[0].clone());
    let (bound, there_bound) = (mine.bound(&date.tokens), sentence.bound(&other.tokens));
    let place = here.0 == around.0;
    // The same words around it on both sides: whatever they make of the date, it is another one.
    let changed = here == around && share >= SAME_CLAUSE && bound == there_bound;
    let sure = (share >= SAME_THING || place && share >= SAME_PLACE)
        && !mine.is_moment(&date.tokens)
        && !sentence.is_moment(&other.tokens)
        && happened(mine, &date.tokens, sentence, &other.tokens);
    let plain = bound == there_bound && (place || bound == Bound::Exactly);
    let read = !mine.is_ranged(&date.tokens) && !sentence.is_ranged(&other.tokens);
    if !(changed || sure && plain && read) || !date.differs(other) {
        return None;
    }
    let found = sentence.date_text(other);
    others_agree(mine, &date.tokens, sentence).then(|| {
        (Fault { kind: FaultKind::Date, claimed: claim[date.range.clone()].to_owned(), found: Some(found) }, span)
    })
}
