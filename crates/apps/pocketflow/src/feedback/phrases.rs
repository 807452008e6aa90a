//! Phrases of a word list: their notation in the file of the list, and their search in a reply.
//!
//! `(looks/sounds) (very/) good` stands for four phrases. `{it}` stands for any phrase of the set `[= it]` of the same
//! file. A choice that touches letters makes words: `진행(해/하세요)`. A star at the end makes the last word a prefix.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use super::tokens::{Text, Token};

/// Named sets of phrases that may stand in the same place of a phrase.
pub(super) type Sets = BTreeMap<String, Vec<&'static str>>;

/// Phrases, indexed by the words that each may begin with.
#[derive(Debug, Default)]
pub(super) struct List {
    phrases: Vec<Vec<Part>>,
    by_first: BTreeMap<String, Vec<usize>>,
    /// Prefixes such as `убер*` that begin a phrase, each with the index of the phrase.
    stems: Vec<(String, usize)>,
}

/// A part of a phrase.
#[derive(Debug)]
enum Part {
    /// A word, in each spelling.
    Word(Arc<[String]>),
    /// A word with this prefix.
    Stem(String),
    /// One of several phrases; an empty phrase makes the choice optional.
    Choice(Arc<[Vec<Part>]>),
}

impl List {
    /// Adds a phrase in the notation of the files. With `bare`, the phrase also matches without its accents.
    pub(super) fn take(&mut self, written: &str, notation: &mut Notation<'_>, bare: bool) {
        let (written, open) = written.strip_suffix('*').map_or((written, false), |stem| (stem, true));
        let mut phrase = notation.parse(written, bare);
        if open && let Some(Part::Word(words)) = phrase.pop() {
            phrase.push(Part::Stem(words.first().cloned().unwrap_or_default()));
        }
        let mut first = BTreeSet::new();
        let at = self.phrases.len();
        if let Some(Part::Stem(stem)) = phrase.first() {
            self.stems.push((stem.clone(), at));
        }
        firsts(&phrase, &mut first);
        for word in first {
            self.by_first.entry(word).or_default().push(at);
        }
        self.phrases.push(phrase);
    }

    /// The lengths, in tokens, of the phrases that stand at a place.
    pub(super) fn lengths(&self, tokens: &[Token], at: usize) -> BTreeSet<usize> {
        let mut ends = BTreeSet::new();
        let Some(first) = tokens.get(at) else { return ends };
        for phrase in first.forms.iter().filter_map(|form| self.by_first.get(form)).flatten() {
            stands(&self.phrases[*phrase], tokens, at, &mut |end| {
                ends.insert(end);
            });
        }
        for (_, phrase) in self.stems.iter().filter(|(stem, _)| first.lower.starts_with(stem)) {
            stands(&self.phrases[*phrase], tokens, at, &mut |end| {
                ends.insert(end);
            });
        }
        ends.into_iter().map(|end| end - at).filter(|length| *length > 0).collect()
    }

    /// All single words of the phrases.
    pub(super) fn words(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.phrases.iter().for_each(|phrase| words(phrase, &mut found));
        found
    }

    /// Examples of each phrase; together they take every alternative of every choice once.
    #[cfg(test)]
    pub(super) fn phrases(&self) -> impl Iterator<Item = String> {
        let whole = |phrase: &&Vec<Part>| !phrase.iter().any(|part| matches!(part, Part::Stem(_)));
        self.phrases.iter().filter(whole).flat_map(|phrase| (0..most(phrase)).map(|turn| spelt(phrase, turn)))
    }
}

/// Words that were read before, by whether accents may be missing: most occur many times, in many files.
#[derive(Debug, Default)]
pub(super) struct Spellings([HashMap<String, Vec<Arc<[String]>>>; 2]);

/// Reads the phrases of a file.
#[derive(Debug)]
pub(super) struct Notation<'s> {
    sets: Sets,
    spellings: &'s mut Spellings,
    /// Choices that were read before in this file, as they are written, by whether accents may be missing.
    choices: [HashMap<String, Arc<[Vec<Part>]>>; 2],
}

impl<'s> Notation<'s> {
    pub(super) fn new(sets: Sets, spellings: &'s mut Spellings) -> Self {
        Self { sets, spellings, choices: Default::default() }
    }

