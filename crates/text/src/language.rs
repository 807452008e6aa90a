//! The language whose rules a text follows.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::script::{is_ideographic, is_katakana};
use crate::stop_words;

/// The number of a language's stop words in a text.
#[derive(Clone, Copy, Default)]
struct StopWordCount {
    often: usize,
    different: usize,
}

/// The language whose rules end a sentence, take the endings off a word, and name the stop words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Language {
    /// English, and any language written with spaces that is not named here.
    #[default]
    English,
    /// German: ordinals are digits with a full stop, and nouns are written with a capital.
    German,
    /// Chinese.
    Chinese,
    /// Japanese.
    Japanese,
    /// Arabic.
    Arabic,
    /// Danish.
    Danish,
    /// Dutch.
    Dutch,
    /// Finnish.
    Finnish,
    /// French.
    French,
    /// Greek.
    Greek,
    /// Hungarian.
    Hungarian,
    /// Italian.
    Italian,
    /// Norwegian.
    Norwegian,
    /// Portuguese.
    Portuguese,
    /// Romanian.
    Romanian,
    /// Russian.
    Russian,
    /// Spanish.
    Spanish,
    /// Swedish.
    Swedish,
    /// Tamil.
    Tamil,
    /// Turkish.
    Turkish,
}

/// The number of words at the beginning of a text that decide its language.
const LOOKED_AT: usize = 400;
/// The fewest different stop words of a language other than English that a text in that language has.
const FEWEST: usize = 2;
/// More than one of so many words of a text in a language other than English is a stop word of that language.
const ONE_OF: usize = 8;

impl Language {
    /// The language that a text seems to be in: by its script, else by its stop words.
    ///
    /// ```
    /// use graphloom_text::Language;
    ///
    /// assert_eq!(Language::detect("Die Datei wird nicht geschrieben."), Language::German);
    /// assert_eq!(Language::detect("Le fichier n'est pas dans la base."), Language::French);
    /// assert_eq!(Language::detect("データは書き込まれる。"), Language::Japanese);
    /// assert_eq!(Language::detect("La La Land, 2016"), Language::English);
    /// ```
    #[must_use]
    pub fn detect(text: &str) -> Self {
        let (mut han, mut kana, mut other) = (0_usize, 0_usize, 0_usize);
        for c in text.chars() {
            match c {
                '\u{3040}'..='\u{309f}' => kana += 1,
                c if is_katakana(c) => kana += 1,
                c if is_ideographic(c) => han += 1,
                c if c.is_alphabetic() => other += 1,
                _ => {}
            }
        }
        // An ideograph counts as four letters, because it says about as much as a short word.
        if (han + kana) * 4 > other {
            return if kana * 10 > han { Self::Japanese } else { Self::Chinese };
        }
        Self::of_small_words(text)
    }

    /// The language with the most stop words in a text; English unless another language has more.
    fn of_small_words(text: &str) -> Self {
        let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(LOOKED_AT);
        let (mut all, mut met) = (0_usize, BTreeSet::new());
        let mut found = [StopWordCount::default(); Self::LISTED.len()];
        for word in words {
            all += 1;
            // Single letters are names in formulas and programs, and capitalised words such as those of `Los Angeles`
            // are parts of names.
            let is_name = all > 1 && word.starts_with(char::is_uppercase);
            if is_name || word.chars().nth(1).is_none() {
                continue;
            }
            let word = word.to_lowercase();
            let languages = stop_words::languages_of(&word);
            if languages.is_empty() {
                continue;
            }
            let is_new = met.insert(word);
            for (place, language) in Self::LISTED.iter().enumerate() {
                if languages.has(*language) {
                    found[place].often += 1;
                    found[place].different += usize::from(is_new);
                }
            }
        }
        let mut best = (Self::English, found[0].often);
        for (language, found) in Self::LISTED.into_iter().zip(found) {
            let is_enough = found.different >= FEWEST && found.often * ONE_OF > all;
            if is_enough && found.often > best.1 {
                best = (language, found.often);
            }
        }
        best.0
    }

    /// The languages with a list of stop words, English first.
    pub(crate) const LISTED: [Self; 18] = [
        Self::English,
        Self::German,
        Self::Arabic,
        Self::Danish,
        Self::Dutch,
        Self::Finnish,
        Self::French,
        Self::Greek,
        Self::Hungarian,
        Self::Italian,
        Self::Norwegian,
        Self::Portuguese,
        Self::Romanian,
        Self::Russian,
        Self::Spanish,
        Self::Swedish,
        Self::Tamil,
        Self::Turkish,
    ];

    /// All languages.
    pub const ALL: [Self; 20] = [
        Self::English,
        Self::German,
        Self::Chinese,
        Self::Japanese,
        Self::Arabic,
        Self::Danish,
        Self::Dutch,
        Self::Finnish,
        Self::French,
        Self::Greek,
        Self::Hungarian,
        Self::Italian,
        Self::Norwegian,
        Self::Portuguese,
        Self::Romanian,
        Self::Russian,
        Self::Spanish,
        Self::Swedish,
        Self::Tamil,
        Self::Turkish,
    ];

    /// The language with a [`code`](Self::code).
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The code of the language, two letters of ISO 639-1.
    ///
    /// ```
    /// assert_eq!(graphloom_text::Language::German.code(), "de");
    /// ```
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Chinese => "zh",
            Self::Japanese => "ja",
            Self::Arabic => "ar",
            Self::Danish => "da",
            Self::Dutch => "nl",
            Self::Finnish => "fi",
            Self::French => "fr",
            Self::Greek => "el",
            Self::Hungarian => "hu",
            Self::Italian => "it",
            Self::Norwegian => "no",
            Self::Portuguese => "pt",
            Self::Romanian => "ro",
            Self::Russian => "ru",
            Self::Spanish => "es",
            Self::Swedish => "sv",
            Self::Tamil => "ta",
            Self::Turkish => "tr",
        }
    }

    /// Whether the language is written without spaces between words.
    #[must_use]
    pub fn is_unspaced(self) -> bool {
        matches!(self, Self::Chinese | Self::Japanese)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_their_small_words() {
        for (text, language) in [
            ("The log is written before the pages are.", Language::English),
            ("Das Protokoll wird vor den Seiten geschrieben, und die Daten sind sicher.", Language::German),
            ("Wann wird der Index geschrieben?", Language::German),
            ("El índice se escribe antes de que los datos lleguen al disco.", Language::Spanish),
            ("Il registro viene scritto prima delle pagine, e non dopo.", Language::Italian),
            ("O registo é escrito antes das páginas, e não depois.", Language::Portuguese),
            ("Het logboek wordt geschreven voor de pagina's, en niet daarna.", Language::Dutch),
            ("Журнал пишется до того, как страницы будут на диске.", Language::Russian),
            ("Loggen skrivs innan sidorna, och inte efter att de är på disken.", Language::Swedish),
            ("Günlük, sayfalardan önce yazılır ve bu çok iyi.", Language::Turkish),
            ("Checkpoint, fsync, vacuum", Language::English),
            ("Los Angeles, Las Vegas", Language::English),
            ("for (i = 0; i < n; i++) { o = a + e; }", Language::English),
            ("It was made in an hour, so will I am.", Language::English),
            ("日志先写。", Language::Chinese),
            ("", Language::English),
        ] {
            assert_eq!(Language::detect(text), language, "{text}");
        }
    }
}
