//! Another word where the sentence is otherwise the same.

use graphloom_text::Language;

use crate::segment::sentences_in;
use crate::stem::{is_stop, stem};
use crate::token::{Kind, Token, tokens};

/// From how many words on a sentence with one other word is another sentence by intent.
const LEAST_WORDS: usize = 5;
/// Words that stand for one another without another sense.
const ARTICLES: &[&str] = &["a", "an", "the", "this", "that", "its", "their", "his", "her"];

/// The word of `claim` in whose place a sentence of `passage` has another one, and that one.
///
/// A word stands in the place of another when the words before and behind it are the same, and each of the two is in one
/// of the sentences only. Which of them means the same, and which the opposite, is for a judge to say.
pub(super) fn replaced(claim: &str, passage: &str, language: Language) -> Option<(String, String)> {
    let mine = Words::of(claim, language);
    let sentences = sentences_in(passage, language);
    let there: Vec<Words> = sentences.into_iter().map(|range| Words::of(&passage[range], language)).collect();
    there
        .iter()
        .find_map(|theirs| mine.one_other(theirs))
        .or_else(|| there.iter().find_map(|theirs| mine.replacement(theirs)))
}

/// The stems of a sentence with an empty one at both ends.
struct Words {
    stems: Vec<String>,
    small: Vec<bool>,
    language: Language,
}

impl Words {
    fn of(text: &str, language: Language) -> Self {
        let all = tokens(text);
        let words: Vec<&Token> = all.iter().filter(|token| token.kind != Kind::Sign).collect();
        let mut stems = vec![String::new()];
        stems.extend(words.iter().map(|token| stem(&token.folded, language)));
        stems.push(String::new());
        let mut small = vec![true];
        small.extend(words.iter().map(|token| token.kind != Kind::Word || is_stop(&token.folded, language)));
        small.push(true);
        Self { stems, small, language }
    }

    /// The only word in which the claim is another text than a part of a sentence that is as long.
    ///
    /// Here small words count, as `after` for `before`, and words that stand elsewhere in the sentence, too.
    fn one_other(&self, theirs: &Self) -> Option<(String, String)> {
        let mine = self.inner();
        if mine.len() < LEAST_WORDS {
            return None;
        }
        theirs.inner().windows(mine.len()).find_map(|part| {
            let mut differing = mine.iter().zip(part).enumerate().filter(|(_, (one, other))| one != other);
            let (at, (one, other)) = differing.next().filter(|_| differing.next().is_none())?;
            let word = |stem: &str| stem.starts_with(char::is_alphabetic);
            // `It grew` is `which grew`, `a` is `the`.
            let joins = at == 0 && is_stop(one, self.language) && is_stop(other, self.language)
                || ARTICLES.contains(&one.as_str()) && ARTICLES.contains(&other.as_str());
            (word(one) && word(other) && !joins).then(|| (one.clone(), other.clone()))
        })
    }

    /// A word that stands in the place of another.
    fn replacement(&self, theirs: &Self) -> Option<(String, String)> {
        (1..self.stems.len().saturating_sub(1)).find_map(|at| {
            if !self.says(at) || theirs.has(&self.stems[at]) {
                return None;
            }
            let place = (1..theirs.stems.len().saturating_sub(1)).find(|&place| {
                theirs.says(place)
                    && !self.has(&theirs.stems[place])
                    && self.stems[at - 1] == theirs.stems[place - 1]
                    && self.stems[at + 1] == theirs.stems[place + 1]
                    && self.is_edge_alike(at, theirs, place)
            })?;
            Some((self.stems[at].clone(), theirs.stems[place].clone()))
        })
    }

    /// The stems without the empty ones at the ends.
    fn inner(&self) -> &[String] {
        self.stems.get(1..self.stems.len() - 1).unwrap_or_default()
    }

    fn says(&self, at: usize) -> bool {
        !self.small[at]
    }

    fn has(&self, word: &str) -> bool {
        self.stems.iter().any(|other| other == word)
    }

    /// Two small words alone are the same around many words: one of the two neighbours says something, or the next ones
    /// are the same, too.
    fn is_edge_alike(&self, at: usize, theirs: &Self, place: usize) -> bool {
        let further = |mine: Option<usize>, other: Option<usize>| match (mine, other) {
            (Some(mine), Some(other)) => self.stems.get(mine).is_some_and(|one| theirs.stems.get(other) == Some(one)),
            _ => false,
        };
        self.says(at - 1)
            || self.says(at + 1)
            || further(at.checked_sub(2), place.checked_sub(2))
            || further(Some(at + 2), Some(place + 2))
    }
}