    /// Parses a phrase.
    fn parse(&mut self, written: &str, bare: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        for unit in cut(written, char::is_whitespace).into_iter().filter(|unit| !unit.is_empty()) {
            if unit.contains(['(', '{']) {
                parts.push(Part::Choice(self.choice(unit, bare)));
            } else {
                parts.extend(self.words(unit, bare).iter().map(|ways| Part::Word(Arc::clone(ways))));
            }
        }
        parts
    }

    /// The phrases of a unit that is a choice: a set, a choice between phrases, or one between letters.
    fn choice(&mut self, unit: &str, bare: bool) -> Arc<[Vec<Part>]> {
        if let Some(read) = self.choices[usize::from(bare)].get(unit) {
            return Arc::clone(read);
        }
        let phrases: Vec<String> = if let Some(name) = unit.strip_prefix('{').and_then(|unit| unit.strip_suffix('}')) {
            self.sets.get(name).into_iter().flatten().map(|phrase| (*phrase).to_owned()).collect()
        } else if unit.starts_with('(') && close(unit) == Some(unit.len() - 1) {
            cut(&unit[1..unit.len() - 1], |c| c == '/').into_iter().map(str::to_owned).collect()
        } else {
            spell(&spread(unit, &self.sets))
        };
        let read: Arc<[Vec<Part>]> = phrases.iter().map(|phrase| self.parse(phrase, bare)).collect();
        self.choices[usize::from(bare)].insert(unit.to_owned(), Arc::clone(&read));
        read
    }

    /// The words of a unit without choices, each in its spellings.
    fn words(&mut self, unit: &str, bare: bool) -> &[Arc<[String]>] {
        let read = &mut self.spellings.0[usize::from(bare)];
        if !read.contains_key(unit) {
            let words = Text::new(unit).tokens.into_iter().map(|token| {
                let mut ways = vec![token.lower];
                if bare {
                    ways.extend(folds(&ways[0]));
                }
                ways.into()
            });
            read.insert(unit.to_owned(), words.collect());
        }
        &read[unit]
    }
}

/// Splits at the characters that `at` selects, except inside parentheses.
fn cut(text: &str, at: impl Fn(char) -> bool) -> Vec<&str> {
    let mut depth = 0_usize;
    let inside = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && at(c)
    };
    text.split(inside).collect()
}

