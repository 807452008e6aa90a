//! The bounds of sentences.

mod abbreviations;
mod begin;
mod blocks;
mod mask;

use std::ops::Range;

pub use blocks::{Block, BlockKind, blocks};
pub use mask::mask;
use unicode_segmentation::UnicodeSegmentation;

use crate::language::Language;

/// The sentences of `text` as byte ranges without surrounding white space, in order.
///
/// As [`sentences_in`], with the language that the text looks like.
///
/// ```
/// use graphloom_text::sentences;
///
/// let text = "Dr. Gray measured 3.5 ms, e.g. in `a.b. C`. It held.";
/// let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["Dr. Gray measured 3.5 ms, e.g. in `a.b. C`.", "It held."]);
/// ```
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    sentences_in(text, Language::detect(text))
}

/// The sentences of `text` by the rules of `language`.
///
/// Boundaries are those of [Unicode Standard Annex 29](https://www.unicode.org/reports/tr29/), corrected for
/// abbreviations, initials, ordinals and numbered items, for sentences that begin with a lower-case letter or an
/// identifier, and in Chinese and Japanese for `；` and for closing quotes and brackets. Markdown is respected: a
/// sentence does not cross headings, items, rows of tables and code, and full stops in inline code, addresses and the
/// targets of links end nothing.
#[must_use]
pub fn sentences_in(text: &str, language: Language) -> Vec<Range<usize>> {
    sentences_hiding(text, language, std::iter::empty())
}

/// As [`sentences_in`], for a text with marks such as citations. A hidden range ends no sentence and belongs to the
/// sentence before it. Hidden ranges begin and end at characters.
#[must_use]
pub fn sentences_hiding(
    text: &str,
    language: Language,
    hidden: impl IntoIterator<Item = Range<usize>>,
) -> Vec<Range<usize>> {
    let masked = mask(text, hidden);
    let mut found = Vec::new();
    for block in blocks(text) {
        if block.kind == BlockKind::Prose {
            found.extend(extents(&masked, &block, language).into_iter().filter_map(|range| trimmed(text, range)));
        } else {
            found.extend(trimmed(text, block.range));
        }
    }
    found
}

/// The sentences of one block of a masked text. A sentence includes the space after it, so that the ranges cover the
/// block.
#[must_use]
pub fn extents(masked: &str, block: &Block, language: Language) -> Vec<Range<usize>> {
    // Line breaks become spaces of the same length, so offsets stay valid.
    let line = masked[block.range.clone()].replace(['\n', '\r'], " ");
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (at, piece) in cut(&line, language) {
        let start = open.take().unwrap_or(at);
        let end = at + piece.len();
        // A piece that is only space, masked marks included, belongs to the sentence before it.
        let blank = line[start..end].trim().is_empty();
        if blank && let Some(last) = found.last_mut() {
            let last: &mut Range<usize> = last;
            last.end = block.range.start + end;
        } else if !blank && !continues(&line[start..end], &line[end..], language) {
            found.push(block.range.start + start..block.range.start + end);
        } else {
            open = Some(start);
        }
    }
    if let Some(start) = open {
        found.push(block.range.start + start..block.range.end);
    }
    found
}

/// Cuts a line at the boundaries of the standard and, by the kind of language, before lower-case letters that begin a
/// sentence or after the marks that end a sentence in Chinese and Japanese.
fn cut(line: &str, language: Language) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    for (at, piece) in line.split_sentence_bound_indices() {
        let mut start = 0;
        if !language.is_unspaced() {
            for begin in begin::small(piece) {
                pieces.push((at + start, &piece[start..begin]));
                start = begin;
            }
            pieces.push((at + start, &piece[start..]));
            continue;
        }
        for (offset, c) in piece.char_indices() {
            let end = offset + c.len_utf8();
            if matches!(c, '；' | '。' | '！' | '？') && end < piece.len() && !piece[end..].starts_with(is_closing)
            {
                pieces.push((at + start, &piece[start..end]));
                start = end;
            }
        }
        pieces.push((at + start, &piece[start..]));
    }
    pieces
}

fn is_closing(c: char) -> bool {
    matches!(c, '」' | '』' | '”' | '’' | '）' | '】' | '》' | '〉' | ')' | '"' | '。' | '！' | '？')
}

