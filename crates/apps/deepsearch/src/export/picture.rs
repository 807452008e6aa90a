//! Pictures of a report inside of a page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::escape::escape;

/// What an SVG that stands in a page must not hold: scripts, other documents, and addresses.
const FORBIDDEN: &[&str] = &[
    "<script",
    "<foreignobject",
    "<iframe",
    "<image",
    "<use",
    "<style",
    "<a ",
    "javascript:",
    "data:",
    "href",
    "<!",
    "<?xml-stylesheet",
];

/// A picture in base64: SVG in the page where it is plain drawing, else an image that no script can run in.
pub(super) fn picture(base64: &str, title: &str) -> Option<String> {
    let bytes = STANDARD.decode(base64.trim()).ok()?;
    let text = String::from_utf8(bytes).ok();
    match text.as_deref().and_then(svg_of) {
        Some(svg) if is_plain(svg) => Some(svg.to_owned()),
        Some(_) => Some(format!("<img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\">", escape(title), base64.trim())),
        None => None,
    }
}

/// The first drawing of a text.
pub(super) fn svg_of(text: &str) -> Option<&str> {
    let start = text.find("<svg")?;
    let end = text.rfind("</svg>")?;
    (start < end).then(|| &text[start..end + "</svg>".len()])
}

/// Whether a drawing holds nothing that acts.
pub(super) fn is_plain(svg: &str) -> bool {
    let lower = svg.to_ascii_lowercase();
    let acts = lower.split(['<', ' ', '\n', '\t', '/', '"', '\'']).any(|word| {
        word.starts_with("on")
            && word
                .split('=')
                .next()
                .is_some_and(|name| name.len() < word.len() && name.bytes().all(|b| b.is_ascii_lowercase()))
    });
    !acts && !FORBIDDEN.iter().any(|word| lower.contains(word))
}
