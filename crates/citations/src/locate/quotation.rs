//! Finding a sentence again, word for word.

use graphloom_text::{Language, fold, is_ideographic};

use super::Span;
use crate::stem::is_stop;
use crate::token::{Kind, tokens};

/// The places where `source` has the words of `quote`, in order, without regard to case, spaces, quotation marks,
/// emphasis and the last full stop.
///
/// A quotation needs at least three words of content, or six ideographs; less is found everywhere. Words are found
/// whole only.
///
/// ```
/// let source = "We say: *The log*\n is written first. Then pages.";
/// let found = graphloom_citations::find_quotation("the log is written first.", source);
/// assert_eq!(found[0].of(source), Some("The log*\n is written first"));
/// ```
#[must_use]
pub fn find_quotation(quote: &str, source: &str) -> Vec<Span> {
    find_quotation_in(quote, source, Language::detect(source))
}

/// The same, where the language of the source is known.
pub(crate) fn find_quotation_in(quote: &str, source: &str, language: Language) -> Vec<Span> {
    let needle = NormalizedText::of(quote);
    let needle = needle.text.trim_matches(|c: char| c == ' ' || is_stop_sign(c));
    if !is_enough(quote, language) || needle.is_empty() {
        return Vec::new();
    }
    let hay = NormalizedText::of(source);
    hay.text
        .match_indices(needle)
        .filter(|(at, found)| {
            is_edge(hay.text[..*at].chars().next_back(), found.chars().next())
                && is_edge(found.chars().next_back(), hay.text[at + found.len()..].chars().next())
        })
        .map(|(at, found)| Span { start: hay.place(at), end: hay.end_of(at + found.len()) })
        .collect()
}

fn is_stop_sign(c: char) -> bool {
    matches!(c, '.' | '。' | '!' | '?' | ';' | ':' | ',' | '…' | '、')
}

fn is_enough(quote: &str, language: Language) -> bool {
    let (mut words, mut ideographs) = (0, 0);
    for token in tokens(quote) {
        match token.kind {
            Kind::Word if !is_stop(&token.folded, language) => words += 1,
            Kind::Number => words += 1,
            Kind::Ideograph => ideographs += 1,
            _ => {}
        }
    }
    words >= 3 || ideographs >= 6 || (words >= 1 && ideographs >= 4)
}

/// Whether two neighbouring characters belong to different words.
fn is_edge(left: Option<char>, right: Option<char>) -> bool {
    let joins = |c: char| (c.is_alphanumeric() && !is_ideographic(c)) || c == '_';
    match (left, right) {
        (Some(left), Some(right)) => {
            !(joins(left) && joins(right)
                // `3` is no quotation of `3.5`, nor `12` of `12%`'s number with decimals.
                || left.is_ascii_digit() && right.is_ascii_digit())
        }
        _ => true,
    }
}

/// A text as it is compared, and for each byte of it where it comes from.
struct NormalizedText {
    text: String,
    /// For each byte of `text`: where the character it belongs to begins in the original, and where it ends.
    places: Vec<(usize, usize)>,
}

impl NormalizedText {
    fn of(original: &str) -> Self {
        let mut made = Self { text: String::with_capacity(original.len()), places: Vec::with_capacity(original.len()) };
        let mut gap: Option<(usize, usize)> = None;
        for (at, c) in original.char_indices() {
            let end = at + c.len_utf8();
            let folded = fold(c);
            // Emphasis, code ticks and quotation marks are how something is shown, not what it says.
            if matches!(folded, '*' | '"' | '\u{200b}' | '\u{ad}') || c == '`' || matches!(c, '「' | '」' | '『' | '』')
            {
                continue;
            }
            if folded == ' ' {
                gap.get_or_insert((at, end));
                continue;
            }
            if let Some((start, stop)) = gap.take() {
                let before = made.text.chars().next_back();
                let glued = before.is_none_or(is_ideographic) || is_ideographic(c);
                if !glued {
                    made.push(' ', start, stop);
                }
            }
            made.push(folded, at, end);
        }
        made
    }

    fn push(&mut self, c: char, start: usize, end: usize) {
        self.text.push(c);
        self.places.extend(std::iter::repeat_n((start, end), c.len_utf8()));
    }

    fn place(&self, at: usize) -> usize {
        self.places.get(at).map_or(0, |&(start, _)| start)
    }

    /// Where in the original the character before byte `at` ends.
    fn end_of(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|last| self.places.get(last)).map_or(0, |&(_, end)| end)
    }
}
