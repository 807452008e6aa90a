//! Words and their opposites.

use std::collections::BTreeSet;

use graphloom_text::Language;

use crate::stem::stem;

/// Pairs of words of which one denies the other.
const OPPOSITES: &[(&str, &str)] = &[
    ("increase", "decrease"),
    ("rise", "fall"),
    ("always", "never"),
    ("enabled", "disabled"),
    ("enable", "disable"),
    ("allow", "forbid"),
    ("allow", "prevent"),
    ("allowed", "forbidden"),
    ("before", "after"),
    ("more", "less"),
    ("higher", "lower"),
    ("faster", "slower"),
    ("larger", "smaller"),
    ("largest", "smallest"),
    ("maximum", "minimum"),
    ("most", "least"),
    ("first", "last"),
    ("true", "false"),
    ("possible", "impossible"),
    ("required", "optional"),
    ("mutable", "immutable"),
    ("synchronous", "asynchronous"),
    ("safe", "unsafe"),
    ("public", "private"),
    ("above", "below"),
    ("accept", "reject"),
    ("succeed", "fail"),
    ("begin", "end"),
    ("open", "closed"),
    ("valid", "invalid"),
    ("ascending", "descending"),
    ("include", "exclude"),
    ("includes", "excludes"),
    ("older", "newer"),
    ("best", "worst"),
    ("positive", "negative"),
    ("increase", "decline"),
    ("increase", "reduce"),
    ("increase", "diminish"),
    ("rise", "drop"),
    ("rise", "decline"),
    ("grow", "shrink"),
    ("gain", "lose"),
    ("win", "lose"),
    ("more", "fewer"),
    ("many", "few"),
    ("greater", "smaller"),
    ("greater", "less"),
    ("high", "low"),
    ("highest", "lowest"),
    ("large", "small"),
    ("big", "small"),
    ("long", "short"),
    ("longer", "shorter"),
    ("strong", "weak"),
    ("stronger", "weaker"),
    ("early", "late"),
    ("earlier", "later"),
    ("old", "new"),
    ("old", "young"),
    ("older", "younger"),
    ("good", "bad"),
    ("better", "worse"),
    ("fast", "slow"),
    ("hot", "cold"),
    ("warm", "cool"),
    ("easy", "difficult"),
    ("easy", "hard"),
    ("near", "far"),
    ("heavy", "light"),
    ("rich", "poor"),
    ("full", "empty"),
    ("alive", "dead"),
    ("male", "female"),
    ("north", "south"),
    ("northern", "southern"),
    ("east", "west"),
    ("eastern", "western"),
    ("left", "right"),
    ("upper", "lower"),
    ("top", "bottom"),
    ("inside", "outside"),
    ("internal", "external"),
    ("present", "absent"),
    ("presence", "absence"),
    ("ancient", "modern"),
    ("major", "minor"),
    ("majority", "minority"),
    ("same", "different"),
    ("common", "rare"),
    ("often", "rarely"),
    ("simple", "complex"),
    ("temporary", "permanent"),
    ("local", "global"),
    ("acute", "chronic"),
    ("improve", "worsen"),
    ("support", "oppose"),
    ("buy", "sell"),
    ("arrive", "leave"),
    ("enter", "leave"),
    ("success", "failure"),
    ("start", "stop"),
    ("start", "finish"),
];

/// Beginnings of words that make opposites of what follows them.
const BEGINNINGS: &[(&str, &str)] = &[
    ("", "un"),
    ("", "in"),
    ("", "im"),
    ("", "ir"),
    ("", "il"),
    ("", "dis"),
    ("", "non"),
    ("", "non-"),
    ("", "anti"),
    ("pro", "anti"),
    ("up", "down"),
    ("over", "under"),
    ("hyper", "hypo"),
    ("pre", "post"),
    ("intra", "inter"),
    ("intra", "extra"),
];
/// The shortest word that such a beginning turns round.
const SHORTEST_TURNED: usize = 4;

/// A word that only the claim has, and its opposite that only the source has; of both, all words as stems.
pub(super) fn opposite(
    mine: &BTreeSet<String>,
    theirs: &BTreeSet<String>,
    language: Language,
) -> Option<(String, String)> {
    let listed = OPPOSITES.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).find(|(left, right)| {
        let (left, right) = (stem(left, language), stem(right, language));
        mine.contains(&left) && !theirs.contains(&left) && theirs.contains(&right) && !mine.contains(&right)
    });
    if let Some((left, right)) = listed {
        return Some((left.to_owned(), right.to_owned()));
    }
    mine.difference(theirs).find_map(|word| {
        let other = theirs.difference(mine).find(|other| is_turned(word, other))?;
        Some((word.clone(), other.clone()))
    })
}

/// Whether two words differ in a beginning that turns the sense round: `regulated` and `unregulated`.
fn is_turned(word: &str, other: &str) -> bool {
    let turns = |one: &str, two: &str, (plain, turned): (&str, &str)| {
        let rest = one.strip_prefix(plain).filter(|rest| rest.len() >= SHORTEST_TURNED);
        rest.is_some() && rest == two.strip_prefix(turned)
    };
    BEGINNINGS.iter().any(|both| turns(word, other, *both) || turns(other, word, *both))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_found_in_both_directions_and_by_their_beginning() {
        let words =
            |text: &str| text.split(' ').map(|word| stem(word, Language::English)).collect::<BTreeSet<String>>();
        for (left, right) in [
            ("prices rise", "prices fall"),
            ("prices fall", "prices rise"),
            ("it is regulated", "it is unregulated"),
            ("genes are upregulated", "genes are downregulated"),
            ("an overestimate", "an underestimate"),
        ] {
            assert!(opposite(&words(left), &words(right), Language::English).is_some(), "{left} / {right}");
        }
        for (left, right) in
            [("prices rise", "prices rise"), ("it rises and falls", "it falls"), ("a known cause", "a reason")]
        {
            assert_eq!(opposite(&words(left), &words(right), Language::English), None, "{left} / {right}");
        }
    }
}
