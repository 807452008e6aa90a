//! What is said of a number by the words around it: that it is a bound, or a rough figure.

use graphloom_text::fold;
use graphloom_text::unit::{Dimension, Unit};

use super::quantity::Quantity;

/// How a number is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exactly,
    AtLeast,
    AtMost,
    About,
}

/// Words before a number, in small letters; a longer one that ends in a shorter one stands first.
const BEFORE: &[(&str, Bound)] = {
    use Bound::{About, AtLeast, AtMost};
    &[
        ("no more than", AtMost),
        ("not more than", AtMost),
        ("no less than", AtLeast),
        ("not less than", AtLeast),
        ("no fewer than", AtLeast),
        ("more than", AtLeast),
        ("greater than", AtLeast),
        ("higher than", AtLeast),
        ("larger than", AtLeast),
        ("longer than", AtLeast),
        ("older than", AtLeast),
        ("better than", AtLeast),
        ("at least", AtLeast),
        ("in excess of", AtLeast),
        ("upwards of", AtLeast),
        ("minimum of", AtLeast),
        ("exceeding", AtLeast),
        ("exceeds", AtLeast),
        ("exceeded", AtLeast),
        ("exceed", AtLeast),
        ("surpassed", AtLeast),
        ("over", AtLeast),
        ("above", AtLeast),
        ("after", AtLeast),
        ("since", AtLeast),
        ("past", AtLeast),
        (">", AtLeast),
        ("≥", AtLeast),
        ("mehr als", AtLeast),
        ("mindestens", AtLeast),
        ("über", AtLeast),
        ("不超过", AtMost),
        ("超过", AtLeast),
        ("至少", AtLeast),
        ("多于", AtLeast),
        ("大于", AtLeast),
        ("less than", AtMost),
        ("fewer than", AtMost),
        ("lower than", AtMost),
        ("smaller than", AtMost),
        ("shorter than", AtMost),
        ("younger than", AtMost),
        ("at most", AtMost),
        ("maximum of", AtMost),
        ("up to", AtMost),
        ("within", AtMost),
        ("under", AtMost),
        ("below", AtMost),
        ("before", AtMost),
        ("until", AtMost),
        ("<", AtMost),
        ("≤", AtMost),
        ("weniger als", AtMost),
        ("höchstens", AtMost),
        ("maximal", AtMost),
        ("bis zu", AtMost),
        ("unter", AtMost),
        ("少于", AtMost),
        ("不到", AtMost),
        ("小于", AtMost),
        ("最多", AtMost),
        ("approximately", About),
        ("approx.", About),
        ("approx", About),
        ("about", About),
        ("around", About),
        ("nearly", About),
        ("almost", About),
        ("roughly", About),
        ("estimated", About),
        ("close to", About),
        ("some", About),
        ("near", About),
        ("circa", About),
        ("ca.", About),
        ("c.", About),
        ("~", About),
        ("≈", About),
        ("ungefähr", About),
        ("etwa", About),
        ("rund", About),
        ("knapp", About),
        ("fast", About),
        ("约", About),
        ("近", About),
    ]
};

/// Words behind a number and its unit.
const BEHIND: &[(&str, Bound)] = &[
    ("or more", Bound::AtLeast),
    ("or above", Bound::AtLeast),
    ("or higher", Bound::AtLeast),
    ("or older", Bound::AtLeast),
    ("and above", Bound::AtLeast),
    ("+", Bound::AtLeast),
    ("以上", Bound::AtLeast),
    ("or less", Bound::AtMost),
    ("or fewer", Bound::AtMost),
    ("or below", Bound::AtMost),
    ("or lower", Bound::AtMost),
    ("以下", Bound::AtMost),
    ("or so", Bound::About),
];

/// How the number between two texts is meant.
pub(super) fn bound(before: &str, behind: &str) -> Bound {
    let mut tail: Vec<char> = before.chars().rev().take(32).collect();
    tail.reverse();
    let tail: String = tail.into_iter().map(fold).collect();
    // The sign of a currency and "the", "a total of" stand between.
    let own = tail.trim_end_matches([' ', '$', '€', '£', '¥', '₹', '(', '-']);
    let mut bare = own;
    for filler in [" us", " rs.", " rs", " a total of", " a record", " the year", " an", " the", " a", " of"] {
        bare = bare.strip_suffix(filler).unwrap_or(bare).trim_end();
    }
    let ends = |tail: &str, phrase: &str| {
        tail.strip_suffix(phrase).is_some_and(|rest| {
            !phrase.starts_with(|c: char| c.is_ascii_alphabetic()) || !rest.ends_with(char::is_alphanumeric)
        })
    };
    if let Some((_, bound)) = BEFORE.iter().find(|(phrase, _)| ends(own, phrase) || ends(bare, phrase)) {
        return *bound;
    }
    let head: String = behind.chars().take(12).map(fold).collect();
    let head = head.trim_start();
    BEHIND.iter().find(|(phrase, _)| head.starts_with(phrase)).map_or(Bound::Exactly, |(_, bound)| *bound)
}

