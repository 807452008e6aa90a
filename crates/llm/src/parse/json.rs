//! Finding JSON amid other text.

use std::ops::Range;

use serde_json::Value;

use super::MAX_BYTES;
use crate::thoughts::separate;

/// The kind of value to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An object, `{…}`.
    Object,
    /// An array, `[…]`.
    Array,
}

/// What [`scan`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Every complete, balanced value that is not inside another one, in order.
    pub complete: Vec<Range<usize>>,
    /// The start of a value that never ends. Nothing after it is in `complete`.
    pub open: Option<usize>,
}

impl Shape {
    fn opening(self) -> u8 {
        match self {
            Self::Object => b'{',
            Self::Array => b'[',
        }
    }

    /// The closing bracket.
    pub(super) fn closing(self) -> char {
        match self {
            Self::Object => '}',
            Self::Array => ']',
        }
    }

    /// The kind of value that `c` closes.
    pub(super) fn closed_by(c: char) -> Option<Self> {
        match c {
            '}' => Some(Self::Object),
            ']' => Some(Self::Array),
            _ => None,
        }
    }
}

/// Removes a byte order mark and the thoughts that [`separate`] finds.
///
/// Thoughts that nothing closes stay, since the answer may be in them. The text of a
/// [`ChatResponse`](crate::ChatResponse) holds none.
pub fn strip_reasoning(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    let told = separate(text);
    if told.open { text.to_owned() } else { told.answer }
}

/// The contents of fenced code blocks that are marked `json` or not marked, in order, as byte ranges.
pub fn fences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(mark) = line.trim().strip_prefix("```") {
            match open.take() {
                Some((start, wanted)) if mark.is_empty() => {
                    if wanted {
                        found.push(start..at);
                    }
                }
                _ => {
                    let language = mark.trim().to_ascii_lowercase();
                    open = Some((at + line.len(), matches!(language.as_str(), "" | "json" | "json5" | "jsonc")));
                }
            }
        }
        at += line.len();
    }
    if let Some((start, true)) = open {
        found.push(start..text.len());
    }
    found
}

/// Finds the balanced values of `shape` in `text`, in time linear in the text.
pub fn scan(text: &str, shape: Shape) -> Scan {
    let bytes = text.as_bytes();
    let mut found = Scan::default();
    // An opening bracket without an end is skipped when no JSON seems to follow. Each one may cost a pass over the
    // text, and the budget bounds these passes.
    let mut budget = text.len().saturating_mul(8).max(1024);
    let mut at = 0;
    while let Some(offset) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == shape.opening())) {
        let start = at + offset;
        match balanced_end(bytes, start, &mut budget) {
            Some(end) => {
                found.complete.push(start..end);
                at = end;
            }
            None if looks_like_start(bytes, start) || budget == 0 => {
                found.open = Some(start);
                break;
            }
            None => at = start + 1,
        }
    }
    found
}

/// The last complete object in `text` that is not inside another one: the last object of valid JSON that is not empty.
/// When no object is valid JSON, the last balanced one.
///
/// Earlier objects may be quoted input or a draft.
pub fn extract_last_object(text: &str) -> Option<&str> {
    extract_last(text, Shape::Object)
}

/// As [`extract_last_object`], for values of `shape`.
pub fn extract_last(text: &str, shape: Shape) -> Option<&str> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let found = scan(text, shape);
    let strict = found.complete.iter().rev().find(|range| {
        let inner = text.get(range.start + 1..range.end - 1).unwrap_or_default();
        !inner.trim().is_empty() && serde_json::from_str::<Value>(&text[(*range).clone()]).is_ok()
    });
    strict.or(found.complete.last()).and_then(|range| text.get(range.clone()))
}

/// The end of the value that starts at `start`, if it ends.
fn balanced_end(bytes: &[u8], start: usize, budget: &mut usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (index, byte) in bytes.iter().enumerate().skip(start) {
        *budget = budget.checked_sub(1).unwrap_or_default();
        if *budget == 0 {
            return None;
        }
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether the bytes after an opening bracket look like JSON rather than prose.
fn looks_like_start(bytes: &[u8], start: usize) -> bool {
    let next = bytes[start + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(next, Some(b'"' | b'\'' | b'{' | b'['))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_complete_object_wins() {
        let cases = [
            (r#"{"a":1}"#, Some(r#"{"a":1}"#)),
            (r#"Input was {"a":1}. Answer: {"b":2} done."#, Some(r#"{"b":2}"#)),
            (r#"{"a":{"b":{"c":[1,2,{"d":3}]}}} tail"#, Some(r#"{"a":{"b":{"c":[1,2,{"d":3}]}}}"#)),
            (r#"{"text":"a } in { a string"}"#, Some(r#"{"text":"a } in { a string"}"#)),
            (r#"{"text":"escaped \" } quote"} {}"#, Some(r#"{"text":"escaped \" } quote"}"#)),
            (r#"use {name} here: {"a":1}"#, Some(r#"{"a":1}"#)),
            (r#"{"a":1} use {name} here"#, Some(r#"{"a":1}"#)),
            (r#"{'a': 1}"#, Some(r#"{'a': 1}"#)),
            ("a { b : {\"x\":1}", Some("{\"x\":1}")),
            ("no object", None),
            ("", None),
            ("{", None),
            ("}{", None),
        ];
        for (text, expected) in cases {
            assert_eq!(extract_last_object(text), expected, "{text}");
        }
    }

    #[test]
    fn an_inner_object_of_an_unclosed_one_is_not_taken() {
        let found = scan(r#"{"tasks":[{"id":1},{"id":2}"#, Shape::Object);
        assert_eq!(found.complete, Vec::<Range<usize>>::new());
        assert_eq!(found.open, Some(0));
    }

    #[test]
    fn arrays_are_found() {
        assert_eq!(extract_last(r#"queries: ["a", "b"] ok"#, Shape::Array), Some(r#"["a", "b"]"#));
    }

    #[test]
    fn reasoning_goes() {
        let cases = [
            ("<think>x</think>{}", "{}"),
            ("\u{feff}{}", "{}"),
            ("x {\"a\":1} </think>{}", "{}"),
            ("a<think>b</think>c<THINK>d</Think>e", "ace"),
            ("<thinking>long</thinking>y", "y"),
            ("<think>never closed {}", "<think>never closed {}"),
        ];
        for (text, expected) in cases {
            assert_eq!(strip_reasoning(text), expected, "{text}");
        }
    }

    #[test]
    fn fenced_blocks_are_found() {
        let text = "```json\n{\"a\":1}\n```\nand\n```python\nx\n```\n```\n[2]\n```\n";
        let found: Vec<&str> = fences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["{\"a\":1}\n", "[2]\n"]);
        let open = "```json\n{\"a\":1}";
        assert_eq!(&open[fences(open)[0].clone()], "{\"a\":1}");
    }

    #[test]
    fn hostile_text_takes_linear_work() {
        let text = "{ ".repeat(MAX_BYTES / 2);
        assert_eq!(extract_last_object(&text), None);
        let nested = format!("{}{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert!(extract_last_object(&nested).is_some());
    }
}
