//! Markdown: blocks under their headings.

use std::mem::take;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::group::{Unit, passages};
use super::sections::Sections;
use super::{Passage, html};

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_WIKILINKS
}

pub(super) fn read(source: &str, size: usize) -> (Option<String>, Vec<Passage>) {
    let body = front_matter(source);
    let mut reader = Reader::new();
    for (event, range) in Parser::new_ext(&source[body..], options()).into_offset_iter() {
        reader.read(event, body + range.start..body + range.end);
    }
    let (units, sections, first_heading) = reader.finish();
    let title = title_of(&source[..body]).or(first_heading);
    (title, passages(source, body, units, &sections, size))
}

/// Where the text begins after the front matter: lines between `---` and `---` or `...` at the very beginning. The
/// parser's own notion also takes text between two rules further down.
fn front_matter(source: &str) -> usize {
    let mut lines = source.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return 0 };
    let mut at = first.len();
    for line in lines {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return at;
        }
    }
    0
}

/// Collects units while the parser's events go by.
struct Reader {
    units: Vec<Unit>,
    sections: Sections,
    /// The beginning of what belongs to the next unit.
    lead: Option<usize>,
    text: String,
    origins: Vec<(usize, Range<usize>)>,
    tight: bool,
    /// The open lists, outermost first.
    lists: Vec<OpenList>,
    /// What the text of the current element is for.
    role: Role,
}

/// A list whose end has not come yet.
struct OpenList {
    /// The number of the next item; nothing for bullets.
    next: Option<u64>,
    started: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Body,
    Heading(HeadingLevel),
    Html,
}

impl OpenList {
    fn marker(&mut self) -> String {
        self.started = true;
        let Some(number) = self.next else { return "- ".to_owned() };
        self.next = Some(number.saturating_add(1));
        format!("{number}. ")
    }
}

impl Reader {
    fn new() -> Self {
        Self {
            units: Vec::new(),
            sections: Sections::new(),
            lead: None,
            text: String::new(),
            origins: Vec::new(),
            tight: false,
            lists: Vec::new(),
            role: Role::Body,
        }
    }

    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.push(&text, range);
            }
            Event::Html(html) => self.push(&html, range),
            Event::SoftBreak => self.push(" ", range),
            Event::HardBreak => self.push("\n", range),
            Event::TaskListMarker(done) => self.push(if done { "[x] " } else { "[ ] " }, range),
            Event::Rule => self.open_block(range.start, false),
            Event::InlineHtml(_) | Event::FootnoteReference(_) => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.close_unit();
                self.close_bare(Some(*level));
                self.open_block(range.start, false);
                self.role = Role::Heading(*level);
            }
            Tag::HtmlBlock => {
                self.open_block(range.start, false);
                self.role = Role::Html;
            }
            Tag::List(first) => {
                self.open_block(range.start, false);
                self.lists.push(OpenList { next: *first, started: false });
            }
            Tag::Item => {
                let nested = self.lists.len() > 1;
                let started = self.lists.last().is_some_and(|list| list.started);
                self.open_block(range.start, nested || started);
                self.text = self.lists.last_mut().map_or_else(|| "- ".to_owned(), OpenList::marker);
            }
            // The first paragraph of an item stays on the line of the marker.
            Tag::Paragraph if is_marker(&self.text) => {}
            Tag::Paragraph | Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => {
                self.open_block(range.start, false);
            }
            Tag::DefinitionListTitle | Tag::TableHead => self.open_block(range.start, false),
            Tag::DefinitionListDefinition | Tag::TableRow => self.open_block(range.start, true),
            Tag::TableCell if !self.text.is_empty() => self.text.push_str(" | "),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Heading(level) => {
                self.role = Role::Body;
                self.open_section(level, range);
            }
            TagEnd::HtmlBlock => {
                self.role = Role::Body;
                self.text = html::fragment(&take(&mut self.text));
                self.close_unit();
            }
            TagEnd::List(_) => {
                self.close_unit();
                self.lists.pop();
            }
            TagEnd::Item
            | TagEnd::Paragraph
            | TagEnd::CodeBlock
            | TagEnd::BlockQuote(_)
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::TableHead
            | TagEnd::TableRow => self.close_unit(),
            _ => {}
        }
    }

    fn push(&mut self, text: &str, range: Range<usize>) {
        self.origins.push((self.text.len(), range));
        self.text.push_str(text);
    }

    fn open_block(&mut self, start: usize, tight: bool) {
        self.close_unit();
        self.lead.get_or_insert(start);
        self.tight = tight;
    }

    fn close_unit(&mut self) {
        let text = take(&mut self.text);
        let origins = take(&mut self.origins);
        if text.trim().is_empty() || is_marker(&text) {
            return;
        }
        self.sections.fill();
        let first = origins.first().map_or(0, |(_, range)| range.start);
        self.units.push(Unit {
            lead: self.lead.take().unwrap_or(first),
            text: text.trim_end().to_owned(),
            origins,
            section: self.sections.current(),
            tight: take(&mut self.tight),
        });
    }

    /// Ends a heading: what follows belongs to a new section.
    fn open_section(&mut self, level: HeadingLevel, range: Range<usize>) {
        let text = take(&mut self.text);
        self.origins.clear();
        self.sections.begin(level as u8, &text, self.lead.unwrap_or(range.start), range);
    }

    /// A heading that nothing follows is text itself; one that a deeper heading follows is not.
    fn close_bare(&mut self, next: Option<HeadingLevel>) {
        let Some(bare) = self.sections.take_bare(next.map(|next| next as u8)) else { return };
        self.lead = None;
        self.units.push(Unit {
            lead: bare.lead,
            origins: vec![(0, bare.range)],
            text: bare.text,
            section: self.sections.current(),
            tight: false,
        });
    }

    fn finish(mut self) -> (Vec<Unit>, Vec<Vec<String>>, Option<String>) {
        self.close_unit();
        self.close_bare(None);
        let (sections, first_heading) = self.sections.finish();
        (self.units, sections, first_heading)
    }
}

/// Whether only the marker of a list item has been written.
fn is_marker(text: &str) -> bool {
    text == "- " || text.strip_suffix(". ").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The `title` key of the front matter.
fn title_of(front_matter: &str) -> Option<String> {
    let value = front_matter.lines().find_map(|line| line.strip_prefix("title:"))?.trim();
    let quoted = |mark: char| value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    let title = quoted('"').or_else(|| quoted('\'')).unwrap_or(value).trim();
    (!title.is_empty() && !title.starts_with(['|', '>'])).then(|| title.to_owned())
}