/// The amounts that a number leaves possible, and what they measure.
#[derive(Clone, Copy, Debug)]
struct Range {
    dimension: Option<Dimension>,
    least: f64,
    most: f64,
}

/// How far a rough figure may be off.
const ROUGH: f64 = 0.25;

fn ranges(quantity: &Quantity, bound: Bound) -> impl Iterator<Item = Range> {
    quantity.amounts().into_iter().map(move |(dimension, amount)| {
        let (least, most) = match bound {
            Bound::Exactly => (amount, amount),
            Bound::AtLeast => (amount, f64::INFINITY),
            Bound::AtMost => (f64::NEG_INFINITY, amount),
            Bound::About => (amount * (1.0 - ROUGH), amount * (1.0 + ROUGH)),
        };
        Range { dimension, least, most }
    })
}

/// Whether a claimed number cannot be the number of a source, by any reading of both.
///
/// What is only rounded agrees: `3.5 million` and `3,480,000`, and a claimed `198,000` for `197,986`.
pub(super) fn excludes(claimed: (&Quantity, Bound), there: (&Quantity, Bound)) -> bool {
    let open = |quantity: &Quantity| quantity.slack * quantity.unit.map_or(1.0, largest);
    let mut slack = open(claimed.0).max(open(there.0)).max(zeros(claimed.0));
    if claimed.0.slack > 0.0 && there.0.slack == 0.0 {
        // A whole number may be what is left of `42.4 %`.
        slack = slack.max(0.5 * there.0.unit.map_or(1.0, |unit| unit.factor));
    }
    ranges(claimed.0, claimed.1).all(|mine| {
        ranges(there.0, there.1).filter(|theirs| is_same_kind(&mine, theirs)).all(|theirs| {
            let near = slack + 1e-9 * mine.least.abs().min(mine.most.abs()).min(f64::MAX);
            mine.least > theirs.most + near || theirs.least > mine.most + near
        })
    })
}

/// Whether every amount that the source leaves possible is one that the claim allows.
pub(super) fn implies(there: (&Quantity, Bound), claimed: (&Quantity, Bound)) -> bool {
    ranges(there.0, there.1).any(|theirs| {
        ranges(claimed.0, claimed.1)
            .any(|mine| is_same_kind(&mine, &theirs) && mine.least <= theirs.least && theirs.most <= mine.most)
    })
}

/// Whether two amounts can be compared: a number without a unit is one of any.
fn is_same_kind(one: &Range, other: &Range) -> bool {
    one.dimension.zip(other.dimension).is_none_or(|(one, other)| one == other)
}

/// The most base units that a unit is, by every reading of its name.
fn largest(unit: Unit) -> f64 {
    unit.readings().map(|(_, factor)| factor).fold(0.0, f64::max)
}

/// Half of the place that the zeros at the end of a claimed number leave open, from hundreds on.
fn zeros(quantity: &Quantity) -> f64 {
    let digits: String = quantity.shown.chars().filter(char::is_ascii_digit).collect();
    let count = digits.len() - digits.trim_end_matches('0').len();
    let whole = quantity.slack == 0.0 && quantity.unit.is_none();
    match i32::try_from(count) {
        Ok(places @ 2..=12) if whole && digits.len() > count => 0.5 * 10_f64.powi(places),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_around_a_number_bound_it() {
        for (before, behind, expected) in [
            ("it grossed more than $", " million", Bound::AtLeast),
            ("no more than ", " cases", Bound::AtMost),
            ("took over the ", " rooms", Bound::AtLeast),
            ("the moreover ", "", Bound::Exactly),
            ("aged ", " or older", Bound::AtLeast),
            ("nearly ", "", Bound::About),
            ("it grossed over US $ ", " million", Bound::AtLeast),
            ("a minimum of ", " days", Bound::AtLeast),
            ("不超过", "页", Bound::AtMost),
            ("has ", " pages", Bound::Exactly),
        ] {
            assert_eq!(bound(before, behind), expected, "{before}_{behind}");
        }
    }
}
