//! Words that were cut at the end of a line: whole again, as the other words of the file say.
//!
//! The library puts a space where a line ended. What then stands before that space is a hyphen of the word (`well-known`), one that was
//! set because the line was full (`marsu-pial`), or one that stands for a part that comes later (`pre- and post-war`).

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use super::{Content, Piece};

/// The hyphens of PDF files. A soft hyphen in one is drawn, so that it says no more than the others.
const HYPHENS: [char; 3] = ['-', '\u{2010}', '\u{ad}'];
/// Words after which something is left out: `pre- and post-war`, `Vor- und Nachteile`, `two- to threefold`.
const JOINING_WORDS: &[&str] = &[
    "and", "or", "to", "nor", "but", "und", "oder", "bis", "bzw", "sowie", "et", "ou", "en", "of", "och", "eller",
    "og", "ja", "tai", "és", "vagy", "oraz", "lub", "ili", "или", "и", "y", "o", "u", "e", "i", "a", "w", "sau",
];
/// First parts that keep their hyphen before a part that the file never has them with.
const FIRST_PARTS: &[&str] = &[
    "self", "well", "ill", "high", "low", "long", "short", "half", "cross", "ex", "two", "three", "four", "five",
    "six", "seven", "eight", "nine", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty",
    "ninety",
];

/// What becomes of a hyphen at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnd {
    /// It was set because the line was full.
    Broken,
    /// It belongs to the word.
    Compound,
    /// The word ends with it.
    Apart,
}

/// How often each word of a file stands in it, in lower case and with the hyphens inside it.
#[derive(Debug, Default)]
pub(super) struct Words {
    counts: HashMap<String, usize>,
}

impl Words {
    /// The words of a file, without those that were cut.
    pub(super) fn of(content: &Content) -> Self {
        let mut words = Self::default();
        for piece in content.pages.iter().flat_map(|page| &page.pieces) {
            let text = normal(text_of(piece));
            for run in text.split_whitespace() {
                let run = run.trim_matches(|c: char| !c.is_alphanumeric() && c != '-').to_lowercase();
                if run.is_empty() || run.ends_with('-') || run.starts_with('-') {
                    continue;
                }
                if run.contains('-') {
                    *words.counts.entry(run.clone()).or_default() += 1;
                }
                for word in run.unicode_words() {
                    *words.counts.entry(word.to_owned()).or_default() += 1;
                }
            }
        }
        words
    }

    fn count(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or_default()
    }

    /// What becomes of the hyphen between two parts, of which the first may have hyphens already.
    fn between(&self, first: &str, second: &str) -> LineEnd {
        let (Some(before), Some(after)) = (first.chars().next_back(), second.chars().next()) else {
            return LineEnd::Apart;
        };
        if !before.is_alphabetic() || !after.is_alphabetic() {
            return LineEnd::Apart;
        }
        let (low_first, low_second) = (first.to_lowercase(), second.to_lowercase());
        let last = low_first.rsplit('-').next().unwrap_or(&low_first);
        let (joined, whole) = (self.count(&format!("{last}{low_second}")), format!("{low_first}-{low_second}"));
        let compound = self.count(&whole).max(self.count(&format!("{last}-{low_second}")));
        if joined > 0 || compound > 0 {
            return if compound >= joined { LineEnd::Compound } else { LineEnd::Broken };
        }
        let shouted = |text: &str| text.chars().count() > 1 && !text.chars().any(char::is_lowercase);
        if JOINING_WORDS.contains(&low_second.as_str()) || second.chars().count() < 2 {
            return LineEnd::Apart;
        }
        // Before a capital letter, behind a word that has a hyphen already, or behind one that hardly stands without.
        let is_name = after.is_uppercase() && !(shouted(first) && shouted(second));
        if is_name || first.contains('-') || FIRST_PARTS.contains(&last) { LineEnd::Compound } else { LineEnd::Broken }
    }

