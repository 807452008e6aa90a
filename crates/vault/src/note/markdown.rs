//! The blocks of a text and its Markdown links, as the Markdown reader sees them.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag as Mark, TagEnd};

use super::inline::Marks;
use super::ranges::merged;

/// A part of a text in which inline marks are read: a mark that opens in one does not close in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) span: Range<usize>,
    pub(super) kind: PartKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    /// A paragraph, a heading, or a row of anything else.
    Inline,
    /// A row of a table.
    Row,
    /// A block of HTML.
    Html,
}

/// An inline link or image: its bytes, and where its shown text ends.
#[derive(Clone, Debug)]
pub(super) struct InlineLink {
    pub(super) span: Range<usize>,
    pub(super) text_end: usize,
    pub(super) embed: bool,
}

impl InlineLink {
    /// The byte of its `[`.
    fn bracket(&self) -> usize {
        self.span.start + usize::from(self.embed)
    }
}

#[derive(Clone, Debug)]
pub(super) struct MarkdownHeading {
    pub(super) span: Range<usize>,
    pub(super) level: u8,
    pub(super) nested: bool,
}

/// What is read, each in order.
#[derive(Debug, Default)]
pub(super) struct Markdown {
    /// Every byte that is not in a block of code is in one, but for space between blocks.
    pub(super) parts: Vec<Part>,
    /// Blocks of code, and of HTML whose content is no text.
    pub(super) code: Vec<Range<usize>>,
    pub(super) headings: Vec<MarkdownHeading>,
    pub(super) links: Vec<InlineLink>,
    pub(super) definitions: Vec<Range<usize>>,
    /// Addresses between `<` and `>`, and destinations of inline links.
    pub(super) markup: Vec<Range<usize>>,
}

impl Markdown {
    /// Reads a text from a byte on.
    pub(super) fn read(text: &str, start: usize) -> Self {
        let shift = |range: Range<usize>| range.start + start..range.end + start;
        let mut reader = Reader { text, ..Reader::default() };
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
        let mut events = Parser::new_ext(&text[start..], options).into_offset_iter();
        for (event, range) in events.by_ref() {
            reader.event(&event, shift(range));
        }
        reader.end_part();
        let mut found = reader.found;
        let definitions = events.reference_definitions().iter();
        found.definitions = definitions.map(|(_, definition)| shift(definition.span.clone())).collect();
        found.definitions.sort_by_key(|span| span.start);
        found.code = merged(found.code);
        found.links.sort_by_key(InlineLink::bracket);
        found.fill(text, start);
        found
    }

    /// The inline link whose `[` is at a byte.
    pub(super) fn link_at(&self, bracket: usize) -> Option<&InlineLink> {
        let at = self.links.partition_point(|link| link.bracket() < bracket);
        self.links.get(at).filter(|link| link.bracket() == bracket)
    }

    /// Adds the rows that are in no part yet.
    fn fill(&mut self, text: &str, start: usize) {
        let taken = self.parts.iter().map(|part| part.span.clone()).chain(self.code.iter().cloned());
        let mut rows = Vec::new();
        let mut at = start;
        for span in merged(taken.collect()).into_iter().chain(std::iter::once(text.len()..text.len())) {
            for row in text[at..span.start.max(at)].split_inclusive('\n') {
                if !row.trim().is_empty() {
                    rows.push(Part { span: at..at + row.len(), kind: PartKind::Inline });
                }
                at += row.len();
            }
            at = at.max(span.end);
        }
        self.parts.append(&mut rows);
        self.parts.sort_by_key(|part| part.span.start);
    }
}

/// The text with nothing in its wikilinks, comments and mathematics that Markdown would take for a mark; `None` where there
/// is no such thing. Every byte stays at its place.
pub(super) fn without_inner_marks(text: &str, marks: &Marks) -> Option<String> {
    let links = marks.links.iter().map(|link| link.start + 2..link.end - 2);
    let mut bytes: Option<Vec<u8>> = None;
    for span in links.chain(marks.hidden.iter().cloned()) {
        for at in span {
            let byte = text.as_bytes()[at];
            let is_mark = matches!(byte, b'`' | b'[' | b']' | b'<')
                // `\|` is how a bar is written in a table.
                || (byte == b'\\' && text.as_bytes().get(at + 1) != Some(&b'|'));
            if is_mark {
                bytes.get_or_insert_with(|| text.as_bytes().to_vec())[at] = b'x';
            }
        }
    }
    bytes.and_then(|bytes| String::from_utf8(bytes).ok())
}

