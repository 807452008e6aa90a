//! How a text is written in another format: the escapes of a YAML or JSON string, and where each of its bytes stands.

use std::ops::Range;

use super::lines::Lines;
use super::link::Link;

/// The kind of string that a text is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// No string: the text is as it is.
    #[default]
    Plain,
    /// A YAML value between `'`.
    YamlSingle,
    /// A YAML value between `"`.
    YamlDouble,
    /// A JSON string.
    Json,
}

/// A text without the escapes of the string that it stands in.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// For each byte of the text, and its end, the byte of the file it is written at.
    at: Vec<usize>,
    encoding: Encoding,
}

impl Encoding {
    /// Reads what stands between the quotes, `span` of a file; `None` for an escape that is not understood.
    pub(crate) fn decode(self, file: &str, span: Range<usize>) -> Option<Decoded> {
        let raw = file.get(span.clone())?;
        let mut text = String::with_capacity(raw.len());
        let mut at = Vec::with_capacity(raw.len() + 1);
        let mut rest = raw;
        while let Some(c) = rest.chars().next() {
            let here = span.end - rest.len();
            let (c, used) = match (self, c) {
                (Self::YamlSingle, '\'') => (c, if rest.starts_with("''") { 2 } else { 1 }),
                (Self::YamlDouble | Self::Json, '\\') => escape(rest)?,
                _ => (c, c.len_utf8()),
            };
            at.extend(std::iter::repeat_n(here, c.len_utf8()));
            text.push(c);
            rest = &rest[used..];
        }
        at.push(span.end);
        Some(Decoded { text, at, encoding: self })
    }

    /// The text as it is written in such a string.
    pub(crate) fn encode(self, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::YamlSingle => text.replace('\'', "''"),
            Self::YamlDouble | Self::Json => text.replace('\\', "\\\\").replace('"', "\\\""),
        }
    }
}

/// The character of the escape that a text begins with, and its length.
fn escape(text: &str) -> Option<(char, usize)> {
    let kind = text[1..].chars().next()?;
    let plain = match kind {
        '"' | '\\' | '/' => kind,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => {
            let unit = |at: usize| u32::from_str_radix(text.get(at..at + 4)?, 16).ok();
            let first = unit(2)?;
            if let Some(c) = char::from_u32(first) {
                return Some((c, 6));
            }
            let second = unit(8).filter(|_| text.get(6..8) == Some("\\u"))?;
            let c = char::decode_utf16([u16::try_from(first).ok()?, u16::try_from(second).ok()?]).next()?.ok()?;
            return Some((c, 12));
        }
        _ => return None,
    };
    Some((plain, 2))
}

impl Decoded {
    /// Gives a link that was found in the text its place in the file.
    pub(crate) fn placed(&self, mut link: Link, lines: &Lines) -> Link {
        let place = |span: &Range<usize>| self.at[span.start]..self.at[span.end];
        link.span = place(&link.span);
        link.target_span = place(&link.target_span);
        link.line = lines.line_of(link.span.start);
        link.encoding = self.encoding;
        link
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_knows_where_it_is_written() {
        let file = r#"x "a\"b\u00e9\ud83d\ude00c" y"#;
        let read = Encoding::Json.decode(file, 3..file.len() - 3).unwrap();
        assert_eq!(read.text, "a\"bé😀c");
        let at = read.text.find('c').unwrap();
        assert_eq!(&file[read.at[at]..read.at[at + 1]], "c");
        assert_eq!(&file[read.at[1]..read.at[2]], "\\\"");
        assert_eq!(Encoding::YamlSingle.decode("'it''s'", 1..6).unwrap().text, "it's");
        assert!(Encoding::YamlDouble.decode(r"\q", 0..2).is_none());
    }

    #[test]
    fn what_is_encoded_is_decoded_again() {
        for encoding in [Encoding::Plain, Encoding::YamlSingle, Encoding::YamlDouble, Encoding::Json] {
            for text in ["plain", "it's", "a \"b\" \\ c", "日本"] {
                let written = encoding.encode(text);
                assert_eq!(encoding.decode(&written, 0..written.len()).unwrap().text, text, "{encoding:?}");
            }
        }
    }
}
