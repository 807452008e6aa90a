//! Pictures of a report inside of a page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::markup::escape;

/// The elements of a drawing that may stand in a page: shapes and words. Nothing among them acts, loads or links.
const ELEMENTS: &[&str] = &[
    "svg", "g", "defs", "marker", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon",
    "text", "tspan",
];
/// Attributes that may not stand in a page although no element here acts by them.
const FORBIDDEN: &[&str] = &["href", "src", "style", "class", "begin", "values"];

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

/// Whether a drawing holds nothing that acts: it is well-formed, and its elements and attributes are those of shapes and
/// words. What the words say does not matter.
fn is_plain(svg: &str) -> bool {
    let mut reader = Reader::from_str(svg);
    let mut depth = 0_usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) if is_shape(&tag) => depth += 1,
            Ok(Event::Empty(tag)) if is_shape(&tag) => {}
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Text(_) | Event::GeneralRef(_)) => {}
            Ok(Event::Eof) => return depth == 0,
            _ => return false,
        }
    }
}

/// Whether an element is a shape or a word, and has no attribute that acts.
fn is_shape(tag: &BytesStart<'_>) -> bool {
    ELEMENTS.contains(&tag.name().as_ref())
        && tag.attributes().all(|attribute| {
            let Ok(attribute) = attribute else { return false };
            let (key, value) = (attribute.key.as_ref().to_ascii_lowercase(), attribute.value.to_ascii_lowercase());
            let own = !value.contains("url(") || value.starts_with("url(#");
            let local = key.rsplit(':').next().unwrap_or_default();
            own && !key.starts_with("on") && !FORBIDDEN.contains(&local)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_plain_whatever_they_say() {
        for text in
            ["data: address and href", "one=1 onclick=x", "javascript:x &lt;script>", "a &amp; b &#39;", "url(x)"]
        {
            let drawing =
                format!("<svg viewBox=\"0 0 1 1\"><title>{text}</title><g><text x=\"1\">{text}</text></g></svg>");
            assert!(is_plain(&drawing), "{text}");
        }
    }

    #[test]
    fn what_acts_is_not_plain() {
        for drawing in [
            "<svg onload=\"x\"></svg>",
            "<svg><script>x</script></svg>",
            "<svg><a href=\"x\">y</a></svg>",
            "<svg><g xlink:href=\"x\"/></svg>",
            "<svg><image/></svg>",
            "<svg><rect fill=\"url(http://x)\"/></svg>",
            "<svg><rect style=\"x\"/></svg>",
            "<svg><!-- x --></svg>",
            "<!DOCTYPE svg><svg></svg>",
            "<?x y?><svg></svg>",
            "<svg><text></svg>",
            "<svg><text>",
            "<svg><![CDATA[<script>]]></svg>",
            "<svg onload=alert(1)></svg>",
        ] {
            assert!(!is_plain(drawing), "{drawing}");
        }
    }
}
