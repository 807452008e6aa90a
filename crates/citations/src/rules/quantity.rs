//! Numbers of a text with the units beside them.

use std::ops::Range;

use graphloom_text::fold;
use graphloom_text::number::{ideographic, magnitude, magnitude_at, readings, same, spelled};
use graphloom_text::unit::{self, Dimension, Unit, same_amount, unit_at};

use super::date::Date;
use crate::token::{Kind, Token};

/// A number as it can be read, and its unit.
#[derive(Clone, Debug)]
pub(super) struct Quantity {
    /// All readings of the number.
    pub(super) values: Vec<f64>,
    pub(super) unit: Option<Unit>,
    /// Written as a word: a reader may have counted, so its absence says nothing.
    pub(super) soft: bool,
    /// As it stands in the text.
    pub(super) shown: String,
    /// What its last digit leaves open: half of its place, for `3.5` and `3 million`; 0 for a number written in full.
    pub(super) slack: f64,
    /// Says which one, not how many: `2nd`.
    pub(super) ordinal: bool,
    /// The indices of the tokens of the number and its unit.
    pub(super) tokens: Range<usize>,
}

impl Quantity {
    pub(super) fn same_value(&self, other: &Self) -> bool {
        self.values.iter().any(|a| other.values.iter().any(|b| same(*a, *b)))
    }

    /// Whether the amounts agree; a missing unit agrees with every unit.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        match (self.unit, other.unit) {
            (Some(mine), Some(theirs)) => {
                self.values.iter().any(|a| other.values.iter().any(|b| same_amount((*a, mine), (*b, theirs))))
            }
            _ => self.same_value(other),
        }
    }

    /// The amounts in base units, by every reading, each with what it measures.
    pub(super) fn amounts(&self) -> Vec<(Option<Dimension>, f64)> {
        let amounts = |value: &f64| -> Vec<(Option<Dimension>, f64)> {
            match self.unit {
                Some(unit) => unit.readings().map(|(dimension, factor)| (Some(dimension), value * factor)).collect(),
                None => vec![(None, *value)],
            }
        };
        self.values.iter().flat_map(amounts).collect()
    }

    /// Whether it is written as years are: four digits and no unit.
    pub(super) fn looks_like_a_year(&self) -> bool {
        let digits = self.shown.len() == 4 && self.shown.bytes().all(|b| b.is_ascii_digit());
        self.unit.is_none() && digits && self.values.iter().any(|value| (1000.0..2100.0).contains(value))
    }

    /// Whether one could have been put in the place of the other.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self.unit, other.unit) {
            (Some(mine), Some(theirs)) => mine.is_like(theirs),
            (None, None) => true,
            _ => false,
        }
    }
}

/// What stands before the decade of someone's age.
const AGE: &[&str] = &["his", "her", "their", "early", "mid", "late"];

/// The numbers of a text, those of dates left out.
pub(super) fn quantities(text: &str, tokens: &[Token], dates: &[Date]) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(date) = dates.iter().find(|date| date.tokens.contains(&at)) {
            at = date.tokens.end;
            continue;
        }
        let (quantity, used) = match tokens[at].kind {
            Kind::Number => digits(text, tokens, at),
            Kind::Word => word(text, tokens, at),
            Kind::Ideograph => numeral(text, tokens, at),
            Kind::Sign => (None, 1),
        };
        found.extend(quantity.map(|read| Quantity { tokens: at..at + used, ..read }));
        at += used;
    }
    // The year of a date is a number that can be cited alone.
    found.extend(dates.iter().filter_map(|date| {
        let year = date.year?;
        let tokens = date.tokens.clone();
        Some(Quantity { tokens, ..quantity_of(vec![f64::from(year)], None, true, &year.to_string(), 0.0)? })
    }));
    found
}

fn digits(text: &str, tokens: &[Token], at: usize) -> (Option<Quantity>, usize) {
    let token = &tokens[at];
    let mut values = readings(&token.folded);
    let mut slack = decimals(&token.folded);
    let touches = |left: usize, right: usize| tokens[left].range.end == tokens[right].range.start;
    let mut next = at + 1;
    // `2nd` is a number, `0x1f` and `2pc` are names.
    if let Some(word) = tokens.get(next).filter(|word| word.kind == Kind::Word && touches(at, next)) {
        // `1990s` are years, `her 50s` an age, `50s` alone a time.
        let decade = token.folded.len() == 4 || at > 0 && AGE.contains(&tokens[at - 1].folded.as_str());
        if word.folded == "s" && token.folded.ends_with('0') && decade {
            return (None, 2);
        }
        if matches!(word.folded.as_str(), "st" | "nd" | "rd" | "th") {
            let shown = &text[token.range.start..word.range.end];
            return (quantity_of(values, None, false, shown, 0.0).map(|read| Quantity { ordinal: true, ..read }), 2);
        }
        if unit::named(&word.folded).is_none() && magnitude(&word.folded).is_none() {
            return (None, 2);
        }
    }
    // `$5`
    let currency = at
        .checked_sub(1)
        .filter(|&sign| tokens[sign].kind == Kind::Sign)
        .and_then(|sign| unit::named(&tokens[sign].folded));
    let factor = tokens.get(next).and_then(|word| match word.folded.as_str() {
        // `$5m` is money, `5m` is a length.
        "m" if currency.is_some() => Some((1e6, 1)),
        "b" if currency.is_some() => Some((1e9, 1)),
        _ => multiplied(text, tokens, next),
    });
    if let Some((factor, used)) = factor {
        values.iter_mut().for_each(|value| *value *= factor);
        slack = slack.max(0.5) * factor;
        next += used;
    }
    let (behind, used) = unit_behind(text, tokens, next);
    next += used;
    let end = tokens[next - 1].range.end;
    let behind = behind.map(|unit| unit.beside(&text[..token.range.start], &text[end..]));
    (quantity_of(values, behind.or(currency), false, &text[token.range.start..end], slack), next - at)
}

