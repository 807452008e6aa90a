//! What the readers of XML answers share.

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

/// The value of an attribute by its whole name, with its entities resolved; `None` where there is none, or the attributes are
/// malformed.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.try_get_attribute(name).ok()??;
    Some(attribute.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}
