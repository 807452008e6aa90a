//! Whether pounds are money or a mass, by the words around them.

use super::Dimension;
use crate::language::Language;
use crate::stem::stem;
use crate::words::words;

/// The number of words before the number and behind the unit that are looked at.
const BEFORE: usize = 5;
const BEHIND: usize = 3;

/// Words before a mass.
const OF_A_MASS: &[&str] = &["weigh", "weight", "mass", "heavy", "gain", "lift"];
/// Words behind a mass.
const BEHIND_A_MASS: &[&str] = &["heavy", "heavier", "lighter", "overweight", "weight", "square"];

/// Words before money.
const OF_MONEY: &[&str] = &[
    "british", "budget", "charge", "cost", "debt", "donate", "earn", "fee", "fine", "fund", "income", "invest", "loan",
    "paid", "pay", "price", "profit", "revenue", "salary", "savings", "sell", "sold", "spend", "spent", "tax", "value",
    "wage", "worth",
];
/// Words behind money.
const BEHIND_MONEY: &[&str] = &[
    "sterling",
    "aid",
    "cash",
    "compensation",
    "damage",
    "debt",
    "fund",
    "income",
    "investment",
    "loan",
    "money",
    "public",
    "revenue",
    "savings",
    "tax",
    "worth",
];

/// What `pounds` between two texts measure; `None` where the words around them leave it open.
pub(super) fn meant(before: &str, behind: &str) -> Option<Dimension> {
    let all: Vec<&str> = words(before).collect();
    let before = stems(&all[all.len().saturating_sub(BEFORE)..]);
    let behind = stems(&words(behind).take(BEHIND).collect::<Vec<_>>());
    let has = |stems: &[String], listed: &[&str]| listed.iter().any(|word| stems.contains(&stemmed(word)));
    let is_money = has(&before, OF_MONEY) || has(&behind, BEHIND_MONEY);
    // `pounds of flour` are a mass, and `pounds of debt` are not.
    let is_of = behind.len() > 1 && behind[0] == "of";
    let is_mass = has(&before, OF_A_MASS) || has(&behind, BEHIND_A_MASS) || is_of && !is_money;
    match (is_money, is_mass) {
        (true, false) => Some(Dimension::Pound),
        (false, true) => Some(Dimension::Mass),
        _ => None,
    }
}

fn stems(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| stemmed(&word.to_lowercase())).collect()
}

fn stemmed(word: &str) -> String {
    stem(word, Language::English).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_around_pounds_tell_what_they_are() {
        for (before, behind, expected) in [
            ("The calf weighs ", " at birth", Some(Dimension::Mass)),
            ("a diet on which he gained ", " in a year", Some(Dimension::Mass)),
            ("made of ", " of flour", Some(Dimension::Mass)),
            ("a load of ", " per square inch", Some(Dimension::Mass)),
            ("The house was sold for ", "", Some(Dimension::Pound)),
            ("made ", " of public money", Some(Dimension::Pound)),
            ("a prize of ", " sterling", Some(Dimension::Pound)),
            ("it was ", " in 1990", None),
            ("a massive ", "", None),
            ("he paid by weight: ", "", None),
        ] {
            assert_eq!(meant(before, behind), expected, "{before}_{behind}");
        }
    }
}
