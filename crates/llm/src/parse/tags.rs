//! A lenient reader of tagged text such as `<result>…</result>`.
//!
//! Names are compared without regard to case, attributes are ignored, and nothing is unescaped. A tag that stands on a
//! line of its own is preferred over one amid a line, because prose mentions tags. Indentation inside a tag is kept,
//! since it carries meaning in lists and code.

use std::ops::Range;

/// The contents of every block of `tag`, joined by line breaks. `None` when the tag does not occur.
///
/// A block that is never closed takes the rest of the text. Reasoning in a closed `<think>` is skipped unless `tag` is
/// `think`.
pub fn find(content: &str, tag: &str) -> Option<String> {
    let blocks = find_all(content, tag);
    (!blocks.is_empty()).then(|| blocks.join("\n"))
}

/// The content of the first block of `tag`.
pub fn find_first(content: &str, tag: &str) -> Option<String> {
    find_all(content, tag).into_iter().next()
}

/// The content of the last tag of `path`. Each tag is looked for inside the content of the tag before it.
pub fn find_path(content: &str, path: &[&str]) -> Option<String> {
    path.iter().try_fold(content.to_owned(), |inner, tag| find(&inner, tag))
}

/// The content of each outermost block of `tag`, in order.
pub fn find_all(content: &str, tag: &str) -> Vec<String> {
    let skipped = if tag.eq_ignore_ascii_case("think") { Vec::new() } else { closed_blocks(content, "think") };
    blocks(content, tag, &skipped).into_iter().map(|block| tidy(&content[block.inner])).collect()
}

/// The text without the blocks of `tag`, tags included. A block that is never closed stays.
pub fn without(content: &str, tag: &str) -> String {
    let mut outside = String::with_capacity(content.len());
    let mut at = 0;
    for block in closed_blocks(content, tag) {
        outside.push_str(&content[at..block.start]);
        at = block.end;
    }
    outside.push_str(&content[at..]);
    outside
}

/// An opening or closing tag.
#[derive(Clone, Copy, Debug)]
struct Tag {
    start: usize,
    end: usize,
    opens: bool,
    /// Whether the tag is empty, as `<tag/>` is.
    empty: bool,
    own_line: bool,
}

struct Block {
    outer: Range<usize>,
    inner: Range<usize>,
    closed: bool,
}

fn closed_blocks(content: &str, tag: &str) -> Vec<Range<usize>> {
    blocks(content, tag, &[]).into_iter().filter(|block| block.closed).map(|block| block.outer).collect()
}

fn blocks(content: &str, name: &str, skipped: &[Range<usize>]) -> Vec<Block> {
    let mut tags = tags(content, name);
    let mut next_skip = 0;
    tags.retain(|tag| {
        while skipped.get(next_skip).is_some_and(|range| range.end <= tag.start) {
            next_skip += 1;
        }
        skipped.get(next_skip).is_none_or(|range| tag.start < range.start)
    });
    if tags.iter().any(|tag| tag.opens && tag.own_line) {
        tags.retain(|tag| !tag.opens || tag.own_line);
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = tags.get(at).copied() {
        at += 1;
        if !open.opens {
            continue;
        }
        if open.empty {
            found.push(Block { outer: open.start..open.end, inner: open.end..open.end, closed: true });
            continue;
        }
        let mut depth = 1_usize;
        let mut last_close = None;
        for (index, tag) in tags.iter().enumerate().skip(at) {
            if tag.empty {
                continue;
            }
            if tag.opens {
                depth += 1;
            } else {
                depth -= 1;
                last_close = Some((index, *tag));
            }
            if depth == 0 {
                break;
            }
        }
        match last_close {
            Some((index, close)) => {
                found.push(Block { outer: open.start..close.end, inner: open.end..close.start, closed: true });
                at = index + 1;
            }
            None => {
                found.push(Block { outer: open.start..content.len(), inner: open.end..content.len(), closed: false });
                break;
            }
        }
    }
    found
}

/// Every tag of this name, in order.
fn tags(content: &str, name: &str) -> Vec<Tag> {
    let bytes = content.as_bytes();
    let mut found = Vec::new();
    if name.is_empty() {
        return found;
    }
    for (start, _) in content.match_indices('<') {
        let opens = bytes.get(start + 1) != Some(&b'/');
        let from = start + if opens { 1 } else { 2 };
        let Some(word) = bytes.get(from..from + name.len()) else { continue };
        if !word.eq_ignore_ascii_case(name.as_bytes()) {
            continue;
        }
        let rest = &content[from + name.len()..];
        if !rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '>' | '/')) {
            continue;
        }
        // Attributes hold no `<`, and a tag ends on its line.
        let Some(length) = rest.find(['>', '<', '\n']).filter(|end| rest.as_bytes()[*end] == b'>') else { continue };
        let end = from + name.len() + length + 1;
        let before = content[..start].trim_end_matches([' ', '\t']);
        let after = content[end..].trim_start_matches([' ', '\t', '\r']);
        let own_line = (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'));
        found.push(Tag { start, end, opens, empty: opens && rest[..length].ends_with('/'), own_line });
    }
    found
}

