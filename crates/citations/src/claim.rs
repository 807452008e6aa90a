//! The sentences of a text that say something, and the marks they carry.

use std::ops::Range;

use graphloom_text::Language;
use graphloom_text::markdown::code;
use graphloom_text::sentence::{BlockKind, blocks, extents, trimmed};

use crate::mark::{Mark, marks, without_marks};
use crate::segment::masked;
use crate::token::{Kind, tokens};

/// One sentence, item or row of a table that can be true or false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The bytes of the sentence with its marks.
    pub range: Range<usize>,
    /// The sentence without its marks, the sign of a list item and the bars of a table.
    pub text: String,
    /// The citation marks in and directly behind the sentence; their ranges are those of the whole text.
    pub marks: Vec<Mark>,
}

/// The claims of a Markdown text, in order. Headings, code, and what has no words are none.
///
/// ```
/// use graphloom_citations::claims;
///
/// let found = claims("# Locks\n\n- SQLite locks the file.[citation:1] Others lock rows [citation:2].\n");
/// assert_eq!(found[0].text, "SQLite locks the file.");
/// assert_eq!(found[1].text, "Others lock rows.");
/// assert_eq!((found[0].marks.len(), found[1].marks.len()), (1, 1));
/// ```
#[must_use]
pub fn claims(text: &str) -> Vec<Claim> {
    claims_in(text, Language::detect(text))
}

/// As [`claims`], by the rules of `language`.
#[must_use]
pub fn claims_in(text: &str, language: Language) -> Vec<Claim> {
    let masked = masked(text);
    let all = marks(text);
    let code = code(text);
    let mut found = Vec::new();
    for block in blocks(text) {
        let ranges = match block.kind {
            BlockKind::Prose => extents(&masked, &block, language),
            BlockKind::Row => vec![block.range],
            BlockKind::Heading | BlockKind::Code => continue,
        };
        for range in ranges.into_iter().filter_map(|range| trimmed(text, range)) {
            // A block of code in a quotation or an item.
            if code.iter().any(|code| code.start <= range.start && range.end <= code.end) {
                continue;
            }
            let marks: Vec<Mark> = all.iter().filter(|mark| range.contains(&mark.range.start)).cloned().collect();
            let words = readable(&without_marks(&text[range.clone()]));
            let says = tokens(&words).iter().any(|token| matches!(token.kind, Kind::Word | Kind::Ideograph));
            if says {
                found.push(Claim { range, text: words, marks });
            }
        }
    }
    found
}

/// A sentence without the marks of Markdown at its beginning, and without the bars of a row.
fn readable(sentence: &str) -> String {
    let body = sentence.trim();
    if let Some(row) = body.strip_prefix('|') {
        let cells = row.trim_end_matches('|').split('|').map(str::trim).filter(|cell| !cell.is_empty());
        return cells.collect::<Vec<_>>().join(" | ");
    }
    let mut body = body;
    loop {
        let rest = body.trim_start_matches('>').trim_start();
        let marker = rest.split_whitespace().next().unwrap_or_default();
        let numbered = marker.strip_suffix(['.', ')']).is_some_and(|digits| {
            !digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit())
        });
        let item = (numbered || matches!(marker, "-" | "*" | "+" | "•" | "–")) && marker.len() < rest.len();
        let rest = if item { rest[marker.len()..].trim_start() } else { rest };
        if rest.len() == body.len() {
            break;
        }
        body = rest;
    }
    body.split_whitespace().collect::<Vec<_>>().join(" ")
}
