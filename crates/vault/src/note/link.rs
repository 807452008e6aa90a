//! A link as it is written in a note, with the bytes it is written in.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::encoding::Encoding;

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LinkForm {
    /// `[[Note]]`.
    Wiki,
    /// `[text](Note.md)`.
    Markdown,
    /// `[label]: Note.md`.
    Definition,
    /// A whole path from the vault's root, as a card of a canvas or a filter of a base has it.
    Path,
}

/// The part of a note that a link names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Anchor {
    /// `#Heading`, or `#Heading#Below it`.
    Heading(Vec<String>),
    /// `#^block`.
    Block(String),
}

/// A link to a note, an attachment or a part of either. Links to other places (`https:`, `mailto:`) are not in here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Link {
    /// How it is written.
    pub form: LinkForm,
    /// Whether it is an embed, with `!` before it.
    pub embed: bool,
    /// The file it names, decoded: a name, a path, or `""` for the note itself.
    pub target: String,
    /// The part of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// The text shown instead of the target; for an embedded image its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// Whether it stands in the frontmatter.
    pub in_frontmatter: bool,
    /// The line it is on, counted from 1.
    pub line: usize,
    /// The bytes of the whole link in the note's text.
    pub span: Range<usize>,
    /// The bytes of the target alone: what is rewritten when the target moves.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) target_span: Range<usize>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) writing: Writing,
    /// The string that it stands in.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) encoding: Encoding,
}

/// How the target's characters are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Writing {
    /// As they are.
    #[default]
    Plain,
    /// With `%20` and the like; `unicode`: letters beyond ASCII too.
    Percent { unicode: bool },
    /// Between `<` and `>`.
    Angle,
}

impl Link {
    /// Whether it names a part of its own note.
    #[must_use]
    pub fn is_same_note(&self) -> bool {
        self.target.is_empty()
    }

    /// The target in the characters that stand for it in the text.
    pub(crate) fn write_target(&self, target: &str) -> String {
        // What would begin an anchor, a query, code, an entity or an address is never written bare.
        let entity = target.contains('&') && target.contains(';');
        let address = is_external(target);
        let special = |c: char| {
            matches!(c, '%' | '<' | '>' | '\\' | '#' | '?' | '`') || (entity && c == '&') || (address && c == ':')
        };
        let written = match self.writing {
            Writing::Plain => target.to_owned(),
            Writing::Percent { unicode } => percent_encode(target, |c| {
                special(c)
                    || matches!(c, '(' | ')' | '[' | ']' | '"' | '|')
                    || c.is_whitespace()
                    || (unicode && !c.is_ascii())
            }),
            Writing::Angle => percent_encode(target, special),
        };
        self.encoding.encode(&written)
    }

    /// Whether this is the same link but for its target and where it stands.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.form, self.embed, &self.anchor, &self.shown, self.in_frontmatter)
            == (other.form, other.embed, &other.anchor, &other.shown, other.in_frontmatter)
    }
}

/// Splits what follows the `#` into an anchor. An empty one is none.
pub(crate) fn anchor_of(text: &str) -> Option<Anchor> {
    if let Some(block) = text.trim().strip_prefix('^') {
        return Some(Anchor::Block(block.trim().to_owned()));
    }
    let parts: Vec<String> =
        text.split('#').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    match parts.last() {
        None => None,
        Some(last) if last.starts_with('^') => Some(Anchor::Block(last.trim_start_matches('^').to_owned())),
        Some(_) => Some(Anchor::Heading(parts)),
    }
}

/// Whether a Markdown destination leads out of the vault: it has a scheme, or starts with `//`.
pub(crate) fn is_external(destination: &str) -> bool {
    if destination.starts_with("//") {
        return true;
    }
    let Some((scheme, _)) = destination.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn percent_encode(text: &str, encode: impl Fn(char) -> bool) -> String {
    let mut written = String::with_capacity(text.len());
    let mut buffer = [0; 4];
    for c in text.chars() {
        if encode(c) {
            for byte in c.encode_utf8(&mut buffer).bytes() {
                written.push_str(&format!("%{byte:02X}"));
            }
        } else {
            written.push(c);
        }
    }
    written
}

/// Decodes `%20` and the like; text that is not valid after it is kept as it was.
pub(crate) fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let digit = |byte: Option<&u8>| byte.and_then(|b| char::from(*b).to_digit(16)).and_then(|d| u8::try_from(d).ok());
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(high * 16 + low);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_local_from_external() {
        for external in ["https://a.b", "mailto:a@b", "//host/x", "obsidian://open", "data:text/plain,x"] {
            assert!(is_external(external), "{external}");
        }
        for local in ["Note.md", "a/b.md", "../x.md", "#heading", "日本:語.md"] {
            assert!(!is_external(local), "{local}");
        }
    }

    #[test]
    fn decoding_undoes_encoding() {
        for text in ["My Note.md", "C# & what?.md", "100% (sure).md", "日本語/ノート.md", "a%20b.md"] {
            for unicode in [false, true] {
                let link = |writing| Link {
                    form: LinkForm::Markdown,
                    embed: false,
                    target: String::new(),
                    anchor: None,
                    shown: None,
                    in_frontmatter: false,
                    line: 1,
                    span: 0..0,
                    target_span: 0..0,
                    writing,
                    encoding: Encoding::Plain,
                };
                assert_eq!(percent_decode(&link(Writing::Percent { unicode }).write_target(text)), text);
                assert_eq!(percent_decode(&link(Writing::Angle).write_target(text)), text);
            }
        }
        assert_eq!(percent_decode("100%"), "100%");
        assert_eq!(percent_decode("%ff"), "%ff");
    }
}
