//! Typing errors in the words of approvals: `plese`, `apporved`, `perrfect`.

use super::tokens::Text;
use super::words::{LANGUAGES, WordLists};

/// The least letters of a word that a typing error may stand for; shorter words are too similar to one another.
const LEAST: usize = 5;

/// The reply with corrected forms added to words that stand in no list of any language; `None` when no word has one.
///
/// The corrected forms of a word are the words of approvals of this language that yield it when one letter is left out,
/// doubled, or exchanged with its neighbour.
pub(super) fn corrected(text: &Text, words: &WordLists) -> Option<Text> {
    let mut corrected = None;
    for (at, token) in text.tokens.iter().enumerate() {
        let letters: Vec<char> = token.lower.chars().collect();
        if letters.len() + 1 < LEAST || !letters.iter().all(|c| c.is_alphabetic() && *c < '\u{500}') {
            continue;
        }
        if LANGUAGES.iter().any(|words| words.has(token)) {
            continue;
        }
        let meant = words.of_approvals().filter(|word| slips(word, &letters)).map(str::to_owned);
        let meant: Vec<String> = meant.collect();
        if !meant.is_empty() {
            corrected.get_or_insert_with(|| text.clone()).tokens[at].forms.extend(meant);
        }
    }
    corrected
}

/// Whether `typed` is `word` with one typing error. The first letter must be right.
fn slips(word: &str, typed: &[char]) -> bool {
    let meant: Vec<char> = word.chars().collect();
    if meant.len() < LEAST || meant.first() != typed.first() {
        return false;
    }
    let same = meant.iter().zip(typed).take_while(|(one, other)| one == other).count();
    if typed.len() + 1 == meant.len() {
        return meant[same + 1..] == typed[same..];
    }
    if typed.len() == meant.len() + 1 {
        return typed[same] == typed[same - 1] && typed[same + 1..] == meant[same..];
    }
    typed.len() == meant.len()
        && same + 1 < meant.len()
        && (meant[same], meant[same + 1]) == (typed[same + 1], typed[same])
        && meant[same + 2..] == typed[same + 2..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_left_out_doubled_or_swapped() {
        let slips = |word: &str, typed: &str| slips(word, &typed.chars().collect::<Vec<_>>());
        for typed in ["plese", "pleaase", "plaese", "pleas"] {
            assert!(slips("please", typed), "{typed}");
        }
        for other in ["please", "pleases", "lease", "police", "p"] {
            assert!(!slips("please", other), "{other}");
        }
        assert!(!slips("good", "god"), "too short");
    }
}
