//! Links, and numbers in brackets, in a text.

use std::ops::Range;

/// The characters that would end the target of a link early, each with its percent-encoded form.
const ENCODED: [(char, &str); 6] = [('(', "%28"), (')', "%29"), ('<', "%3C"), ('>', "%3E"), ('[', "%5B"), (']', "%5D")];

/// An address as the target of a Markdown link. Characters that would end the link early are percent-encoded.
///
/// ```
/// assert_eq!(graphloom_text::link_target("https://a.example/x_(y)"), "https://a.example/x_%28y%29");
/// ```
#[must_use]
pub fn link_target(address: &str) -> String {
    let mut safe = String::with_capacity(address.len());
    for c in address.chars() {
        match ENCODED.iter().find(|(sign, _)| *sign == c) {
            Some((_, written)) => safe.push_str(written),
            None if c.is_whitespace() || c.is_control() => safe.push_str("%20"),
            None => safe.push(c),
        }
    }
    safe
}

/// Decodes a [`link_target`] that was made from the path of a file and not from an address.
///
/// ```
/// use graphloom_text::{link_target, target_path};
///
/// assert_eq!(target_path(&link_target("docs/b c (1).md")), "docs/b c (1).md");
/// ```
#[must_use]
pub fn target_path(target: &str) -> String {
    let plain = target.replace("%20", " ");
    ENCODED.iter().fold(plain, |path, (sign, written)| path.replace(written, &sign.to_string()))
}

/// A title as the words of a link: on one line, with round brackets in place of square ones.
///
/// ```
/// assert_eq!(graphloom_text::link_words(" A [new]\nlog "), "A (new) log");
/// ```
#[must_use]
pub fn link_words(title: &str) -> String {
    let plain = title.chars().map(|c| match c {
        '[' => '(',
        ']' => ')',
        c if c.is_control() => ' ',
        c => c,
    });
    plain.collect::<String>().trim().to_owned()
}

/// The length of a link's target with its round brackets, in bytes, at the beginning of a text; `None` when the target
/// does not end on its line.
///
/// ```
/// use graphloom_text::target_length;
///
/// assert_eq!(target_length("(https://a.example/x_(y)) is"), Some("(https://a.example/x_(y))".len()));
/// assert_eq!(target_length("(open"), None);
/// assert_eq!(target_length("no bracket"), None);
/// ```
#[must_use]
pub fn target_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at + 1),
            ')' => depth = depth.checked_sub(1)?,
            '\n' => return None,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Numbers in square brackets, by which a text cites its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BracketedNumbers {
    /// The bytes with the brackets.
    pub range: Range<usize>,
    /// The numbers in their order. A range gives each of its numbers.
    pub numbers: Vec<u64>,
}

/// The widest range that gives each of its numbers. A wider range is no list of sources and gives its two ends.
const WIDEST: u64 = 50;

/// The numbers in square brackets of a text: `[12]`, `[1, 2]`, `[3-5]`.
///
/// ```
/// use graphloom_text::bracketed_numbers;
///
/// let text = "As said [1, 2] and [x], [ ] too [3-5].";
/// let found: Vec<(&str, Vec<u64>)> =
///     bracketed_numbers(text).map(|found| (&text[found.range], found.numbers)).collect();
/// assert_eq!(found, [("[1, 2]", vec![1, 2]), ("[3-5]", vec![3, 4, 5])]);
/// ```
pub fn bracketed_numbers(text: &str) -> impl Iterator<Item = BracketedNumbers> {
    text.match_indices('[').filter_map(|(start, _)| {
        let inner = &text[start + 1..];
        let length = inner.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | ';' | ' ' | '-' | '–')))?;
        let numbers: Vec<u64> = inner[..length].split([',', ';']).flat_map(numbers).collect();
        let is_closed = inner[length..].starts_with(']');
        (is_closed && !numbers.is_empty()).then(|| BracketedNumbers { range: start..start + length + 2, numbers })
    })
}

/// The numbers of one piece: `3` or `3-5`.
fn numbers(piece: &str) -> Vec<u64> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match piece.split_once(['-', '–']) {
        None => number(piece).into_iter().collect(),
        Some((first, last)) => match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last && last - first <= WIDEST => (first..=last).collect(),
            (Some(first), Some(last)) => vec![first, last],
            _ => Vec::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_brackets_are_read_one_by_one() {
        for (text, expected) in [
            ("[1]", vec![1]),
            ("[1, 2; 3]", vec![1, 2, 3]),
            ("[3–5]", vec![3, 4, 5]),
            ("[1900-2000]", vec![1900, 2000]),
            ("[-3]", vec![]),
            ("[1", vec![]),
            ("[ ]", vec![]),
            ("[99999999999999999999]", vec![]),
        ] {
            let found: Vec<u64> = bracketed_numbers(text).flat_map(|found| found.numbers).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
