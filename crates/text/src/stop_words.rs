//! Stop words: words that join others and say nothing about the subject of a text.
//!
//! The lists are those of NLTK, which come from the Snowball project. The constants add words that the lists lack.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::language::Language;

/// English stop words that the list lacks.
const ENGLISH: &[&str] =
    &["also", "any", "could", "may", "might", "must", "onto", "shall", "upon", "whose", "would", "yet"];

/// German stop words that the list lacks.
const GERMAN: &[&str] = &["wurde", "wurden", "worden", "warum", "wann", "wer", "dabei", "sowie"];

/// Stop words of Chinese and Japanese, of one character each. A text without spaces is not cut into longer words, so
/// longer stop words would not be found.
const CHINESE: &[&str] = &["的", "了", "在", "是", "和", "与", "及", "也"];
const JAPANESE: &[&str] = &["の", "は", "が", "を", "に", "で", "と", "も", "て", "た", "し", "る", "す"];

/// Whether a lower-case word says nothing about the subject of a text in `language`.
///
/// ```
/// use graphloom_text::{Language, is_stop_word};
///
/// assert!(is_stop_word("the", Language::English) && !is_stop_word("log", Language::English));
/// assert!(is_stop_word("nicht", Language::German) && !is_stop_word("nicht", Language::English));
/// ```
#[must_use]
pub fn is_stop_word(word: &str, language: Language) -> bool {
    match language {
        Language::Chinese => CHINESE.contains(&word),
        Language::Japanese => JAPANESE.contains(&word),
        _ => languages_of(word).has(language),
    }
}

/// The languages written with spaces in which a word is a stop word, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Languages(u32);

impl Languages {
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, language: Language) -> bool {
        self.0 & bit(language) != 0
    }
}

fn bit(language: Language) -> u32 {
    Language::LISTED.iter().position(|listed| *listed == language).map_or(0, |place| 1 << place)
}

/// The languages in which a lower-case word is a stop word.
pub(crate) fn languages_of(word: &str) -> Languages {
    static SMALL: OnceLock<HashMap<&'static str, Languages>> = OnceLock::new();
    let small = SMALL.get_or_init(|| {
        let mut small: HashMap<&'static str, Languages> = HashMap::new();
        for language in Language::LISTED {
            let own: &[&str] = match language {
                Language::English => ENGLISH,
                Language::German => GERMAN,
                _ => &[],
            };
            let listed = ::stop_words::lookup(language.code()).unwrap_or_default();
            for word in listed.iter().chain(own) {
                small.entry(word).or_default().0 |= bit(language);
            }
        }
        small
    });
    small.get(word).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_list() {
        for language in Language::LISTED {
            assert!(::stop_words::lookup(language.code()).is_some_and(|words| words.len() > 50), "{language:?}");
        }
        assert!(is_stop_word("的", Language::Chinese) && is_stop_word("は", Language::Japanese));
        assert!(is_stop_word("would", Language::English) && is_stop_word("и", Language::Russian));
        for word in ["use", "without", "one", "page", "us"] {
            assert!(!is_stop_word(word, Language::English), "{word}");
        }
    }
}
