//! Whether a sentence tells an event of a date.

use std::ops::Range;

use super::clause::{clauses, joined};
use super::sentence::labels_in;
use super::words::{terms, words};

/// The share of an event's words that must stand in the clauses of its date.
const SHARE: f64 = 0.6;

/// Whether the sentence tells `event` of the date at `own`. `dates` are those of the whole timeline: what stands in the
/// clause of another date happened then.
pub(super) fn tells(text: &str, dates: &[Vec<String>], own: usize, event: &str) -> bool {
    let places = labels_in(dates, &words(text));
    let mut known: Vec<usize> = places.iter().map(|(date, _)| *date).collect();
    known.dedup();
    if !known.contains(&own) {
        return false;
    }
    let years = years(text);
    let others =
        years.iter().any(|year| places.iter().all(|(_, date)| !(date.start <= year.start && year.end <= date.end)));
    if known.len() == 1 && !others {
        return shared(event, text) >= SHARE;
    }
    // Each piece belongs to the date in it; one without a date to that before it, or else to the first.
    let mut parts: Vec<(Vec<usize>, String)> = Vec::new();
    let mut before = String::new();
    for piece in pieces(text) {
        let inside = |range: &Range<usize>| piece.start <= range.start && range.end <= piece.end;
        let mut here: Vec<usize> = places.iter().filter(|(_, range)| inside(range)).map(|(date, _)| *date).collect();
        here.dedup();
        let foreign = years.iter().filter(|year| inside(year)).count() > here.len();
        if foreign {
            here.push(usize::MAX);
        }
        match parts.last_mut() {
            Some((_, words)) if here.is_empty() => words.push_str(&format!(" {}", &text[piece])),
            None if here.is_empty() => before.push_str(&text[piece]),
            _ => parts.push((here, format!("{} {}", std::mem::take(&mut before), &text[piece]))),
        }
    }
    let best =
        parts.iter().filter(|(dates, _)| *dates != [own]).map(|(_, words)| shared(event, words)).fold(0.0, f64::max);
    parts.iter().any(|(dates, words)| *dates == [own] && shared(event, words) >= SHARE && shared(event, words) > best)
}

fn pieces(text: &str) -> Vec<Range<usize>> {
    clauses(text).into_iter().flat_map(|clause| joined(text, clause)).collect()
}

/// The share of the words of an event that are in a text; nothing when one of its numbers is not.
fn shared(event: &str, text: &str) -> f64 {
    let there: Vec<String> = words(text).into_iter().map(|word| word.folded).collect();
    let wanted = terms(event);
    let number = |word: &&String| word.starts_with(|c: char| c.is_ascii_digit());
    if wanted.iter().filter(number).any(|word| !there.contains(word)) {
        return 0.0;
    }
    let found = wanted.iter().filter(|word| there.contains(word)).count();
    if wanted.is_empty() { 0.0 } else { found as f64 / wanted.len() as f64 }
}

/// Numbers of four digits that may be years.
fn years(text: &str) -> Vec<Range<usize>> {
    let year = |word: &str| word.len() == 4 && word.parse::<u32>().is_ok_and(|year| (1500..=2100).contains(&year));
    words(text).into_iter().filter(|word| year(&word.folded)).map(|word| word.range).collect()
}
