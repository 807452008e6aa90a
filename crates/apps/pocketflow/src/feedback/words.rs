//! The lists of words of each language, which are data: one file a language under `words/`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Language;
use super::tokens::{Text, Token, squeezed};

/// The lists of one language.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) language: Language,
    lists: BTreeMap<&'static str, List>,
}

/// Phrases by their first token.
#[derive(Debug, Default)]
struct List {
    exact: BTreeMap<String, Vec<Phrase>>,
    /// Phrases of one beginning, as `убер*`.
    stems: Vec<String>,
}

#[derive(Debug)]
struct Phrase {
    rest: Vec<String>,
    /// The last word may go on.
    open: bool,
}

macro_rules! files {
    ($($language:ident: $name:literal),+ $(,)?) => {
        [$((Language::$language, include_str!(concat!("words/", $name, ".txt")))),+]
    };
}

/// The languages, English first.
pub(super) static LANGUAGES: LazyLock<Vec<Words>> = LazyLock::new(|| {
    const COMMON: &str = include_str!("words/common.txt");
    let files = files! {
        English: "english", German: "german", French: "french", Spanish: "spanish", Portuguese: "portuguese",
        Russian: "russian", Japanese: "japanese", Chinese: "chinese", Korean: "korean",
    };
    files
        .into_iter()
        .map(|(language, file)| {
            let mut words = Words { language, lists: BTreeMap::new() };
            words.take(COMMON);
            words.take(file);
            words
        })
        .collect()
});

impl Words {
    fn take(&mut self, file: &'static str) {
        let mut name = "";
        for line in file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                name = section;
                continue;
            }
            let list = self.lists.entry(name).or_default();
            for phrase in line.split('|').map(str::trim).filter(|phrase| !phrase.is_empty()) {
                list.take(phrase);
            }
        }
    }

    /// The names of its lists.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.lists.keys().copied()
    }

    /// The phrases of a list.
    #[cfg(test)]
    pub(super) fn phrases(&self, list: &str) -> Vec<String> {
        let exact = self.lists.get(list).into_iter().flat_map(|list| &list.exact);
        exact
            .flat_map(|(first, phrases)| {
                phrases.iter().map(move |phrase| [std::slice::from_ref(first), &phrase.rest[..]].concat().join(" "))
            })
            .collect()
    }

    /// How many tokens the longest phrase of a list has that stands at a place; 0 when none does.
    pub(super) fn longest(&self, list: &str, tokens: &[Token], at: usize) -> usize {
        self.lengths(list, tokens, at).into_iter().max().unwrap_or(0)
    }

    /// How many tokens each phrase of a list has that stands at a place.
    pub(super) fn lengths(&self, list: &str, tokens: &[Token], at: usize) -> Vec<usize> {
        let Some(list) = self.lists.get(list) else { return Vec::new() };
        let Some(first) = tokens.get(at) else { return Vec::new() };
        let mut found = Vec::new();
        for form in forms(&first.lower) {
            for phrase in list.exact.get(&form).into_iter().flatten() {
                let there = &tokens[at + 1..];
                if phrase.rest.len() <= there.len() && phrase.fits(there) {
                    found.push(phrase.rest.len() + 1);
                }
            }
        }
        if list.stems.iter().any(|stem| first.lower.starts_with(stem)) {
            found.push(1);
        }
        found
    }

    /// Whether a list has a phrase anywhere in a text, and which words it was.
    pub(super) fn find(&self, list: &str, text: &Text) -> Option<String> {
        (0..text.tokens.len()).find_map(|at| {
            let length = self.longest(list, &text.tokens, at);
            (length > 0).then(|| text.text[text.tokens[at].start..text.tokens[at + length - 1].end].to_owned())
        })
    }

    /// How many tokens of a text this language knows.
    pub(super) fn known(&self, tokens: &[Token]) -> usize {
        let mut at = 0;
        let mut known = 0;
        while at < tokens.len() {
            let longest = self.lists.keys().map(|list| self.longest(list, tokens, at)).max().unwrap_or(0);
            known += longest;
            at += longest.max(1);
        }
        known
    }
}

impl List {
    fn take(&mut self, phrase: &str) {
        let (phrase, open) = phrase.strip_suffix('*').map_or((phrase, false), |stem| (stem, true));
        let mut tokens = Text::new(phrase).tokens.into_iter().map(|token| token.lower);
        let Some(first) = tokens.next() else { return };
        let rest: Vec<String> = tokens.collect();
        if open && rest.is_empty() {
            self.stems.push(first);
        } else {
            self.exact.entry(first).or_default().push(Phrase { rest, open });
        }
    }
}

impl Phrase {
    fn fits(&self, there: &[Token]) -> bool {
        let last = self.rest.len().wrapping_sub(1);
        self.rest.iter().zip(there).enumerate().all(|(at, (word, token))| {
            if self.open && at == last {
                token.lower.starts_with(word.as_str())
            } else {
                forms(&token.lower).contains(word)
            }
        })
    }
}

/// A word as it is, and with its long runs of one letter made short.
fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    forms.extend((1..=2).filter_map(|most| squeezed(word, most)));
    forms.dedup();
    forms
}

/// The language of a text, by its letters, and where they are Latin by the words that it knows.
pub(super) fn language(text: &Text) -> &'static Words {
    let has = |range: &[std::ops::RangeInclusive<char>]| {
        text.text.chars().any(|c| range.iter().any(|range| range.contains(&c)))
    };
    let by_script = if has(&['\u{ac00}'..='\u{d7a3}', '\u{1100}'..='\u{11ff}', '\u{3131}'..='\u{318e}']) {
        Some(Language::Korean)
    } else if has(&['\u{3041}'..='\u{30ff}']) {
        Some(Language::Japanese)
    } else if has(&['\u{3400}'..='\u{4dbf}', '\u{4e00}'..='\u{9fff}']) {
        Some(Language::Chinese)
    } else if has(&['\u{0400}'..='\u{04ff}']) {
        Some(Language::Russian)
    } else {
        None
    };
    let languages = &*LANGUAGES;
    if let Some(found) = languages.iter().find(|words| Some(words.language) == by_script) {
        return found;
    }
    // The first of several that know as much, which is English.
    let mut best = &languages[0];
    for words in &languages[1..] {
        if words.known(&text.tokens) > best.known(&text.tokens) {
            best = words;
        }
    }
    best
}
