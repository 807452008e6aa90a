//! PDF: the text of the pages, read in a process of its own where the program offers one.

mod apart;
mod columns;
#[cfg(test)]
mod drawn;
mod extract;
mod header;
mod line_end;
mod reread;

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::line_end::Words;
use super::blocks::Blocks;
use super::{Read, ReadLimits, UnreadReason};
pub use apart::serve_reader;

/// The longest heading, in bytes. What is longer is text in large letters.
const LONGEST_HEADING: usize = 240;

/// What is in a PDF file.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    title: Option<String>,
    pages: Vec<Page>,
    /// How many pages the file has, and how many of them could not be read.
    all: u32,
    failed: u32,
    /// How many runs of letters the fonts give no meaning.
    unreadable: usize,
    /// On how many pages lines may be read across columns that could not be told apart.
    unordered: usize,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    number: u32,
    pieces: Vec<Piece>,
}

/// A piece of a page.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Piece {
    Heading(u8, String),
    /// A text, which may go on from the page before.
    Paragraph(String),
    /// A text that belongs close to the one before it, if it is `true`: an item of a list, a row of a table, code.
    Other(String, bool),
}

impl Piece {
    /// A heading, or a paragraph where it is too long for one.
    fn heading(level: u8, text: &str) -> Self {
        if text.len() <= LONGEST_HEADING {
            Self::Heading(level, text.split_whitespace().collect::<Vec<_>>().join(" "))
        } else {
            Self::Paragraph(text.to_owned())
        }
    }
}

/// What reading one file may take.
#[derive(Clone, Copy, Debug)]
struct Bounds<'a> {
    pages: usize,
    time: Duration,
    /// The program that reads a file apart, see [`serve_reader`].
    program: Option<&'a Path>,
}

/// Reads a file. The passages know their pages.
///
/// # Errors
/// A file that is encrypted, damaged, has no text, or takes too long.
pub(super) fn read(bytes: &[u8], limits: &ReadLimits<'_>) -> Result<Read, UnreadReason> {
    let bounds = Bounds { pages: limits.pages, time: limits.time, program: limits.reader };
    let mut content = match bounds.program {
        Some(program) => apart::read(program, bytes, bounds)?,
        None => extract::read_within(bytes, bounds)?,
    };
    let words = Words::of(&content);
    words.mend_all(&mut content);
    let note = content.note();
    let (mut blocks, all) = (Blocks::new(), content.all);
    for page in content.pages {
        blocks.begin_page(page.number);
        for (place, piece) in page.pieces.into_iter().enumerate() {
            match piece {
                Piece::Heading(level, text) => blocks.heading(level, &text),
                Piece::Paragraph(text) if place == 0 => blocks.go_on(&text, |before| words.end_before(before, &text)),
                Piece::Paragraph(text) => blocks.block(&text, false),
                Piece::Other(text, tight) => blocks.block(&text, tight),
            }
        }
    }
    if blocks.len() == 0 && all > 0 {
        return Err(UnreadReason::Scanned { pages: all });
    }
    let (heading, passages) = blocks.finish(limits.passage_bytes);
    Ok((content.title.or(heading), passages, note))
}

impl Content {
    /// What was lost.
    fn note(&self) -> Option<String> {
        let read = self.pages.len() + self.failed as usize;
        let textless = self.pages.iter().filter(|page| page.pieces.is_empty()).count();
        let mut notes = Vec::new();
        if (self.all as usize) > read {
            notes.push(format!("only the first {read} of {} pages were read", self.all));
        }
        if self.failed > 0 {
            notes.push(format!("{} pages could not be read", self.failed));
        }
        if textless > 0 {
            notes.push(format!("{textless} of {} pages have no text", self.all));
        }
        if self.unreadable > 0 {
            notes.push(format!(
                "{} pieces of text are in fonts that do not say which letters they show",
                self.unreadable
            ));
        }
        if self.unordered > 0 {
            notes.push(format!(
                "{} pages may be read across their columns, which could not be told apart: check what is cited of them",
                self.unordered
            ));
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}
