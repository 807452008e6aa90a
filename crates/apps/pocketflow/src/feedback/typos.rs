//! Slips of the keyboard in words of approvals: `plese`, `apporved`, `perrfect`.

use super::tokens::Text;
use super::words::{LANGUAGES, WordLists};

/// Shorter words are too like each other.
const LEAST: usize = 5;

/// A reply in which words that no list of any language knows are also read as the words of approvals of this language
/// that they are with one letter left out, doubled, or changed with its neighbour.
pub(super) fn mended(text: &Text, words: &WordLists) -> Option<Text> {
    let mut mended = None;
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
            mended.get_or_insert_with(|| text.clone()).tokens[at].forms.extend(meant);
        }
    }
    mended
}

/// Whether letters are a word with one slip. The first letter is always right.
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
