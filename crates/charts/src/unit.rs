//! Units, and which of them can be converted into each other.

use graphloom_text::number::{magnitude, magnitude_at, same};
use graphloom_text::unit::named;

use crate::error::ChartError;
use crate::measure::one_line;

/// A unit: what it measures, and how much of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unit {
    /// As it was written.
    pub(crate) name: String,
    /// What it can be: several where its name says several, as `pounds` does. There is always one.
    meanings: Vec<Meaning>,
    /// Whether a table has it; other units are any words.
    is_listed: bool,
}

/// One meaning of a unit's name.
#[derive(Clone, Debug, PartialEq)]
struct Meaning {
    /// What it measures: the same for units that can be converted into each other.
    dimension: String,
    /// How many of the dimension's base unit it is.
    factor: f64,
}

impl Meaning {
    fn new(dimension: &str, factor: f64) -> Self {
        Self { dimension: dimension.to_owned(), factor }
    }
}

/// What is counted as a unit only here, with its dimension and factor; all other units are those of
/// [`graphloom_text::unit`].
const COUNTED: &[(&str, &str, f64)] =
    &[("b", "B", 1.0), ("t", "kg", 1e3), ("people", "person", 1.0), ("person", "person", 1.0), ("人", "person", 1.0)];

/// What can stand after a stroke in the unit of a rate. Anything else after one makes several units.
const RATES: [&str; 24] = [
    "s", "sec", "second", "min", "minute", "h", "hour", "day", "week", "month", "year", "yr", "kg", "g", "l", "m",
    "m2", "m²", "km", "km2", "km²", "person", "capita", "年",
];

impl Unit {
    /// Reads a unit; an empty text is that of a mere number. `None` for a text that names several units.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::beside(text, "", "")
    }

    /// Reads a unit as the words around it say what it measures: those before its number, and those behind it.
    pub(crate) fn beside(text: &str, before: &str, behind: &str) -> Option<Self> {
        let name = one_line(text);
        let lower = name.to_lowercase();
        if is_several(&lower) {
            return None;
        }
        let whole = lower.trim();
        let find = |unit: &str| meanings_of(unit, before, behind);
        let (rest, factor, listed) = match find(whole) {
            Some(listed) => (whole, 1.0, Some(listed)),
            None => {
                let (rest, factor) = without_magnitude(whole);
                (rest, factor, find(rest))
            }
        };
        let is_listed = listed.is_some();
        let mut meanings = listed.unwrap_or_else(|| vec![Meaning::new(singular(rest), 1.0)]);
        meanings.iter_mut().for_each(|sense| sense.factor *= factor);
        Some(Self { name, meanings, is_listed })
    }

    /// `value` of this unit in another of its dimension.
    pub(crate) fn convert(&self, value: f64, to: &Self) -> f64 {
        let Some((own, to)) = self.common_meanings(to).next().filter(|(own, to)| own.factor != to.factor) else {
            return value;
        };
        let converted = value * (own.factor / to.factor);
        // Twelve digits are more than any source gives; what is beyond them comes from the division.
        let digits = 12 - converted.abs().max(f64::MIN_POSITIVE).log10().ceil() as i32;
        let scale = 10_f64.powi(digits.clamp(-12, 24));
        let rounded = (converted * scale).round() / scale;
        if rounded.is_finite() { rounded } else { converted }
    }

    /// What both can be, as each of them has it.
    fn common_meanings<'u>(&'u self, other: &'u Self) -> impl Iterator<Item = (&'u Meaning, &'u Meaning)> {
        self.meanings.iter().flat_map(|own| {
            other.meanings.iter().filter(|theirs| own.dimension == theirs.dimension).map(move |theirs| (own, theirs))
        })
    }

    /// Whether both can measure the same.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.common_meanings(other).next().is_some()
    }

    /// Whether `value` of this unit is `wanted` of another.
    pub(crate) fn is_amount(&self, value: f64, other: &Self, wanted: f64) -> bool {
        self.common_meanings(other).any(|(own, theirs)| same(value * own.factor, wanted * theirs.factor))
    }

    /// Whether it stands in the table of units, or is a power of ten. Other units are any words.
    pub(crate) fn is_known(&self) -> bool {
        self.is_listed || self.meanings.iter().any(|sense| sense.factor != 1.0)
    }

    /// Whether it is that of a mere number.
    pub(crate) fn is_none(&self) -> bool {
        self.meanings.iter().all(|sense| sense.dimension.is_empty() && sense.factor == 1.0)
    }

    /// The word that it measures in, in the singular.
    pub(crate) fn dimension(&self) -> &str {
        self.meanings.first().map_or("", |sense| &sense.dimension)
    }
}

