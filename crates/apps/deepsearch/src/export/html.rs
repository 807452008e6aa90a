//! The report as one page.

use std::collections::BTreeSet;

use graphloom_citations::{Target, replace_marks};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html as writer};

use super::escape::{escape, safe_href};
use super::markdown::with_charts;
use super::panels::{class, inference, source, word};
use super::picture::picture;
use super::style::STYLE;
use crate::state::{FinalResult, Locale, Verdict};

/// Stand around what is put into the page after the Markdown is read. They stand for nothing, and are taken out of what
/// others wrote.
const OPEN: char = '\u{f8f0}';
const CLOSE: char = '\u{f8f1}';

/// The report as one HTML file. A citation opens its source with what supports the statement marked; a linked conclusion
/// opens what it rests on; charts and drawings stand in the page. There is no script, and nothing comes from outside.
pub fn html(result: &FinalResult, language: Locale) -> String {
    let plain: String = result.response_content.chars().filter(|c| !matches!(*c, OPEN | CLOSE)).collect();
    let text = replace_marks(&plain, |mark| match mark.target {
        Target::Checked { id, .. } => Some(format!("{OPEN}c{id}{CLOSE}")),
        _ => None,
    });
    let text = with_charts(&text, |id| {
        let place = result.chart_messages.iter().position(|chart| chart.chart_id == id)?;
        Some(format!("{OPEN}p{place}{CLOSE}"))
    });
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or("Report");
    let title = escape(&without_places(title));
    let body = rendered(&text, result, language);
    let citations = &result.citation_messages.data;
    let panels: String = citations
        .iter()
        .map(|citation| source(citation, language))
        .chain(result.infer_messages.iter().map(inference))
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n<footer><p><small>{}</small></p>{}</footer>\n{panels}</body>\n</html>\n",
        language.as_str(),
        counted(result, language),
        notes(result),
    )
}

/// One line on the verdicts.
fn counted(result: &FinalResult, language: Locale) -> String {
    let data = &result.citation_messages.data;
    let count = |verdict| data.iter().filter(|citation| citation.verdict == verdict).count();
    let all = [Verdict::Supported, Verdict::Contradicted, Verdict::NotFound, Verdict::NotChecked];
    let parts: Vec<String> = all
        .into_iter()
        .filter(|verdict| count(*verdict) > 0)
        .map(|verdict| format!("{} {}", count(verdict), word(verdict, language)))
        .collect();
    match parts.is_empty() {
        true => language.pick("没有核查过的引用", "no citations were checked").to_owned(),
        false => format!("{}: {}", language.pick("引用", "Citations"), parts.join(" · ")),
    }
}

/// What went wrong in the run, folded.
fn notes(result: &FinalResult) -> String {
    let lines: Vec<&str> =
        result.exception_info.lines().chain(result.warning_info.lines()).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return String::new();
    }
    let items: String = lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
    format!("<details><summary><small>{}</small></summary><ul>{items}</ul></details>", lines.len())
}

/// The Markdown as HTML: raw HTML is shown as text, other pictures than ours are their words, links lead to `http` and
/// `https` only.
fn rendered(text: &str, result: &FinalResult, language: Locale) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut links: Vec<bool> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut events: Vec<Event<'_>> = Vec::new();
    let raw = |text: String| Event::Html(CowStr::from(text));
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => push_text(&mut events, &html, result, language, &mut seen),
            Event::Text(text) => push_text(&mut events, &text, result, language, &mut seen),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let opened = match dest_url.strip_prefix("#inference:").and_then(|id| id.parse::<u32>().ok()) {
                    Some(id) if result.infer_messages.iter().any(|message| message.id == id) => {
                        let name = name_once(&mut seen, format!("i{id}"));
                        Some(format!("<a class=\"infer\"{name} href=\"#inference-{id}\">"))
                    }
                    Some(_) => None,
                    None => safe_href(&dest_url)
                        .filter(|url| !url.starts_with('#'))
                        .map(|url| format!("<a href=\"{url}\" rel=\"noopener noreferrer\">")),
                };
                links.push(opened.is_some());
                events.extend(opened.map(raw));
            }
            Event::End(TagEnd::Link) => {
                if links.pop() == Some(true) {
                    events.push(raw("</a>".to_owned()));
                }
            }
            Event::Start(Tag::Image { .. } | Tag::HtmlBlock) | Event::End(TagEnd::Image | TagEnd::HtmlBlock) => {}
            // Words of a fence and ids of headings would stand in attributes.
            Event::Start(Tag::CodeBlock(_)) => {
                events.push(Event::Start(Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Indented)));
            }
            Event::Start(Tag::Heading { level, .. }) => {
                events.push(Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }));
            }
            Event::Code(code) => {
                events.push(Event::Code(CowStr::from(without_places(&code))));
            }
            other => events.push(other),
        }
    }
    let mut out = String::new();
    writer::push_html(&mut out, events.into_iter());
    out
}

/// The attribute that names a place of the page: a person may repeat a mark, and only the first one is the place.
fn name_once(seen: &mut BTreeSet<String>, name: String) -> String {
    if seen.contains(&name) {
        return String::new();
    }
    let attribute = format!(" id=\"{name}\"");
    seen.insert(name);
    attribute
}

/// Text with what its placeholders stand for.
fn push_text(
    events: &mut Vec<Event<'_>>,
    text: &str,
    result: &FinalResult,
    language: Locale,
    seen: &mut BTreeSet<String>,
) {
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        let (before, behind) = rest.split_at(at);
        let body = &behind[OPEN.len_utf8()..];
        let Some(end) = body.find(CLOSE) else { break };
        if !before.is_empty() {
            events.push(Event::Text(CowStr::from(before.to_owned())));
        }
        let filled = meaning(&body[..end], result, language, seen).unwrap_or_default();
        events.push(Event::InlineHtml(CowStr::from(filled)));
        rest = &body[end + CLOSE.len_utf8()..];
    }
    if !rest.is_empty() {
        events.push(Event::Text(CowStr::from(rest.to_owned())));
    }
}

/// What a placeholder stands for.
fn meaning(body: &str, result: &FinalResult, language: Locale, seen: &mut BTreeSet<String>) -> Option<String> {
    let (kind, number) = body.split_at_checked(1)?;
    if kind == "c" {
        let id: u32 = number.parse().ok()?;
        let citation = result.citation_messages.data.iter().find(|citation| citation.id == id)?;
        let shown = word(citation.verdict, language);
        return Some(format!(
            "<a class=\"cite {}\"{} href=\"#e{id}\" title=\"{shown}\">{}</a>",
            class(citation.verdict),
            name_once(seen, format!("c{id}")),
            citation.reference_index
        ));
    }
    let chart = result.chart_messages.get(number.parse::<usize>().ok()?)?;
    let caption = if chart.description.is_empty() {
        escape(&chart.chart_title)
    } else {
        format!("{}: {}", escape(&chart.chart_title), escape(&chart.description))
    };
    let drawn = picture(&chart.base64, &chart.chart_title)?;
    Some(format!("<figure>{drawn}<figcaption>{caption}</figcaption></figure>"))
}

/// A text without its placeholders.
fn without_places(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(OPEN) {
        out.push_str(before);
        rest = behind.split_once(CLOSE).map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}
