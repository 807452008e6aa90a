//! Words made comparable over their endings, and those that state nothing.

use graphloom_text::{Language, is_stop_word};

/// Words that say nothing about what a text is about, and change what a sentence states: they deny, compare, and say where
/// and when. In English and German.
const TELLING: &[&str] = &[
    "above", "again", "against", "below", "down", "during", "few", "further", "no", "nor", "not", "now", "off", "once",
    "own", "same", "through", "too", "until", "durch", "einmal", "gegen", "hinter", "jetzt", "kein", "keine", "keinem",
    "keinen", "keiner", "keines", "nicht", "nichts", "noch", "nun", "nur", "ohne", "sehr", "sonst", "über", "unter",
    "viel", "vor", "während", "weg", "wieder", "zwischen",
];

/// Whether a folded word, in a text of a language, states nothing of its own.
pub(crate) fn is_stop(word: &str, language: Language) -> bool {
    is_stop_word(word, language) && !TELLING.contains(&word)
}

/// A folded word without its ending by the rules of a language; only compared, never shown. What is no word of letters alone,
/// such as `x_1` or `std::fs`, stays whole.
pub(crate) fn stem(word: &str, language: Language) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if word.chars().all(char::is_alphabetic) {
        graphloom_text::stem(word, language).into_owned()
    } else {
        word.to_owned()
    }
}
