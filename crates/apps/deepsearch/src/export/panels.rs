//! What citations and conclusions open.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::picture::{picture, svg_of};
use crate::markup::{escape, safe_href};
use crate::state::{CitationMessage, InferMessage, Locale, Verdict};

/// How many characters of the source stand before and behind what is marked.
const AROUND: usize = 600;

/// The word for a verdict.
pub(super) fn word(verdict: Verdict, language: Locale) -> &'static str {
    match verdict {
        Verdict::Supported => language.pick("来源支持", "supported"),
        Verdict::Contradicted => language.pick("与来源矛盾", "contradicted"),
        Verdict::NotFound => language.pick("来源中未找到", "not found in the source"),
        Verdict::NotChecked => language.pick("未核查", "not checked"),
    }
}

/// The class of a verdict.
pub(super) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Supported => "supported",
        Verdict::Contradicted => "contradicted",
        Verdict::NotFound => "not_found",
        Verdict::NotChecked => "not_checked",
    }
}

/// The title, the address and the date of the source of some citations, as print has them once for all.
pub(super) fn source_head(citations: &[&CitationMessage]) -> String {
    let Some(citation) = citations.first() else { return String::new() };
    format!("<h3 class=\"printed\">[{}] {}</h3>\n", citation.reference_index, named(citation))
}

/// The source of a citation: its title as a link where it leads to the web, its address, its date.
fn named(citation: &CitationMessage) -> String {
    let title = escape(if citation.title.is_empty() { &citation.url } else { &citation.title });
    let title = match safe_href(&citation.url) {
        Some(url) => format!("<a href=\"{url}\" rel=\"noopener noreferrer\">{title}</a>"),
        None => title,
    };
    let published = match citation.publish_time.as_str() {
        "" => String::new(),
        time => format!(" · {}", escape(time)),
    };
    format!("<strong>{title}</strong> <small>{}{published}</small>", escape(&citation.url))
}

/// The source of a citation with what is marked in it.
pub(super) fn source(citation: &CitationMessage, language: Locale) -> String {
    let (before, marked, after) = match citation.content.split_once("<mark>") {
        Some((before, rest)) => {
            let (marked, after) = rest.split_once("</mark>").unwrap_or((rest, ""));
            (before, marked, after)
        }
        None => (citation.content.as_str(), "", ""),
    };
    let shown = |text: &str| escape(&text.replace("&lt;mark&gt;", "<mark>").replace("&lt;/mark&gt;", "</mark>"));
    let cut_before = before.char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let cut_after = after.char_indices().nth(AROUND).map_or(after.len(), |(at, _)| at);
    let lead = if cut_before > 0 { "… " } else { "" };
    let tail = if cut_after < after.len() { " …" } else { "" };
    // What stands around the marked words is not printed, unless nothing is marked.
    let around = if marked.trim().is_empty() { "" } else { " class=\"around\"" };
    format!(
        "<aside class=\"panel\" id=\"e{id}\">{close}<p class=\"from\">[{number}] {named}</p>\
         <p><span class=\"verdict {class}\">{word}</span>: {chunk}</p>\
         <blockquote><span{around}>{lead}{}</span><mark>{}</mark><span{around}>{}{tail}</span></blockquote></aside>\n",
        shown(&before[cut_before..]),
        shown(marked),
        shown(&after[..cut_after]),
        id = citation.id,
        close = close(&format!("c{}", citation.id)),
        number = citation.reference_index,
        named = named(citation),
        class = class(citation.verdict),
        word = word(citation.verdict, language),
        chunk = escape(&citation.chunk),
    )
}

/// The link that closes a panel by leading back.
fn close(to: &str) -> String {
    format!("<a class=\"close\" href=\"#{to}\" title=\"✕\">✕</a>")
}

/// What a conclusion rests on, with its drawing.
pub(super) fn inference(message: &InferMessage) -> String {
    let page = STANDARD.decode(&message.html_base64).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let drawing = page.as_deref().and_then(svg_of).and_then(|svg| {
        // Marker ids of several drawings on one page must differ.
        let arrow = format!("arrow{}", message.id);
        let svg =
            svg.replace("id=\"arrow\"", &format!("id=\"{arrow}\"")).replace("url(#arrow)", &format!("url(#{arrow})"));
        picture(&STANDARD.encode(svg), &message.conclusion)
    });
    let figure = match drawing {
        Some(svg) => format!("<figure><div class=\"drawing\" tabindex=\"0\">{svg}</div></figure>"),
        None => String::new(),
    };
    let steps: String =
        message.inference.lines().map(|line| format!("<p>{}</p>", escape(&with_numbers(line)))).collect();
    format!(
        "<aside class=\"panel\" id=\"inference-{id}\">{close}<p><strong>{}</strong></p>{figure}{steps}</aside>\n",
        escape(&message.conclusion),
        id = message.id,
        close = close(&format!("i{}", message.id)),
    )
}

/// References as readers know them: `《3》` is `[3]`.
fn with_numbers(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('《') {
        out.push_str(before);
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        match behind[digits..].strip_prefix('》').filter(|_| digits > 0) {
            Some(after) => {
                out.push_str(&format!("[{}]", &behind[..digits]));
                rest = after;
            }
            None => {
                out.push('《');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_stand_as_readers_know_them() {
        assert_eq!(with_numbers("From 《1》《23》 and 《书》 《"), "From [1][23] and 《书》 《");
    }
}
