//! The list of references at the end of a report.

use graphloom_citations::replace_marks;
use graphloom_text::{link_target, link_words};

use crate::evidence::canonical;
use crate::markup::trace_marks;
use crate::markup::without_references;
use crate::state::{Locale, Report};

/// The list of references: `[n]. [title](url)` for each reference, under a heading. Without references it is empty.
pub(crate) fn list<'r>(language: Locale, references: impl IntoIterator<Item = (&'r str, &'r str)>) -> String {
    let mut out = String::new();
    for (index, (title, url)) in references.into_iter().enumerate() {
        if index == 0 {
            out.push_str("\n\n# ");
            out.push_str(language.pick("参考文章", "Reference Articles"));
            out.push('\n');
        }
        let title = if title.trim().is_empty() { url.to_owned() } else { link_words(title) };
        out.push_str(&format!("\n[{}]. [{title}]({})\n", index + 1, link_target(url)));
    }
    out
}

/// The text of a report that was not checked: the marks of stage 1 become numbered links, and the list of references
/// follows. A report without such marks is returned as it is, because its links are numbered already.
pub fn unchecked(report: &Report, language: Locale) -> String {
    if trace_marks(&report.report_content).is_empty() {
        return report.report_content.clone();
    }
    let body = replace_marks(&without_references(&report.report_content), |_| None);
    let mut known: Vec<(String, String)> = Vec::new();
    let (mut text, mut from) = (String::with_capacity(body.len()), 0);
    for mark in trace_marks(&body) {
        text.push_str(&body[from..mark.range.start]);
        from = mark.range.end;
        let number = known.iter().position(|(_, url)| canonical(url) == canonical(&mark.url)).unwrap_or_else(|| {
            known.push((mark.title.clone(), mark.url.clone()));
            known.len() - 1
        });
        text.push_str(&format!("[[{}]]({})", number + 1, mark.url));
    }
    text.push_str(&body[from..]);
    let references = list(language, known.iter().map(|(title, url)| (title.as_str(), url.as_str())));
    format!("{}{references}", text.trim_end())
}
