//! The mark of stage 1: `[source_tracer_result][title](url)`.

use std::ops::Range;

use graphloom_text::{link_target, link_words};

/// What the mark begins with.
const HEAD: &str = "[source_tracer_result][";

/// A mark and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceMark {
    /// The bytes of the mark.
    pub range: Range<usize>,
    /// The title, as the mark shows it.
    pub title: String,
    /// The address, as the mark has it.
    pub url: String,
}

/// Writes a mark. Characters that would end a title or an address early are replaced.
///
/// ```
/// use graphloom_deepsearch::trace::{trace_mark, trace_marks};
///
/// let mark = trace_mark("A [new] log", "https://a.example/x_(y)");
/// assert_eq!(mark, "[source_tracer_result][A (new) log](https://a.example/x_%28y%29)");
/// assert_eq!(trace_marks(&mark)[0].url, "https://a.example/x_%28y%29");
/// ```
pub fn trace_mark(title: &str, url: &str) -> String {
    format!("{HEAD}{}]({})", link_words(title), link_target(url))
}

/// All marks of a text, in order.
pub fn trace_marks(text: &str) -> Vec<TraceMark> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(offset) = text[from..].find(HEAD) {
        let start = from + offset;
        from = start + HEAD.len();
        let rest = &text[from..];
        let Some(title) = rest.find(']').map(|end| &rest[..end]) else { continue };
        let Some(behind) = rest[title.len() + 1..].strip_prefix('(') else { continue };
        let Some(url) = behind.find(')').map(|end| &behind[..end]) else { continue };
        if url.contains('\n') || title.contains('\n') {
            continue;
        }
        let end = from + title.len() + 2 + url.len() + 1;
        found.push(TraceMark { range: start..end, title: title.to_owned(), url: url.to_owned() });
        from = end;
    }
    found
}
