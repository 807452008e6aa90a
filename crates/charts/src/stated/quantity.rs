//! Numbers of a statement with the units beside them.

use std::ops::Range;

use graphloom_text::number;

use super::words::is_ideograph;
use crate::unit::Unit;

/// Words before a number that make it a year.
const BEFORE_YEARS: &[&str] = &[
    "in",
    "since",
    "until",
    "by",
    "from",
    "during",
    "year",
    "early",
    "late",
    "of",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Words behind an amount that make it a difference.
const COMPARING: &[&str] = &[
    "less", "more", "fewer", "faster", "slower", "higher", "lower", "longer", "shorter", "larger", "smaller", "above",
    "below",
];

/// A number and what it may count.
#[derive(Clone, Debug)]
pub(super) struct Quantity {
    pub(super) range: Range<usize>,
    /// All readings of the number: English and German separators differ.
    values: Vec<f64>,
    /// Readings of the words beside it as a unit.
    units: Vec<Unit>,
    /// Part of a date or a name, as `in 2020` and `Python 3`.
    is_name: bool,
}

impl Quantity {
    /// Whether it is `value` in `unit`. A number without a unit of its own has the one that is given for it.
    pub(super) fn is(&self, value: f64, unit: &Unit) -> bool {
        let bare = (self.unit().is_none()).then_some(unit);
        self.units.iter().chain(bare).any(|own| self.values.iter().any(|one| own.is_amount(*one, unit, value)))
    }

    /// The unit, if the table of units has one for it.
    fn unit(&self) -> Option<&Unit> {
        self.units.iter().find(|unit| unit.is_known())
    }
}

/// The quantities of a statement that may be the value of a record with this unit: those that have the unit, and those
/// without a unit beside them (`took 12.5 ms and 3.25 in the other`). For a mere number, all without a known unit.
pub(super) fn candidates<'q>(quantities: &'q [Quantity], unit: &Unit) -> Vec<&'q Quantity> {
    let has = |one: &&Quantity| one.units.iter().any(|own| own.is_like(unit));
    let bare = |one: &&Quantity| one.unit().is_none() && !one.is_name;
    if unit.is_none() {
        return quantities.iter().filter(bare).collect();
    }
    quantities.iter().filter(|one| has(one) || bare(one)).collect()
}

/// Whether one of the quantities has a unit of this kind.
pub(super) fn is_measured(quantities: &[Quantity], unit: &Unit) -> bool {
    quantities.iter().any(|one| one.units.iter().any(|own| own.is_like(unit)))
}

/// The numbers of a text.
pub(super) fn quantities(text: &str) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(|c: char| c.is_ascii_digit()) {
        let start = at + offset;
        let end = number::end(text, start);
        at = end;
        let before = text[..start].chars().next_back();
        let behind = text[end..].chars().next();
        let within = before.is_some_and(|c| (c.is_alphanumeric() && !is_ideograph(c)) || c == '_');
        // Dates, times and versions are no numbers.
        let joined =
            joins(text, end) || (before.is_some_and(|c| matches!(c, ':' | '/' | '-')) && digit_before(text, start));
        let units = units(text, start, end);
        let glued = behind.is_some_and(|c| c.is_alphabetic() && !is_ideograph(c)) && !units.iter().any(Unit::is_known);
        let values = number::readings(&text[start..end]);
        if within || joined || glued || values.is_empty() || compares(&text[end..]) {
            continue;
        }
        let negative = before.is_some_and(|c| matches!(c, '-' | '−'));
        let values = if negative { values.into_iter().map(|value| -value).collect() } else { values };
        let is_name = is_year(text, start, end) || (is_named(text, start) && !units.iter().any(Unit::is_known));
        found.push(Quantity { range: start..end, values, units, is_name });
    }
    found
}

/// Whether digits go on behind a sign: `2024-05`, `12:30`, `1/2`.
fn joins(text: &str, end: usize) -> bool {
    let mut rest = text[end..].chars();
    rest.next().is_some_and(|c| matches!(c, ':' | '/' | '-' | '–')) && rest.next().is_some_and(|c| c.is_ascii_digit())
}

fn digit_before(text: &str, start: usize) -> bool {
    text[..start].chars().rev().nth(1).is_some_and(|c| c.is_ascii_digit())
}

