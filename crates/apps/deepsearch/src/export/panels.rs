//! What citations and conclusions open.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::escape::{escape, safe_href};
use super::picture::{is_plain, svg_of};
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
    let title = escape(if citation.title.is_empty() { &citation.url } else { &citation.title });
    let title = match safe_href(&citation.url) {
        Some(url) => format!("<a href=\"{url}\" rel=\"noopener noreferrer\">{title}</a>"),
        None => title,
    };
    let published = match citation.publish_time.as_str() {
        "" => String::new(),
        time => format!(" · {}", escape(time)),
    };
    format!(
        "<aside class=\"panel\" id=\"e{id}\"><a class=\"close\" href=\"#c{id}\">✕</a><p>[{number}] <strong>{title}</strong> \
         <small>{url}{published}</small></p><p><span class=\"verdict {class}\">{word}</span>: {chunk}</p>\
         <blockquote>{lead}{}<mark>{}</mark>{}{tail}</blockquote></aside>\n",
        shown(&before[cut_before..]),
        shown(marked),
        shown(&after[..cut_after]),
        id = citation.id,
        number = citation.reference_index,
        url = escape(&citation.url),
        class = class(citation.verdict),
        word = word(citation.verdict, language),
        chunk = escape(&citation.chunk),
    )
}

/// What a conclusion rests on, with its drawing.
pub(super) fn inference(message: &InferMessage) -> String {
    let page = STANDARD.decode(&message.html_base64).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    // Marker ids of several drawings on one page must differ.
    let svg = page.as_deref().and_then(svg_of).filter(|svg| is_plain(svg)).map(|svg| {
        let arrow = format!("arrow{}", message.id);
        svg.replace("id=\"arrow\"", &format!("id=\"{arrow}\"")).replace("url(#arrow)", &format!("url(#{arrow})"))
    });
    let steps: String = message.inference.lines().map(|line| format!("<p>{}</p>", escape(line))).collect();
    format!(
        "<aside class=\"panel\" id=\"inference-{id}\"><a class=\"close\" href=\"#i{id}\">✕</a><p><strong>{}</strong></p>\
         <figure>{}</figure>{steps}</aside>\n",
        escape(&message.conclusion),
        svg.unwrap_or_default(),
        id = message.id,
    )
}
