//! The report as Markdown for readers.

use graphloom_citations::{Target, replace_marks};

use crate::state::FinalResult;

/// The report without the marks of programs: checked citations are numbered links, conclusions are text, charts are
/// pictures in the file. `final_result.json` has the report with its marks.
pub fn markdown(result: &FinalResult) -> String {
    let text = replace_marks(&result.response_content, |mark| match &mark.target {
        Target::Checked { number: Some(number), url: Some(url), .. } => Some(format!("[[{number}]]({url})")),
        _ => None,
    });
    let text = without_links(&text);
    let mut out = with_charts(&text, |id| {
        let chart = result.chart_messages.iter().find(|chart| chart.chart_id == id)?;
        let title: String =
            chart.chart_title.chars().filter(|c| !matches!(c, '[' | ']' | '!' | '\\') && !c.is_control()).collect();
        Some(format!("![{title}](data:image/svg+xml;base64,{})", chart.base64.trim()))
    });
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Links of conclusions as text.
fn without_links(text: &str) -> String {
    // The same rule by which changes unwrap them; citation marks are gone already.
    crate::feedback::plain(text)
}

/// A text whose `(#insertChart:ID)` are replaced; those of unknown charts are removed.
pub(super) fn with_charts(text: &str, picture: impl Fn(&str) -> Option<String>) -> String {
    const HEAD: &str = "(#insertChart:";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(HEAD) {
        out.push_str(&rest[..at]);
        let body = &rest[at + HEAD.len()..];
        let length = body.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(body.len());
        if body[length..].starts_with(')') {
            out.push_str(&picture(&body[..length]).unwrap_or_default());
            rest = &body[length + 1..];
        } else {
            out.push_str(HEAD);
            rest = body;
        }
    }
    out.push_str(rest);
    out
}
