//! From text to search terms: words, stems, and pairs of characters for scripts without spaces.

mod stems;

use graphloom_text::{Language, is_stop_word, words};
use tantivy::tokenizer::{AsciiFoldingFilter, LowerCaser, TextAnalyzer, Token, TokenStream, Tokenizer};

use stems::Stems;

/// Longer runs of letters are data, not words.
const LONGEST_WORD: usize = 64;

/// The first of the characters that stand before a text of the index and say its language. No text has such a character,
/// because they are not shown.
const FIRST_MARK: u32 = 0xe000;

/// The analyzer of the index, for [`marked`] texts.
pub(crate) fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(MarkedTokenizer).build()
}

/// A text with its language before it, as the index takes it.
pub(crate) fn marked(text: &str, language: Language) -> String {
    let place = Language::ALL.iter().position(|known| *known == language).unwrap_or_default();
    let mark = u32::try_from(place).ok().and_then(|place| char::from_u32(FIRST_MARK + place));
    let mut marked = String::with_capacity(text.len() + 3);
    marked.extend(mark);
    marked.push_str(text);
    marked
}

/// The language of a marked text and the text.
fn unmarked(marked: &str) -> (Language, &str) {
    let mut chars = marked.chars();
    let place = chars.next().and_then(|mark| u32::from(mark).checked_sub(FIRST_MARK));
    match place.and_then(|place| Language::ALL.get(place as usize)) {
        Some(language) => (*language, chars.as_str()),
        None => (Language::English, marked),
    }
}

/// Splits a marked text by the rules of its language.
#[derive(Clone, Debug)]
struct MarkedTokenizer;

impl Tokenizer for MarkedTokenizer {
    type TokenStream<'a> = Spans;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Spans {
        let (language, text) = unmarked(text);
        let mut analyzer = analyzer_in(language);
        let mut stream = analyzer.token_stream(text);
        let mut tokens = Vec::new();
        while stream.advance() {
            tokens.push(std::mem::take(stream.token_mut()));
        }
        drop(stream);
        Spans { tokens, next: 0 }
    }
}

fn analyzer_in(language: Language) -> TextAnalyzer {
    let lower = TextAnalyzer::builder(WordTokenizer).filter(LowerCaser);
    match language {
        Language::English => lower.filter(AsciiFoldingFilter).filter(Stems(language)).build(),
        // Elsewhere accents are part of the endings.
        _ => lower.filter(Stems(language)).filter(AsciiFoldingFilter).build(),
    }
}

/// The terms of `text` in order, repeats included, by the rules of English.
pub(crate) fn terms(text: &str) -> Vec<String> {
    terms_in(text, Language::English)
}

/// The terms of `text` in order, repeats included, with the endings of a language taken off: for texts that are compared
/// with each other.
pub(crate) fn terms_in(text: &str, language: Language) -> Vec<String> {
    let mut analyzer = analyzer_in(language);
    let mut stream = analyzer.token_stream(text);
    let mut terms = Vec::new();
    while stream.advance() {
        terms.push(stream.token().text.clone());
    }
    terms
}

/// The distinct terms of a question in order, at most `most`, by the rules of English; words that carry no subject are left
/// out unless there are no others.
pub(crate) fn query_terms(query: &str, most: usize) -> Vec<String> {
    query_terms_in(query, most, Language::English)
}

/// The same, to be compared with [`terms_in`] a language.
pub(crate) fn query_terms_in(query: &str, most: usize, language: Language) -> Vec<String> {
    query_terms_of(query, most, &[language])
}

/// The same, to be compared with texts in several languages: each word has a term for each language in which it has another.
pub(crate) fn query_terms_of(query: &str, most: usize, languages: &[Language]) -> Vec<String> {
    let own = Language::detect(query);
    let content: String =
        words(query).filter(|word| !is_stop_word(&word.to_lowercase(), own)).flat_map(|word| [word, " "]).collect();
    let distinct = |text: &str| {
        let mut seen = std::collections::BTreeSet::new();
        let mut terms: Vec<String> = Vec::new();
        for language in languages {
            let own = terms_in(text, *language).into_iter();
            terms.extend(own.filter(|term| seen.insert(term.clone())).take(most));
        }
        terms
    };
    let found = distinct(&content);
    if found.is_empty() { distinct(query) } else { found }
}