/// The unit that most of `units` are; of several, the first. All can be converted into it.
///
/// # Errors
/// [`ChartError::MixedUnits`] for units of different dimensions.
pub(crate) fn common(units: &[Unit]) -> Result<Unit, ChartError> {
    let Some(first) = units.first() else {
        return Ok(Unit { name: String::new(), meanings: vec![Meaning::new("", 1.0)], is_listed: false });
    };
    // What all of them can be.
    let mut shared: Vec<&str> = first.meanings.iter().map(|sense| sense.dimension.as_str()).collect();
    for other in units {
        shared.retain(|dimension| other.meanings.iter().any(|sense| sense.dimension == *dimension));
        if shared.is_empty() {
            let shown = |unit: &Unit| if unit.name.is_empty() { "none".to_owned() } else { unit.name.clone() };
            return Err(ChartError::MixedUnits { one: shown(first), other: shown(other) });
        }
    }
    let as_shared = |unit: &Unit| {
        let meanings =
            unit.meanings.iter().filter(|sense| shared.contains(&sense.dimension.as_str())).cloned().collect();
        Unit { meanings, ..unit.clone() }
    };
    let count = |unit: &Unit| units.iter().map(&as_shared).filter(|other| other.meanings == unit.meanings).count();
    let mut best = as_shared(first);
    for unit in units.iter().map(&as_shared) {
        if count(&unit) > count(&best) {
            best = unit;
        }
    }
    // `GBP` says what `pounds` leaves open.
    if let Some(clear) = units.iter().find(|unit| unit.meanings == best.meanings) {
        best.name.clone_from(&clear.name);
    }
    if best.meanings == [Meaning::new("%", 1.0)] {
        "%".clone_into(&mut best.name);
    }
    Ok(best)
}

/// Whether a text names several units (`或`, `/`, `|`, `,`, `;` and `and` tell).
fn is_several(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().collect();
    if lower.contains(['或', '|', ',', ';', '、', '，', '；']) || words.iter().any(|word| matches!(*word, "and" | "or"))
    {
        return true;
    }
    match lower.split_once('/') {
        None => false,
        Some((_, per)) => !RATES.contains(&singular(per.trim())),
    }
}

/// A unit without the power of ten in it, which stands before or after it.
fn without_magnitude(unit: &str) -> (&str, f64) {
    if let Some(factor) = magnitude(unit) {
        return ("", factor);
    }
    if let Some((first, rest)) = unit.split_once([' ', '-'])
        && let Some(factor) = magnitude(first)
    {
        let rest = rest.trim_start_matches([' ', '-']);
        return (rest.strip_prefix("of ").unwrap_or(rest), factor);
    }
    if let Some((rest, last)) = unit.rsplit_once(' ')
        && let Some(factor) = magnitude(last)
    {
        return (rest.trim_end(), factor);
    }
    match magnitude_at(unit) {
        Some((factor, length)) => (unit[length..].trim_start(), factor),
        None => (unit, 1.0),
    }
}

