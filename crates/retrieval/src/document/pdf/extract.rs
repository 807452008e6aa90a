//! The text of a PDF file by the library that reads it.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use unpdf::model::{Block, Paragraph, Table};
use unpdf::{Error, PageStreamOptions, ParseEvent, ParseOptions, PdfParser};

use super::reread::Rereader;
use super::{Bounds, Content, Page, Piece, header};
use crate::document::UnreadReason;

/// The stack of the thread that reads, in bytes: files may hold objects in objects.
const STACK: usize = 64 * 1024 * 1024;

/// Reads a file on a thread of its own, which is left alone when it takes too long.
///
/// # Errors
/// As [`read`], and [`UnreadReason::Slow`].
pub(super) fn read_within(bytes: &[u8], bounds: Bounds<'_>) -> Result<Content, UnreadReason> {
    let (sender, answer) = mpsc::channel();
    let (bytes, pages, time) = (bytes.to_vec(), bounds.pages, bounds.time);
    let reading = move || drop(sender.send(read(&bytes, pages, time)));
    thread::Builder::new()
        .name("graphloom-pdf".to_owned())
        .stack_size(STACK)
        .spawn(reading)
        .map_err(|error| UnreadReason::System { message: error.to_string() })?;
    // A page that does not end is given a moment more than the pages between which the time is looked at.
    answer.recv_timeout(time + Duration::from_millis(500)).unwrap_or_else(|_| Err(slow(time)))
}

/// Reads a file. The time is looked at between pages.
///
/// # Errors
/// A file that is encrypted, damaged, or takes too long.
pub(super) fn read(bytes: &[u8], most_pages: usize, time: Duration) -> Result<Content, UnreadReason> {
    catch_unwind(AssertUnwindSafe(|| read_pages(bytes, most_pages, time)))
        .unwrap_or_else(|_| Err(UnreadReason::malformed("its reader stopped unexpectedly")))
}

fn read_pages(bytes: &[u8], most_pages: usize, time: Duration) -> Result<Content, UnreadReason> {
    let began = Instant::now();
    let (parser, form) = open(bytes)?;
    let mut rereader = Rereader::new(&form);
    let mut content = Content { all: parser.page_count(), ..Content::default() };
    let mut in_time = true;
    let options = PageStreamOptions { parallel: false, ..PageStreamOptions::default() };
    let read = parser.for_each_page(options, |event| {
        match event {
            ParseEvent::DocumentStart { metadata, .. } => {
                content.title = metadata.title.map(|title| title.trim().to_owned()).filter(|title| is_title(title));
            }
            ParseEvent::PageParsed(page) => {
                content.unreadable += page.suppressed_text_runs;
                let reread = rereader.reread(&page);
                content.unordered += usize::from(reread.is_none() && page.ambiguous_layout_regions > 0);
                let pieces = reread.unwrap_or_else(|| page.elements.iter().flat_map(pieces).collect());
                content.pages.push(Page { number: page.number, pieces });
            }
            ParseEvent::PageFailed { .. } => content.failed += 1,
            ParseEvent::Progress { .. } | ParseEvent::DocumentEnd { .. } => {}
        }
        in_time = began.elapsed() < time;
        if in_time && content.pages.len() < most_pages { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if !in_time {
        return Err(slow(time));
    }
    match read {
        Err(error) if content.pages.is_empty() => Err(refused(error)),
        _ if content.all == 0 => Err(UnreadReason::malformed("it has no pages")),
        _ => Ok(content),
    }
}

/// Opens a file in the form in which it has pages.
fn open(bytes: &[u8]) -> Result<(PdfParser, Cow<'_, [u8]>), UnreadReason> {
    let mut first = None;
    for form in header::forms(bytes) {
        let opened = PdfParser::from_bytes_with_options(&form, ParseOptions::new().sequential()).map_err(refused);
        let has_pages = opened.as_ref().is_ok_and(|parser| parser.page_count() > 0);
        let opened = opened.map(|parser| (parser, form));
        if has_pages {
            return opened;
        }
        first = first.or(Some(opened));
    }
    first.unwrap_or_else(|| Err(UnreadReason::malformed("it has no pages")))
}

/// Whether what a file calls its title is one: programs put names of files there.
fn is_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    let is_file = [".doc", ".docx", ".tex", ".dvi", ".pdf", ".indd", ".qxd", ".ps", ".odt", ".rtf", ".xls", ".fm"]
        .iter()
        .any(|ending| lower.ends_with(ending));
    !title.is_empty() && !is_file && !lower.starts_with("untitled")
}

fn pieces(block: &Block) -> Vec<Piece> {
    match block {
        Block::Paragraph(paragraph) => piece(paragraph).into_iter().collect(),
        Block::Table(table) => rows(table),
        Block::Code { content } | Block::Raw { content } => vec![Piece::Other(content.clone(), false)],
        _ => Vec::new(),
    }
}

fn piece(paragraph: &Paragraph) -> Option<Piece> {
    let text = paragraph.plain_text();
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    Some(match paragraph.heading_level() {
        Some(level) => Piece::heading(level, text),
        _ if paragraph.is_list_item() => Piece::Other(text.replacen("• ", "- ", 1), false),
        _ => Piece::Paragraph(text.to_owned()),
    })
}

fn rows(table: &Table) -> Vec<Piece> {
    let cells = |row: &unpdf::model::TableRow| {
        let texts = row.cells.iter().map(|cell| cell.plain_text().split_whitespace().collect::<Vec<_>>().join(" "));
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" | ")
    };
    let rows = table.rows.iter().map(cells).filter(|row| !row.is_empty());
    rows.enumerate().map(|(number, row)| Piece::Other(row, number > 0)).collect()
}

fn slow(time: Duration) -> UnreadReason {
    UnreadReason::Slow { milliseconds: u64::try_from(time.as_millis()).unwrap_or(u64::MAX) }
}

fn refused(error: Error) -> UnreadReason {
    match error {
        Error::Encrypted | Error::InvalidPassword => UnreadReason::Encrypted,
        other => UnreadReason::malformed(other),
    }
}
