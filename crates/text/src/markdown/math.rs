//! Where a text is mathematics.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};

use super::code::code;
use super::{prefix_of, touches};

/// The bytes of formulas, in order: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`. A formula that stands on lines of its own may have
/// empty ones; one that is never closed ends where the text does.
///
/// ```
/// let text = "$a[1]$ costs 5 $\n\n\\[\ny[2]\n\n\\]\n";
/// let found: Vec<&str> = graphloom_text::markdown::math(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["$a[1]$", "\\[\ny[2]\n\n\\]"]);
/// ```
#[must_use]
pub fn math(text: &str) -> Vec<Range<usize>> {
    if !text.contains('$') && !text.contains("\\(") && !text.contains("\\[") {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = displays(text).into_iter().map(|display| display.range).collect();
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH;
    let events = Parser::new_ext(text, options).into_offset_iter();
    found.extend(
        events
            .filter(|(event, _)| matches!(event, Event::InlineMath(_) | Event::DisplayMath(_)))
            .map(|(_, range)| range),
    );
    found.extend(inline(text));
    found.sort_by_key(|range| range.start);
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// `\(…\)` within a line.
fn inline(text: &str) -> Vec<Range<usize>> {
    let code = code(text);
    let opened = text.match_indices("\\(").map(|(at, _)| at).filter(|at| !is_escaped(text, *at));
    let ranges = opened.filter_map(|at| {
        let line = text[at..].split('\n').next()?;
        Some(at..at + line.find("\\)")? + 2)
    });
    ranges.filter(|range| !touches(range, &code)).collect()
}

/// Whether an odd number of backslashes stands before a place.
fn is_escaped(text: &str, at: usize) -> bool {
    text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// A formula that begins on a line of its own.
pub(super) struct Display {
    pub(super) range: Range<usize>,
    /// What is missing at its end, line by line, when it is not closed.
    pub(super) missing: Option<Vec<String>>,
    /// What stands before it on its line, as a line of the same block begins.
    pub(super) prefix: String,
}

/// The formulas that begin on lines of their own, outside of code.
pub(super) fn displays(text: &str) -> Vec<Display> {
    if !text.contains("$$") && !text.contains("\\[") {
        return Vec::new();
    }
    let code = code(text);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((at, close)) = opening(text, from, &code) {
        let body = at + 2;
        let end = closing(text, body, close);
        let missing = end.is_none().then(|| {
            let mut lines = open_environments(&text[body..]);
            lines.push(close.to_owned());
            lines
        });
        from = end.map_or(text.len(), |end| end + 2);
        found.push(Display { range: at..from, missing, prefix: prefix_of(text, at) });
    }
    found
}

/// The next formula that begins a line, and the sign that ends it.
fn opening(text: &str, from: usize, code: &[Range<usize>]) -> Option<(usize, &'static str)> {
    let mut at = from;
    // What stands behind the end of another formula begins no line.
    if from > 0 && !text[..from].ends_with('\n') {
        at = from + text[from..].find('\n')? + 1;
    }
    while at < text.len() {
        let line = text[at..].split('\n').next().unwrap_or_default();
        let start = at + line.len() - without_containers(line).len();
        let body = &text[start..at + line.len()];
        let close = if body.starts_with("$$") && !body.starts_with("$$$") {
            Some("$$")
        } else if body.starts_with("\\[") && !is_escaped_bracket(&body[2..]) {
            Some("\\]")
        } else {
            None
        };
        if let Some(close) = close.filter(|_| !touches(&(start..start + 2), code)) {
            return Some((start, close));
        }
        at += line.len() + 1;
    }
    None
}

/// Whether a `\[` with this behind it on its line is a bracket that begins no link: a bare `]` ends it.
fn is_escaped_bracket(rest: &str) -> bool {
    let mut depth = 0_usize;
    let mut before = ' ';
    for c in rest.chars() {
        match c {
            '[' if before != '\\' => depth += 1,
            ']' if before == '\\' => return false,
            ']' if depth == 0 => return true,
            ']' => depth -= 1,
            _ => {}
        }
        before = c;
    }
    false
}

/// Where the sign that ends a formula stands.
fn closing(text: &str, from: usize, close: &str) -> Option<usize> {
    let found = text[from..].match_indices(close).map(|(at, _)| from + at);
    found.into_iter().find(|at| !is_escaped(text, *at))
}

/// A line without the signs of quotations and items before its words.
fn without_containers(line: &str) -> &str {
    let mut rest = line;
    loop {
        let body = rest.trim_start_matches([' ', '\t', '>']);
        let digits = body.bytes().take_while(u8::is_ascii_digit).count();
        let marker = match body.as_bytes().get(digits) {
            Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
            Some(b'-' | b'*' | b'+') if digits == 0 => 1,
            _ => return body,
        };
        if !body[marker..].starts_with([' ', '\t']) {
            return body;
        }
        rest = &body[marker..];
    }
}

/// The lines that end the environments which a formula leaves open, the inner ones first.
fn open_environments(formula: &str) -> Vec<String> {
    let mut open: Vec<&str> = Vec::new();
    for (at, _) in formula.match_indices('\\') {
        let rest = &formula[at + 1..];
        let named = |command: &str| rest.strip_prefix(command)?.split_once('}').map(|(name, _)| name);
        if let Some(name) = named("begin{") {
            open.push(name);
        } else if let Some(name) = named("end{")
            && let Some(at) = open.iter().rposition(|one| *one == name)
        {
            open.truncate(at);
        }
    }
    open.iter().rev().map(|name| format!("\\end{{{name}}}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_found_in_all_their_forms() {
        for (text, formulas) in [
            ("a $x[1]$ b \\(y[2]\\) c", vec!["$x[1]$", "\\(y[2]\\)"]),
            ("$$\na\n\nb\n$$\nc", vec!["$$\na\n\nb\n$$"]),
            ("- $$\n  a", vec!["$$\n  a"]),
            ("\\[1] Smith", vec![]),
            ("\\[ a_{[1]} \\] b", vec!["\\[ a_{[1]} \\]"]),
            ("```\n$$\n```\nx", vec![]),
            ("It costs $5, and $$ is money.", vec![]),
            ("$$$ restaurants", vec![]),
        ] {
            let found: Vec<&str> = math(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, formulas, "{text:?}");
        }
    }
}
