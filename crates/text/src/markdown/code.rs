//! Where a text is code.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use super::parser;

/// The bytes of code spans, fenced blocks and indented blocks, in order.
///
/// ```
/// let text = "a `x[0]`\n\n~~~\ny[1]\n~~~\n";
/// let found: Vec<&str> = graphloom_text::markdown::code(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["`x[0]`", "~~~\ny[1]\n~~~"]);
/// ```
#[must_use]
pub fn code(text: &str) -> Vec<Range<usize>> {
    let indented = text.contains("    ") || text.contains('\t');
    if !indented && !text.contains('`') && !text.contains("~~~") {
        return Vec::new();
    }
    let events = parser(text).into_offset_iter();
    let code = events.filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))));
    code.map(|(_, range)| range).collect()
}

#[cfg(test)]
mod tests {
    use super::super::touches;
    use super::*;

    #[test]
    fn code_is_found_in_all_its_forms() {
        let text = "a `x[0]` b\n\n```c\nx[1]\n```\n\n    x[2]\n\n| `x[3]` | y |\n|---|---|\n\n> ~~~\n> x[4]\n\nx[5]\n";
        let code = code(text);
        for number in 0..6 {
            let at = text.find(&format!("x[{number}]")).unwrap();
            assert_eq!(touches(&(at..at + 4), &code), number < 5, "{number}");
        }
    }
}
