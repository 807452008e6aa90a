//! What a request is about, and whether a note is about it: by title, tags or a phrase, not by words that it happens to hold.

use std::collections::BTreeSet;

use graphloom_retrieval::extract::terms;
use graphloom_vault::Note;

use crate::assess::words;

/// Words that ask for every note there is.
const ALL: &[&str] =
    &["all", "every", "each", "entire", "whole", "everything", "comprehensive", "complete", "alle", "toutes", "todas"];
const ALL_JA: &[&str] = &["すべて", "全て", "全部", "あらゆる", "包括的", "各"];

/// Whether a request is about all notes of its subject, so that the best of them are not enough.
pub fn wants_all(request: &str) -> bool {
    words(request).iter().any(|word| ALL.contains(&word.as_str())) || ALL_JA.iter().any(|word| request.contains(word))
}

/// The subject of a request: its phrases, each the terms of keywords that stand beside each other in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    phrases: Vec<Vec<String>>,
}

impl Subject {
    /// The subject of a request with these keywords. "error handling and logging" has two phrases.
    pub fn of(request: &str, keywords: &[String]) -> Self {
        let wanted: BTreeSet<String> = keywords.iter().flat_map(|word| terms(word)).collect();
        let mut phrases: Vec<Vec<String>> = vec![Vec::new()];
        for term in terms(request) {
            match phrases.last_mut() {
                Some(phrase) if wanted.contains(&term) => phrase.push(term),
                _ => phrases.push(Vec::new()),
            }
        }
        phrases.retain(|phrase| !phrase.is_empty());
        if phrases.is_empty() {
            phrases = keywords.iter().map(|word| terms(word)).filter(|phrase| !phrase.is_empty()).collect();
        }
        Self { phrases }
    }

    /// Whether the request names no subject, as in "all my notes".
    pub fn is_everything(&self) -> bool {
        self.phrases.is_empty()
    }

    /// Whether a note is about the subject: it has one of the phrases; or all of its terms in its title, tags and folder;
    /// or all of them in any place and one of them there.
    pub fn fits(&self, note: &Note) -> bool {
        let named = format!("{} {} {}", note.path().stem(), note.title(), note.tag_names().join(" "));
        let named: BTreeSet<String> = terms(&named).into_iter().collect();
        let text = terms(&format!("{}\n{}\n{}", note.title(), note.tag_names().join("\n"), note.body()));
        let held: BTreeSet<&String> = text.iter().collect();
        self.phrases.iter().any(|phrase| {
            let everywhere = phrase.iter().all(|term| named.contains(term) || held.contains(term));
            let in_name = phrase.iter().any(|term| named.contains(term));
            (everywhere && in_name) || text.windows(needed(phrase)).any(|window| contains(phrase, window))
        })
    }
}

/// How many terms of a phrase must stand one after the other: all, of long ones in spaced scripts two.
fn needed(phrase: &[String]) -> usize {
    let is_spaced = phrase.iter().all(|term| term.is_ascii());
    if is_spaced { phrase.len().min(2) } else { phrase.len() }
}

fn contains(phrase: &[String], window: &[String]) -> bool {
    phrase.windows(window.len()).any(|part| part == window)
}

#[cfg(test)]
mod tests {
    use graphloom_vault::NotePath;

    use super::*;
    use crate::analyze::keywords;

    fn note(path: &str, text: &str) -> Note {
        Note::parse(NotePath::parse(path).unwrap(), text)
    }

    #[test]
    fn a_note_is_about_a_subject_by_its_name_or_a_phrase_and_not_by_accident() {
        for (request, path, text, expected) in [
            ("Organize all my machine learning notes", "a.md", "On machine-learning models.", true),
            ("Organize all my machine learning notes", "a.md", "---\ntags: [machine-learning]\n---\nx", true),
            ("Organize all my machine learning notes", "a.md", "Use Time Machine. See the learning center.", false),
            ("Organize all my machine learning notes", "Learning.md", "Which machine?", true),
            ("Organize all my cooking recipes", "Cooking/Bread recipe.md", "Flour.", true),
            ("Organize all my tide notes", "a.md", "Tides are moved by the moon.", true),
            ("Organize all my AI notes", "a.md", "Maintain the air.", false),
            ("Organize my error handling and logging notes", "Logging.md", "Levels.", true),
            ("Organize my error handling and logging notes", "a.md", "An error. The handling.", false),
            ("Organize my ancient rome trade notes", "a.md", "Ancient Rome had roads.", true),
            ("機械学習のノートをすべて整理して", "a.md", "これは機械学習の基本です。", true),
            ("機械学習のノートをすべて整理して", "a.md", "機械を洗う。学習する。", false),
        ] {
            let subject = Subject::of(request, &keywords(request));
            assert_eq!(subject.fits(&note(path, text)), expected, "{request}: {path} {text}: {subject:?}");
        }
        assert!(Subject::of("Update all the notes", &keywords("Update all the notes")).is_everything());
    }

    #[test]
    fn all_is_said_in_whole_words() {
        for (request, expected) in [
            ("Organize all my notes", true),
            ("Create a comprehensive index of tides", true),
            ("機械学習のノートをすべて整理して", true),
            ("Install the small ball note", false),
            ("Organize my notes", false),
        ] {
            assert_eq!(wants_all(request), expected, "{request}");
        }
    }
}
