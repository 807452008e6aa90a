//! DOCX: the paragraphs, lists and tables of a Word document as a reader sees them.

mod body;
mod numbering;
mod styles;

use super::archive::Archive;
use super::blocks::Blocks;
use super::{Format, Passage, UnreadReason, kind, xml};
use numbering::Numbering;
use styles::Styles;

const BODY: &str = "word/document.xml";

/// Reads a document: hidden and deleted text, field codes and comments are left out; notes follow at the end.
///
/// # Errors
/// A file that is no DOCX file, is encrypted or damaged, or unpacks to more than `limit` bytes.
pub(super) fn read(bytes: &[u8], size: usize, limit: u64) -> Result<(Option<String>, Vec<Passage>), UnreadReason> {
    let mut archive = Archive::open(bytes, limit).ok_or_else(|| UnreadReason::malformed("its archive is damaged"))?;
    let Some(body) = archive.text(BODY)? else { return Err(kind::mislabelled(Format::Docx, bytes)) };
    let styles = Styles::read(&archive.text("word/styles.xml")?.unwrap_or_default())?;
    let numbering = Numbering::read(&archive.text("word/numbering.xml")?.unwrap_or_default())?;
    let mut reader = body::Reader::new(&styles, numbering, Blocks::new());
    xml::read(&body, |piece| reader.take(&piece))?;
    for notes in ["word/footnotes.xml", "word/endnotes.xml"] {
        if let Some(notes) = archive.text(notes)? {
            xml::read(&notes, |piece| reader.take(&piece))?;
        }
    }
    let (title, blocks) = reader.finish();
    let named = archive.text("docProps/core.xml")?.map(|core| title_of(&core)).transpose()?.flatten();
    let (heading, passages) = blocks.finish(size);
    Ok((title.or(named).or(heading), passages))
}

/// The title among the properties of a document.
fn title_of(core: &str) -> Result<Option<String>, UnreadReason> {
    let (mut title, mut inside) = (String::new(), false);
    xml::read(core, |piece| match piece {
        xml::Piece::Begin(start) => inside = start.local_name().as_ref() == "title",
        xml::Piece::End(_) => inside = false,
        xml::Piece::Text(text) if inside => title.push_str(text),
        xml::Piece::Text(_) => {}
    })?;
    let title = title.trim().to_owned();
    Ok((!title.is_empty()).then_some(title))
}
