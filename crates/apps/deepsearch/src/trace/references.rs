//! The list of references at the end of a report.

use graphloom_citations::replace_marks;

use crate::state::{Locale, Report};
use crate::trace::mark::{address, trace_marks};

/// What the last heading is called, in small letters.
const NAMES: &[&str] = &[
    "references",
    "reference articles",
    "reference",
    "sources",
    "bibliography",
    "参考文章",
    "参考文献",
    "参考资料",
    "引用",
    "来源",
];

/// The part of a text before its list of references, and the list with its heading.
///
/// The list is the last heading of the text and what follows, if the heading is named so.
pub fn body_of(text: &str) -> (&str, &str) {
    let mut last = None;
    let mut at = 0;
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        if body.starts_with("```") || body.starts_with("~~~") {
            fenced = !fenced;
        }
        if !fenced && body.starts_with('#') {
            last = Some((at, body));
        }
        at += line.len();
    }
    match last {
        Some((at, heading)) if is_references(heading) => text.split_at(at),
        _ => (text, ""),
    }
}

/// A text without its list of references.
pub fn without_references(text: &str) -> &str {
    body_of(text).0.trim_end()
}

fn is_references(heading: &str) -> bool {
    let name = heading.trim_start_matches('#').trim();
    let name =
        name.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ')).trim_end_matches([':', '：']);
    NAMES.contains(&name.to_lowercase().as_str())
}

/// The list: `[n]. [title](url)` for each reference, under a heading.
pub(crate) fn list<'r>(language: Locale, references: impl IntoIterator<Item = (&'r str, &'r str)>) -> String {
    let mut out = String::new();
    for (index, (title, url)) in references.into_iter().enumerate() {
        if index == 0 {
            out.push_str("\n\n# ");
            out.push_str(language.pick("参考文章", "Reference Articles"));
            out.push('\n');
        }
        let title: String =
            title.chars().map(|c| if matches!(c, '[' | ']') || c.is_control() { ' ' } else { c }).collect();
        let title = if title.trim().is_empty() { url.to_owned() } else { title.trim().to_owned() };
        out.push_str(&format!("\n[{}]. [{title}]({})\n", index + 1, address(url)));
    }
    out
}

/// A report as a reader sees it when nothing was checked: the marks of stage 1 as numbered links, with their list.
pub fn unchecked(report: &Report, language: Locale) -> String {
    let body = replace_marks(without_references(&report.report_content), |_| None);
    let mut known: Vec<(String, String)> = Vec::new();
    let (mut text, mut from) = (String::with_capacity(body.len()), 0);
    for mark in trace_marks(&body) {
        text.push_str(&body[from..mark.range.start]);
        from = mark.range.end;
        let number = known.iter().position(|(_, url)| *url == mark.url).unwrap_or_else(|| {
            known.push((mark.title.clone(), mark.url.clone()));
            known.len() - 1
        });
        text.push_str(&format!("[[{}]]({})", number + 1, mark.url));
    }
    text.push_str(&body[from..]);
    let references = list(language, known.iter().map(|(title, url)| (title.as_str(), url.as_str())));
    format!("{}{references}", text.trim_end())
}
