//! From a body to a page.

use super::super::bounds::{LONGEST_TEXT, visible};
use super::charset::decode;
use super::{Page, PageError};
use crate::document::{self, Format};
use crate::literature::text::shortened;

/// A passage of an extracted page is about this long, in bytes; only the headings between them matter here.
const PASSAGE: usize = 4000;

/// How a body is read, by its media type. Without one it is sniffed.
pub(super) fn format_of(media_type: Option<&str>, body: &[u8]) -> Result<Format, PageError> {
    let named = media_type.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    match named.as_deref() {
        Some("text/html" | "application/xhtml+xml") => Ok(Format::Html),
        Some("text/markdown" | "text/x-markdown") => Ok(Format::Markdown),
        Some("text/plain") => Ok(Format::Plain),
        Some(other) if !other.is_empty() => Err(PageError::MediaType { media_type: shortened(other, 60) }),
        _ => {
            let start = String::from_utf8_lossy(&body[..body.len().min(512)]).to_ascii_lowercase();
            let is_html = ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| start.contains(tag));
            if is_html { Ok(Format::Html) } else { Err(PageError::MediaType { media_type: "unnamed".to_owned() }) }
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
    format: Format,
    declared: Option<&str>,
    body: &[u8],
    mut notes: Vec<String>,
) -> Result<Page, PageError> {
    let (text, lost) = decode(body, declared);
    if text.contains('\0') {
        return Err(PageError::Empty { reason: "it is no text".to_owned() });
    }
    if lost {
        notes.push("some bytes of the page are not in its encoding and were replaced".to_owned());
    }
    let document = document::read(format, &url, &text, PASSAGE)
        .map_err(|reason| PageError::Empty { reason: reason.to_string() })?;
    let mut readable = String::new();
    let mut heading: &[String] = &[];
    for passage in &document.passages {
        if passage.heading != heading {
            heading = &passage.heading;
            if let Some(last) = heading.last() {
                readable.push_str(&format!("{} {last}\n\n", "#".repeat(heading.len().min(6))));
            }
        }
        readable.push_str(passage.text.trim());
        readable.push_str("\n\n");
    }
    let text = visible(&readable);
    if text.is_empty() {
        return Err(PageError::Empty { reason: "it may need a browser that runs programs".to_owned() });
    }
    if readable.chars().count() > LONGEST_TEXT {
        notes.push(format!("only the first {LONGEST_TEXT} characters were read"));
    }
    let title = shortened(&document.title, 300);
    Ok(Page { url, title, text, content_hash: blake3::hash(body).to_hex().to_string(), notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_read() {
        for (kind, format) in [
            (Some("text/html; charset=utf-8"), Some(Format::Html)),
            (Some("TEXT/PLAIN"), Some(Format::Plain)),
            (Some("text/markdown"), Some(Format::Markdown)),
            (Some("application/pdf"), None),
            (Some("image/png"), None),
            (Some("application/octet-stream"), None),
            (Some("text/html-lookalike"), None),
            (None, Some(Format::Html)),
        ] {
            assert_eq!(format_of(kind, b"<!DOCTYPE html><p>").ok(), format, "{kind:?}");
        }
        assert!(format_of(None, b"\x7fELF").is_err());
        assert_eq!(charset_of("text/html; Charset=\"GBK\""), Some("\"GBK\""));
        assert_eq!(charset_of("text/html"), None);
    }
}
