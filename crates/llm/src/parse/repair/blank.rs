//! What stands between values: white space, comments and ellipses.

use super::{Reader, RepairKind, Shape};

impl Reader<'_> {
    /// Steps over white space and comments.
    pub(super) fn skip_blank(&mut self) {
        loop {
            while self.peek().is_some_and(|c| c.is_whitespace() || c == '\u{feff}') {
                self.bump();
            }
            let rest = &self.text[self.at..];
            let length = if rest.starts_with("/*") && self.last_comment_end.is_some_and(|end| end > self.at + 1) {
                rest[2..].find("*/").map_or(rest.len(), |end| end + 4)
            } else if rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#') {
                self.line_comment(rest)
            } else {
                return;
            };
            self.note(RepairKind::Comment, self.at);
            self.at += length;
        }
    }

    /// The length of a comment that ends with its line.
    ///
    /// In a text of one line the comment would swallow all that follows. So without a line break the comment ends before
    /// the first closing bracket that the comment itself did not open, or before the next quoted key.
    fn line_comment(&self, rest: &str) -> usize {
        if self.last_break.is_some_and(|line_break| line_break > self.at) {
            return rest.find('\n').unwrap_or(rest.len());
        }
        let Some(innermost) = self.open.last() else { return rest.len() };
        let mut depth = 0_usize;
        for (index, c) in rest.char_indices() {
            match c {
                '{' | '[' => depth += 1,
                '}' | ']' if depth == 0 => return index,
                '}' | ']' => depth -= 1,
                '"' if depth == 0 && *innermost == Shape::Object && self.after_key(self.at + index).is_some() => {
                    let before = rest[..index].trim_end();
                    return before.strip_suffix(',').map_or(index, str::len);
                }
                _ => {}
            }
        }
        rest.len()
    }

    /// Steps over `...` or `…`, with the comma that follows.
    pub(super) fn ellipsis(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let length = if rest.starts_with("...") {
            3
        } else if rest.starts_with('…') {
            '…'.len_utf8()
        } else {
            return false;
        };
        self.note(RepairKind::Ellipsis, self.at);
        self.at += length;
        self.skip_blank();
        if self.peek() == Some(',') {
            self.bump();
        }
        true
    }
}
