//! From a body to a page.

use super::super::bounds::{LONGEST_TEXT, visible};
use super::{Page, PageError, PdfText, ReadPdf};
use crate::document::{self, Decoded, Format, Passage, decode};
use crate::literature::text::shortened;

/// A passage of an extracted page is about this long, in bytes; only the headings between them matter here.
pub(super) const PASSAGE: usize = 4000;

/// Why a body that is binary has no text.
const NO_TEXT: &str = "it is no text";

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Text(Format),
    /// A full text in XML, as repositories of journals serve it.
    Article,
    Pdf,
}

/// How a body is read, by its media type. Without one it is sniffed.
pub(super) fn format_of(media_type: Option<&str>, body: &[u8], reads_pdf: bool) -> Result<Body, PageError> {
    let named = media_type.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    match named.as_deref() {
        Some("text/html" | "application/xhtml+xml") => Ok(Body::Text(Format::Html)),
        Some("text/markdown" | "text/x-markdown") => Ok(Body::Text(Format::Markdown)),
        Some("text/plain") => Ok(Body::Text(Format::Plain)),
        Some("application/xml" | "text/xml" | "application/jats+xml") => Ok(Body::Article),
        Some("application/pdf") if reads_pdf => Ok(Body::Pdf),
        Some(other) if !other.is_empty() => Err(PageError::MediaType { media_type: shortened(other, 60) }),
        _ => {
            let start = String::from_utf8_lossy(&body[..body.len().min(512)]).to_ascii_lowercase();
            let is_html = ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| start.contains(tag));
            if is_html {
                Ok(Body::Text(Format::Html))
            } else {
                Err(PageError::MediaType { media_type: "unnamed".to_owned() })
            }
        }
    }
}

/// The encoding that a media type names.
pub(super) fn charset_of(media_type: &str) -> Option<&str> {
    let parameter = |part: &'_ str| part.trim().to_ascii_lowercase().starts_with("charset=");
    media_type.split(';').find(|part| parameter(part)).and_then(|part| part.split_once('=')).map(|(_, value)| value)
}

/// The page in a body. Extraction takes time, so it belongs on a thread for blocking work.
pub(super) fn page(
    url: String,
    kind: Body,
    declared: Option<&str>,
    body: &[u8],
    pdf: Option<&dyn ReadPdf>,
    mut notes: Vec<String>,
) -> Result<Page, PageError> {
    let empty = |reason: String| PageError::Empty { reason };
    let format = match kind {
        Body::Text(format) => format,
        Body::Article => {
            let decoded = decode(body, declared, true).ok_or_else(|| empty(NO_TEXT.to_owned()))?;
            notes.extend(decoded.note.map(|note| format!("the page {note}")));
            let (title, readable) = document::article(&decoded.text).map_err(empty)?;
            return finish(url, title, &readable, body, notes);
        }
        Body::Pdf => {
            let Some(reader) = pdf else {
                return Err(PageError::MediaType { media_type: "application/pdf".to_owned() });
            };
            let PdfText { title, text, lost } = reader.read(body).map_err(empty)?;
            let page = finish(url, title, &text, body, notes)?;
            return Ok(Page { lost, ..page });
        }
    };
    let Decoded { text, note } =
        decode(body, declared, format == Format::Html).ok_or_else(|| empty(NO_TEXT.to_owned()))?;
    notes.extend(note.map(|note| format!("the page {note}")));
    let document = document::read(format, &url, &text, PASSAGE)
        .map_err(|reason| PageError::Empty { reason: reason.to_string() })?;
    finish(url, document.title, &readable(&document.passages), body, notes)
}

/// The text of passages, with their headings as lines of Markdown.
pub(super) fn readable(passages: &[Passage]) -> String {
    let mut readable = String::new();
    let mut heading: &[String] = &[];
    for passage in passages {
        if passage.heading != heading {
            heading = &passage.heading;
            if let Some(last) = heading.last() {
                readable.push_str(&format!("{} {last}\n\n", "#".repeat(heading.len().min(6))));
            }
        }
        readable.push_str(passage.text.trim());
        readable.push_str("\n\n");
    }
    readable
}

/// The page with what is shown of its text.
fn finish(url: String, title: String, readable: &str, body: &[u8], mut notes: Vec<String>) -> Result<Page, PageError> {
    let title = if title.trim().is_empty() { url.clone() } else { title };
    let text = visible(readable);
    if text.is_empty() {
        return Err(PageError::Empty { reason: "it may need a browser that runs programs".to_owned() });
    }
    if readable.chars().count() > LONGEST_TEXT {
        notes.push(format!("only the first {LONGEST_TEXT} characters were read"));
    }
    let title = shortened(&title, 300);
    Ok(Page { url, title, text, content_hash: blake3::hash(body).to_hex().to_string(), notes, lost: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_read() {
        for (kind, format) in [
            (Some("text/html; charset=utf-8"), Some(Body::Text(Format::Html))),
            (Some("TEXT/PLAIN"), Some(Body::Text(Format::Plain))),
            (Some("text/markdown"), Some(Body::Text(Format::Markdown))),
            (Some("application/xml"), Some(Body::Article)),
            (Some("application/pdf"), None),
            (Some("image/png"), None),
            (Some("application/octet-stream"), None),
            (Some("text/html-lookalike"), None),
            (None, Some(Body::Text(Format::Html))),
        ] {
            assert_eq!(format_of(kind, b"<!DOCTYPE html><p>", false).ok(), format, "{kind:?}");
        }
        assert!(format_of(None, b"\x7fELF", true).is_err());
        assert_eq!(format_of(Some("application/pdf"), b"", true), Ok(Body::Pdf));
        assert_eq!(charset_of("text/html; Charset=\"GBK\""), Some("\"GBK\""));
        assert_eq!(charset_of("text/html"), None);
    }
}
