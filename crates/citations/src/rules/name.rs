//! Names and identifiers.

use std::collections::BTreeSet;

use graphloom_text::number::{magnitude, readings};
use graphloom_text::{Language, fold, is_ideographic, is_katakana, unit};

use crate::segment::sentences_in;
use crate::stem::is_stop;
use crate::token::{Kind, Token, tokens};

/// A name as it stands and as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) shown: String,
    pub(super) folded: String,
}

/// The names of a text.
///
/// Words with a capital inside, a digit or an underscore are names in every language; words with a capital in front
/// are, except in German. A capital that the beginning of a sentence, an item or a quotation asks for makes no name, nor
/// do the capitals of a heading. Between ideographs, words of other scripts and of Katakana are names.
pub(super) fn names(text: &str, language: Language) -> Vec<Name> {
    let mut found: Vec<Name> = Vec::new();
    for range in sentences_in(text, language) {
        let sentence = without_heading(&text[range]);
        let all = tokens(sentence);
        let shouted = is_shouted(sentence);
        for index in 0..all.len() {
            if let Some(name) =
                name_at(sentence, &all, index, language).filter(|name| !shouted || is_identifier(&name.shown))
            {
                found.push(name);
            }
        }
    }
    found
}

fn name_at(sentence: &str, all: &[Token], index: usize, language: Language) -> Option<Name> {
    let token = &all[index];
    let shown = &sentence[token.range.clone()];
    let made = |shown: &str| {
        let folded: String = shown.chars().map(fold).collect();
        let folded = folded.strip_suffix("'s").unwrap_or(&folded).to_owned();
        Some(Name { shown: shown.to_owned(), folded })
    };
    if token.kind == Kind::Number {
        // `3.11.2`, `0x1f`, `2pc`
        let dots = shown.matches('.').count();
        if dots >= 2 && readings(shown).is_empty() && !is_dotted_date(shown) {
            return made(shown);
        }
        let next = all.get(index + 1).filter(|next| next.kind == Kind::Word && next.range.start == token.range.end)?;
        let ordinal = matches!(next.folded.as_str(), "st" | "nd" | "rd" | "th");
        let unit = unit::named(&next.folded).is_some() || magnitude(&next.folded).is_some();
        return (!ordinal && !unit).then(|| made(&sentence[token.range.start..next.range.end])).flatten();
    }
    if token.kind != Kind::Word {
        return None;
    }
    let touches = index > 0 && all[index - 1].kind == Kind::Number && all[index - 1].range.end == token.range.start;
    // `4 KiB` counts, whatever capitals its unit has.
    let unit = index > 0 && all[index - 1].kind == Kind::Number && unit::named(&token.folded).is_some();
    if touches || unit {
        return None;
    }
    if is_identifier(shown) {
        return made(shown);
    }
    let first = shown.chars().next()?;
    let unspaced = language.is_unspaced();
    if unspaced && (is_katakana(first) && shown.chars().count() >= 3 || first.is_ascii_alphabetic() && shown.len() >= 2)
    {
        return (first.is_uppercase() || is_katakana(first)).then(|| made(shown)).flatten();
    }
    if !first.is_uppercase() || is_stop(&token.folded, language) || shown.chars().count() < 2 {
        return None;
    }
    if language == Language::German {
        // A noun like any other, unless it is a shortening.
        let capitals = shown.chars().filter(|c| c.is_uppercase()).count();
        return (capitals >= 2).then(|| made(shown)).flatten();
    }
    let starts = all[..index].iter().all(|before| before.kind == Kind::Sign)
        || matches!(all[index - 1].folded.as_str(), ":" | "\"" | "." | "|" | "•");
    let capitals = shown.chars().filter(|c| c.is_uppercase()).count();
    (!starts || capitals >= 2).then(|| made(shown)).flatten()
}

/// A sentence without the heading in capitals that abstracts put before it: `RESULTS Cells grew.`, `METHODS: We …`.
fn without_heading(sentence: &str) -> &str {
    const HEADINGS: &[&str] = &[
        "abstract",
        "aim",
        "aims",
        "background",
        "conclusion",
        "conclusions",
        "context",
        "design",
        "discussion",
        "findings",
        "importance",
        "interpretation",
        "introduction",
        "limitations",
        "main",
        "measurements",
        "methods",
        "objective",
        "objectives",
        "outcome",
        "outcomes",
        "participants",
        "purpose",
        "rationale",
        "results",
        "setting",
        "significance",
        "summary",
    ];
    let mut body = sentence;
    loop {
        let rest = body.trim_start_matches(|c: char| !c.is_alphanumeric());
        let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let shouted =
            word.len() > 2 && word.chars().all(char::is_uppercase) && HEADINGS.contains(&word.to_lowercase().as_str());
        let labelled =
            rest[word.len()..].trim_start().starts_with(':') && HEADINGS.contains(&word.to_lowercase().as_str());
        let joins = matches!(word, "AND" | "OF") && body.len() < sentence.len();
        if !(shouted || labelled || joins) {
            return if body.len() < sentence.len() { rest } else { sentence };
        }
        body = &rest[word.len()..];
    }
}

/// Whether a word is written as only names of things in programs and products are.
fn is_identifier(word: &str) -> bool {
    let inner_capital = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let digit =
        word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(|c| c.is_alphabetic() && !is_ideographic(c));
    inner_capital || digit || word.contains('_') || word.contains("::")
}

fn is_dotted_date(word: &str) -> bool {
    let parts: Vec<usize> = word.split('.').map(str::len).collect();
    matches!(parts[..], [1 | 2, 1 | 2, 4])
}

/// Whether a line is all in capitals, where capitals say nothing.
fn is_shouted(sentence: &str) -> bool {
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 8 && sentence.chars().all(|c| !c.is_lowercase()) && sentence.chars().any(char::is_uppercase)
}

/// The words of a source against which names are looked up.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    words: BTreeSet<String>,
    /// First letters of the words in order, for abbreviations that are written out.
    initials: String,
    squeezed: String,
}

impl Vocabulary {
    pub(super) fn of(text: &str) -> Self {
        let all = tokens(text);
        let squeezed = text.chars().map(fold).filter(|c| c.is_alphanumeric()).collect();
        let mut words = BTreeSet::new();
        let mut initials = String::new();
        for token in all {
            if token.kind == Kind::Word {
                for part in token.folded.split(['-', '.', ':', '\'']).filter(|part| !part.is_empty()) {
                    initials.extend(part.chars().next());
                    words.insert(part.to_owned());
                }
            }
            words.insert(token.folded);
        }
        Self { words, initials, squeezed }
    }

    /// Whether the source has the name: as a word, as a part of a longer one, in another spelling, or written out.
    pub(super) fn has(&self, name: &str) -> bool {
        if self.words.contains(name) {
            return true;
        }
        let parts: Vec<&str> = name.split(['-', '.', ':', '\'']).filter(|part| !part.is_empty()).collect();
        if parts.len() > 1 && parts.iter().all(|part| self.words.contains(*part)) {
            return true;
        }
        let plain: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
        let singular = plain.strip_suffix('s').unwrap_or(&plain);
        // Long names may be shortened or joined: `Postgres`, `Write-Ahead`.
        if singular.chars().count() >= 5 && self.squeezed.contains(singular)
            || singular.len() >= 3 && self.words.contains(singular)
        {
            return true;
        }
        let letters = plain.chars().all(|c| c.is_ascii_alphabetic());
        letters && (3..=6).contains(&plain.len()) && self.initials.contains(&plain)
    }
}
