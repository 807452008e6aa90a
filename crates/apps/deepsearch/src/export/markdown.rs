//! The report as Markdown for readers.

use graphloom_citations::{Target, replace_marks};

use super::placeholders::with_charts;
use super::references::with_paths;
use super::sanitize::{is_web, sanitize};
use super::unchecked_signs::{legend, with_signs};
use crate::state::{FinalResult, Locale};

/// The report without the marks of programs: checked citations are numbered links, conclusions are text, charts are
/// pictures in the file. `final_result.json` has the report with its marks.
///
/// Whatever models, documents and people wrote is text in it: there is no HTML, no picture but the charts, and no link
/// but to `http` and `https`. A source that is a file stands in the list of references with its path. Statements that
/// nothing checked says bear a sign; the line below the title says what it means.
pub fn markdown(result: &FinalResult, language: Locale) -> String {
    let plain = graphloom_retrieval::visible_text(&with_signs(result, language));
    let text = replace_marks(&plain, |mark| match &mark.target {
        // The brackets would otherwise be a link to a page `1` for some readers.
        Target::Checked { number: Some(number), url: Some(url), .. } if is_web(url) => {
            Some(format!("[\\[{number}\\]]({url})"))
        }
        Target::Checked { number: Some(number), .. } => Some(format!("\\[{number}\\]")),
        _ => None,
    });
    let text = with_paths(&unlinked(&crate::markup::plain(&text)));
    let text = with_charts(&text, |id| {
        let chart = result.chart_messages.iter().find(|chart| chart.chart_id == id)?;
        // Words of a title could otherwise join with what stands around the picture.
        let title: String =
            chart.chart_title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | ',' | '.')).collect();
        Some(format!("![{}]({})", title.trim(), address(&chart.base64)?))
    });
    let ours: Vec<String> = result.chart_messages.iter().filter_map(|chart| address(&chart.base64)).collect();
    let mut out = sanitize(&text, &ours);
    out.truncate(out.trim_end().len());
    out.push('\n');
    if let Some(legend) = legend(result, language) {
        let title = out.lines().next().filter(|line| line.starts_with("# ")).map_or(0, str::len);
        let gap = if title == 0 { "" } else { "\n\n" };
        let behind = if title == 0 { "\n\n" } else { "" };
        out.insert_str(title, &format!("{gap}*{legend}*{behind}"));
    }
    out
}

/// The address of a chart as a picture in the file; nothing for what is no base64.
fn address(base64: &str) -> Option<String> {
    let base64 = base64.trim();
    let is_base64 = base64.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    (is_base64 && !base64.is_empty()).then(|| format!("data:image/svg+xml;base64,{base64}"))
}

/// Numbers of citations that were never checked, `[[1]](address)`, in the same form as those that were.
fn unlinked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("[[") {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let digits = behind[2..].bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = (&behind[2..2 + digits], &behind[2 + digits..]);
        match after.strip_prefix("]](").filter(|_| digits > 0) {
            Some(address) => {
                let end =
                    if address.starts_with('<') { address.find(">)").map(|end| end + 1) } else { address.find(')') };
                let length = end.unwrap_or(address.len());
                let closed = end.is_some() && !address[..length].contains('\n');
                if closed && !is_web(address[..length].trim_start_matches('<')) {
                    out.push_str(&format!("\\[{number}\\]"));
                    rest = &address[length + 1..];
                } else {
                    out.push_str(&format!("[\\[{number}\\]]("));
                    rest = address;
                }
            }
            None => {
                out.push_str("[[");
                rest = &behind[2..];
            }
        }
    }
    out.push_str(rest);
    out
}
