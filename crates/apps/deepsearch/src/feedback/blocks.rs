//! Which part of a report a selection stands in.

use std::ops::Range;

use crate::markup::{heading, lines};

/// A heading and what stands under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// 1 to 6.
    pub level: usize,
    /// The heading without `#`.
    pub title: String,
    /// From the heading to the next one of its level or above.
    pub range: Range<usize>,
    /// The same without the heading's line.
    pub body: Range<usize>,
}

impl Block {
    /// Bytes of the body without the white space around it.
    pub fn text(&self, report: &str) -> Range<usize> {
        let body = &report[self.body.clone()];
        let start = self.body.start + (body.len() - body.trim_start().len());
        start..(start + body.trim().len())
    }
}

/// All blocks of a report, in the order of their headings.
fn blocks(report: &str) -> Vec<Block> {
    let mut heads: Vec<(usize, usize, usize, String)> = Vec::new();
    for (line, plain) in lines(report) {
        if let Some((level, title)) = heading(line).filter(|_| plain) {
            let at = line.as_ptr() as usize - report.as_ptr() as usize;
            heads.push((at, at + line.len(), level, title.to_owned()));
        }
    }
    heads
        .iter()
        .enumerate()
        .map(|(index, (at, behind, level, title))| {
            let end =
                heads[index + 1..].iter().find(|(.., next, _)| next <= level).map_or(report.len(), |(at, ..)| *at);
            Block { level: *level, title: title.clone(), range: *at..end, body: (*behind).min(end)..end }
        })
        .collect()
}

/// The smallest block that holds a range, of equally small ones the deepest.
pub fn block_at(report: &str, range: &Range<usize>) -> Option<Block> {
    blocks(report)
        .into_iter()
        .filter(|block| block.range.start <= range.start && range.end <= block.range.end)
        .min_by_key(|block| (block.range.len(), usize::MAX - block.level))
}

/// The numbered section that holds a range: a block of level 1 whose title begins with `N.`.
pub fn major_block(report: &str, range: &Range<usize>) -> Option<(u32, Block)> {
    blocks(report).into_iter().filter(|block| block.level == 1).find_map(|block| {
        let holds = block.range.start <= range.start && range.end <= block.range.end;
        let (number, _) = block.title.split_once('.')?;
        let number = number.trim().parse().ok().filter(|_| holds)?;
        Some((number, block))
    })
}

/// How many subsections of level 2 a block has.
pub(super) fn subsections(report: &str, block: &Block) -> usize {
    blocks(report).iter().filter(|other| other.level == 2 && block.range.contains(&other.range.start)).count()
}
