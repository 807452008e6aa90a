//! The phrase lists of each language. The lists are data: three files for each language under `words/`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::Language;
use super::phrases::{List, Notation, Sets, Spellings};
use super::tokens::{Text, Token};

/// The lists of one language.
#[derive(Debug)]
pub(super) struct WordLists {
    pub(super) language: Language,
    lists: BTreeMap<&'static str, List>,
    /// Every word of every list.
    known: BTreeSet<String>,
    /// The words of the lists `approve` and `filler`.
    of_approvals: BTreeSet<String>,
}

macro_rules! files {
    ($($language:ident: $name:literal),+ $(,)?) => {
        [$((
            Language::$language,
            [
                include_str!(concat!("words/", $name, ".txt")),
                include_str!(concat!("words/approvals/", $name, ".txt")),
                include_str!(concat!("words/signals/", $name, ".txt")),
            ],
        )),+]
    };
}

/// The languages, English first.
pub(super) static LANGUAGES: LazyLock<Vec<WordLists>> = LazyLock::new(|| {
    const COMMON: &str = include_str!("words/common.txt");
    let files = files! {
        English: "english", German: "german", French: "french", Spanish: "spanish", Portuguese: "portuguese",
        Italian: "italian", Dutch: "dutch", Russian: "russian", Japanese: "japanese", Chinese: "chinese",
        Korean: "korean",
    };
    let mut spellings = Spellings::default();
    files
        .into_iter()
        .map(|(language, [file, approvals, signals])| {
            let mut words =
                WordLists { language, lists: BTreeMap::new(), known: BTreeSet::new(), of_approvals: BTreeSet::new() };
            for file in [COMMON, file, approvals, signals] {
                words.take(file, &mut spellings);
            }
            words.known = words.lists.values().flat_map(List::words).collect();
            let named = |name: &str| words.lists.get(name).map(List::words).unwrap_or_default();
            words.of_approvals = ["approve", "filler"].into_iter().flat_map(named).collect();
            words
        })
        .collect()
});

impl WordLists {
    fn take(&mut self, file: &'static str, spellings: &mut Spellings) {
        let mut sets = Sets::new();
        for (name, line) in lines(file) {
            if let Some(set) = name.strip_prefix("= ") {
                sets.entry(set.to_owned()).or_default().extend(phrases(line));
            }
        }
        let mut notation = Notation::new(sets, spellings);
        for (name, line) in lines(file).filter(|(name, _)| !name.starts_with("= ")) {
            let list = self.lists.entry(name).or_default();
            // Without its accent, the first word of a question may be another word.
            let bare = !name.starts_with("asks");
            for phrase in phrases(line) {
                list.take(phrase, &mut notation, bare);
            }
        }
    }

    /// The names of the lists.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.lists.keys().copied()
    }

    /// The phrases of a list.
    #[cfg(test)]
    pub(super) fn phrases(&self, list: &str) -> Vec<String> {
        self.lists.get(list).into_iter().flat_map(List::phrases).collect()
    }

    /// Whether a word stands in any list.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// Whether a token of a reply stands in any list.
    pub(super) fn has(&self, token: &Token) -> bool {
        token.forms.iter().any(|form| self.knows(form))
    }

    /// Whether a word stands in the lists `approve` or `filler`.
    pub(super) fn is_of_approvals(&self, word: &str) -> bool {
        self.of_approvals.contains(word)
    }

    /// The words of the lists `approve` and `filler`.
    pub(super) fn of_approvals(&self) -> impl Iterator<Item = &str> {
        self.of_approvals.iter().map(String::as_str)
    }

    /// The length, in tokens, of the longest phrase of a list at a place; 0 when no phrase stands there.
    pub(super) fn longest(&self, list: &str, tokens: &[Token], at: usize) -> usize {
        self.lengths(list, tokens, at).into_iter().max().unwrap_or(0)
    }

    /// The lengths, in tokens, of the phrases of a list at a place.
    pub(super) fn lengths(&self, list: &str, tokens: &[Token], at: usize) -> BTreeSet<usize> {
        self.lists.get(list).map(|list| list.lengths(tokens, at)).unwrap_or_default()
    }

    /// The first words of a text that are a phrase of a list.
    pub(super) fn find(&self, list: &str, text: &Text) -> Option<String> {
        (0..text.tokens.len()).find_map(|at| {
            let length = self.longest(list, &text.tokens, at);
            (length > 0).then(|| text.text[text.tokens[at].start..text.tokens[at + length - 1].end].to_owned())
        })
    }

    /// Where phrases of a list stand in a text: the first token and the number of tokens of each.
    pub(super) fn spans(&self, list: &str, text: &Text) -> Vec<(usize, usize)> {
        let (mut spans, mut at) = (Vec::new(), 0);
        while at < text.tokens.len() {
            let length = self.longest(list, &text.tokens, at);
            if length > 0 {
                spans.push((at, length));
            }
            at += length.max(1);
        }
        spans
    }

    /// How many tokens of a text the phrases of this language cover.
    pub(super) fn known_tokens(&self, tokens: &[Token]) -> usize {
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

/// The lines of a file with the name of the list that each belongs to.
fn lines(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut name = "";
    file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).filter_map(move |line| {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(section) => {
                name = section;
                None
            }
            None => Some((name, line)),
        }
    })
}

fn phrases(line: &'static str) -> impl Iterator<Item = &'static str> {
    line.split('|').map(str::trim).filter(|phrase| !phrase.is_empty())
}

/// The language of a text: by script, and for the Latin script the language that knows the most words.
pub(super) fn language(text: &Text) -> &'static WordLists {
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
    // Of several languages that know equally many words, the first is taken; English is the first of all.
    let mut best = &languages[0];
    for words in &languages[1..] {
        if words.known_tokens(&text.tokens) > best.known_tokens(&text.tokens) {
            best = words;
        }
    }
    best
}