    /// The text `before` another one that goes on with it, on the next page or in the next column.
    pub(super) fn end_before(&self, before: &str, after: &str) -> String {
        let Some(text) = before.strip_suffix(HYPHENS) else { return format!("{before} ") };
        match self.between(last_part(text), first_part(after.trim_start())) {
            LineEnd::Broken => text.to_owned(),
            LineEnd::Compound => format!("{text}-"),
            LineEnd::Apart => format!("{text}- "),
        }
    }

    /// A text in which no word is cut.
    fn mend(&self, text: &str) -> String {
        let text = normal(text);
        let mut mended = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find("- ") {
            let (before, after) = (&rest[..at], rest[at + 2..].trim_start_matches(' '));
            mended.push_str(before);
            let (first, second) = (last_part(&mended), first_part(after));
            match self.between(first, second) {
                LineEnd::Broken => {}
                LineEnd::Compound => mended.push('-'),
                LineEnd::Apart => mended.push_str("- "),
            }
            rest = after;
        }
        mended.push_str(rest);
        mended
    }

    /// Makes the cut words of a file whole.
    pub(super) fn mend_all(&self, content: &mut Content) {
        for piece in content.pages.iter_mut().flat_map(|page| &mut page.pieces) {
            let (Piece::Heading(_, text) | Piece::Paragraph(text) | Piece::Other(text, _)) = piece;
            *text = self.mend(text);
        }
    }
}

/// The part of a word that a text ends with, with the hyphens inside it.
fn last_part(text: &str) -> &str {
    let part = text.rsplit(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or_default();
    part.trim_start_matches('-')
}

/// The part of a word that a text begins with.
fn first_part(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

fn text_of(piece: &Piece) -> &str {
    let (Piece::Heading(_, text) | Piece::Paragraph(text) | Piece::Other(text, _)) = piece;
    text
}

/// A text with one kind of hyphen inside and at the end of its words.
fn normal(text: &str) -> String {
    let mut letter = false;
    let one = |c: char| {
        let hyphen = letter && HYPHENS.contains(&c);
        letter = c.is_alphanumeric();
        if hyphen { '-' } else { c }
    };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Page;
    use super::*;

    fn mended(texts: &[&str]) -> Vec<String> {
        let pieces = texts.iter().map(|text| Piece::Paragraph((*text).to_owned())).collect();
        let mut content = Content { pages: vec![Page { number: 1, pieces }], ..Content::default() };
        Words::of(&content).mend_all(&mut content);
        content.pages[0].pieces.iter().map(|piece| text_of(piece).to_owned()).collect()
    }

    #[test]
    fn the_words_of_the_file_say_what_a_hyphen_is() {
        for (text, whole) in [
            ("A marsu- pial hops.", "A marsupial hops."),
            ("Ein unterschiedli- ches Maß", "Ein unterschiedliches Maß"),
            ("marsu\u{ad} pial, adip\u{2010} iscing", "marsupial, adipiscing"),
            ("pre- and post-war", "pre- and post-war"),
            ("Vor- und Nachteile, two- to threefold", "Vor- und Nachteile, two- to threefold"),
            ("Jean- Luc sees the INTRO- DUCTION", "Jean-Luc sees the INTRODUCTION"),
            ("state-of-the- art and self- made", "state-of-the-art and self-made"),
            ("pages 10- 12, a - b, x- 1", "pages 10- 12, a - b, x- 1"),
            ("soft\u{ad}ware", "soft-ware"),
            ("- an item - another", "- an item - another"),
        ] {
            assert_eq!(mended(&[text]), [whole], "{text}");
        }
        // The same cut, and another word elsewhere.
        assert_eq!(mended(&["the river- bank", "one river-bank"])[0], "the river-bank");
        assert_eq!(mended(&["the river- bank", "one riverbank"])[0], "the riverbank");
        assert_eq!(mended(&["It is well- known.", "Well-known words."])[0], "It is well-known.");
    }
}
