//! The blocks of a Markdown text, which sentences cannot leave.

use std::ops::Range;

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Running text, list items and quotations.
    Prose,
    /// A heading.
    Heading,
    /// A row of a table.
    Row,
    /// Fenced or indented code, and horizontal rules.
    Code,
}

/// One block with the bytes it takes up, line breaks included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The kind of the block.
    pub kind: BlockKind,
    /// The bytes of the block.
    pub range: Range<usize>,
}

/// Cuts a text at the line breaks that always end a sentence.
#[must_use]
pub fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    // Whether the next line may belong to the block before it.
    let mut joins = false;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let body = line.trim();
        let fenced = fence_of(line);
        let kind = match (fence, fenced) {
            (Some(open), Some(mark)) if mark.starts_with(open) && body.chars().all(|c| open.starts_with(c)) => {
                fence = None;
                BlockKind::Code
            }
            (Some(_), _) => BlockKind::Code,
            (None, Some(mark)) => {
                fence = Some(mark);
                BlockKind::Code
            }
            (None, None) => kind_of(line, joins),
        };
        let before = found.last().map(|block| block.kind);
        let extends = before == Some(kind)
            && match kind {
                BlockKind::Prose => joins && !body.is_empty() && !begins_item(body),
                BlockKind::Code => true,
                BlockKind::Heading | BlockKind::Row => false,
            };
        match found.last_mut() {
            Some(block) if extends => block.range.end = range.end,
            _ => found.push(Block { kind, range }),
        }
        joins = kind == BlockKind::Prose && !body.is_empty();
    }
    found
}

fn fence_of(line: &str) -> Option<&str> {
    let body = line.trim_start();
    if line.len() - body.len() > 3 {
        return None;
    }
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = body.chars().take_while(|&c| c == mark).count();
    // A line of text may begin with inline code of three ticks.
    (length >= 3 && !body[length..].contains('`')).then(|| &body[..length])
}

fn kind_of(line: &str, joins: bool) -> BlockKind {
    let body = line.trim();
    let hashes = body.bytes().take_while(|&b| b == b'#').count();
    if (1..=6).contains(&hashes) && body[hashes..].starts_with([' ', '\t']) {
        return BlockKind::Heading;
    }
    if body.starts_with('|') {
        return BlockKind::Row;
    }
    let rule = body.len() >= 3
        && ["-", "*", "_", "="].iter().any(|mark| body.replace([' ', '\t'], "").replace(mark, "").is_empty());
    let indented = line.starts_with("    ") || line.starts_with('\t');
    if rule || (indented && !joins && !body.is_empty() && !begins_item(body)) {
        return BlockKind::Code;
    }
    BlockKind::Prose
}

fn begins_item(body: &str) -> bool {
    let marker = body.split_whitespace().next().unwrap_or_default();
    let numbered = marker
        .strip_suffix(['.', ')'])
        .is_some_and(|digits| !digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit()));
    numbered && marker.len() < body.len() || matches!(marker, "-" | "*" | "+" | "•" | "–") || marker.starts_with('>')
}
