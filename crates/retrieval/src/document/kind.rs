//! What a file is by its content.

use infer::MatcherType;

use super::{Format, UnreadReason};

/// Where the mark of a PDF file may begin at the latest, as readers of PDF take it.
const LATEST_MARK: usize = 1024;

/// Refuses a file whose content is of another kind than its name says.
///
/// # Errors
/// [`UnreadReason::Mislabelled`] with both kinds.
pub(super) fn check(format: Format, bytes: &[u8]) -> Result<(), UnreadReason> {
    let fits = match format {
        Format::Pdf => mark_of_pdf(bytes).is_some(),
        Format::Docx | Format::Epub => bytes.starts_with(b"PK\x03\x04"),
        Format::Notebook => first_byte(bytes) == Some(b'{'),
        Format::Mail => begins_with_field(bytes),
        Format::Mailbox => without_mark(bytes).starts_with(b"From "),
        Format::Markdown | Format::Plain | Format::Html | Format::Table => !is_packed_document(bytes),
    };
    if fits || bytes.iter().all(u8::is_ascii_whitespace) { Ok(()) } else { Err(mislabelled(format, bytes)) }
}

/// The reason for a file that is not what its name says.
pub(super) fn mislabelled(format: Format, bytes: &[u8]) -> UnreadReason {
    UnreadReason::Mislabelled { named: format.name().to_owned(), found: name(bytes) }
}

/// Where within the first bytes a mark is, with a version behind it.
pub(super) fn mark_of_pdf(bytes: &[u8]) -> Option<usize> {
    let start = &bytes[..bytes.len().min(LATEST_MARK + 8)];
    start.windows(6).position(|window| window.starts_with(b"%PDF-") && window[5].is_ascii_digit())
}

/// Whether bytes under the name of a text are a document, picture or recording of another kind. Only what begins as PDF or
/// cannot be text is looked at: two letters at the beginning of a text are the mark of some format or other.
fn is_packed_document(bytes: &[u8]) -> bool {
    let pdf = bytes.starts_with(b"%PDF-") && bytes.get(5).is_some_and(u8::is_ascii_digit);
    pdf || (bytes.iter().take(8192).any(|byte| *byte == 0)
        && infer::get(bytes).is_some_and(|kind| {
            !matches!(kind.matcher_type(), MatcherType::App | MatcherType::Text | MatcherType::Custom)
        }))
}

/// The first byte of a text behind a byte order mark, in UTF-8 or UTF-16.
fn first_byte(bytes: &[u8]) -> Option<u8> {
    let marks = [b"\xef\xbb\xbf".as_slice(), b"\xff\xfe", b"\xfe\xff"];
    let bytes = marks.into_iter().find_map(|mark| bytes.strip_prefix(mark)).unwrap_or(bytes);
    bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace() && *byte != 0)
}

/// Whether bytes begin with the name of a field and a colon (RFC 5322, section 2.2).
pub(super) fn is_field(bytes: &[u8]) -> bool {
    let name = bytes.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    name > 0 && name < 80 && bytes.get(name) == Some(&b':')
}

/// Bytes behind a byte order mark and empty lines.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes).trim_ascii_start()
}

/// Whether bytes begin with a field, or with the line that some programs write before the first field.
fn begins_with_field(bytes: &[u8]) -> bool {
    let bytes = without_mark(bytes);
    is_field(bytes) || bytes.starts_with(b"From ")
}

/// What bytes are, in words.
fn name(bytes: &[u8]) -> String {
    if mark_of_pdf(bytes).is_some() {
        return "PDF file".to_owned();
    }
    let text = super::decode(bytes, None, false).is_some();
    match infer::get(bytes) {
        Some(kind) if !text || kind.matcher_type() == MatcherType::Text => match kind.mime_type() {
            "text/html" => "HTML page".to_owned(),
            "application/epub+zip" => "EPUB book".to_owned(),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "DOCX file".to_owned(),
            "application/msword" | "application/x-ole-storage" => {
                "file of an older Word, or of Word with a password".to_owned()
            }
            other => format!("file of the type {other}"),
        },
        _ if bytes.starts_with(b"\xd0\xcf\x11\xe0") => "file of an older Word, or of Word with a password".to_owned(),
        _ if text => "text".to_owned(),
        _ => "binary file".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_decides_and_not_the_name() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0".as_slice();
        let zip = [b"PK\x03\x04\x14\0\0\0\x08\0".as_slice(), &[0; 40]].concat();
        for (format, bytes, found) in [
            (Format::Pdf, b"%PDF-1.7\n1 0 obj".as_slice(), None),
            (Format::Pdf, b"\n\n%PDF-1.7\n1 0 obj", None),
            (Format::Pdf, b"<!DOCTYPE html><html><body>Not found", Some("HTML page")),
            (Format::Pdf, b"just words", Some("text")),
            (Format::Pdf, png, Some("file of the type image/png")),
            (
                Format::Docx,
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0",
                Some("file of an older Word, or of Word with a password"),
            ),
            (Format::Docx, b"%PDF-1.4\n", Some("PDF file")),
            (Format::Markdown, b"%PDF-1.4\n\xe2\xe3", Some("PDF file")),
            (Format::Plain, &zip, Some("file of the type application/zip")),
            (Format::Html, png, Some("file of the type image/png")),
            (Format::Plain, b"BMW builds cars, and MZ built motorcycles.", None),
            (Format::Plain, b"GIF89a is a format of pictures. PK is the mark of an archive.", None),
            (Format::Notebook, b" {\"cells\": []}", None),
            (Format::Notebook, b"# A note", Some("text")),
            (Format::Mail, b"Received: by a\r\nSubject: x\r\n\r\nBody", None),
            (Format::Mail, b"Dear all,\n\nwords", Some("text")),
            (Format::Mailbox, b"From a@b Thu Jan  1 00:00:00 1970\n", None),
            (Format::Mailbox, b"Subject: x\n\nBody", Some("text")),
        ] {
            let reason = check(format, bytes).err();
            let expected = found
                .map(|found| UnreadReason::Mislabelled { named: format.name().to_owned(), found: found.to_owned() });
            assert_eq!(reason, expected, "{format:?} {:?}", String::from_utf8_lossy(bytes));
        }
    }
}
