//! Text that is taken out of another format, block by block, under its headings.

use super::Passage;
use super::group::{Unit, passages};
use super::sections::Sections;
use crate::Locator;

/// The blocks of a document in their order. They are cut into passages as those of Markdown are.
pub(super) struct Blocks {
    /// All texts, so that each block has a place of its own.
    source: String,
    units: Vec<Unit>,
    sections: Sections,
    /// Where in the texts each page begins.
    pages: Vec<(usize, u32)>,
}

impl Blocks {
    pub(super) fn new() -> Self {
        Self { source: String::new(), units: Vec::new(), sections: Sections::new(), pages: Vec::new() }
    }

    /// Begins a section. `level` is 1 for the outermost.
    pub(super) fn heading(&mut self, level: u8, text: &str) {
        self.bare_heading(Some(level));
        let lead = self.source.len();
        self.source.push_str(text);
        self.source.push_str("\n\n");
        self.sections.begin(level, text, lead, lead..lead + text.len());
    }

    /// Adds a paragraph, or a row or an item that belongs close to the block before it, which then is `tight`.
    pub(super) fn block(&mut self, text: &str, tight: bool) {
        let text = text.trim_matches(['\n', ' ', '\t', '\u{a0}']);
        if text.is_empty() {
            return;
        }
        self.sections.fill();
        self.push(text, tight);
    }

    /// What follows is on the page with this number. Passages end with their page, so that a citation can name it.
    pub(super) fn begin_page(&mut self, number: u32) {
        self.sections.go_on();
        self.pages.push((self.source.len(), number));
    }

    /// Adds the first paragraph of a page, which may go on with a sentence, or with a word, from the page before. `end` says how
    /// the paragraph there ends when this one follows in it.
    pub(super) fn go_on(&mut self, text: &str, end: impl FnOnce(&str) -> String) {
        let begins_small = text.trim_start().starts_with(char::is_lowercase);
        let before = self.units.last_mut().filter(|unit| self.sections.is_open(unit.section));
        let (Some(before), true) = (before, begins_small) else { return self.block(text, false) };
        let is_open = |c: char| c.is_alphanumeric() || matches!(c, ',' | ';' | '-' | '\u{2010}' | '\u{ad}' | '(');
        if !before.text.ends_with(is_open) {
            return self.block(text, false);
        }
        let joined = end(&before.text);
        self.source.truncate(before.lead);
        self.source.push_str(&joined);
        let page_begins = self.source.len();
        self.source.push_str(text.trim());
        before.text = self.source[before.lead..].to_owned();
        before.origins = vec![(0, before.lead..self.source.len())];
        self.source.push_str("\n\n");
        if let Some((begin, _)) = self.pages.last_mut() {
            *begin = page_begins;
        }
    }

    /// How many bytes of text there are.
    pub(super) fn len(&self) -> usize {
        self.source.len()
    }

    fn push(&mut self, text: &str, tight: bool) {
        let lead = self.source.len();
        self.source.push_str(text);
        self.source.push_str("\n\n");
        let origins = vec![(0, lead..lead + text.len())];
        self.units.push(Unit { lead, text: text.to_owned(), origins, section: self.sections.current(), tight });
    }

    fn bare_heading(&mut self, next: Option<u8>) {
        if let Some(bare) = self.sections.take_bare(next) {
            self.push(&bare.text, false);
        }
    }

    /// The first heading, and the passages of about `size` bytes, which are numbered or have their pages.
    pub(super) fn finish(mut self, size: usize) -> (Option<String>, Vec<Passage>) {
        self.bare_heading(None);
        let (paths, first) = self.sections.finish();
        let mut passages = passages(&self.source, 0, self.units, &paths, size);
        if self.pages.is_empty() {
            number(&mut passages);
        } else {
            find_pages(&mut passages, &self.pages);
        }
        (first, passages)
    }
}

/// Numbers passages whose place in the file is unknown.
pub(super) fn number(passages: &mut [Passage]) {
    for (passage, number) in passages.iter_mut().zip(1..) {
        passage.locator = Locator::Passage { number };
    }
}

/// Gives passages their pages, by the places at which these begin.
fn find_pages(passages: &mut [Passage], pages: &[(usize, u32)]) {
    let page = |at: usize| match pages.partition_point(|(begin, _)| *begin <= at) {
        0 => 1,
        place => pages[place - 1].1,
    };
    for passage in passages {
        if let Locator::Lines { start_byte, end_byte, .. } = passage.locator {
            let last = page(end_byte.saturating_sub(1).max(start_byte));
            passage.locator = Locator::Pages { first_page: page(start_byte), last_page: last };
        }
    }
}
