//! How complex a request is, in English and Japanese.

mod english;
mod japanese;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use words::{count_words, is_cjk, words};

/// Requests of this many words are complex.
pub const COMPLEX_WORDS: usize = 20;

/// Whether a request goes the simple or the complex path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// One conversation with tools.
    #[default]
    Simple,
    /// The whole graph.
    Complex,
}

/// The language a request is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Language {
    /// English, and every language that is not told apart.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Japanese.
    #[serde(rename = "ja")]
    Japanese,
}

/// Why a request is complex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It has many words.
    Length(usize),
    /// It has an indicator word.
    Indicator(String),
    /// It asks for several actions.
    Actions(Vec<String>),
}

/// What was found about a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Assessment {
    /// Simple or complex.
    pub complexity: Complexity,
    /// The language.
    pub language: Language,
    /// How many words the request has; of Japanese, as many as its characters make.
    pub words: usize,
    /// Why it is complex; none for a simple one.
    pub reason: Option<Reason>,
}

/// Judges a request. It is complex when it has twenty words or more, else when it has an indicator, else when it asks
/// for several actions. Otherwise it is simple.
///
/// Indicators and actions are whole words: `Install the small ball note` has none. In Japanese, where words are not
/// spaced, they are told by the runs of characters around them.
///
/// ```
/// use graphloom_obsius::assess::{Complexity, assess};
///
/// assert_eq!(assess("Create a note about AI").complexity, Complexity::Simple);
/// assert_eq!(assess("Compare every note on rust").complexity, Complexity::Complex);
/// ```
pub fn assess(request: &str) -> Assessment {
    let words = count_words(request);
    let reason = if words >= COMPLEX_WORDS {
        Some(Reason::Length(words))
    } else if let Some(word) = english::indicator(request).or_else(|| japanese::indicator(request)) {
        Some(Reason::Indicator(word))
    } else {
        let mut actions = english::actions(request);
        actions.extend(japanese::actions(request));
        (actions.len() > 1).then_some(Reason::Actions(actions))
    };
    let complexity = if reason.is_some() { Complexity::Complex } else { Complexity::Simple };
    Assessment { complexity, language: language(request), words, reason }
}

/// The language of a text: Japanese as soon as it has kana, or ideographs and few Latin letters.
pub fn language(text: &str) -> Language {
    let kana = text.chars().any(words::is_kana);
    let ideographs = text.chars().filter(|c| is_cjk(*c)).count();
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    if kana || (ideographs > 0 && ideographs * 2 >= latin) { Language::Japanese } else { Language::English }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_judged_as_the_flow_says() {
        use Complexity::{Complex, Simple};
        let cases: &[(&str, Complexity, &str)] = &[
            ("Create a note about AI", Simple, "the simple example"),
            ("Organize all my machine learning notes and create a comprehensive index", Complex, "the complex example"),
            ("Install the small ball note", Simple, "substrings of `all`"),
            ("Recall the overall tally", Simple, "substrings of `all`"),
            ("Open my everyday note", Simple, "substring of `every`"),
            ("Ask the organizer of the researchers' call", Simple, "substrings of two indicators"),
            ("Rename multiplex to simplex", Simple, "prefix of `multiple`"),
            ("What does my analyzer note say?", Simple, "prefix of `analyze`"),
            ("organize my desk notes", Complex, "indicator"),
            ("ANALYZE my notes", Complex, "indicator in capitals"),
            ("Research tides", Complex, "indicator"),
            ("Write a comprehensive summary", Complex, "indicator"),
            ("Give me a detailed view", Complex, "indicator"),
            ("Tag multiple notes", Complex, "indicator"),
            ("List all.", Complex, "indicator before a full stop"),
            ("(every) note", Complex, "indicator in brackets"),
            ("Organise my notes", Complex, "British spelling"),
            ("Keep organizing my notes", Complex, "inflected indicator"),
            ("Find my note on tides and summarize it", Complex, "two actions"),
            ("Create a note, then link it to Tides", Complex, "two actions by then"),
            ("Read Tides. Delete Moon.", Complex, "two sentences with an action each"),
            ("Search for salt; move it to food", Complex, "two actions by a semicolon"),
            ("Create a note about salt and pepper", Simple, "`and` joins nouns"),
            ("Create a note about how to find and fix bugs", Simple, "verbs of the subject"),
            ("Create a note and a tag", Simple, "one action, two objects"),
            ("What is in my note on cats and dogs and birds?", Simple, "two `and` without actions"),
            ("Please create a note about tea", Simple, "polite"),
            ("Could you read my note on tea?", Simple, "polite question"),
            ("", Simple, "nothing"),
            ("   \n\t ", Simple, "blank"),
            ("hello", Simple, "no action"),
            ("a b c d e f g h i j k l m n o p q r s", Simple, "19 words"),
            ("a b c d e f g h i j k l m n o p q r s t", Complex, "20 words"),
            (
                "Why did the keeper of the old lighthouse near the northern bay write in his diary about storms that day?",
                Complex,
                "20 words of prose",
            ),
            (
                "機械学習のノートをすべて整理して包括的な索引を作成してください",
                Complex,
                "the complex example in Japanese",
            ),
            ("AIについてのノートを作成して", Simple, "one action"),
            ("整理券の番号をメモして", Simple, "another word that begins with an indicator"),
            ("研究室の住所を教えて", Simple, "another word that begins with an indicator"),
            ("しごとのメモを作って", Simple, "`ごと` inside another word"),
            ("毎日の記録を開いて", Simple, "`毎` inside another word"),
            ("各地の天気のノートを開いて", Simple, "`各` inside another word"),
            ("全角文字のノートを開いて", Simple, "`全` inside another word"),
            ("各ノートにタグを付けて", Complex, "each"),
            ("章ごとに要約して", Complex, "each, as a suffix"),
            ("全部のノートを見せて", Complex, "all"),
            ("全てのノートを見せて", Complex, "all"),
            ("市場を調査して", Complex, "research"),
            ("資料整理をお願いします", Complex, "indicator at the end of a compound"),
            ("詳細な説明を書いて", Complex, "detailed"),
            ("複数のノートを開いて", Complex, "multiple"),
            ("ノートを検索して要約を追加して", Complex, "two actions"),
            ("検索機能のメモを作成して", Simple, "an action word that is a noun"),
            ("会議のノートに予定を追加してください", Simple, "one action"),
            (
                "昨日の会議で話したことと来週までに終わらせる予定の仕事について思い出せるように短い文章でここに書いておいて",
                Complex,
                "long",
            ),
            ("Organize のノート", Complex, "mixed languages"),
        ];
        assert!(cases.len() >= 40);
        for (request, expected, why) in cases {
            let found = assess(request);
            assert_eq!(found.complexity, *expected, "`{request}` ({why}): {found:?}");
            assert_eq!(found.reason.is_some(), *expected == Complex, "{request}");
        }
    }

    #[test]
    fn japanese_is_told_however_short() {
        for (text, expected) in [
            ("機械学習のノート", Language::Japanese),
            ("索引", Language::Japanese),
            ("AIについて", Language::Japanese),
            ("Create a note about 索引", Language::English),
            ("Create a note", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(language(text), expected, "{text}");
        }
    }
}
