//! The letters of messages that say nothing of their charset, or what is not so.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Encoding, Message, MessagePart, MimeHeaders};

use crate::document::{Decoded, decode};

/// A message whose fields are in UTF-8: older programs write their subjects and names in the charset of the text, as they are.
pub(super) fn with_readable_fields(bytes: &[u8]) -> Cow<'_, [u8]> {
    let end =
        [b"\n\n".as_slice(), b"\n\r\n"].into_iter().filter_map(|end| find(bytes, end)).min().unwrap_or(bytes.len());
    let (fields, rest) = bytes.split_at(end);
    if std::str::from_utf8(fields).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let named = find_name(fields);
    match decode(fields, named.as_deref(), false) {
        Some(Decoded { text, .. }) => Cow::Owned([text.as_bytes(), rest].concat()),
        None => Cow::Borrowed(bytes),
    }
}

/// A text of a message as it is to be read, and what is to be told of it. The parser reads what names no charset as UTF-8.
pub(super) fn text_of<'a>(
    message: &'a Message<'_>,
    part: &'a MessagePart<'_>,
    text: &'a str,
) -> (Cow<'a, str>, Option<String>) {
    let read = || {
        let raw = message.raw_message.get(part.offset_body as usize..part.offset_end as usize)?;
        let bytes = match part.encoding {
            Encoding::None => raw.to_vec(),
            Encoding::QuotedPrintable => quoted_printable_decode(raw)?,
            Encoding::Base64 => base64_decode(raw)?,
        };
        let named = part.content_type().and_then(|kind| kind.attribute("charset"));
        decode(&bytes, named, part.is_text_html())
    };
    if !text.contains(char::REPLACEMENT_CHARACTER) {
        return (Cow::Borrowed(text), None);
    }
    match read() {
        Some(Decoded { text, note }) => (Cow::Owned(text), note),
        None => (Cow::Borrowed(text), None),
    }
}

/// The charset that the fields of a message name for its text.
fn find_name(fields: &[u8]) -> Option<String> {
    let fields = String::from_utf8_lossy(fields).to_ascii_lowercase();
    let value = fields.split_once("charset=")?.1.trim_start_matches('"');
    let end = value.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')));
    Some(value[..end.unwrap_or(value.len())].to_owned())
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