/// Readings of what stands beside a number as its unit: up to three words behind it, a sign before it.
fn units(text: &str, start: usize, end: usize) -> Vec<Unit> {
    let mut found = Vec::new();
    let rest = &text[end..];
    let spaced = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']);
    let line = spaced.split(['\n', ',', ';', '(', ')', '|', '。', '，', '、']).next().unwrap_or_default();
    if line.starts_with(is_ideograph) {
        let ends: Vec<usize> = line.char_indices().map(|(at, c)| at + c.len_utf8()).take(5).collect();
        found.extend(ends.iter().rev().filter_map(|end| Unit::parse(&line[..*end])));
    } else if rest.len() - spaced.len() <= 3 {
        let words: Vec<&str> = line.split_whitespace().take(6).collect();
        found.extend((1..=words.len().min(3)).rev().filter_map(|count| {
            let unit = words[..count].join(" ");
            let behind = words[count..].join(" ");
            Unit::beside(unit.trim_end_matches(['.', ':', '!', '?', ']', '"']), &text[..start], &behind)
        }));
    }
    let before = text[..start].trim_end_matches(' ');
    let sign = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | ',' | '|')).next().unwrap_or_default();
    found.extend(
        Unit::parse(sign)
            .filter(|unit| unit.is_known() && ["USD", "EUR", "CNY", "GBP", "JPY"].contains(&unit.dimension())),
    );
    found
}

fn compares(rest: &str) -> bool {
    let words: Vec<String> = rest
        .split_whitespace()
        .take(3)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    words.iter().take(2).any(|word| COMPARING.contains(&word.as_str()))
        && rest.split(['.', ';', ',']).next().is_some_and(|clause| clause.split_whitespace().any(|word| word == "than"))
}

fn is_year(text: &str, start: usize, end: usize) -> bool {
    let year = text[start..end].parse::<u32>().is_ok_and(|year| (1500..=2100).contains(&year)) && end - start == 4;
    let word = word_before(text, start).to_lowercase();
    year && (text[end..].starts_with('年')
        || BEFORE_YEARS.contains(&word.as_str())
        || (text[..start].ends_with('(') && text[end..].starts_with(')')))
}

/// Whether the number follows a name, as `Python 3` and `Table 2`.
fn is_named(text: &str, start: usize) -> bool {
    let word = word_before(text, start);
    // At the beginning of a statement every word has a capital.
    let first = text[..start].trim() == word;
    word.starts_with(char::is_uppercase) && (!first || start == word.len() + 1) && text[..start].ends_with(' ')
}

fn word_before(text: &str, start: usize) -> &str {
    let before = text[..start].trim_end_matches([' ', '\u{a0}']);
    before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(text: &str, value: f64, unit: &str) -> bool {
        let unit = Unit::parse(unit).unwrap();
        let all = quantities(text);
        candidates(&all, &unit).iter().any(|one| one.is(value, &unit))
    }

    #[test]
    fn amounts_are_compared_by_value() {
        for (text, value, unit) in [
            ("took 12.5 ms in all", 12.5, "ms"),
            ("took 0.0125 seconds", 12.5, "ms"),
            ("1,400 ms", 1400.0, "ms"),
            ("1.400 ms", 1400.0, "ms"),
            ("12,5 ms", 12.5, "ms"),
            ("5ms each", 5.0, "ms"),
            ("grew to 3.2 million US dollars", 3_200_000.0, "USD"),
            ("costs $5 a piece", 5.0, "USD"),
            ("the calf weighs 80 pounds", 80.0, "lb"),
            ("the calf weighs 80 pounds", 36.287_389_6, "kg"),
            ("the calf cost 80 pounds", 80.0, "GBP"),
            ("a prize of 80 pounds", 80.0, "pounds"),
            ("a flow of 12 000 ms", 12_000.0, "ms"),
            ("约3.2亿元", 3.2, "亿元"),
            ("a share of 40 %", 40.0, "percent"),
            ("there were 40 storks", 40.0, "storks"),
            ("there were 40 storks", 40.0, ""),
            ("fell by -3 degrees", -3.0, ""),
        ] {
            assert!(is_in(text, value, unit), "{text}");
        }
        for (text, value, unit) in [
            ("took 12.5 ms", 12.5, "s"),
            ("took 12.5 ms", 12.5, ""),
            ("took 125 ms", 12.5, "ms"),
            ("since 2020 it holds", 2020.0, ""),
            ("Python 3 took long", 3.0, ""),
            ("version 3.11.2", 3.11, ""),
            ("at 12:30", 30.0, ""),
            ("2024-05-01", 5.0, ""),
            ("0x12", 12.0, ""),
            ("12.5 ms less than before", 12.5, "ms"),
            ("the calf weighs 80 pounds", 80.0, "GBP"),
            ("80 pounds of flour", 80.0, "£"),
            ("the calf cost 80 pounds", 80.0, "lb"),
        ] {
            assert!(!is_in(text, value, unit), "{text}");
        }
    }
}
