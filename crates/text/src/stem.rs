//! Stems of words, which are only compared and never shown.

use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};

use crate::language::Language;

/// The stem of a lower-case word by the [Snowball](https://snowballstem.org) rules of a language. A word of Chinese or
/// Japanese is its own stem.
///
/// ```
/// use graphloom_text::{Language, stem};
///
/// assert_eq!(stem("transactions", Language::English), stem("transaction", Language::English));
/// assert_eq!(stem("häuser", Language::German), stem("haus", Language::German));
/// ```
#[must_use]
pub fn stem(word: &str, language: Language) -> Cow<'_, str> {
    let algorithm = match language {
        Language::Chinese | Language::Japanese => return Cow::Borrowed(word),
        Language::English => Algorithm::English,
        Language::German => Algorithm::German,
        Language::Arabic => Algorithm::Arabic,
        Language::Danish => Algorithm::Danish,
        Language::Dutch => Algorithm::Dutch,
        Language::Finnish => Algorithm::Finnish,
        Language::French => Algorithm::French,
        Language::Greek => Algorithm::Greek,
        Language::Hungarian => Algorithm::Hungarian,
        Language::Italian => Algorithm::Italian,
        Language::Norwegian => Algorithm::Norwegian,
        Language::Portuguese => Algorithm::Portuguese,
        Language::Romanian => Algorithm::Romanian,
        Language::Russian => Algorithm::Russian,
        Language::Spanish => Algorithm::Spanish,
        Language::Swedish => Algorithm::Swedish,
        Language::Tamil => Algorithm::Tamil,
        Language::Turkish => Algorithm::Turkish,
    };
    Stemmer::new(algorithm).stem(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_in_their_language() {
        for (language, forms) in [
            (Language::English, ["commit", "commits", "committed", "committing"]),
            (Language::English, ["store", "stores", "stored", "storing"]),
            (Language::German, ["datei", "dateien", "datei", "dateien"]),
            (Language::French, ["page", "pages", "page", "pages"]),
            (Language::Spanish, ["página", "páginas", "página", "páginas"]),
            (Language::Russian, ["страница", "страницы", "странице", "страницу"]),
        ] {
            let stems: Vec<Cow<'_, str>> = forms.iter().map(|word| stem(word, language)).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{forms:?} became {stems:?}");
        }
        assert_ne!(stem("wal", Language::English), stem("was", Language::English));
        assert_eq!(stem("日志", Language::Chinese), "日志");
    }
}
