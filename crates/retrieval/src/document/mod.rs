//! From the bytes of a file to titled passages.

mod archive;
mod blocks;
mod charset;
mod docx;
mod epub;
mod group;
mod html;
#[cfg(feature = "web")]
mod jats;
mod json;
mod kind;
mod mail;
mod markdown;
mod notebook;
#[cfg(feature = "pdf")]
mod pdf;
mod plain;
mod sections;
mod table;
mod unread;
#[cfg(test)]
mod written;
mod xml;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use graphloom_text::visible_text;
use serde::{Deserialize, Serialize};

use crate::Locator;
pub(crate) use charset::{Decoded, decode};
#[cfg(feature = "web")]
pub(crate) use jats::article;
#[cfg(feature = "pdf")]
pub use pdf::serve_reader;
pub use unread::UnreadReason;

/// How a file is read, by its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Markdown,
    Plain,
    Html,
    #[cfg_attr(not(feature = "pdf"), expect(dead_code, reason = "no ending stands for it"))]
    Pdf,
    Docx,
    Epub,
    Notebook,
    Table,
    Mail,
    Mailbox,
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
    #[cfg(feature = "pdf")]
    ("pdf", Format::Pdf),
    ("docx", Format::Docx),
    ("epub", Format::Epub),
    ("ipynb", Format::Notebook),
    ("csv", Format::Table),
    ("tsv", Format::Table),
    ("eml", Format::Mail),
    ("mbox", Format::Mailbox),
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

    /// Whether a file of it is a text that is read as it is. Others hold pictures and fonts, too, and may be larger.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Markdown | Self::Plain | Self::Html | Self::Notebook | Self::Table)
    }

    /// Its name in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown text",
            Self::Plain => "text",
            Self::Html => "HTML page",
            Self::Pdf => "PDF file",
            Self::Docx => "DOCX file",
            Self::Epub => "EPUB book",
            Self::Notebook => "notebook",
            Self::Table => "table",
            Self::Mail => "message",
            Self::Mailbox => "mailbox",
        }
    }
}

/// What reading a document may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadLimits<'a> {
    /// Passages are about so long, in bytes.
    pub(crate) passage_bytes: usize,
    /// The most bytes that the parts of an archive unpack to, together.
    pub(crate) unpacked_bytes: u64,
    /// The most pages of a PDF file.
    #[cfg_attr(not(feature = "pdf"), expect(dead_code, reason = "only PDF files have pages"))]
    pub(crate) pages: usize,
    /// The most time for a PDF file.
    #[cfg_attr(not(feature = "pdf"), expect(dead_code, reason = "only PDF files take long"))]
    pub(crate) time: Duration,
    /// The program that reads PDF files apart.
    #[cfg_attr(not(feature = "pdf"), expect(dead_code, reason = "only PDF files are read apart"))]
    pub(crate) reader: Option<&'a Path>,
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

/// A title if there is one, the passages, and what was lost.
type Read = (Option<String>, Vec<Passage>, Option<String>);

/// Reads a file. The second part of the answer says what was lost. No reader of a format ends the program.
///
/// # Errors
/// Says why the file cannot be read.
pub(crate) fn read_file(
    format: Format,
    path: &str,
    bytes: &[u8],
    limits: &ReadLimits<'_>,
) -> Result<(Document, Option<String>), UnreadReason> {
    kind::check(format, bytes)?;
    // The readers of other people's formats are not ours; none of them may end the program.
    let read = catch_unwind(AssertUnwindSafe(|| read_bytes(format, bytes, limits)));
    let (title, passages, note) =
        read.unwrap_or_else(|_| Err(UnreadReason::malformed("its reader stopped unexpectedly")))?;
    let document = shown(path, title, passages);
    if document.passages.is_empty() { Err(UnreadReason::Empty) } else { Ok((document, note)) }
}

fn read_bytes(format: Format, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<Read, UnreadReason> {
    let size = limits.passage_bytes;
    match format {
        Format::Markdown | Format::Plain | Format::Html | Format::Notebook | Format::Table => {
            let decoded = decode(bytes, None, format == Format::Html);
            let Decoded { text, note } = decoded.ok_or(UnreadReason::Binary)?;
            let (title, passages, cut) = read_text(format, &text, size)?;
            let notes: Vec<String> = note.into_iter().chain(cut).collect();
            Ok((title, passages, (!notes.is_empty()).then(|| notes.join("; "))))
        }
        #[cfg(feature = "pdf")]
        Format::Pdf => pdf::read(bytes, limits),
        #[cfg(not(feature = "pdf"))]
        Format::Pdf => Err(UnreadReason::Binary),
        Format::Docx => docx::read(bytes, size, limits.unpacked_bytes).map(|(title, passages)| (title, passages, None)),
        Format::Epub => epub::read(bytes, size, limits.unpacked_bytes),
        Format::Mail => mail::read(bytes, size),
        Format::Mailbox => mail::read_all(bytes, size).map(|(passages, note)| (None, passages, note)),
    }
}

fn read_text(format: Format, text: &str, size: usize) -> Result<Read, UnreadReason> {
    let (title, passages) = match format {
        Format::Markdown => markdown::read(text, size),
        Format::Html => html::read(text, size).map_err(UnreadReason::malformed)?,
        Format::Notebook => return notebook::read(text, size),
        Format::Table => (None, table::read(text, size)),
        _ => plain::read(text, size),
    };
    Ok((title, passages, None))
}

/// Reads a document that is a text. `path` gives the title where the text has none; passages are about `size` bytes long.
///
/// # Errors
/// Says why an HTML file cannot be read.
pub(crate) fn read(format: Format, path: &str, text: &str, size: usize) -> Result<Document, UnreadReason> {
    let read = catch_unwind(AssertUnwindSafe(|| read_text(format, text, size)));
    let (title, passages, _) =
        read.unwrap_or_else(|_| Err(UnreadReason::malformed("its reader stopped unexpectedly")))?;
    Ok(shown(path, title, passages))
}

/// The document with only those characters in titles, headings and texts that are shown.
fn shown(path: &str, title: Option<String>, mut passages: Vec<Passage>) -> Document {
    for passage in &mut passages {
        passage.text = visible_text(&passage.text);
        passage.heading.iter_mut().for_each(|heading| *heading = visible_text(heading));
    }
    passages.retain(|passage| !passage.text.trim().is_empty());
    let title = title.map(|title| visible_text(&title)).filter(|title| !title.trim().is_empty());
    Document { title: title.unwrap_or_else(|| visible_text(&title_from_path(path))), passages }
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
