//! Where a text is code, which no citation stands in.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The byte ranges of code spans, fenced blocks and indented blocks, in order.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let code = events.filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))));
    code.map(|(_, range)| range).collect()
}

/// Whether two ranges share a byte, the second being one of many in order.
pub(super) fn touches(range: &Range<usize>, code: &[Range<usize>]) -> bool {
    let next = code.partition_point(|block| block.end <= range.start);
    code.get(next).is_some_and(|block| block.start < range.end)
}

/// The line that ends the fenced block in which a text stops, if it stops in one that stands in no list or quotation.
pub(super) fn open_fence(text: &str) -> Option<String> {
    let mut containers = 0_usize;
    let mut last = None;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Item | Tag::BlockQuote(_)) => containers += 1,
            Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) => containers = containers.saturating_sub(1),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => last = Some((containers, range)),
            _ => {}
        }
    }
    let (containers, range) = last?;
    if containers > 0 || !text[range.end..].trim().is_empty() {
        return None;
    }
    let mut lines = text[range].trim_end().lines();
    let first = lines.next()?.trim_start();
    let mark = first.chars().next()?;
    let fence: String = first.chars().take_while(|c| *c == mark).collect();
    let closed = lines.last().is_some_and(|line| {
        let line = line.trim();
        line.len() >= fence.len() && line.chars().all(|c| c == mark)
    });
    (!closed).then_some(fence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_in_all_its_forms() {
        let text = "a `x[0]` b\n\n```c\nx[1]\n```\n\n    x[2]\n\n| `x[3]` | y |\n|---|---|\n\nx[4]\n";
        let code = ranges(text);
        for number in 0..5 {
            let at = text.find(&format!("x[{number}]")).unwrap();
            assert_eq!(touches(&(at..at + 4), &code), number < 4, "{number}");
        }
    }

    #[test]
    fn only_an_open_fence_is_closed() {
        for (text, fence) in [
            ("a\n\n```\ncode", Some("```")),
            ("a\n\n~~~~ c\ncode\n", Some("~~~~")),
            ("```\ncode\n```", None),
            ("```\ncode\n```\nmore", None),
            ("- a\n\n  ```\n  code", None),
            ("```", Some("```")),
            ("plain", None),
        ] {
            assert_eq!(open_fence(text).as_deref(), fence, "{text:?}");
        }
    }
}
