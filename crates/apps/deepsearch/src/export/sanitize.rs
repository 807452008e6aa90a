//! Sanitizes Markdown for every reader: no HTML, no pictures but ours, no links but `http` and `https`.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

/// Readers of Markdown differ. A sanitized text must be harmless for readers that know nothing but `CommonMark`, for those
/// that know tables and for those that know every extension.
const READERS: [Options; 3] =
    [Options::empty(), Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH), Options::all()];
/// How often a text is read again after a change before every sign of markup in it is taken for text.
const ROUNDS: usize = 64;

/// `text` without HTML, pictures other than `ours`, which are named by their addresses, and links other than to `http` and
/// `https`; their words stay. `<` that could begin HTML is written as `&lt;`.
pub(super) fn sanitize(text: &str, ours: &[String]) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let before = text.len();
        let mut changed = false;
        for options in READERS {
            let edits = edits(&text, ours, options);
            changed |= !edits.is_empty();
            text = applied(&text, edits);
        }
        if !changed {
            return text;
        }
        debug_assert!(text.len() < 6 * before + 64);
    }
    text.replace('<', "&lt;").replace('[', "(").replace(']', ")")
}

/// Whether an address leads to the web.
pub(super) fn is_web(url: &str) -> bool {
    let start: String = url.chars().take(8).collect::<String>().to_ascii_lowercase();
    start.starts_with("http://") || start.starts_with("https://")
}

/// A part of a text and what stands there instead.
type Edit = (Range<usize>, &'static str);

/// The text with its edits; those that overlap another wait for the next round.
fn applied(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut out, mut from) = (String::with_capacity(text.len() + 16), 0);
    for (range, new) in edits {
        if range.start < from {
            continue;
        }
        out.push_str(&text[from..range.start]);
        out.push_str(new);
        from = range.end;
    }
    out.push_str(&text[from..]);
    out
}

/// A link or a picture that is open, and the bytes of what stands in it.
struct OpenLink {
    range: Range<usize>,
    inner: Option<Range<usize>>,
    is_kept: bool,
}

/// What must change so that a reader with these options finds nothing that acts.
fn edits(text: &str, ours: &[String], options: Options) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut code: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<OpenLink> = Vec::new();
    let parser = Parser::new_ext(text, options);
    for (_, definition) in parser.reference_definitions().iter() {
        if !is_web(&definition.dest) && text[definition.span.clone()].starts_with('[') {
            edits.push((definition.span.start..definition.span.start, "\\"));
        }
    }
    let mut in_code = false;
    for (event, range) in parser.into_offset_iter() {
        if let Some(outer) = open.last_mut()
            && !matches!(event, Event::End(_))
        {
            let inner = outer.inner.get_or_insert(range.clone());
            inner.end = inner.end.max(range.end);
        }
        match event {
            Event::Start(Tag::Link { dest_url, link_type, .. }) => {
                let is_kept = is_web(&dest_url) && !matches!(link_type, LinkType::WikiLink { .. } | LinkType::Email);
                open.push(OpenLink { range, inner: None, is_kept });
            }
            Event::Start(Tag::Image { dest_url, link_type, .. }) => {
                let is_kept = link_type == LinkType::Inline && ours.iter().any(|known| **known == *dest_url);
                open.push(OpenLink { range, inner: None, is_kept });
            }
            Event::End(pulldown_cmark::TagEnd::Link | pulldown_cmark::TagEnd::Image) => {
                let Some(OpenLink { range, inner, is_kept }) = open.pop() else { continue };
                if is_kept {
                    continue;
                }
                let inner = inner.unwrap_or(range.end..range.end);
                edits.push((range.start..inner.start, ""));
                edits.push((inner.end..range.end, ""));
            }
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => in_code = false,
            Event::Code(_) => code.push(range),
            Event::Text(_) if in_code => code.push(range),
            _ => {}
        }
    }
    edits.retain(|(range, new)| !range.is_empty() || !new.is_empty());
    code.sort_by_key(|range| range.start);
    for (at, _) in text.match_indices('<') {
        let before = code.partition_point(|range| range.end <= at);
        let inside = code.get(before).is_some_and(|range| range.contains(&at));
        if !inside && begins_html(&text[at + 1..]) {
            edits.push((at..at + 1, "&lt;"));
        }
    }
    edits
}

/// Whether `<` before this could begin a tag, a comment, or an address that is none of the web.
fn begins_html(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) && !is_web(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_becomes_words() {
        for (text, harmless_text) in [
            ("a <img src=x onerror=alert(1)> b", "a &lt;img src=x onerror=alert(1)> b"),
            ("[go](javascript:x) [web](https://a.example/)", "go [web](https://a.example/)"),
            ("![pixel](https://evil.example/p.png)", "pixel"),
            ("[![p](http://evil.example/p)](data:x)", "p"),
            ("[a][b]\n\n[b]: javascript:x\n", "a\n\n\\[b]: javascript:x\n"),
            ("[[page]] <a@b.example> <https://a.example>", "page a@b.example <https://a.example>"),
            ("![ours](data:ours) ![theirs](data:theirs)", "![ours](data:ours) theirs"),
            ("`<b>` and\n\n    <i>\n\n<!-- x -->", "`<b>` and\n\n    <i>\n\n&lt;!-- x -->"),
            ("1 < 2 and a<b", "1 < 2 and a&lt;b"),
            ("[\\[1\\]](https://a.example) *x*", "[\\[1\\]](https://a.example) *x*"),
            ("", ""),
        ] {
            assert_eq!(sanitize(text, &["data:ours".to_owned()]), harmless_text, "{text}");
        }
    }
}
