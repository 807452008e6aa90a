//! One pass over the body of a note: headings, links, tags, block ids.
//!
//! Code, math, HTML comments and `%%comments%%` hold none of them, as in Obsidian. The Markdown reader says where
//! those are; what Markdown does not know (wikilinks, tags, block ids) is read between them, line by line.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag as Mark, TagEnd};

use super::encoding::Encoding;
use super::heading::{Block, Heading};
use super::lines::Lines;
use super::link::{Link, LinkForm, Writing, anchor_of, is_external, percent_decode};
use super::tag::{Tag, tags_in};

/// What the pass finds; every span is in bytes of the whole note.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) headings: Vec<Heading>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) links: Vec<Link>,
    pub(crate) tags: Vec<Tag>,
}

/// Markdown link seen so far: where it starts, and where its shown text ends.
struct OpenLink {
    span: Range<usize>,
    text_end: usize,
    embed: bool,
}

pub(crate) fn scan(text: &str, body_start: usize, lines: &Lines) -> Scan {
    let body = &text[body_start..];
    let shift = |range: Range<usize>| range.start + body_start..range.end + body_start;
    let mut found = Scan::default();
    let mut masked: Vec<Range<usize>> = Vec::new();
    let mut markup: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<OpenLink> = Vec::new();
    let mut markdown: Vec<Link> = Vec::new();
    let mut containers = 0_usize;
    let mut html_comment = false;

    let mut events = Parser::new_ext(body, Options::ENABLE_MATH).into_offset_iter();
    for (event, range) in events.by_ref() {
        let range = shift(range);
        if let Some(link) = open.last_mut()
            && !matches!(event, Event::End(TagEnd::Link | TagEnd::Image))
        {
            link.text_end = link.text_end.max(range.end);
        }
        match event {
            Event::Start(Mark::BlockQuote(_) | Mark::List(_)) => containers += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => containers = containers.saturating_sub(1),
            Event::Start(Mark::Heading { level, .. }) => {
                let source = &text[range.clone()];
                found.headings.push(Heading {
                    level: level as u8,
                    text: heading_text(source),
                    line: lines.line_of(range.start),
                    nested: containers > 0,
                    span: range.start..line_end(text, range.start + source.trim_end().len()),
                });
            }
            Event::Start(Mark::CodeBlock(_)) | Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                masked.push(range);
            }
            Event::Start(Mark::HtmlBlock) => html_comment = text[range.clone()].trim_start().starts_with("<!--"),
            Event::Html(_) | Event::InlineHtml(_) => {
                let comment =
                    (matches!(event, Event::Html(_)) && html_comment) || text[range.clone()].starts_with("<!--");
                if comment { masked.push(range) } else { markup.push(range) }
            }
            Event::Start(Mark::Link { link_type, .. } | Mark::Image { link_type, .. }) => {
                let embed = text[range.clone()].starts_with('!');
                if link_type == LinkType::Inline {
                    let text_end = range.start + if embed { 2 } else { 1 };
                    open.push(OpenLink { span: range, text_end, embed });
                } else {
                    if matches!(link_type, LinkType::Autolink | LinkType::Email) {
                        markup.push(range.clone());
                    }
                    open.push(OpenLink { span: 0..0, text_end: usize::MAX, embed });
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let Some(done) = open.pop() else { continue };
                if let Some(outer) = open.last_mut() {
                    outer.text_end = outer.text_end.max(done.span.end);
                }
                if done.text_end != usize::MAX {
                    if done.text_end <= done.span.end {
                        markup.push(done.text_end..done.span.end);
                    }
                    markdown.extend(inline_link(text, &done, lines));
                }
            }
            _ => {}
        }
    }
    let mut definitions: Vec<Range<usize>> =
        events.reference_definitions().iter().map(|(_, definition)| shift(definition.span.clone())).collect();
    definitions.sort_by_key(|span| span.start);
    for span in definitions {
        markdown.extend(definition_link(text, span.clone(), lines));
        markup.push(span);
    }
    let mut masked = merged(masked);
    let comments = comments(text, body_start, &masked);
    masked.extend(comments);
    let masked = merged(masked);

    wikilinks(text, body_start..text.len(), &masked, |link| found.links.push(link), lines);
    markdown.retain(|link| {
        !touches(&masked, &(link.span.start..link.span.start + 1))
            && !found.links.iter().any(|wiki| wiki.span.start == link.span.start)
    });
    found.links.append(&mut markdown);
    found.links.sort_by_key(|link| (link.span.start, link.span.end));
    found.headings.retain(|heading| !touches(&masked, &(heading.span.start..heading.span.start + 1)));

    markup.extend(masked.iter().cloned());
    markup.extend(found.links.iter().filter(|link| link.form == LinkForm::Wiki).map(|link| link.span.clone()));
    let quiet = merged(markup);
    tags_in(text, body_start, &quiet, lines, &mut found.tags);
    block_ids(text, body_start, &masked, &mut found.blocks, lines);
    found
}