/// Half of the last decimal place of a number, 0 for a whole one.
fn decimals(digits: &str) -> f64 {
    let places = digits.rsplit_once(['.', ',']).map_or(0, |(_, after)| after.len());
    match i32::try_from(places) {
        Ok(places @ (1 | 2 | 4..=9)) => 0.5 * 10_f64.powi(-places),
        _ => 0.0,
    }
}

/// What the word at `next` multiplies the number before it with, and how many tokens it takes: several where it is written
/// in ideographs.
fn multiplied(text: &str, tokens: &[Token], next: usize) -> Option<(f64, usize)> {
    let token = tokens.get(next)?;
    let rest = &text[token.range.start..];
    let Some((factor, length)) = magnitude_at(rest) else { return Some((magnitude(&token.folded)?, 1)) };
    // `5百分点` are percentage points and no hundreds of anything.
    let is_unit = unit_at(rest).is_some_and(|(_, unit)| unit > length);
    (!is_unit).then(|| (factor, tokens_within(tokens, next, length)))
}

/// How many tokens from `next` on so many bytes are, at least one.
fn tokens_within(tokens: &[Token], next: usize, length: usize) -> usize {
    let end = tokens[next].range.start + length;
    tokens[next..].iter().take_while(|one| one.range.end <= end).count().max(1)
}

/// The unit that stands at `next`, and how many tokens it takes.
fn unit_behind(text: &str, tokens: &[Token], next: usize) -> (Option<Unit>, usize) {
    let Some(token) = tokens.get(next) else { return (None, 0) };
    // `64-bit`
    let hyphen = usize::from(token.folded == "-");
    let Some(token) = tokens.get(next + hyphen) else { return (None, 0) };
    if token.kind == Kind::Word || token.folded == "%" || token.folded == "€" || token.folded == "$" {
        let name = token.folded.split('-').next().unwrap_or_default();
        let points =
            name == "percentage" && !tokens.get(next + hyphen + 1).is_some_and(|t| t.folded.starts_with("point"));
        if let Some(found) = unit::named(name).filter(|_| !points) {
            return (Some(found), hyphen + 1);
        }
    }
    // `5 per cent`
    if token.folded == "per" && tokens.get(next + hyphen + 1).is_some_and(|cent| cent.folded == "cent") {
        return (unit::named("percent"), hyphen + 2);
    }
    if token.folded == "°"
        && let Some(scale) = tokens.get(next + 1)
        && let Some(found) = unit::named(&format!("°{}", scale.folded))
    {
        return (Some(found), 2);
    }
    // Units written without spaces, some of several ideographs.
    let rest: String = text[token.range.start..].chars().take(8).map(fold).collect();
    if let Some((found, length)) = unit_at(&rest) {
        return (Some(found), tokens_within(tokens, next + hyphen, length));
    }
    (None, 0)
}

fn word(text: &str, tokens: &[Token], at: usize) -> (Option<Quantity>, usize) {
    let token = &tokens[at];
    let Some(mut value) = spelled(&token.folded) else { return (None, 1) };
    let mut next = at + 1;
    if let Some((factor, used)) = multiplied(text, tokens, next) {
        value *= factor;
        next += used;
    }
    let (measure, used) = unit_behind(text, tokens, next);
    let end = tokens[next + used - 1].range.end;
    let measure = measure.map(|unit| unit.beside(&text[..token.range.start], &text[end..]));
    (quantity_of(vec![value], measure, true, &token.folded, 0.0), next + used - at)
}

/// Ideographic numerals count only where they count something: 三个, 十二年, but not 一般.
fn numeral(text: &str, tokens: &[Token], at: usize) -> (Option<Quantity>, usize) {
    const DIGITS: &str = "〇零一二三四五六七八九十百千两両";
    const COUNTERS: &str = "个個つ种種年月日人次台件倍层層项項章节節秒分天米元円";
    let run = tokens[at..].iter().take_while(|token| DIGITS.contains(token.folded.as_str())).count();
    if run == 0 {
        return (None, 1);
    }
    let end = tokens[at + run - 1].range.end;
    let counts = run > 1 || text[end..].chars().next().is_some_and(|c| COUNTERS.contains(c));
    let shown = &text[tokens[at].range.start..end];
    match ideographic(shown).filter(|_| counts) {
        Some(value) => {
            let (measure, used) = unit_behind(text, tokens, at + run);
            (quantity_of(vec![value], measure, true, shown, 0.0), run + used)
        }
        None => (None, run),
    }
}

fn quantity_of(values: Vec<f64>, unit: Option<Unit>, soft: bool, shown: &str, slack: f64) -> Option<Quantity> {
    (!values.is_empty()).then(|| Quantity {
        values,
        unit,
        soft,
        shown: shown.to_owned(),
        slack,
        ordinal: false,
        tokens: 0..0,
    })
}
