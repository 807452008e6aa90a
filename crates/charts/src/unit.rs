//! Units, and which of them can be converted into each other.

use crate::error::ChartError;
use crate::measure::one_line;

/// A unit: what it measures, and how much of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unit {
    /// As it was written.
    pub(crate) name: String,
    /// What it measures: the same for units that can be converted into each other.
    dimension: String,
    /// How many of the dimension's base unit it is.
    factor: f64,
    /// Whether a table has it; other units are any words.
    is_listed: bool,
}

/// Words for powers of ten, before or after a unit.
const MAGNITUDES: [(&str, f64); 13] = [
    ("trillion", 1e12),
    ("billion", 1e9),
    ("million", 1e6),
    ("thousand", 1e3),
    ("hundred", 1e2),
    ("trillions", 1e12),
    ("billions", 1e9),
    ("millions", 1e6),
    ("thousands", 1e3),
    ("bn", 1e9),
    ("mn", 1e6),
    ("tn", 1e12),
    ("k", 1e3),
];

/// The same in Chinese, written before a unit without a space.
const CHINESE_MAGNITUDES: [(&str, f64); 7] =
    [("万亿", 1e12), ("千亿", 1e11), ("百亿", 1e10), ("亿", 1e8), ("千万", 1e7), ("百万", 1e6), ("万", 1e4)];

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
        let name = one_line(text);
        let lower = name.to_lowercase();
        if is_several(&lower) {
            return None;
        }
        let (rest, factor) = without_magnitude(lower.trim());
        let listed = known(rest);
        let (dimension, own) = listed.unwrap_or((singular(rest), 1.0));
        Some(Self { name, dimension: dimension.to_owned(), factor: factor * own, is_listed: listed.is_some() })
    }

    /// `value` of this unit in another of its dimension.
    pub(crate) fn convert(&self, value: f64, to: &Self) -> f64 {
        if self.factor == to.factor {
            return value;
        }
        let converted = value * (self.factor / to.factor);
        // Twelve digits are more than any source gives; what is beyond them comes from the division.
        let digits = 12 - converted.abs().max(f64::MIN_POSITIVE).log10().ceil() as i32;
        let scale = 10_f64.powi(digits.clamp(-12, 24));
        let rounded = (converted * scale).round() / scale;
        if rounded.is_finite() { rounded } else { converted }
    }
}

impl Unit {
    /// Whether both measure the same.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.dimension == other.dimension
    }

    /// An amount in the base unit.
    pub(crate) fn amount(&self, value: f64) -> f64 {
        value * self.factor
    }

    /// Whether it stands in the table of units, or is a power of ten. Other units are any words.
    pub(crate) fn is_known(&self) -> bool {
        self.is_listed || self.factor != 1.0
    }

    /// Whether it is that of a mere number.
    pub(crate) fn is_none(&self) -> bool {
        self.dimension.is_empty() && self.factor == 1.0
    }

    /// The word that it measures in, in the singular.
    pub(crate) fn dimension(&self) -> &str {
        &self.dimension
    }
}

/// The unit that most of `units` are; of several, the first. All can be converted into it.
///
/// # Errors
/// [`ChartError::MixedUnits`] for units of different dimensions.
pub(crate) fn common(units: &[Unit]) -> Result<Unit, ChartError> {
    let Some(first) = units.first() else {
        return Ok(Unit { name: String::new(), dimension: String::new(), factor: 1.0, is_listed: false });
    };
    if let Some(other) = units.iter().find(|unit| unit.dimension != first.dimension) {
        let shown = |unit: &Unit| if unit.name.is_empty() { "none".to_owned() } else { unit.name.clone() };
        return Err(ChartError::MixedUnits { one: shown(first), other: shown(other) });
    }
    let count = |unit: &Unit| units.iter().filter(|other| other.factor == unit.factor).count();
    let mut best = first;
    for unit in units {
        if count(unit) > count(best) {
            best = unit;
        }
    }
    let mut best = best.clone();
    if best.dimension == "%" && best.factor == 1.0 {
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

/// A unit without the power of ten in it.
fn without_magnitude(unit: &str) -> (&str, f64) {
    for (word, factor) in MAGNITUDES {
        if unit == word {
            return ("", factor);
        }
        if let Some(rest) = unit.strip_prefix(word).filter(|rest| rest.starts_with([' ', '-'])) {
            let rest = rest.trim_start_matches([' ', '-']);
            return (rest.strip_prefix("of ").unwrap_or(rest), factor);
        }
        if let Some(rest) = unit.strip_suffix(word).filter(|rest| rest.ends_with(' ')) {
            return (rest.trim_end(), factor);
        }
    }
    for (word, factor) in CHINESE_MAGNITUDES {
        if let Some(rest) = unit.strip_prefix(word) {
            return (rest.trim_start(), factor);
        }
    }
    (unit, 1.0)
}

fn known(unit: &str) -> Option<(&'static str, f64)> {
    let find = |name: &str| {
        let counted = COUNTED.iter().find(|(known, ..)| *known == name).map(|(_, dimension, own)| (*dimension, *own));
        // A month is of no one length, so nothing is converted into it.
        let exact = || graphloom_text::unit::named(name).filter(|unit| unit.is_exact());
        counted.or_else(|| exact().map(|unit| (unit.dimension.symbol(), unit.factor)))
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
        ] {
            let (from_unit, to_unit) = (Unit::parse(from).unwrap(), Unit::parse(to).unwrap());
            assert_eq!(from_unit.dimension, to_unit.dimension, "{from} {to}");
            assert_eq!(from_unit.convert(value, &to_unit), expected, "{from} {to}");
        }
    }

    #[test]
    fn the_unit_of_most_values_is_taken() {
        assert_eq!(unified(&["ms", "s", "ms"]).unwrap(), "ms");
        assert_eq!(unified(&["KB", "MB"]).unwrap(), "KB");
        assert_eq!(unified(&["percent", "%"]).unwrap(), "%");
        assert_eq!(unified(&["", ""]).unwrap(), "");
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