/// The end of the line that holds a byte, after its line break.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |next| at + next + 1)
}

/// The text of an ATX or underlined heading.
fn heading_text(source: &str) -> String {
    let line = source.trim_end();
    if line.starts_with('#') {
        let inner = line.trim_start_matches('#').trim();
        let without_end = inner.trim_end_matches('#');
        let closed = without_end.is_empty() || without_end.ends_with([' ', '\t']);
        return if closed { without_end.trim_end() } else { inner }.to_owned();
    }
    let mut rows: Vec<&str> = line.lines().map(str::trim).collect();
    rows.pop();
    rows.join(" ")
}

/// Ranges in order, those that touch made one.
pub(crate) fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_by_key(|range| range.start);
    let mut whole: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match whole.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => whole.push(range),
        }
    }
    whole
}

/// Whether any of the ordered ranges overlaps this one.
pub(crate) fn touches(ranges: &[Range<usize>], span: &Range<usize>) -> bool {
    let next = ranges.partition_point(|range| range.end <= span.start);
    ranges.get(next).is_some_and(|range| range.start < span.end)
}

/// `%%…%%` outside code; one that is not closed is no comment.
fn comments(text: &str, body_start: usize, masked: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    let mut at = body_start;
    while let Some(next) = text[at..].find("%%") {
        let here = at + next;
        at = here + 2;
        if touches(masked, &(here..at)) {
            continue;
        }
        match start.take() {
            None => start = Some(here),
            Some(from) => found.push(from..at),
        }
    }
    found
}

/// The wikilinks of a part of the text: `]]` is looked for first, so that a line of `[[[[` costs no more than another.
pub(crate) fn wikilinks(
    text: &str,
    part: Range<usize>,
    masked: &[Range<usize>],
    mut each: impl FnMut(Link),
    lines: &Lines,
) {
    let mut from = part.start;
    while let Some(next) = text[from..part.end].find("]]") {
        let close = from + next;
        let end = close + 2;
        let since = &text[from..close];
        let row = since.rfind('\n').map_or(from, |at| from + at + 1);
        if let Some(at) = text[row..close].rfind("[[") {
            let start = row + at;
            if !touches(masked, &(start..end)) && !escaped(text, start) {
                each_wikilink(text, start..end, lines, &mut each);
            }
        }
        from = end;
    }
}