#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    found: Markdown,
    /// The bytes of the inline events since the last block.
    part: Option<Range<usize>>,
    /// A block whose inner events belong to no part of their own.
    whole: bool,
    open: Vec<Option<InlineLink>>,
    containers: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        if let Some(Some(link)) = self.open.last_mut()
            && !matches!(event, Event::End(TagEnd::Link | TagEnd::Image))
        {
            link.text_end = link.text_end.max(range.end);
        }
        match event {
            Event::Start(mark) if is_inline(mark) => {
                self.extend(&range);
                if let Mark::Link { link_type, .. } | Mark::Image { link_type, .. } = mark {
                    self.open_link(*link_type, range);
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.close_link(),
            Event::Start(mark) => self.begin(mark, range),
            Event::End(TagEnd::Emphasis | TagEnd::Strong) => {}
            Event::End(end) => {
                self.end_part();
                match end {
                    TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::TableHead | TagEnd::TableRow => self.whole = false,
                    TagEnd::BlockQuote(_) | TagEnd::List(_) => self.containers = self.containers.saturating_sub(1),
                    _ => {}
                }
            }
            Event::Rule => self.end_part(),
            _ => self.extend(&range),
        }
    }

    /// A block begins.
    fn begin(&mut self, mark: &Mark<'_>, range: Range<usize>) {
        self.end_part();
        match mark {
            Mark::CodeBlock(_) => {
                self.whole = true;
                self.found.code.push(range);
            }
            Mark::HtmlBlock => {
                self.whole = true;
                if is_raw(&self.text[range.clone()]) {
                    self.found.code.push(range);
                } else {
                    self.found.parts.push(Part { span: range, kind: PartKind::Html });
                }
            }
            Mark::TableHead | Mark::TableRow => {
                self.whole = true;
                self.found.parts.push(Part { span: range, kind: PartKind::Row });
            }
            Mark::BlockQuote(_) | Mark::List(_) => self.containers += 1,
            Mark::Heading { level, .. } => {
                let nested = self.containers > 0;
                self.found.headings.push(MarkdownHeading { span: range, level: *level as u8, nested });
            }
            _ => {}
        }
    }

    fn extend(&mut self, range: &Range<usize>) {
        if !self.whole {
            let part = self.part.get_or_insert_with(|| range.clone());
            part.start = part.start.min(range.start);
            part.end = part.end.max(range.end);
        }
    }

    fn end_part(&mut self) {
        if let Some(span) = self.part.take() {
            self.found.parts.push(Part { span, kind: PartKind::Inline });
        }
    }

    fn open_link(&mut self, link_type: LinkType, range: Range<usize>) {
        if link_type != LinkType::Inline {
            if matches!(link_type, LinkType::Autolink | LinkType::Email) {
                self.found.markup.push(range);
            }
            self.open.push(None);
            return;
        }
        let embed = self.text[range.clone()].starts_with('!');
        let text_end = range.start + if embed { 2 } else { 1 };
        self.open.push(Some(InlineLink { span: range, text_end, embed }));
    }

    fn close_link(&mut self) {
        let Some(Some(done)) = self.open.pop() else { return };
        if let Some(Some(outer)) = self.open.last_mut() {
            outer.text_end = outer.text_end.max(done.span.end);
        }
        if done.text_end <= done.span.end {
            self.found.markup.push(done.text_end..done.span.end);
        }
        self.found.links.push(done);
    }
}

fn is_inline(mark: &Mark<'_>) -> bool {
    matches!(mark, Mark::Link { .. } | Mark::Image { .. } | Mark::Emphasis | Mark::Strong)
}

/// Whether the content of a block of HTML is no text for a reader.
fn is_raw(block: &str) -> bool {
    let block = block.trim_start();
    ["<pre", "<script", "<style", "<textarea"].iter().any(|name| {
        block.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && block[name.len()..].starts_with(|c: char| c == '>' || c.is_whitespace())
    })
}
