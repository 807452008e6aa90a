//! What is read in the body of a note: headings, links, tags, block ids.
//!
//! Code, mathematics, HTML comments and `%%comments%%` hold none of them, as in Obsidian. The Markdown reader says where
//! blocks are; what Markdown does not know (wikilinks, tags, block ids) is read between and in them.

use std::borrow::Cow;
use std::ops::Range;

use super::encoding::Encoding;
use super::heading::{Block, Heading};
use super::inline::marks as marks_of;
use super::lines::Lines;
use super::link::{Link, LinkForm, Writing, anchor_of, is_external, percent_decode};
use super::markdown::{InlineLink, Markdown, without_inner_marks};
use super::ranges::{merged, touches};
use super::tag::{Tag, tags_in};
use super::wikilink::{escaped, wikilink};

/// What is found; every span is in bytes of the whole note.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) headings: Vec<Heading>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) links: Vec<Link>,
    pub(crate) tags: Vec<Tag>,
}

pub(crate) fn scan(text: &str, body_start: usize, lines: &Lines) -> Scan {
    let mut markdown = Markdown::read(text, body_start);
    let mut marks = marks_of(text, &markdown.parts, &markdown);
    // What stands between the brackets of a wikilink closes nothing that is open outside of them.
    let plain = without_inner_marks(text, &marks).map_or(Cow::Borrowed(text), Cow::Owned);
    if let Cow::Owned(plain) = &plain {
        let parts = markdown.parts;
        markdown = Markdown { code: markdown.code, ..Markdown::read(plain, body_start) };
        marks = marks_of(text, &parts, &markdown);
    }
    let masked = merged([markdown.code.as_slice(), &marks.code, &marks.hidden].concat());

    let is_shown = |at: usize| !touches(&masked, &(at..at + 1));
    let mut links: Vec<Link> =
        markdown.links.iter().filter_map(|link| inline_link(text, &plain, link, lines)).collect();
    links.extend(markdown.definitions.iter().filter_map(|span| definition_link(text, span.clone(), lines)));
    let is_wikilink = |at: usize| touches(&marks.links, &(at..at + 1));
    // `![[Note]](x)` begins with the wikilink.
    let begins_with_one = |link: &Link| is_wikilink(link.span.start + usize::from(link.embed));
    links.retain(|link| is_shown(link.span.start) && !begins_with_one(link) && !is_wikilink(link.target_span.start));
    links.extend(marks.links.iter().filter_map(|span| wikilink(text, span.clone(), lines)));
    links.sort_by_key(|link| (link.span.start, link.span.end));

    let headings = markdown.headings.iter().filter(|heading| is_shown(heading.span.start)).map(|heading| {
        let source = &text[heading.span.clone()];
        Heading {
            level: heading.level,
            text: heading_text(source),
            line: lines.line_of(heading.span.start),
            nested: heading.nested,
            span: heading.span.start..line_end(text, heading.span.start + source.trim_end().len()),
        }
    });
    let mut found = Scan { headings: headings.collect(), ..Scan::default() };
    let quiet = [masked.as_slice(), &marks.links, &marks.html, &markdown.markup, &markdown.definitions].concat();
    tags_in(text, body_start, &merged(quiet), lines, &mut found.tags);
    block_ids(text, body_start, &masked, &mut found.blocks, lines);
    found.links = links;
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

/// An inline link. `plain` is the text without marks in wikilinks.
fn inline_link(text: &str, plain: &str, open: &InlineLink, lines: &Lines) -> Option<Link> {
    let tail = plain.get(open.text_end..open.span.end)?;
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