/// Scripts that are written without spaces between words, and Hangul, where particles stick to the words.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Myanmar
        | '\u{1100}'..='\u{11ff}' // Hangul Jamo
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}' // Hiragana, Katakana
        | '\u{3130}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' // Han
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' // Hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Splits at everything that is no letter or digit; runs of unspaced scripts become overlapping pairs of characters.
#[derive(Clone, Debug)]
struct WordTokenizer;

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = Spans;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Spans {
        let mut tokens = Vec::new();
        let base = text.as_ptr() as usize;
        for word in words(text) {
            let mut offset = word.as_ptr() as usize - base;
            for run in script_runs(word) {
                push_run(run, offset, &mut tokens);
                offset += run.len();
            }
        }
        Spans { tokens, next: 0 }
    }
}

/// Cuts a word where it changes between spaced and unspaced scripts.
fn script_runs(word: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut start = 0;
    let mut unspaced = None;
    for (at, c) in word.char_indices() {
        let now = Some(is_unspaced(c));
        if unspaced.is_some() && unspaced != now {
            runs.push(&word[start..at]);
            start = at;
        }
        unspaced = now;
    }
    runs.push(&word[start..]);
    runs
}

fn push_run(run: &str, offset: usize, tokens: &mut Vec<Token>) {
    let mut push = |from: usize, to: usize| {
        let position = tokens.len();
        tokens.push(Token {
            offset_from: offset + from,
            offset_to: offset + to,
            position,
            text: run[from..to].to_owned(),
            position_length: 1,
        });
    };
    if !run.chars().next().is_some_and(is_unspaced) {
        if run.len() <= LONGEST_WORD {
            push(0, run.len());
        }
        return;
    }
    let mut bounds: Vec<usize> = run.char_indices().map(|(at, _)| at).collect();
    bounds.push(run.len());
    if bounds.len() == 2 {
        push(0, run.len());
    }
    for pair in bounds.windows(3) {
        push(pair[0], pair[2]);
    }
}

/// The tokens of one text.
#[derive(Debug)]
struct Spans {
    tokens: Vec<Token>,
    next: usize,
}

impl TokenStream for Spans {
    fn advance(&mut self) -> bool {
        self.next += 1;
        self.next <= self.tokens.len()
    }

    fn token(&self) -> &Token {
        &self.tokens[self.next - 1]
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokens[self.next - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_stemmed_and_unspaced_scripts_paired() {
        for (text, expected) in [
            ("Transactions committed SAFELY", vec!["transact", "commit", "safe"]),
            ("journal_mode=WAL; 3.11", vec!["journal", "mode", "wal", "3", "11"]),
            ("Müller's café", vec!["muller", "s", "cafe"]),
            ("東京都", vec!["東京", "京都"]),
            ("木", vec!["木"]),
            ("SQLiteのログ", vec!["sqlite", "のロ", "ログ"]),
            ("… — !", vec![]),
        ] {
            assert_eq!(terms(text), expected, "{text}");
        }
        assert!(terms(&"x".repeat(LONGEST_WORD + 1)).is_empty());
    }

    #[test]
    fn the_index_takes_each_text_in_its_language() {
        for (text, language, expected) in [
            ("Die Häuser", Language::German, vec!["die", "haus"]),
            ("The houses", Language::English, vec!["the", "hous"]),
            ("東京都", Language::Chinese, vec!["東京", "京都"]),
            ("", Language::Turkish, vec![]),
        ] {
            let (mut analyzer, marked) = (analyzer(), marked(text, language));
            let mut stream = analyzer.token_stream(&marked);
            let mut found = Vec::new();
            while stream.advance() {
                found.push(stream.token().text.clone());
            }
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(query_terms_of("Häuser logs", 9, &[Language::English, Language::German]), ["hauser", "log", "haus"]);
    }

    #[test]
    fn endings_are_those_of_the_language() {
        for (text, language, expected) in [
            ("Die Häuser", Language::German, vec!["die", "haus"]),
            ("publiée publiées", Language::French, vec!["publi", "publi"]),
            ("committed", Language::German, vec!["committed"]),
            ("東京都", Language::Japanese, vec!["東京", "京都"]),
        ] {
            assert_eq!(terms_in(text, language), expected, "{text}");
        }
    }

    #[test]
    fn a_question_keeps_what_it_is_about() {
        assert_eq!(query_terms("How does the log keep logs?", 9), ["log", "keep"]);
        assert_eq!(query_terms("to be or not", 9), ["to", "be", "or", "not"]);
        assert_eq!(query_terms("one two three", 2), ["one", "two"]);
        assert_eq!(query_terms("Wann wird der Index geschrieben?", 9), ["index", "geschrieben"]);
    }
}
