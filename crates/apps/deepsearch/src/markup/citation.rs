//! The `[citation:X]` of a writer, where X is the number of a document.

use graphloom_citations::{Mark, Target, marks, replace_marks};

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
