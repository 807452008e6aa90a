//! Which sentences of found passages answer a request.

use std::collections::BTreeSet;

use graphloom_text::Language;

use super::form::{has_form, needs_previous};
use super::pool::{Passage, pool};
use super::quotable::Quotable;
use super::relevance::SentenceInPlace;
use super::request::Request;
use crate::extract::{clean, sentences};
use crate::terms::{query_terms_in, terms_in};

/// What the bearing on a focus adds at most to that on the request.
const FOCUS: f32 = 1.0;
/// So many sentences behind one are quoted with it at most.
const FOLLOWERS: usize = 3;
/// So many sentences are quoted where none bears on the request.
const NEAREST: usize = 2;
/// Sentences are the same when they share so much of their terms.
const ALIKE: f32 = 0.8;

/// A passage that may answer a request.
#[derive(Clone, Copy, Debug)]
pub struct Material<'m> {
    pub(super) id: &'m str,
    pub(super) above: &'m str,
    pub(super) text: &'m str,
}

impl<'m> Material<'m> {
    /// A passage, with its title and the headings above it.
    #[must_use]
    pub fn new(id: &'m str, above: &'m str, text: &'m str) -> Self {
        Self { id, above, text }
    }
}

impl Request {
    /// The sentences of the material that bear on a part of the request, those that fit `focus` first, without those that
    /// `written` already has; each with the sentences behind it that go on with the same. Where none bears on it, the nearest
    /// few, which leave the request unanswered: of the documents that fit it best, else of all that have most of its words.
    #[must_use]
    pub fn quotable<'m>(
        &self,
        focus: &str,
        material: impl IntoIterator<Item = Material<'m>>,
        written: &str,
    ) -> Vec<Quotable> {
        let language = self.language();
        let passages = pool(self.parts(), material, language);
        let mut found =
            self.candidates(focus, &passages, |passage, sentence| self.relevance(sentence, |at| passage.is_about(at)));
        let mut most = usize::MAX;
        if found.is_empty() {
            found = self
                .candidates(focus, &passages, |passage, sentence| self.nearness(sentence, |at| passage.is_about(at)));
            most = NEAREST;
        }
        if found.is_empty() {
            // The documents that fit best have nothing that can be quoted.
            found = self.candidates(focus, &passages, |passage, sentence| {
                self.nearness(sentence, |at| passage.has_most_of(at))
            });
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        // Of the nearest, those that stand in the text count.
        found.truncate(most);
        let mut known: Vec<BTreeSet<String>> =
            sentences(written).into_iter().map(|range| term_set(&written[range], language)).collect();
        let is_known = |known: &[BTreeSet<String>], own: &BTreeSet<String>| {
            known.iter().any(|other| is_near_duplicate(other, own))
        };
        let mut taken: Vec<Quotable> = Vec::new();
        for mut quotable in found {
            let own = term_set(&quotable.text, language);
            if is_known(&known, &own) {
                continue;
            }
            known.push(own);
            // What was said before ends what goes on.
            let new = quotable.followers.iter().take_while(|next| !is_known(&known, &term_set(next, language))).count();
            quotable.followers.truncate(new);
            known.extend(quotable.followers.iter().map(|next| term_set(next, language)));
            taken.push(quotable);
        }
        taken
    }

    /// The sentences that can be quoted and that `judge` gives a score, in the order of the material.
    fn candidates(
        &self,
        focus: &str,
        passages: &[Passage<'_>],
        judge: impl Fn(&Passage<'_>, &SentenceInPlace<'_>) -> Option<f32>,
    ) -> Vec<Quotable> {
        let language = self.language();
        let focus: BTreeSet<String> = query_terms_in(focus, 64, language).into_iter().collect();
        let asked = self.terms();
        let mut found = Vec::new();
        for passage in passages {
            let piece = &passage.material;
            let ranges = sentences(piece.text);
            for (at, range) in ranges.iter().enumerate() {
                let text = clean(&piece.text[range.clone()]);
                if !has_form(&text) || needs_previous(&text) {
                    continue;
                }
                let Some(score) =
                    judge(passage, &SentenceInPlace::new(&text, &passage.above, &passage.around, language))
                else {
                    continue;
                };
                let own = term_set(&text, language);
                let fits =
                    if focus.is_empty() { 0.0 } else { focus.intersection(&own).count() as f32 / focus.len() as f32 };
                let mut quotable = Quotable::new(piece.id, text, score + FOCUS * fits);
                quotable.followers = followers(piece.text, &ranges[at..], &asked, language);
                found.push(quotable);
            }
        }
        found
    }
}

/// The sentences behind the first of `ranges` that go on with it: in its paragraph, one after the other, as long as they can be
/// quoted, and share a word with what is asked or lean on the one before.
fn followers(
    text: &str,
    ranges: &[std::ops::Range<usize>],
    asked: &BTreeSet<String>,
    language: Language,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for pair in ranges.windows(2).take(FOLLOWERS) {
        let next = clean(&text[pair[1].clone()]);
        let parted = text[pair[0].end..pair[1].start].matches('\n').count() > 1;
        let goes_on = needs_previous(&next) || !term_set(&next, language).is_disjoint(asked);
        if parted || !goes_on || !has_form(&next) {
            break;
        }
        found.push(next);
    }
    found
}

pub(super) fn term_set(text: &str, language: Language) -> BTreeSet<String> {
    terms_in(text, language).into_iter().collect()
}

/// Whether two sentences say the same in nearly the same words.
pub(super) fn is_near_duplicate(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let shared = one.intersection(other).count() as f32;
    let all = one.union(other).count() as f32;
    all > 0.0 && shared / all >= ALIKE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(request: &str, material: &[Material<'_>]) -> Vec<String> {
        let found = Request::of(request).quotable("", material.iter().copied(), "");
        found.into_iter().map(|quotable| quotable.text).collect()
    }

    #[test]
    fn a_document_without_a_sentence_leaves_the_nearest_to_others_that_have_most_of_the_words() {
        let request = "How does a durable workflow go on after its process was killed?";
        let best =
            Material::new("server#1", "Durable workflows", "a durable workflow | its process was killed | goes on");
        let other = Material::new("log#1", "The log", "The log of a durable program stays when its process is killed.");
        assert_eq!(texts(request, &[best]), Vec::<String>::new());
        assert_eq!(texts(request, &[best, other]), [other.text]);
        let nearer =
            Material::new("server#2", "Durable workflows", "A durable program outlives that its process is killed.");
        assert_eq!(texts(request, &[best, other, nearer]), [nearer.text], "the document that fits best has one");

        let request = "Which version of pgbouncer should I install?";
        let best = Material::new("notes#1", "Release notes of pgbouncer", "version | to install | pgbouncer");
        let other =
            Material::new("views#1", "Views", "The view lists the versions of extensions that one may install.");
        assert_eq!(texts(request, &[best, other]), Vec::<String>::new());
    }
}
