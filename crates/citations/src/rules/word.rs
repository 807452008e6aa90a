//! Another word where the sentence is otherwise the same.

use crate::segment::{Language, sentences_in};
use crate::stem::{is_stop, stem};
use crate::token::{Kind, Token, tokens};

/// The word of `claim` in whose place a sentence of `passage` has another one, and that one.
///
/// A word stands in the place of another when the words before and behind it are the same, and each of the two is in one
/// of the sentences only. Which of them means the same, and which the opposite, is for a judge to say.
pub(super) fn replaced(claim: &str, passage: &str) -> Option<(String, String)> {
    let mine = Words::of(claim);
    sentences_in(passage, Language::detect(passage)).into_iter().find_map(|range| {
        let theirs = Words::of(&passage[range]);
        (1..mine.stems.len().saturating_sub(1)).find_map(|at| {
            if !mine.says(at) || theirs.has(&mine.stems[at]) {
                return None;
            }
            let place = (1..theirs.stems.len().saturating_sub(1)).find(|&place| {
                theirs.says(place)
                    && !mine.has(&theirs.stems[place])
                    && mine.stems[at - 1] == theirs.stems[place - 1]
                    && mine.stems[at + 1] == theirs.stems[place + 1]
                    && mine.is_edge_alike(at, &theirs, place)
            })?;
            Some((mine.stems[at].clone(), theirs.stems[place].clone()))
        })
    })
}

/// The stems of a sentence with an empty one at both ends.
struct Words {
    stems: Vec<String>,
    small: Vec<bool>,
}

impl Words {
    fn of(text: &str) -> Self {
        let all = tokens(text);
        let words: Vec<&Token> = all.iter().filter(|token| token.kind != Kind::Sign).collect();
        let mut stems = vec![String::new()];
        stems.extend(words.iter().map(|token| stem(&token.folded)));
        stems.push(String::new());
        let mut small = vec![true];
        small.extend(words.iter().map(|token| token.kind != Kind::Word || is_stop(&token.folded)));
        small.push(true);
        Self { stems, small }
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
