//! Which label of a sentence has which of its values.

use std::ops::Range;

use super::clause::{clauses, joined};
use super::quantity::{Quantity, candidates, is_measured, quantities};
use super::words::{Word, occurrences, words};
use crate::unit::Unit;

/// Words that give values to labels in their order.
const RESPECTIVELY: &[&str] =
    &["respectively", "beziehungsweise", "respectivement", "respectivamente", "分别", "それぞれ"];
/// Words that deny what stands beside them.
const DENYING: &[&str] = &["not", "never", "instead", "rather", "cannot", "without", "neither", "nor", "kein", "nicht"];

/// A label of the sentence, or one of its values.
#[derive(Clone, Debug)]
enum Item<'q> {
    Label(usize),
    Value(&'q Quantity),
}

/// Where labels stand in a sentence: the place of the label among the labels, and its bytes. The longest label is taken
/// where several begin.
pub(super) fn labels_in(labels: &[Vec<String>], words: &[Word]) -> Vec<(usize, Range<usize>)> {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_key(|label| std::cmp::Reverse(labels[*label].len()));
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    for label in order {
        for range in occurrences(&labels[label], words) {
            if found.iter().all(|(_, taken)| taken.end <= range.start || range.end <= taken.start) {
                found.push((label, range));
            }
        }
    }
    found.sort_by_key(|(_, range)| range.start);
    found
}

/// Whether a sentence gives this value to the label at `own`. `labels` are those of the whole chart: a value beside
/// another label is that of the other.
pub(super) fn says(text: &str, labels: &[Vec<String>], own: usize, value: f64, unit: &Unit) -> bool {
    let words = words(text);
    let places = labels_in(labels, &words);
    if places.iter().all(|(label, _)| *label != own) || denies(&words) {
        return false;
    }
    let all: Vec<Quantity> = quantities(text)
        .into_iter()
        .filter(|one| places.iter().all(|(_, label)| one.range.end <= label.start || label.end <= one.range.start))
        .collect();
    // A unit that is any word must be in the sentence.
    let named = unit.is_none() || unit.dimension().is_empty() || is_measured(&all, unit) || mentions(&words, unit);
    if !named || (unit.is_known() && !is_measured(&all, unit)) {
        return false;
    }
    let values = candidates(&all, unit);
    pairs(text, &places, &values).iter().any(|(label, quantity)| *label == own && quantity.is(value, unit))
}

/// Whether the words of a unit are among those of a sentence.
fn mentions(words: &[Word], unit: &Unit) -> bool {
    super::words::terms(unit.dimension()).iter().all(|term| words.iter().any(|word| word.folded == *term))
}

/// Which label has which value. Nothing where the sentence leaves it open.
fn pairs<'q>(text: &str, places: &[(usize, Range<usize>)], values: &[&'q Quantity]) -> Vec<(usize, &'q Quantity)> {
    let items = items(places, values);
    let labels: Vec<usize> = items.iter().filter_map(|item| label(item)).collect();
    if RESPECTIVELY.iter().any(|word| text.contains(word)) {
        let split = items.iter().position(|item| label(item).is_none()).unwrap_or(items.len());
        let apart = items[split..].iter().all(|item| label(item).is_none());
        return if apart && labels.len() == values.len() {
            labels.into_iter().zip(values.iter().copied()).collect()
        } else {
            Vec::new()
        };
    }
    if let ([only], true) = (values, labels.windows(2).all(|pair| pair[0] == pair[1])) {
        return labels.first().map(|label| (*label, *only)).into_iter().collect();
    }
    let near = by_clause(text, places, values);
    match in_turns(&items) {
        // Both ways of reading must agree.
        Some(turns) => {
            let agree = near
                .iter()
                .all(|(label, one)| turns.iter().all(|(other, with)| label != other || one.range == with.range));
            if agree { turns } else { Vec::new() }
        }
        None => near,
    }
}

fn items<'q>(places: &[(usize, Range<usize>)], values: &[&'q Quantity]) -> Vec<Item<'q>> {
    let mut items: Vec<(usize, Item<'q>)> =
        places.iter().map(|(label, range)| (range.start, Item::Label(*label))).collect();
    items.extend(values.iter().map(|value| (value.range.start, Item::Value(value))));
    items.sort_by_key(|(at, _)| *at);
    let mut items: Vec<Item<'q>> = items.into_iter().map(|(_, item)| item).collect();
    items.dedup_by(|next, before| label(next).is_some() && label(next) == label(before));
    items
}

fn label(item: &Item<'_>) -> Option<usize> {
    match item {
        Item::Label(label) => Some(*label),
        Item::Value(_) => None,
    }
}

/// Label, value, label, value …, or value, label, value, label …, each label once.
fn in_turns<'q>(items: &[Item<'q>]) -> Option<Vec<(usize, &'q Quantity)>> {
    let mut pairs = Vec::new();
    let forward = matches!(items.first(), Some(Item::Label(_)));
    for pair in items.chunks(2) {
        match (pair, forward) {
            ([Item::Label(label), Item::Value(value)], true) | ([Item::Value(value), Item::Label(label)], false) => {
                pairs.push((*label, *value));
            }
            _ => return None,
        }
    }
    let mut seen: Vec<usize> = pairs.iter().map(|(label, _)| *label).collect();
    seen.sort_unstable();
    seen.dedup();
    (seen.len() == pairs.len()).then_some(pairs)
}

/// The pairs of clauses that hold one label and one value.
fn by_clause<'q>(text: &str, places: &[(usize, Range<usize>)], values: &[&'q Quantity]) -> Vec<(usize, &'q Quantity)> {
    let inside = |piece: &Range<usize>, range: &Range<usize>| piece.start <= range.start && range.end <= piece.end;
    let of = |piece: &Range<usize>| {
        let mut labels: Vec<usize> =
            places.iter().filter(|(_, range)| inside(piece, range)).map(|(label, _)| *label).collect();
        labels.dedup();
        let values: Vec<&'q Quantity> = values.iter().copied().filter(|value| inside(piece, &value.range)).collect();
        (labels, values)
    };
    let mut found = Vec::new();
    for clause in clauses(text) {
        let (labels, values) = of(&clause);
        if let ([label], [value]) = (&labels[..], &values[..]) {
            found.push((*label, *value));
        } else if values.len() > 1 {
            let pieces: Vec<_> = joined(text, clause).into_iter().map(|piece| (of(&piece), piece)).collect();
            // "A and B took 9 and 12" has a piece without a value, and one of nothing but a value.
            let each = pieces.iter().all(|((labels, values), piece)| {
                values.len() == 1 && labels.len() <= 1 && has_words(&text[piece.clone()], values[0], piece.start)
            });
            if each {
                found.extend(pieces.iter().filter_map(|((labels, values), _)| Some((*labels.first()?, values[0]))));
            }
        }
    }
    found
}

/// Whether a piece says more than its value and the word behind it.
fn has_words(piece: &str, value: &Quantity, start: usize) -> bool {
    let before = &piece[..value.range.start - start];
    let behind = &piece[value.range.end - start..];
    words(before).len() + words(behind).len() > 1
}

fn denies(words: &[Word]) -> bool {
    words.iter().any(|word| DENYING.contains(&word.folded.as_str()))
        || words.windows(2).any(|pair| pair[1].folded == "t" && pair[0].folded.ends_with('n'))
}