/// Whether the boundary between `left` and `right` lies inside a sentence.
fn continues(left: &str, right: &str, language: Language) -> bool {
    let left = left.trim_end();
    let Some(next) = right.trim_start().chars().next() else { return false };
    if language.is_unspaced() {
        // 「…。」と言った: a quotation is part of the sentence that quotes it.
        return open_quotes(left) || (left.ends_with(['」', '』']) && matches!(next, 'と' | '，' | '、'));
    }
    let Some(body) = left.strip_suffix('.') else { return false };
    let word =
        body.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“' | '„')).next().unwrap_or_default();
    let lower = word.to_lowercase();
    let mut letters = word.chars();
    let single = letters.next().filter(|_| letters.next().is_none());
    let alone = word.len() == body.trim_start().len();
    let before = body[..body.len() - word.len()].trim_end();
    let number = !word.is_empty() && word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit());
    // The full stop of "J. Gray" ends no sentence; those of "option B." and "So do I." may.
    let initial = single.is_some_and(|letter| letter.is_uppercase() && letter != 'I')
        && !abbreviations::is_label(&before.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase());
    // "3. Open the file" is one numbered item.
    let item = number && alone;
    // "am 3. Oktober" is a date; "in Version 3. Danach" is not, for a label stands before the number.
    let ordinal = number
        && language == Language::German
        && !before.ends_with(|c: char| c.is_ascii_digit())
        && (next.is_lowercase() || is_german_period(right.trim_start()));
    // "z. B." is written with a space: the single small letter is the first half of an abbreviation.
    let half = single.is_some_and(char::is_lowercase) && language == Language::German;
    // "3.5 ms. Then" has a unit, "Ms. Then" a title.
    let unit = before.ends_with(|c: char| c.is_ascii_digit());
    abbreviations::is_open(&lower, language) && !unit
        || (abbreviations::is_ambiguous(&lower, language) && !next.is_uppercase())
        || initial
        || item
        || ordinal
        || half
}

fn open_quotes(left: &str) -> bool {
    let mut depth = 0_i32;
    for c in left.chars() {
        match c {
            '「' | '『' | '“' | '《' | '（' => depth += 1,
            '」' | '』' | '”' | '》' | '）' => depth -= 1,
            _ => {}
        }
    }
    depth > 0
}

/// Whether a German ordinal goes on with a month, a century or a word that is counted, such as an edition.
fn is_german_period(right: &str) -> bool {
    const AFTER: &[&str] = &[
        "januar",
        "februar",
        "märz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
        "jahrhundert",
        "jh",
        "quartal",
        "auflage",
        "ausgabe",
        "kapitel",
        "platz",
        "lebensjahr",
    ];
    let word = right.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    AFTER.contains(&word.as_str())
}

/// A range without the white space at both ends; `None` when nothing is left.
#[must_use]
pub fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    let end = start + piece.trim().len();
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        for (text, expected) in [
            ("One. Two! Three?", vec!["One.", "Two!", "Three?"]),
            ("Dr. Gray wrote it, e.g. in 1981. It holds.", vec!["Dr. Gray wrote it, e.g. in 1981.", "It holds."]),
            ("See fig. 3 and J. Gray et al. 1992. Done.", vec!["See fig. 3 and J. Gray et al. 1992.", "Done."]),
            ("Jim N. Gray wrote it. Yes.", vec!["Jim N. Gray wrote it.", "Yes."]),
            ("Choose option B. Then go.", vec!["Choose option B.", "Then go."]),
            ("So do I. Then go.", vec!["So do I.", "Then go."]),
            (
                "Files, logs, etc. are kept. Logs etc. Next one.",
                vec!["Files, logs, etc. are kept.", "Logs etc.", "Next one."],
            ),
            ("It costs 3.5 ms. Version 1.2.3 is out.", vec!["It costs 3.5 ms.", "Version 1.2.3 is out."]),
            ("Is it? No. Never.", vec!["Is it?", "No.", "Never."]),
            ("A line that\nwraps here. Next.", vec!["A line that\nwraps here.", "Next."]),
            ("Intro:\n- first item\n- second item\n\nAfter", vec!["Intro:", "- first item", "- second item", "After"]),
            ("1. Open the file. 2. Write.", vec!["1. Open the file.", "2. Write."]),
            ("日本語の文です。次の文です。", vec!["日本語の文です。", "次の文です。"]),
            ("He said \"stop.\" She did.", vec!["He said \"stop.\"", "She did."]),
            ("", vec![]),
            (" \n\n ", vec![]),
        ] {
            let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_visible_character_is_in_exactly_one_sentence(text in "(\\PC|[ .\n\r]|[A-Z]\\. |e\\.g\\. ){0,60}") {
            let mut end = 0;
            for range in sentences(&text) {
                prop_assert!(range.start >= end && range.end > range.start);
                prop_assert!(text[end..range.start].trim().is_empty());
                prop_assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
                end = range.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
