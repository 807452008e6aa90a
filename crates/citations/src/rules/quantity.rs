//! Numbers of a text with the units beside them.

use crate::fold::fold;
use crate::token::{Kind, Token};

use super::date::Date;
use super::number::{ideographic, multiplier, readings, same, spelled};
use super::unit::{Unit, same_amount, unit, unit_at};

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

    /// Whether one could have been put in the place of the other.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self.unit, other.unit) {
            (Some(mine), Some(theirs)) => mine.dimension == theirs.dimension,
            (None, None) => true,
            _ => false,
        }
    }
}

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
        found.extend(quantity);
        at += used;
    }
    // The year of a date is a number that can be cited alone.
    found.extend(dates.iter().filter_map(|date| {
        let year = date.year?;
        Some(Quantity { values: vec![f64::from(year)], unit: None, soft: true, shown: year.to_string() })
    }));
    found
}

fn digits(text: &str, tokens: &[Token], at: usize) -> (Option<Quantity>, usize) {
    let token = &tokens[at];
    let mut values = readings(&token.folded);
    let touches = |left: usize, right: usize| tokens[left].range.end == tokens[right].range.start;
    let mut next = at + 1;
    // `2nd` is a number, `0x1f` and `2pc` are names.
    if let Some(word) = tokens.get(next).filter(|word| word.kind == Kind::Word && touches(at, next)) {
        if matches!(word.folded.as_str(), "st" | "nd" | "rd" | "th") {
            return (made(values, None, false, &text[token.range.start..word.range.end]), 2);
        }
        if unit(&word.folded).is_none() && multiplier(&word.folded).is_none() {
            return (None, 2);
        }
    }
    if let Some(factor) = tokens.get(next).and_then(|word| multiplier(&word.folded)) {
        values.iter_mut().for_each(|value| *value *= factor);
        next += 1;
    }
    let (mut measure, used) = unit_behind(text, tokens, next);
    next += used;
    if measure.is_none() && at > 0 {
        // `$5`, `EUR 5`
        measure =
            unit(&tokens[at - 1].folded).filter(|_| matches!(tokens[at - 1].kind, Kind::Sign) && touches(at - 1, at));
    }
    let end = tokens[next - 1].range.end;
    (made(values, measure, false, &text[token.range.start..end]), next - at)
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
        if let Some(found) = unit(name).filter(|_| !points) {
            return (Some(found), hyphen + 1);
        }
    }
    if token.folded == "°"
        && let Some(scale) = tokens.get(next + 1)
        && let Some(found) = unit(&format!("°{}", scale.folded))
    {
        return (Some(found), 2);
    }
    // Units written without spaces, some of several ideographs.
    let rest: String = text[token.range.start..].chars().take(8).map(fold).collect();
    if let Some((found, length)) = unit_at(&rest) {
        let used = tokens[next..].iter().take_while(|one| one.range.end <= token.range.start + length).count();
        return (Some(found), used.max(1));
    }
    (None, 0)
}

fn word(text: &str, tokens: &[Token], at: usize) -> (Option<Quantity>, usize) {
    let token = &tokens[at];
    let Some(mut value) = spelled(&token.folded) else { return (None, 1) };
    let mut next = at + 1;
    if let Some(factor) = tokens.get(next).and_then(|word| multiplier(&word.folded)) {
        value *= factor;
        next += 1;
    }
    let (measure, used) = unit_behind(text, tokens, next);
    (made(vec![value], measure, true, &token.folded), next + used - at)
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
            (made(vec![value], measure, true, shown), run + used)
        }
        None => (None, run),
    }
}

fn made(values: Vec<f64>, unit: Option<Unit>, soft: bool, shown: &str) -> Option<Quantity> {
    (!values.is_empty()).then(|| Quantity { values, unit, soft, shown: shown.to_owned() })
}