/// The byte at which the first parenthesis closes.
fn close(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// A unit with each name of a set replaced by the choice of the phrases of the set.
fn spread(unit: &str, sets: &Sets) -> String {
    let mut spread = unit.to_owned();
    for (name, phrases) in sets {
        let name = format!("{{{name}}}");
        if spread.contains(&name) {
            spread = spread.replace(&name, &format!("({})", phrases.join("/")));
        }
    }
    spread
}

/// The words that a unit with choices between its letters stands for.
fn spell(unit: &str) -> Vec<String> {
    let Some(open) = unit.find('(') else { return vec![unit.to_owned()] };
    let Some(length) = close(&unit[open..]) else { return Vec::new() };
    let (head, choice, tail) = (&unit[..open], &unit[open + 1..open + length], &unit[open + length + 1..]);
    let choices = cut(choice, |c| c == '/').into_iter().flat_map(spell);
    let tails = spell(tail);
    choices.flat_map(|one| tails.iter().map(move |tail| format!("{head}{one}{tail}")).collect::<Vec<_>>()).collect()
}

/// Calls `ends` with each place at which the phrase can end when it begins at `at`.
fn stands(phrase: &[Part], tokens: &[Token], at: usize, ends: &mut dyn FnMut(usize)) {
    let Some((part, rest)) = phrase.split_first() else { return ends(at) };
    match part {
        Part::Choice(phrases) => {
            for phrase in phrases.iter() {
                stands(phrase, tokens, at, &mut |end| stands(rest, tokens, end, ends));
            }
        }
        Part::Word(ways) => {
            if tokens.get(at).is_some_and(|token| token.forms.iter().any(|form| ways.contains(form))) {
                stands(rest, tokens, at + 1, ends);
            }
        }
        Part::Stem(stem) => {
            if tokens.get(at).is_some_and(|token| token.lower.starts_with(stem.as_str())) {
                stands(rest, tokens, at + 1, ends);
            }
        }
    }
}

/// Collects the words that a phrase may begin with, and returns whether the phrase may be empty.
fn firsts(phrase: &[Part], found: &mut BTreeSet<String>) -> bool {
    for part in phrase {
        match part {
            Part::Word(ways) => {
                found.extend(ways.iter().cloned());
                return false;
            }
            Part::Stem(_) => return false,
            Part::Choice(phrases) => {
                let empty: Vec<bool> = phrases.iter().map(|phrase| firsts(phrase, found)).collect();
                if !empty.contains(&true) {
                    return false;
                }
            }
        }
    }
    true
}

fn words(phrase: &[Part], found: &mut BTreeSet<String>) {
    for part in phrase {
        match part {
            Part::Word(ways) => found.extend(ways.iter().cloned()),
            Part::Stem(_) => {}
            Part::Choice(phrases) => phrases.iter().for_each(|phrase| words(phrase, found)),
        }
    }
}

#[cfg(test)]
fn most(phrase: &[Part]) -> usize {
    let of = |part: &Part| match part {
        Part::Word(ways) => ways.len(),
        Part::Stem(_) => 1,
        Part::Choice(phrases) => phrases.len().max(phrases.iter().map(|phrase| most(phrase)).max().unwrap_or(1)),
    };
    phrase.iter().map(of).max().unwrap_or(1)
}

#[cfg(test)]
fn spelt(phrase: &[Part], turn: usize) -> String {
    let words = phrase.iter().map(|part| match part {
        Part::Word(ways) => ways[turn % ways.len()].clone(),
        Part::Stem(stem) => stem.clone(),
        Part::Choice(phrases) => spelt(&phrases[turn % phrases.len()], turn / phrases.len() + turn),
    });
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The spellings of a word without accents: `fur` and `fuer` for `für`.
fn folds(word: &str) -> Vec<String> {
    let mark = |c: char| ('\u{300}'..='\u{36f}').contains(&c);
    // Of the Cyrillic letters, only `ё` is written without its mark. Korean syllables are not decomposed.
    let strip = |c: char| -> String {
        match c {
            'ё' => "е".to_owned(),
            'ß' => "ss".to_owned(),
            'œ' => "oe".to_owned(),
            c if c < '\u{400}' => std::iter::once(c).nfd().filter(|c| !mark(*c)).collect(),
            c => c.to_string(),
        }
    };
    let stripped: String = word.chars().map(strip).collect();
    let german = word.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue").replace('ß', "ss");
    let mut folded = vec![stripped, german];
    folded.retain(|folded| folded != word);
    folded.dedup();
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(written: &str) -> List {
        let sets =
            Sets::from([("it".to_owned(), vec!["it", "them all"]), ("해".to_owned(), vec!["해(요/)", "하세요"])]);
        let mut list = List::default();
        list.take(written, &mut Notation::new(sets, &mut Spellings::default()), true);
        list
    }

    fn lengths(written: &str, text: &str) -> Vec<usize> {
        list(written).lengths(&Text::new(text).tokens, 0).into_iter().collect()
    }

    #[test]
    fn a_written_phrase_stands_for_several() {
        let written = "(run/search (with/for)/) {it} (now/)";
        assert_eq!(lengths(written, "search with them all now"), [4, 5]);
        assert_eq!(lengths(written, "run it, please"), [2]);
        assert_eq!(lengths(written, "it"), [1]);
        assert!(lengths(written, "search it").is_empty());
        assert_eq!(lengths("진행(해(요/)/하세요)", "진행해요"), [1]);
        assert_eq!(lengths("(진행/시작){해}", "시작해요"), [1]);
        assert_eq!(lengths("für (alle/jeden)", "fuer alle"), [2]);
        assert_eq!(lengths("good mor*", "good morning"), [2]);
    }

    #[test]
    fn words_without_their_accents() {
        assert_eq!(folds("für"), ["fur", "fuer"]);
        assert_eq!(folds("ёлкой"), ["елкой"]);
        assert_eq!(folds("여기"), Vec::<String>::new());
    }

    #[test]
    fn each_choice_is_made_once() {
        let made: Vec<String> = list("(run/search with/) {it}").phrases().collect();
        assert_eq!(made, ["run it", "search with them all", "it"]);
    }
}