/// Removes blank lines around the text and space at its end; of a single line, the space at its start as well.
fn tidy(inner: &str) -> String {
    let ended = inner.trim_end();
    let text = ended.trim_start();
    if !text.contains('\n') {
        return text.to_owned();
    }
    let blank = &ended[..ended.len() - text.len()];
    let first_line = blank.rfind('\n').map_or(0, |at| at + 1);
    ended[first_line..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_as_models_write_them() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("<result>x</result>", "result", Some("x")),
            ("<result>\nx\n</result>", "result", Some("x")),
            ("a <Result>x</RESULT> b", "result", Some("x")),
            ("<result kind=\"a\">x</result>", "result", Some("x")),
            ("<result>\n  - a\n    - b\n</result>", "result", Some("  - a\n    - b")),
            ("<result>\n\n  x\n", "result", Some("x")),
            ("<result>\nx\ny", "result", Some("x\ny")),
            ("<result>a</result><result>b</result>", "result", Some("a\nb")),
            ("<result>a<result>b</result>c</result>", "result", Some("a<result>b</result>c")),
            ("I write in <result> tags.\n<result>\nx\n</result>", "result", Some("x")),
            ("<article>Text\nmore\n</article>", "article", Some("Text\nmore")),
            ("<think>maybe <result>no</result></think><result>yes</result>", "result", Some("yes")),
            ("<think>a</think>", "think", Some("a")),
            ("<result/>", "result", Some("")),
            ("<results>x</results>", "result", None),
            ("</result>", "result", None),
            ("<result", "result", None),
            ("<result>a < b and c > d</result>", "result", Some("a < b and c > d")),
            ("<result>\r\nx\r\n</result>\r\n", "result", Some("x")),
            ("<think>never closed\n<result>\nx\n</result>", "result", Some("x")),
            ("", "result", None),
        ];
        for (content, tag, expected) in cases {
            assert_eq!(find(content, tag).as_deref(), *expected, "{content:?}");
        }
    }

    #[test]
    fn paths_and_repetition() {
        let content = "<result><task><id>1</id></task><task><id>2</id></task></result>";
        assert_eq!(find_path(content, &["result", "task", "id"]).as_deref(), Some("1\n2"));
        let tasks = find_all(&find(content, "result").unwrap(), "task");
        assert_eq!(tasks, ["<id>1</id>", "<id>2</id>"]);
        assert_eq!(find_first(&tasks[1], "id").as_deref(), Some("2"));
        assert_eq!(find_path(content, &["result", "none"]), None);
    }

    #[test]
    fn blocks_are_taken_out() {
        assert_eq!(without("a<think>b</think>c<think>d", "think"), "ac<think>d");
    }

    #[test]
    fn no_text_makes_it_panic() {
        for content in ["<", "</", "<é", "é<result>é", "<result>é</résult>", "<result>\n<", "</result><result>"] {
            let _ = find(content, "result");
            let _ = without(content, "result");
        }
    }
}
