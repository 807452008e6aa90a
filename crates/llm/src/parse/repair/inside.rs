//! What a string holds so far.

/// What a string holds so far, by which its next quote is judged.
#[derive(Clone, Copy)]
pub(super) struct Inside {
    /// The number of quotes in the text of the string.
    pub(super) quotes: usize,
    /// The number of brackets that the text of the string opened and did not close.
    pub(super) depth: usize,
    /// The end of the last words and the depth there. Brackets belong to the words when the string opened and closed them.
    pub(super) words_end: usize,
    pub(super) words_depth: usize,
    /// The end of the words before a comma and the first quote.
    pub(super) before_comma: Option<usize>,
}

impl Inside {
    pub(super) fn new(at: usize) -> Self {
        Self { quotes: 0, depth: 0, words_end: at, words_depth: 0, before_comma: None }
    }

    /// Whether every quote in the text of the string has its counterpart, so that the next one may end the string.
    pub(super) fn paired(self) -> bool {
        self.quotes.is_multiple_of(2)
    }

    /// Takes a character, which ends at `end`, into account.
    pub(super) fn take(&mut self, c: char, end: usize) {
        match c {
            '{' | '[' => self.depth += 1,
            '}' | ']' if self.depth == 0 => {}
            '}' | ']' => {
                self.depth -= 1;
                (self.words_end, self.words_depth) = (end, self.depth);
            }
            ',' => {}
            c if c.is_whitespace() => {}
            _ => (self.words_end, self.words_depth) = (end, self.depth),
        }
    }
}
