//! Headings of a document while it is read, and the sections below them.

use std::mem::take;
use std::ops::Range;

/// The sections of a document, each with the headings above it.
pub(super) struct Sections {
    /// The headings above each section, outermost first. The first section has none.
    paths: Vec<Vec<String>>,
    /// The open headings with their levels, outermost first.
    open: Vec<(u8, String)>,
    /// The last heading while nothing stands below it.
    bare: Option<HeadingWithoutText>,
    first: Option<String>,
}

/// A heading without text below it so far.
pub(super) struct HeadingWithoutText {
    level: u8,
    pub(super) text: String,
    /// Where what belongs to it begins.
    pub(super) lead: usize,
    pub(super) range: Range<usize>,
}

impl Sections {
    pub(super) fn new() -> Self {
        Self { paths: vec![Vec::new()], open: Vec::new(), bare: None, first: None }
    }

    /// The number of the section that text now belongs to.
    pub(super) fn current(&self) -> usize {
        self.paths.len() - 1
    }

    /// Begins a section under the same headings.
    pub(super) fn go_on(&mut self) {
        self.paths.push(self.paths[self.current()].clone());
    }

    /// Whether text of a section stands under the same headings as text that follows.
    pub(super) fn is_open(&self, section: usize) -> bool {
        self.paths.get(section) == self.paths.last()
    }

    /// Text stands below the last heading.
    pub(super) fn fill(&mut self) {
        self.bare = None;
    }

    /// Ends a heading of `level`, 1 for the outermost: what follows belongs to a new section.
    pub(super) fn begin(&mut self, level: u8, text: &str, lead: usize, range: Range<usize>) {
        let text = text.trim().to_owned();
        while self.open.last().is_some_and(|(open, _)| *open >= level) {
            self.open.pop();
        }
        if !text.is_empty() {
            self.open.push((level, text.clone()));
            self.first.get_or_insert_with(|| text.clone());
            self.bare = Some(HeadingWithoutText { level, text, lead, range });
        }
        self.paths.push(self.open.iter().map(|(_, text)| text.clone()).collect());
    }

    /// The last heading if nothing stands below it and no deeper heading follows: then it is text itself. `next` is the
    /// level of the heading that follows; nothing at the end.
    pub(super) fn take_bare(&mut self, next: Option<u8>) -> Option<HeadingWithoutText> {
        let bare = self.bare.take()?;
        next.is_none_or(|next| next <= bare.level).then_some(bare)
    }

    /// The headings above each section, and the first heading.
    pub(super) fn finish(mut self) -> (Vec<Vec<String>>, Option<String>) {
        (take(&mut self.paths), self.first)
    }
}
