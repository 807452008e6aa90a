//! XML as a sequence of beginnings, ends and texts.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

use super::UnreadReason;

/// A piece of an XML document. Names are without their prefixes.
pub(super) enum Piece<'a> {
    Begin(&'a BytesStart<'a>),
    End(&'a str),
    Text(&'a str),
}

/// Hands the pieces of a document to `take` one by one.
///
/// # Errors
/// Says what is wrong with the XML. A document type is refused, because its entities could grow without bound.
pub(super) fn read(text: &str, mut take: impl FnMut(Piece<'_>)) -> Result<(), UnreadReason> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().allow_dangling_amp = true;
    loop {
        match reader.read_event().map_err(|error| UnreadReason::malformed(format!("no XML: {error}")))? {
            Event::Start(start) => take(Piece::Begin(&start)),
            Event::Empty(start) => {
                take(Piece::Begin(&start));
                take(Piece::End(start.local_name().as_ref()));
            }
            Event::End(end) => take(Piece::End(end.local_name().as_ref())),
            Event::Text(text) => take(Piece::Text(&text.xml10_content())),
            Event::CData(text) => take(Piece::Text(&text.xml10_content())),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(c)) => take(Piece::Text(c.encode_utf8(&mut [0; 4]))),
                _ => take(Piece::Text(resolve_predefined_entity(&reference.xml10_content()).unwrap_or(" "))),
            },
            Event::DocType(_) => return Err(UnreadReason::malformed("it declares a document type, which is not read")),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof => return Ok(()),
        }
    }
}

/// The value of an attribute, by its name without a prefix.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(found.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?.into_owned())
}
