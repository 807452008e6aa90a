//! The body of a Word document, piece by piece.

use std::mem::take;

use quick_xml::events::BytesStart;

use super::numbering::{Numbering, Place};
use super::styles::{Styles, is_on, outline_level};
use crate::document::blocks::Blocks;
use crate::document::xml::{Piece, attribute};

/// Elements whose text no reader of the document sees, or sees elsewhere: what was deleted or moved away, codes of fields,
/// and the second form of what older programs cannot show.
const UNSEEN: &[&str] = &["del", "moveFrom", "instrText", "delText", "Fallback", "sdtPr"];

/// A paragraph whose end has not come yet.
#[derive(Default)]
struct Paragraph {
    text: String,
    style: Option<String>,
    level: Option<Option<u8>>,
    place: Place,
}

/// Collects blocks while the pieces of a document go by.
pub(super) struct Reader<'a> {
    styles: &'a Styles,
    numbering: Numbering,
    blocks: Blocks,
    title: Option<String>,
    /// The open paragraphs; more than one where a box with text stands in a paragraph.
    paragraphs: Vec<Paragraph>,
    /// The rows of the open tables with the texts of their cells, and how many rows a table had.
    rows: Vec<(Vec<String>, usize)>,
    /// How many elements that are not seen are open.
    unseen: usize,
    /// Whether the open letters have properties, are hidden, and are text.
    in_run: bool,
    hidden: bool,
    in_text: bool,
    /// Whether the block before was an item of a list.
    in_list: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(styles: &'a Styles, numbering: Numbering, blocks: Blocks) -> Self {
        Self {
            styles,
            numbering,
            blocks,
            title: None,
            paragraphs: Vec::new(),
            rows: Vec::new(),
            unseen: 0,
            in_run: false,
            hidden: false,
            in_text: false,
            in_list: false,
        }
    }

    pub(super) fn take(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Begin(start) => self.begin(start.local_name().as_ref(), start),
            Piece::End(name) => self.end(name),
            Piece::Text(text) if self.in_text => self.push(text),
            Piece::Text(_) => {}
        }
    }

    fn begin(&mut self, name: &str, start: &BytesStart<'_>) {
        if UNSEEN.contains(&name) {
            self.unseen += 1;
        }
        let value = || attribute(start, "val");
        match name {
            "p" => self.paragraphs.push(Paragraph::default()),
            "r" => (self.in_run, self.hidden) = (true, false),
            "t" => self.in_text = true,
            "tab" if self.in_run => self.push("\t"),
            "br" | "cr" => self.push("\n"),
            "noBreakHyphen" => self.push("-"),
            "tbl" => self.rows.push((Vec::new(), 0)),
            "tc" => {
                if let Some((cells, _)) = self.rows.last_mut() {
                    cells.push(String::new());
                }
            }
            "vanish" if self.in_run => self.hidden = is_on(value().as_deref()),
            "rStyle" if self.in_run => self.hidden |= value().is_some_and(|style| self.styles.is_hidden(&style)),
            _ => {
                let Some(paragraph) = self.paragraphs.last_mut() else { return };
                match name {
                    "pStyle" => paragraph.style = value(),
                    "outlineLvl" => paragraph.level = Some(outline_level(value().as_deref())),
                    "numId" => paragraph.place.list = value(),
                    "ilvl" => paragraph.place.level = value().and_then(|level| level.parse().ok()),
                    _ => {}
                }
            }
        }
    }

    fn end(&mut self, name: &str) {
        if UNSEEN.contains(&name) {
            self.unseen = self.unseen.saturating_sub(1);
        }
        match name {
            "r" => (self.in_run, self.hidden) = (false, false),
            "t" => self.in_text = false,
            "p" => self.end_paragraph(),
            "tr" => self.end_row(),
            "tbl" => {
                self.rows.pop();
                self.in_list = false;
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        let style_hides = paragraph.style.as_ref().is_some_and(|style| self.styles.is_hidden(style));
        if self.unseen == 0 && !self.hidden && !style_hides {
            paragraph.text.push_str(text);
        }
    }

    fn end_paragraph(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else { return };
        let text = paragraph.text.trim();
        if text.is_empty() {
            return;
        }
        if let Some((cells, _)) = self.rows.last_mut() {
            if let Some(cell) = cells.last_mut() {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(&text.replace('\n', " "));
            }
            return;
        }
        let style = paragraph.style.as_deref().unwrap_or_default();
        if self.title.is_none() && self.styles.is_title(style) {
            self.title = Some(text.replace('\n', " "));
            return;
        }
        if let Some(level) = paragraph.level.unwrap_or_else(|| self.styles.level(style)) {
            self.blocks.heading(level, &text.replace('\n', " "));
            self.in_list = false;
            return;
        }
        let of_style = self.styles.place(style);
        let place =
            Place { list: paragraph.place.list.or(of_style.list), level: paragraph.place.level.or(of_style.level) };
        match self.numbering.marker(&place) {
            Some(marker) => {
                self.blocks.block(&format!("{marker}{text}"), self.in_list);
                self.in_list = true;
            }
            None => {
                self.blocks.block(text, false);
                self.in_list = false;
            }
        }
    }

    fn end_row(&mut self) {
        let Some((cells, before)) = self.rows.last_mut() else { return };
        let row = take(cells).into_iter().filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" | ");
        let tight = *before > 0;
        *before += 1;
        // A table in a cell becomes a part of the cell.
        let outer = self.rows.len().checked_sub(2).and_then(|outer| self.rows[outer].0.last_mut());
        match outer {
            Some(cell) => {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(&row);
            }
            None => self.blocks.block(&row, tight),
        }
    }

    /// The title, if a paragraph is it, and the blocks.
    pub(super) fn finish(self) -> (Option<String>, Blocks) {
        (self.title, self.blocks)
    }
}