fn escaped(text: &str, at: usize) -> bool {
    text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

fn each_wikilink(text: &str, span: Range<usize>, lines: &Lines, each: &mut impl FnMut(Link)) {
    let inside = span.start + 2..span.end - 2;
    let content = &text[inside.clone()];
    let (path_and_anchor, shown) = match content.find('|') {
        Some(bar) => (content[..bar].strip_suffix('\\').unwrap_or(&content[..bar]), Some(content[bar + 1..].trim())),
        None => (content, None),
    };
    let (path, anchor) = match path_and_anchor.split_once('#') {
        Some((path, rest)) => (path, anchor_of(rest)),
        None => (path_and_anchor, None),
    };
    let target = path.trim();
    if target.is_empty() && anchor.is_none() {
        return;
    }
    let lead = path.len() - path.trim_start().len();
    let target_start = inside.start + if target.is_empty() { 0 } else { lead };
    let embed = text[..span.start].ends_with('!');
    let start = if embed { span.start - 1 } else { span.start };
    each(Link {
        form: LinkForm::Wiki,
        embed,
        target: target.to_owned(),
        anchor,
        shown: shown.filter(|shown| !shown.is_empty()).map(str::to_owned),
        in_frontmatter: false,
        line: lines.line_of(start),
        span: start..span.end,
        target_span: target_start..target_start + target.len(),
        writing: Writing::Plain,
        encoding: Encoding::Plain,
    });
}

fn inline_link(text: &str, open: &OpenLink, lines: &Lines) -> Option<Link> {
    let tail = text.get(open.text_end..open.span.end)?;
    let destination = open.text_end + tail.find("](")? + 2;
    let shown = text.get(open.span.start + if open.embed { 2 } else { 1 }..destination - 2).map(str::to_owned);
    let form = LinkForm::Markdown;
    destination_link(text, destination, open.span.clone(), form, open.embed, shown.filter(|s| !s.is_empty()), lines)
}

fn definition_link(text: &str, span: Range<usize>, lines: &Lines) -> Option<Link> {
    let destination = span.start + text.get(span.clone())?.find("]:")? + 2;
    destination_link(text, destination, span, LinkForm::Definition, false, None, lines)
}

/// Reads the destination that starts at or after a byte.
fn destination_link(
    text: &str,
    at: usize,
    span: Range<usize>,
    form: LinkForm,
    embed: bool,
    shown: Option<String>,
    lines: &Lines,
) -> Option<Link> {
    let rest = text.get(at..span.end)?;
    let start = at + rest.len() - rest.trim_start().len();
    let rest = &text[start..span.end];
    let (start, raw, angle) = match rest.strip_prefix('<') {
        Some(inner) => (start + 1, &inner[..inner.find('>')?], true),
        None => (start, &rest[..bare_end(rest, form == LinkForm::Markdown)], false),
    };
    if raw.is_empty() || has_entity(raw) || is_external(raw) {
        return None;
    }
    let (path, anchor) = match unescaped_hash(raw) {
        Some(hash) => (&raw[..hash], anchor_of(&percent_decode(&unescaped(&raw[hash + 1..])))),
        None => (raw, None),
    };
    if path.is_empty() && anchor.is_none() {
        return None;
    }
    let target = percent_decode(&unescaped(path));
    let unicode = !path.contains(|c: char| !c.is_ascii()) && target.contains(|c: char| !c.is_ascii());
    Some(Link {
        form,
        embed,
        target,
        anchor,
        shown,
        in_frontmatter: false,
        line: lines.line_of(span.start),
        target_span: start..start + path.len(),
        span,
        writing: if angle { Writing::Angle } else { Writing::Percent { unicode } },
        encoding: Encoding::Plain,
    })
}

/// Where the anchor begins: the first `#` without a `\` before it.
fn unescaped_hash(raw: &str) -> Option<usize> {
    raw.match_indices('#').map(|(at, _)| at).find(|at| !escaped(raw, *at))
}

/// The text without the `\` before punctuation.
fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation) {
            text.extend(chars.next());
        } else {
            text.push(c);
        }
    }
    text
}

/// Whether `&name;` may stand for another character: such a destination cannot be rewritten in place.
fn has_entity(raw: &str) -> bool {
    raw.split_once('&').is_some_and(|(_, rest)| rest.contains(';'))
}

/// Where a destination without angle brackets ends: at a space, or in an inline link at the bracket that closes it.
fn bare_end(rest: &str, inline: bool) -> usize {
    let mut depth = 0_usize;
    let mut escape = false;
    for (at, c) in rest.char_indices() {
        if std::mem::take(&mut escape) && c.is_ascii_punctuation() {
            continue;
        }
        match c {
            '\\' => escape = true,
            c if c.is_whitespace() => return at,
            '(' if inline => depth += 1,
            ')' if inline && depth == 0 => return at,
            ')' if inline => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

/// `^id` at the end of a line.
fn block_ids(text: &str, body_start: usize, masked: &[Range<usize>], found: &mut Vec<Block>, lines: &Lines) {
    let mut at = body_start;
    for row in text[body_start..].split_inclusive('\n') {
        let line = row.trim_end();
        if let Some(caret) = line.rfind('^') {
            let id = &line[caret + 1..];
            let before = line[..caret].chars().next_back();
            if !id.is_empty()
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && before.is_none_or(char::is_whitespace)
                && !touches(masked, &(at + caret..at + caret + 1))
            {
                found.push(Block { id: id.to_owned(), line: lines.line_of(at) });
            }
        }
        at += row.len();
    }
}
