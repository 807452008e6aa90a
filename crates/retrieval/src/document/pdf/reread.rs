//! A page read a second time, column by column, where the library reads across columns.

use unpdf::model::{Block, Page};
use unpdf::parser::backend::RawBackend;
use unpdf::parser::{BlockType, LayoutAnalyzer, TextBlock, TextSpan};

use super::Piece;
use super::columns::{Ink, parts};

/// A page with less text than this is not looked at again, in characters.
const LEAST_TEXT: u32 = 300;

/// Reads pages of a file again.
pub(super) struct Rereader<'a> {
    form: &'a [u8],
    /// The file, opened when the first page needs it; nothing inside where it cannot be opened.
    backend: Option<Option<RawBackend>>,
}

impl<'a> Rereader<'a> {
    pub(super) fn new(form: &'a [u8]) -> Self {
        Self { form, backend: None }
    }

    /// The pieces of a page in the order of its columns; nothing where it has none that were read across.
    pub(super) fn reread(&mut self, page: &Page) -> Option<Vec<Piece>> {
        let looks_single = page.column_count <= 1 || page.ambiguous_layout_regions > 0;
        let has_table = page.elements.iter().any(|block| matches!(block, Block::Table(_)));
        if !looks_single || has_table || page.painted_text_chars + page.invisible_text_chars < LEAST_TEXT {
            return None;
        }
        let form = self.form;
        let backend = self.backend.get_or_insert_with(|| RawBackend::load_bytes(form).ok()).as_ref()?;
        let mut analyzer = LayoutAnalyzer::new(backend);
        let mut spans = analyzer.extract_page_spans(page.number).ok()?;
        analyzer.filter_spans_for_page(&mut spans, page.number);
        let inks: Vec<Ink> = spans.iter().enumerate().filter(|(_, span)| !span.is_rotated()).map(ink).collect();
        let parts = parts(&inks);
        if parts.len() < 2 {
            return None;
        }
        for span in &spans {
            analyzer.font_stats_mut().add_text(span.font_size, &span.text);
        }
        analyzer.font_stats_mut().analyze();
        let mut left: Vec<Option<TextSpan>> = spans.into_iter().map(Some).collect();
        let mut pieces = Vec::new();
        let mut add = |spans: Vec<TextSpan>| {
            let lines = analyzer.detect_headings_pub(analyzer.group_spans_into_lines_pub(spans));
            append(&mut pieces, analyzer.group_lines_into_blocks_pub(lines).iter().filter_map(piece));
        };
        for part in parts {
            add(part.into_iter().filter_map(|at| left[at].take()).collect());
        }
        // What is turned on the page comes last.
        add(left.into_iter().flatten().collect());
        Some(pieces)
    }
}

/// Adds what stands in the next column. A sentence may go on there.
fn append(pieces: &mut Vec<Piece>, mut more: impl Iterator<Item = Piece>) {
    let Some(first) = more.next() else { return };
    match (pieces.last_mut(), first) {
        (Some(Piece::Paragraph(before)), Piece::Paragraph(after))
            if after.starts_with(char::is_lowercase) && !before.ends_with(['.', '!', '?', ':']) =>
        {
            before.push(' ');
            before.push_str(&after);
        }
        (_, first) => pieces.push(first),
    }
    pieces.extend(more);
}

fn ink((at, span): (usize, &TextSpan)) -> Ink {
    let blank = |c: char| c.is_whitespace();
    let indent = span.text.chars().take_while(|c| blank(*c)).count() as f32;
    let length = span.text.chars().count().max(1) as f32;
    let left = span.x + span.width * indent / length;
    let right = span.x + span.ink_width.unwrap_or(span.width);
    Ink {
        at,
        left,
        right: right.max(left),
        y: span.y,
        size: span.font_size,
        letters: span.text.chars().filter(|c| c.is_alphabetic()).count(),
    }
}

fn piece(block: &TextBlock) -> Option<Piece> {
    let text = block.text();
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    Some(match block.block_type {
        BlockType::Heading => Piece::heading(block.heading_level, text),
        BlockType::ListItem => Piece::Other(text.replacen("• ", "- ", 1), false),
        BlockType::Paragraph | BlockType::Unknown => Piece::Paragraph(text.to_owned()),
    })
}
