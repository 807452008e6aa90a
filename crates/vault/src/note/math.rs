//! Mathematics between `$` or `$$`, told from amounts of money.
//!
//! A `$` begins a formula before anything but a space and after anything but a letter or digit; it ends one after anything
//! but a space and before anything but a digit. Between two such `$` there may still be a link between amounts, as in
//! `$10/[[Note]]/6$`. So where a link stands between them, the text decides: LaTeX, or no word at all, is mathematics; prose
//! and amounts are not.

use std::ops::Range;

use super::ranges::{holding, touches};
use super::wikilink::escaped;

/// The end of the mathematics that begins at a `$`, which has to end before `limit`. `links` are the places of all that
/// may be a wikilink.
pub(super) fn math_end(text: &str, start: usize, limit: usize, links: &[Range<usize>]) -> Option<usize> {
    let run = dollars(text, start, limit);
    let inside = start + run;
    let is_amount = || text[..start].ends_with(|c: char| c.is_ascii_alphanumeric());
    let close = match run {
        1 if !is_amount() && !text[inside..limit].starts_with(char::is_whitespace) => {
            closing(text, inside, limit, links, 1)
                .filter(|close| !text[..*close].ends_with(char::is_whitespace))
                .filter(|close| !text[close + 1..].starts_with(|c: char| c.is_ascii_digit()))?
        }
        2 => closing(text, inside, limit, links, 2)?,
        _ => return None,
    };
    let is_math =
        inside < close && (!holds_link(text, inside..close, links) || reads_as_math(text, start, close, links, run));
    is_math.then_some(close + run)
}

/// The end of a block of mathematics: `$$` alone on a row, and at the end of a later row.
pub(super) fn math_block_end(text: &str, start: usize, code: &[Range<usize>]) -> Option<usize> {
    let rest = &text[start + 2..];
    if !rest.split('\n').next().unwrap_or_default().trim().is_empty() {
        return None;
    }
    let close = start + 2 + rest.find("$$")?;
    let end = close + 2;
    let ends_row = text[end..].split('\n').next().unwrap_or_default().trim().is_empty();
    let links = super::wikilink::brackets(text, start + 2..close);
    let is_math = ends_row && !touches(code, &(close..end)) && reads_as_math(text, start, close, &links, 2);
    is_math.then_some(end)
}

/// How many `$` stand at a byte.
pub(super) fn dollars(text: &str, at: usize, limit: usize) -> usize {
    text.as_bytes()[at..limit].iter().take_while(|byte| **byte == b'$').count()
}

/// The next `$` that is neither escaped nor inside a wikilink; for `$$` the next pair.
fn closing(text: &str, from: usize, limit: usize, links: &[Range<usize>], run: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let here = at + text[at..limit].find('$')?;
        let count = dollars(text, here, limit);
        if let Some(link) = holding(links, &(here..here + 1)).filter(|link| link.start >= from) {
            at = link.end.min(limit);
        } else if escaped(text, here) {
            at = here + 1;
        } else if run == 1 || count == run {
            return Some(here);
        } else {
            at = here + count;
        }
    }
}

fn holds_link(text: &str, inside: Range<usize>, links: &[Range<usize>]) -> bool {
    touches(links, &inside) || text[inside].contains("](")
}

/// Whether what stands between two signs, with a link in it, is mathematics.
fn reads_as_math(text: &str, start: usize, close: usize, links: &[Range<usize>], run: usize) -> bool {
    let inside = start + run..close;
    let mut content = String::new();
    let mut at = inside.start;
    while let Some(link) = holding(links, &(at..inside.end)).filter(|link| link.start >= at) {
        content.push_str(&text[at..link.start]);
        content.push(' ');
        at = link.end.min(inside.end);
    }
    content.push_str(&text[at..inside.end]);
    let content = content.as_str();

    let command =
        content.match_indices('\\').any(|(at, _)| content[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic()));
    if command || content.contains(['^', '{', '}']) {
        return true;
    }
    if run == 1 {
        let after = &text[close + 1..];
        if after.starts_with(|c: char| c.is_ascii_alphabetic()) || after.starts_with("[[") {
            return false;
        }
        let is_amount = text[inside.start..].starts_with(|c: char| c.is_ascii_digit());
        if is_amount && (ends_with_amount(content) || !content.contains(OPERATORS)) {
            return false;
        }
    }
    content.contains('_') || !has_word(content)
}

/// What joins the terms of a formula and does not also separate amounts.
const OPERATORS: &[char] = &['+', '=', '<', '>', '*', '·', '×', '÷', '±', '≤', '≥', '≠', '≈', '∈'];

/// Whether the last word is a number, with or without a unit.
fn ends_with_amount(content: &str) -> bool {
    let last = content.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | ','))).next().unwrap_or_default();
    last.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether two letters stand side by side, or one of a script that is written without spaces.
fn has_word(content: &str) -> bool {
    let mut before = false;
    for c in content.chars() {
        let letter = c.is_alphabetic();
        if letter && (before || c >= '\u{2e80}') {
            return true;
        }
        before = letter;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::wikilink::brackets;

    /// What of a text is mathematics, from its first `$` on.
    fn math(text: &str) -> Option<&str> {
        let start = text.find('$').unwrap();
        let links = brackets(text, 0..text.len());
        math_end(text, start, text.len(), &links).map(|end| &text[start..end])
    }

    #[test]
    fn formulas_are_mathematics() {
        for text in [
            "$x$",
            "$[[a]]$",
            "$\\text{[[a]]}$",
            "$x_{[[a]]}$",
            "$[[1,2],[3,4]]$",
            "$A = [[1,2],[3,4]]$",
            "$$[[a]]$$",
            "$$ [[1, 2], [3, 4]] $$",
            "$2x + [[a]]$",
            "$a \\$ b$",
            "$2\\cdot[[a]]^2$",
            "$$\n\\text{[[a]]}\n$$",
        ] {
            assert_eq!(math(text), Some(text), "{text}");
        }
        assert_eq!(math("$x$ and $y$"), Some("$x$"));
    }

    #[test]
    fn amounts_of_money_and_prose_are_none() {
        for text in [
            "US$10 for [[a]] to US$20",
            "A$5-[[a]]-A$6",
            "$10/[[a]]/$20",
            "$3 | ![[a]] | 4$",
            "$5 [[a]] $6",
            "5$-[[a]]-6$",
            "$5k–[[a]]–6k$",
            "$HOME/[[a]]/$USER",
            "$[[a]]-$[[b]]",
            "US$/[[a]]/US$",
            "$5の[[a]]は6円$",
            "$ [[a]]$",
            "$[a link](b.md)$",
            "$5 ([[a]])$",
            "$5 [[a|x$y]]",
            "$$$ [[a]] $$$",
            "$$ and [[a]] or $$",
        ] {
            assert_eq!(math(text), None, "{text}");
        }
    }
}