fn meanings_of(unit: &str, before: &str, behind: &str) -> Option<Vec<Meaning>> {
    let find = |name: &str| {
        if let Some((_, dimension, factor)) = COUNTED.iter().find(|(known, ..)| *known == name) {
            return Some(vec![Meaning::new(dimension, *factor)]);
        }
        // A month is of no one length, so nothing is converted into it.
        let unit = named(name).filter(|unit| unit.is_exact())?.beside(before, behind);
        let mut meanings: Vec<Meaning> = Vec::new();
        for (dimension, factor) in unit.readings() {
            // A kilobyte is a thousand bytes here, whatever else it is to others.
            if meanings.iter().all(|sense| sense.dimension != dimension.symbol()) {
                meanings.push(Meaning::new(dimension.symbol(), factor));
            }
        }
        Some(meanings)
    };
    find(unit).or_else(|| find(singular(unit)))
}

/// `seconds` is `second`; short units such as `s` and `ms` stay.
fn singular(unit: &str) -> &str {
    if unit.chars().count() > 3 { unit.strip_suffix('s').unwrap_or(unit) } else { unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unified(units: &[&str]) -> Result<String, ChartError> {
        let units: Vec<Unit> = units.iter().map(|unit| Unit::parse(unit).unwrap()).collect();
        common(&units).map(|unit| unit.name)
    }

    #[test]
    fn values_of_one_dimension_are_converted() {
        for (value, from, to, expected) in [
            (1500.0, "ms", "s", 1.5),
            (2.0, "hours", "minutes", 120.0),
            (3.2, "billion USD", "million US dollars", 3200.0),
            (0.5, "万亿元", "亿元", 5000.0),
            (12.0, "万人", "thousand people", 120.0),
            (1.1, "GB", "MB", 1100.0),
            (5.0, "percent", "%", 5.0),
            (7.0, "million", "thousand", 7000.0),
            (4.0, "widgets", "widget", 4.0),
            (2.0, "TiB", "GiB", 2048.0),
            (3.0, "inches", "cm", 7.62),
            (2.0, "pounds", "GBP", 2.0),
            (2.0, "pounds", "kg", 0.90718474),
            (5.0, "百分点", "percentage", 5.0),
        ] {
            let (from_unit, to_unit) = (Unit::parse(from).unwrap(), Unit::parse(to).unwrap());
            assert!(from_unit.is_like(&to_unit), "{from} {to}");
            assert_eq!(from_unit.convert(value, &to_unit), expected, "{from} {to}");
        }
    }

    #[test]
    fn the_unit_of_most_values_is_taken() {
        assert_eq!(unified(&["ms", "s", "ms"]).unwrap(), "ms");
        assert_eq!(unified(&["KB", "MB"]).unwrap(), "KB");
        assert_eq!(unified(&["percent", "%"]).unwrap(), "%");
        assert_eq!(unified(&["", ""]).unwrap(), "");
        assert_eq!(unified(&["pounds", "pounds"]).unwrap(), "pounds");
        assert_eq!(unified(&["pounds", "GBP", "GBP"]).unwrap(), "GBP");
        assert_eq!(unified(&["lb", "pounds", "kg", "kg"]).unwrap(), "lb");
        assert!(unified(&["kg", "pounds", "GBP"]).is_err());
        for mixed in [["ms", "KB"], ["USD", "EUR"], ["", "%"], ["months", "years"], ["widgets", "gadgets"]] {
            assert!(matches!(unified(&mixed), Err(ChartError::MixedUnits { .. })), "{mixed:?}");
        }
    }

    #[test]
    fn several_units_in_one_text_are_refused() {
        for unit in ["USD or EUR", "ms, s", "人或户", "kg|g", "USD/EUR", "meters and seconds"] {
            assert_eq!(Unit::parse(unit), None, "{unit}");
        }
        for unit in ["km/h", "requests/s", "g/km", "transactions / second", ""] {
            assert!(Unit::parse(unit).is_some(), "{unit}");
        }
    }
}
