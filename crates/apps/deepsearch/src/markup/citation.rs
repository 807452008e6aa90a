//! The `[citation:X]` of a writer, where X is the number of a document.

use std::ops::Range;

use graphloom_citations::{Mark, Target, marks, replace_marks};
use graphloom_text::markdown::code;

/// The marker of the document with this number, from 1.
pub fn citation(number: usize) -> String {
    format!("[citation:{number}]")
}

/// The numbers that a text cites, in their order, as `[citation:X]` with any spaces.
pub fn cited(text: &str) -> Vec<usize> {
    marks(text).iter().filter_map(digits).filter_map(|digits| digits.parse().ok()).collect()
}

/// The digits of a mark that cites a document; none where the mark is another.
fn digits(mark: &Mark) -> Option<&str> {
    let Target::Source(key) = &mark.target else { return None };
    key.bytes().all(|b| b.is_ascii_digit()).then_some(key)
}

/// The text with each marker of a document replaced by what `instead` gives for its number; `None` takes it away with the
/// spaces before it, as does a number that is too large. All else stays.
pub(crate) fn replace_citations(text: &str, mut instead: impl FnMut(usize) -> Option<String>) -> String {
    replace_marks(text, |mark| match digits(mark) {
        Some(digits) => digits.parse().ok().and_then(&mut instead),
        None => Some(text[mark.range.clone()].to_owned()),
    })
}

/// The text without markers of documents that there are not, and with the others in one spelling; and how many were
/// taken away.
pub(crate) fn only_known(text: &str, documents: usize) -> (String, usize) {
    let mut known = 0;
    let made = replace_citations(text, |number| {
        let is_known = (1..=documents).contains(&number);
        known += usize::from(is_known);
        is_known.then(|| citation(number))
    });
    let all = marks(text).iter().filter(|mark| digits(mark).is_some()).count();
    (made, all - known)
}

/// What looks like a citation of a document and is none that is read: `<citation:1>`, `citation: 1` without brackets, `【1†a】`.
/// Code has none.
pub(crate) fn unread(text: &str) -> Vec<&str> {
    let mut other: Vec<Range<usize>> = marks(text).into_iter().map(|mark| mark.range).collect();
    other.extend(code(text));
    let is_number = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c);
    let named = text.match_indices([':', '：']).filter_map(|(at, colon)| {
        let word = text[..at].trim_end_matches(' ');
        let start = word.len().checked_sub("citation".len())?;
        let is_word = word.get(start..).is_some_and(|word| word.eq_ignore_ascii_case("citation"));
        let behind = &text[at + colon.len()..];
        let blanks = behind.len() - behind.trim_start_matches(' ').len();
        let digits = behind[blanks..].find(|c| !is_number(c)).unwrap_or(behind.len() - blanks);
        (is_word && digits > 0).then(|| start..at + colon.len() + blanks + digits)
    });
    let daggers = text.match_indices('†').filter_map(|(at, _)| {
        let start = text[..at].rfind('【').filter(|start| text[start + '【'.len_utf8()..at].chars().all(is_number))?;
        Some(start..at + text[at..].find('】')? + '】'.len_utf8())
    });
    let found: Vec<Range<usize>> = named.chain(daggers).collect();
    let is_new = |range: &Range<usize>| !other.iter().any(|one| one.start < range.end && range.start < one.end);
    found.into_iter().filter(is_new).map(|range| &text[range]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_looks_like_a_citation_is_found() {
        let text = "a <citation:1> b [citation:2] c `citation:3` d 【4†source】 e Citation： ５ f citation: none";
        assert_eq!(unread(text), ["citation:1", "Citation： ５", "【4†source】"]);
    }
}
