//! What holds links: notes, canvases and bases, each with the bytes its links are written in.

mod base;
mod canvas;

use std::sync::Arc;

use crate::note::encoding::Decoded;
use crate::note::lines::Lines;
use crate::note::link::Link;
use crate::{Note, NotePath};

/// A file with its links.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) text: Arc<str>,
    pub(crate) links: Vec<Link>,
    /// Names of folders, such as a base filters by. They are no links, and follow a folder that moves.
    pub(crate) folders: Vec<Link>,
}

/// Whether a file that is no note can hold links.
pub(crate) fn holds_links(path: &NotePath) -> bool {
    matches!(path.ending().as_str(), "canvas" | "base")
}

impl Source {
    /// Reads a file; the problem, in words, when it is not what its ending says.
    pub(crate) fn read(path: &NotePath, text: Arc<str>) -> Result<Self, String> {
        if path.is_note() {
            return Ok(Self::of_note(&Note::parse(path.clone(), text)));
        }
        let (links, folders) = match path.ending().as_str() {
            "canvas" => (canvas::links(path, &text)?, Vec::new()),
            "base" => base::links(&text)?,
            _ => (Vec::new(), Vec::new()),
        };
        Ok(Self { text, links, folders })
    }

    pub(crate) fn of_note(note: &Note) -> Self {
        Self { text: note.shared_text(), links: note.links().to_vec(), folders: Vec::new() }
    }
}

/// The links of Markdown that stands in a string of another file.
fn links_in_markdown(path: &NotePath, text: &Decoded, lines: &Lines) -> Vec<Link> {
    let note = Note::parse(path.clone(), text.text.as_str());
    note.links().iter().map(|link| text.placed(link.clone(), lines)).collect()
}
