//! Where sentences begin and end.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations after which a sentence goes on.
const OPEN_ABBREVIATIONS: &[&str] = &[
    "al", "approx", "ca", "cf", "ch", "col", "dr", "e.g", "ed", "eds", "eq", "eqs", "fig", "figs", "gen", "i.e", "jr",
    "mr", "mrs", "ms", "no", "nos", "nr", "op", "p", "par", "pp", "prof", "ref", "refs", "resp", "rev", "sec", "sect",
    "sr", "st", "tab", "viz", "vol", "vols", "vs", "z.b",
];

/// Abbreviations after which a sentence goes on unless a capital letter follows.
const AMBIGUOUS_ABBREVIATIONS: &[&str] =
    &["a.m", "co", "corp", "dept", "est", "etc", "inc", "ltd", "p.m", "u.k", "u.s", "usw"];

/// Words after which a single capital letter is no initial of a name.
const LABELS: &[&str] = &[
    "appendix", "case", "class", "figure", "grade", "group", "in", "language", "level", "option", "part", "phase",
    "plan", "section", "step", "table", "type", "vitamin",
];

/// The sentences of `text` as byte ranges without surrounding white space, in order.
///
/// Boundaries are those of [Unicode Standard Annex 29](https://www.unicode.org/reports/tr29/), corrected for
/// abbreviations, initials and numbered items. A line break ends a sentence only before a blank line, a list item, a
/// table row, a heading, a quotation or indented code, so that hard-wrapped text keeps its sentences.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for block in blocks(text) {
        // Line breaks become spaces of the same length, so offsets stay.
        let line = text[block.clone()].replace(['\n', '\r'], " ");
        let mut open: Option<Range<usize>> = None;
        for (at, piece) in line.split_sentence_bound_indices() {
            let range = open.take().map_or(at, |left| left.start)..at + piece.len();
            if continues(&line[range.clone()], &line[range.end..]) {
                open = Some(range);
            } else {
                push_trimmed(text, block.start + range.start..block.start + range.end, &mut found);
            }
        }
        if let Some(range) = open {
            push_trimmed(text, block.start + range.start..block.start + range.end, &mut found);
        }
    }
    found
}

/// Cuts text at the line breaks that end a sentence whatever stands around them.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > start && begins_block(line) {
            blocks.push(start..at);
            start = at;
        }
        at += line.len();
    }
    blocks.push(start..text.len());
    blocks
}

fn begins_block(line: &str) -> bool {
    let body = line.trim_start();
    if body.is_empty() || line.starts_with("    ") || line.starts_with('\t') {
        return true;
    }
    let marker = body.split_whitespace().next().unwrap_or_default();
    let numbered = marker
        .strip_suffix(['.', ')'])
        .is_some_and(|digits| !digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit()));
    numbered && marker.len() < body.trim_end().len()
        || matches!(marker, "-" | "*" | "+" | "•" | "–")
        || marker.starts_with(['|', '>', '#'])
}

/// Whether the boundary between `left` and `right` is inside a sentence after all.
fn continues(left: &str, right: &str) -> bool {
    let left = left.trim_end();
    let Some(next) = right.trim_start().chars().next() else { return false };
    let Some(body) = left.strip_suffix('.') else { return false };
    let word =
        body.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“')).next().unwrap_or_default();
    let lower = word.to_lowercase();
    let mut letters = word.chars();
    let single = letters.next().filter(|_| letters.next().is_none());
    let alone = word.len() == body.trim_start().len();
    // "J. Gray" goes on, "option B." and "So do I." do not.
    let initial = single.is_some_and(|letter| letter.is_uppercase() && letter != 'I') && !follows_label(body, word);
    // "3. Open the file" is one numbered item.
    let item = alone && !word.is_empty() && word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit());
    // "3.5 ms. Then" has a unit, "Ms. Then" a title.
    let before = body[..body.len() - word.len()].trim_end();
    let unit = before.ends_with(|c: char| c.is_ascii_digit());
    OPEN_ABBREVIATIONS.contains(&lower.as_str()) && !unit && !(lower == "no" && next.is_uppercase())
        || (AMBIGUOUS_ABBREVIATIONS.contains(&lower.as_str()) && !next.is_uppercase())
        || initial
        || item
}

/// Whether a single letter is what the word before it labels.
fn follows_label(body: &str, letter: &str) -> bool {
    let before = body[..body.len() - letter.len()].trim_end();
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    LABELS.contains(&word.to_lowercase().as_str())
}

fn push_trimmed(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    let end = start + piece.trim().len();
    if start < end {
        found.push(start..end);
    }
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
