//! The text of a report as HTML.

use std::collections::BTreeSet;

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html as writer};

use super::contents::Heading;
use super::figure::Figures;
use super::panels::{class, word};
use super::picture::picture;
use super::placeholders::{CLOSE, OPEN, without_placeholders};
use crate::markup::safe_href;
use crate::state::{FinalResult, Locale};

/// The text of a page and the headings in it.
pub(super) struct Body {
    /// From the beginning to the end of the title.
    pub(super) head: String,
    /// What comes after it.
    pub(super) rest: String,
    pub(super) headings: Vec<Heading>,
}

/// The Markdown as HTML: raw HTML is shown as text, other pictures than ours are their words, links lead to `http` and
/// `https` only. The first heading is the title, all others are one level below their own.
pub(super) fn body(text: &str, result: &FinalResult, language: Locale) -> Body {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut writing = Writing { result, language, seen: BTreeSet::new(), links: Vec::new(), headings: Vec::new() };
    let mut figures = Figures::default();
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut title_end = 0;
    let all: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    let mut at = 0;
    while let Some(event) = all.get(at) {
        if let [Event::Start(Tag::Paragraph), Event::Text(text), Event::End(TagEnd::Paragraph), ..] = &all[at..]
            && let Some(drawing) = writing.drawing(text)
        {
            figures.begin(&drawing, &mut events);
            at += 3;
            continue;
        }
        if !figures.takes(event, all.get(at + 1), &mut events) {
            writing.event(event.clone(), &mut events);
        }
        if title_end == 0 && matches!(event, Event::End(TagEnd::Heading(_))) {
            title_end = events.len();
        }
        at += 1;
    }
    figures.end(&mut events);
    let rest = events.split_off(title_end);
    let written = |events: Vec<Event<'_>>| {
        let mut out = String::new();
        writer::push_html(&mut out, events.into_iter());
        out
    };
    Body { head: written(events), rest: written(rest), headings: writing.headings }
}

struct Writing<'r> {
    result: &'r FinalResult,
    language: Locale,
    /// The names of places that are taken.
    seen: BTreeSet<String>,
    /// Whether the links that are open are written.
    links: Vec<bool>,
    headings: Vec<Heading>,
}

impl Writing<'_> {
    fn event<'t>(&mut self, event: Event<'t>, events: &mut Vec<Event<'t>>) {
        match event {
            Event::Html(text) | Event::InlineHtml(text) | Event::Text(text) => self.text(&text, events),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let opened = self.link(&dest_url);
                self.links.push(opened.is_some());
                events.extend(opened.map(raw));
            }
            Event::End(TagEnd::Link) => {
                if self.links.pop() == Some(true) {
                    events.push(raw("</a>".to_owned()));
                }
            }
            Event::Start(Tag::Image { .. } | Tag::HtmlBlock) | Event::End(TagEnd::Image | TagEnd::HtmlBlock) => {}
            // Words of a fence and ids of headings would stand in attributes.
            Event::Start(Tag::CodeBlock(_)) => {
                events.push(Event::Start(Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Indented)));
            }
            Event::Start(Tag::Heading { level, .. }) => {
                let level = if self.headings.is_empty() { 1 } else { (level as usize + 1).clamp(2, 6) };
                let id = format!("s{}", self.headings.len());
                events.push(Event::Start(Tag::Heading {
                    level: HeadingLevel::try_from(level).unwrap_or(HeadingLevel::H6),
                    id: Some(CowStr::from(id.clone())),
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
                self.headings.push(Heading { level, id, text: String::new() });
            }
            Event::End(TagEnd::Heading(_)) => {
                let level = self.headings.last().map_or(1, |heading| heading.level);
                events.push(Event::End(TagEnd::Heading(HeadingLevel::try_from(level).unwrap_or(HeadingLevel::H6))));
            }
            Event::Code(code) => events.push(Event::Code(CowStr::from(without_placeholders(&code)))),
            other => events.push(other),
        }
        // What is between the ends of a heading are its words.
        if let Some(heading) = self.headings.last_mut()
            && let Some(start) = events.iter().rposition(|event| matches!(event, Event::Start(Tag::Heading { .. })))
            && !events[start..].iter().any(|event| matches!(event, Event::End(TagEnd::Heading(_))))
        {
            heading.text = words(&events[start..]);
        }
    }

    /// The tag that opens a link; nothing for one that leads nowhere.
    fn link(&mut self, address: &str) -> Option<String> {
        match address.strip_prefix("#inference:").and_then(|id| id.parse::<u32>().ok()) {
            Some(id) if self.result.infer_messages.iter().any(|message| message.id == id) => {
                let name = self.name_once(format!("i{id}"));
                Some(format!("<a class=\"infer\"{name} href=\"#inference-{id}\">"))
            }
            Some(_) => None,
            None => safe_href(address)
                .filter(|url| !url.starts_with('#'))
                .map(|url| format!("<a href=\"{url}\" rel=\"noopener noreferrer\">")),
        }
    }

    /// The attribute that names a place of the page: a person may repeat a mark, and only the first one is the place.
    fn name_once(&mut self, name: String) -> String {
        let attribute = format!(" id=\"{name}\"");
        if self.seen.insert(name) { attribute } else { String::new() }
    }

    /// Text with what its places stand for.
    fn text(&mut self, text: &str, events: &mut Vec<Event<'_>>) {
        let mut rest = text;
        while let Some(at) = rest.find(OPEN) {
            let (before, behind) = rest.split_at(at);
            let body = &behind[OPEN.len_utf8()..];
            let Some(end) = body.find(CLOSE) else { break };
            if !before.is_empty() {
                events.push(Event::Text(CowStr::from(before.to_owned())));
            }
            let filled = match body[..end].strip_prefix('c') {
                Some(id) => self.citation(id),
                // A chart inside of a line has no room for a figure.
                None => None,
            };
            events.push(Event::InlineHtml(CowStr::from(filled.unwrap_or_default())));
            rest = &body[end + CLOSE.len_utf8()..];
        }
        if !rest.is_empty() {
            events.push(Event::Text(CowStr::from(rest.to_owned())));
        }
    }

    fn citation(&mut self, id: &str) -> Option<String> {
        let id: u32 = id.parse().ok()?;
        let citation = self.result.citation_messages.data.iter().find(|citation| citation.id == id)?;
        let shown = word(citation.verdict, self.language);
        Some(format!(
            "<a class=\"cite {}\"{} href=\"#e{id}\" title=\"{shown}\">{}</a>",
            class(citation.verdict),
            self.name_once(format!("c{id}")),
            citation.reference_index
        ))
    }

    /// The drawing of a chart for which a text is nothing but the place.
    fn drawing(&self, text: &str) -> Option<String> {
        let place = text.trim().strip_prefix(OPEN)?.strip_suffix(CLOSE)?.strip_prefix('p')?;
        let chart = self.result.chart_messages.get(place.parse::<usize>().ok()?)?;
        picture(&chart.base64, &chart.chart_title)
    }
}

/// The words of events, without markup.
fn words(events: &[Event<'_>]) -> String {
    events
        .iter()
        .map(|event| match event {
            Event::Text(text) | Event::Code(text) => &**text,
            Event::SoftBreak | Event::HardBreak => " ",
            _ => "",
        })
        .collect()
}

fn raw(text: String) -> Event<'static> {
    Event::Html(CowStr::from(text))
}
