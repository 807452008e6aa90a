//! Thoughts and answer of a text that comes in pieces.

use super::marks::marks;
use super::separate::{Separated, joined};
use super::walk::{is_blank, parts};

/// How often each byte of a text may be read again because of the marks in it. After that the text is read again when it
/// has grown.
const READINGS: usize = 16;

/// What may be read again in any case, in bytes.
const ALWAYS: usize = 1 << 20;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// More of the answer.
    Answer(String),
    /// More thoughts.
    Thoughts(String),
    /// What was given as the answer so far was none: whoever showed it takes it back. What follows is the answer from its
    /// beginning.
    TakenBack,
}

/// Tells the thoughts from the answer while a text comes.
///
/// The pieces together are what [`separate`](super::separate) makes of the whole text, the end of which
/// [`Splitter::finish`] waits for. What may be the beginning of a mark is held until more is there.
#[derive(Debug, Default)]
pub struct Splitter {
    text: String,
    /// What was given out.
    given: Separated,
    /// Up to where the text was looked through for marks.
    searched: usize,
    /// Whether each byte so far is told, and more text of the same kind is told as it comes.
    settled: Option<Settled>,
    /// How much was read again, in bytes.
    work: usize,
    /// Up to where the text is told, where it is settled.
    told: usize,
    /// The length of the text when it was read last.
    read: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Settled {
    Answer,
    Thoughts,
}

impl Splitter {
    /// Takes the next piece, and gives what can be said.
    pub fn push(&mut self, more: &str) -> Vec<Piece> {
        if more.is_empty() {
            return Vec::new();
        }
        self.text.push_str(more);
        let (found, begun) = marks(&self.text, self.searched);
        let has_marks = !found.is_empty();
        // The word that a mark begins with may be cut.
        self.searched = begun.unwrap_or(self.text.len()).max(found.last().map_or(0, |mark| mark.at.end));
        match self.settled {
            Some(settled) if !has_marks && begun.is_none() => self.grow(settled),
            _ => self.read_again(),
        }
    }

    /// What is left at the end of the text, and the whole.
    pub fn finish(mut self) -> (Vec<Piece>, Separated) {
        let whole = joined(&self.text, &parts(&self.text, true));
        let pieces = self.difference(&whole);
        (pieces, whole)
    }

    /// Gives out more of what the text ends with.
    fn grow(&mut self, settled: Settled) -> Vec<Piece> {
        let new = &self.text[self.told..];
        // Space at the end of thoughts is held: they may end behind it.
        let new = if settled == Settled::Thoughts { new.trim_end_matches(is_blank) } else { new };
        if new.is_empty() {
            return Vec::new();
        }
        self.told += new.len();
        match settled {
            Settled::Answer => {
                self.given.answer.push_str(new);
                vec![Piece::Answer(new.to_owned())]
            }
            Settled::Thoughts => {
                self.given.thoughts.push_str(new);
                vec![Piece::Thoughts(new.to_owned())]
            }
        }
    }

    fn read_again(&mut self) -> Vec<Piece> {
        self.settled = None;
        let length = self.text.len();
        if self.work > ALWAYS.max(length.saturating_mul(READINGS)) && length < self.read + self.read / 8 {
            return Vec::new();
        }
        self.work = self.work.saturating_add(length);
        self.read = length;
        let parts = parts(&self.text, false);
        let mut so_far = joined(&self.text, &parts);
        // Blank text at the beginning may stand before thoughts.
        if so_far.answer.trim_matches(is_blank).is_empty() {
            so_far.answer.clear();
        }
        if let (None, Some((is_thoughts, range))) = (parts.held, parts.parts.last())
            && range.end == length
            && !self.text[range.clone()].trim_matches(is_blank).is_empty()
        {
            self.settled = Some(if *is_thoughts { Settled::Thoughts } else { Settled::Answer });
            self.told = if *is_thoughts { self.text.trim_end_matches(is_blank).len() } else { length };
        }
        self.difference(&so_far)
    }

    /// What is to be given out, so that `told` is.
    fn difference(&mut self, told: &Separated) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if !told.answer.starts_with(&self.given.answer) {
            pieces.push(Piece::TakenBack);
            self.given.answer.clear();
        }
        if let Some(more) = told.thoughts.strip_prefix(&self.given.thoughts).filter(|more| !more.is_empty()) {
            pieces.push(Piece::Thoughts(more.to_owned()));
        }
        if let Some(more) = told.answer.strip_prefix(&self.given.answer).filter(|more| !more.is_empty()) {
            pieces.push(Piece::Answer(more.to_owned()));
        }
        self.given.clone_from(told);
        pieces
    }
}
