//! Which language a report is written in.

use crate::state::Locale;

/// The language that a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LanguageName {
    /// One of the two.
    Known(Locale),
    /// Another language: reports about it are in English.
    Other,
    /// No name of a language.
    Nothing,
}

/// Reads a name as a model writes it: `zh`, `zh-CN`, `Chinese`, `中文`, `en`, `English`, `英文`. Only whole words count, so
/// that `french` is no English.
pub(crate) fn language_of_name(name: &str) -> LanguageName {
    let name = name.trim().to_lowercase();
    if name.is_empty() {
        return LanguageName::Nothing;
    }
    let any = |words: &[&str]| name.split(|c: char| !c.is_alphabetic()).any(|word| words.contains(&word));
    if any(&["zh", "cmn", "chinese", "mandarin"])
        || name.contains("中文")
        || name.contains("汉语")
        || name.contains("漢語")
    {
        LanguageName::Known(Locale::Chinese)
    } else if any(&["en", "eng", "english"]) || name.contains("英文") || name.contains("英语") || name.contains("英語")
    {
        LanguageName::Known(Locale::English)
    } else {
        LanguageName::Other
    }
}

/// The language of a query by its script: Chinese when it has Han characters, no kana and no hangul; else English.
pub(crate) fn of_script(query: &str) -> Locale {
    let is_han = |c: char| matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    let other = |c: char| matches!(c, '\u{3040}'..='\u{30FF}' | '\u{AC00}'..='\u{D7AF}' | '\u{1100}'..='\u{11FF}');
    if query.chars().any(is_han) && !query.chars().any(other) { Locale::Chinese } else { Locale::English }
}

/// Words that join others in English, and are rare in other languages. Short questions are told by them; how often which
/// letters stand together says little of so few words.
const ENGLISH: &[&str] = &[
    "about", "and", "are", "between", "by", "does", "for", "from", "has", "have", "how", "it", "that", "the", "their",
    "they", "this", "what", "when", "where", "which", "why", "with",
];

/// Whether a query is surely in English: two of its words, and a fifth of all, only join others in English.
pub(crate) fn is_english(query: &str) -> bool {
    let words: Vec<String> =
        query.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let joining = words.iter().filter(|word| ENGLISH.contains(&word.as_str())).count();
    joining >= 2 && joining * 5 >= words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_told_from_its_neighbours() {
        assert!(is_english(
            "How does SQLite recover after a power failure, and what does it promise about a transaction?"
        ));
        assert!(is_english("How do Python, SQLite and PostgreSQL differ in what they promise about a transaction?"));
        for other in [
            "Wie stellt SQLite nach einem Stromausfall die Datenbank wieder her?",
            "Как SQLite восстанавливается после сбоя питания?",
            "Comment SQLite se rétablit-il après une panne de courant ?",
            "Hoe herstelt SQLite zich na een stroomstoring, en wat belooft het over een transactie?",
            "SQLite",
            "",
        ] {
            assert!(!is_english(other), "{other}");
        }
    }

    #[test]
    fn names_are_read_by_whole_words() {
        use LanguageName::{Known, Nothing, Other};
        for (name, found) in [
            ("zh", Known(Locale::Chinese)),
            ("zh-CN", Known(Locale::Chinese)),
            ("Simplified Chinese", Known(Locale::Chinese)),
            ("中文", Known(Locale::Chinese)),
            ("en", Known(Locale::English)),
            ("en_US", Known(Locale::English)),
            ("English (UK)", Known(Locale::English)),
            ("英文", Known(Locale::English)),
            ("french", Other),
            ("Bengali", Other),
            ("ja", Other),
            ("  ", Nothing),
        ] {
            assert_eq!(language_of_name(name), found, "{name}");
        }
    }

    #[test]
    fn a_script_tells_the_language() {
        assert_eq!(of_script("数据库在崩溃后如何保证事务?"), Locale::Chinese);
        assert_eq!(of_script("SQLite 的事务"), Locale::Chinese);
        assert_eq!(of_script("トランザクションの保証"), Locale::English);
        assert_eq!(of_script("What is a transaction?"), Locale::English);
        assert_eq!(of_script(""), Locale::English);
    }
}
