//! From the bytes of a file to titled passages.

mod decode;
mod group;
mod html;
#[cfg(feature = "web")]
mod jats;
mod markdown;
mod plain;
mod visible;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Locator;
pub(crate) use decode::decode;
#[cfg(feature = "web")]
pub(crate) use jats::article;
#[cfg(feature = "literature")]
pub(crate) use visible::is_visible;
pub use visible::visible_text;

/// How a file is read, by its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Markdown,
    Plain,
    Html,
}

/// The endings that are read, with their format.
const ENDINGS: &[(&str, Format)] = &[
    ("md", Format::Markdown),
    ("markdown", Format::Markdown),
    ("txt", Format::Plain),
    ("text", Format::Plain),
    ("html", Format::Html),
    ("htm", Format::Html),
    ("xhtml", Format::Html),
];

impl Format {
    /// The format that the ending of `path` stands for.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format)
    }

    /// The endings that are read, with their dots.
    pub(crate) fn endings() -> Vec<String> {
        ENDINGS.iter().map(|(ending, _)| format!(".{ending}")).collect()
    }
}

/// A file cut into passages.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) title: String,
    pub(crate) passages: Vec<Passage>,
}

/// A piece of a document that is found and cited as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Passage {
    pub(crate) heading: Vec<String>,
    pub(crate) locator: Locator,
    pub(crate) text: String,
}

/// Reads a document. `path` gives the title where the text has none; passages are about `size` bytes long. Titles,
/// headings and texts hold only characters that are shown, whether the document is a file or a page of the web.
///
/// # Errors
/// Says why an HTML file cannot be read.
pub(crate) fn read(format: Format, path: &str, text: &str, size: usize) -> Result<Document, String> {
    let (title, mut passages) = match format {
        Format::Markdown => markdown::read(text, size),
        Format::Plain => plain::read(text, size),
        Format::Html => html::read(text, size)?,
    };
    for passage in &mut passages {
        passage.text = visible_text(&passage.text);
        passage.heading.iter_mut().for_each(|heading| *heading = visible_text(heading));
    }
    passages.retain(|passage| !passage.text.trim().is_empty());
    let title = title.map(|title| visible_text(&title)).filter(|title| !title.trim().is_empty());
    Ok(Document { title: title.unwrap_or_else(|| visible_text(&title_from_path(path))), passages })
}

/// `guide/write-ahead_log.md` is titled `write ahead log`.
fn title_from_path(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let words: Vec<&str> = stem.split(['-', '_', ' ']).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { name.to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_comes_from_the_text_or_else_from_the_path() {
        for (format, text, title) in [
            (Format::Markdown, "# The *log*\n\nBody.", "The log"),
            (Format::Markdown, "---\ntitle: \"Quoted: title\"\n---\n# Heading\n\nBody.", "Quoted: title"),
            (Format::Markdown, "Body.\n\n## Later", "Later"),
            (Format::Markdown, "Only body.", "my note"),
            (Format::Plain, "The Title\n\nSome body text.", "The Title"),
            (Format::Plain, "A first sentence.\n\nSome body text.", "my note"),
            (Format::Html, "<title>Page</title><body><p>Some text here.</p></body>", "Page"),
            (Format::Html, "<body><p>Some text here.</p></body>", "my note"),
        ] {
            assert_eq!(read(format, "a.b/my-note.x", text, 1000).unwrap().title, title, "{text}");
        }
    }
}
