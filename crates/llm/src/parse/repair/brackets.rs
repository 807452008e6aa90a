//! Closing brackets of the wrong kind, and closing brackets behind a string that never ends.

use super::lookahead::{after_key, bare_member_follows, value_begins};
use super::{Reader, RepairKind, Shape};

/// What a closing bracket of the wrong kind stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrongBracket {
    /// The bracket closes nothing.
    Stray,
    /// The bracket was mistyped and closes the innermost value.
    Mistyped,
    /// The bracket closes a value further out. The innermost value lacks its own bracket.
    Outer,
}

impl Reader<'_> {
    /// Takes the closing bracket that is next, whose kind is not that of the innermost value, or leaves it to a value further
    /// out. Tells whether the innermost value ends here.
    pub(super) fn ends_by_wrong_bracket(&mut self) -> bool {
        let (at, wrong) = (self.at, self.wrong_bracket());
        if wrong == WrongBracket::Outer {
            self.note(RepairKind::ClosedBracket, at);
            return true;
        }
        self.bump();
        self.note(RepairKind::StrayBracket, at);
        wrong == WrongBracket::Mistyped
    }

    /// Judges the closing bracket that is next, whose kind is not that of the innermost value.
    ///
    /// A bracket is missing before it, or it is mistyped, or it is one too many. What goes on behind it decides, so that
    /// it finds a value that can hold it and is not lost.
    fn wrong_bracket(&self) -> WrongBracket {
        let Some((_, outer)) = self.open.split_last().filter(|(_, outer)| !outer.is_empty()) else {
            return WrongBracket::Stray;
        };
        let closed = self.peek().and_then(Shape::closed_by);
        let ended = outer.iter().rposition(|shape| Some(*shape) == closed);
        if ended.is_some_and(|ended| self.goes_on_in(&outer[..ended])) {
            WrongBracket::Outer
        } else if self.goes_on_in(outer) {
            WrongBracket::Mistyped
        } else if self.goes_on_in(&self.open) {
            WrongBracket::Stray
        } else if ended.is_some() {
            WrongBracket::Outer
        } else {
            WrongBracket::Mistyped
        }
    }

    /// Whether what follows the bracket that is next goes on in `open`: more closing brackets, and then a key, a value or
    /// the end.
    fn goes_on_in(&self, open: &[Shape]) -> bool {
        let mut open = open.iter().rev();
        let mut rest = self.ahead(self.at + 1);
        while let Some(shape) = rest.chars().next().and_then(Shape::closed_by) {
            if open.next() != Some(&shape) {
                return false;
            }
            rest = rest[1..].trim_start();
        }
        open.next().copied() == holder(rest)
    }

    /// Lists that the closing bracket of the innermost value is missing here. A comma before the place is left to the value
    /// around both.
    pub(super) fn close_here(&mut self) {
        let before = self.text[..self.at].trim_end();
        let at = before.strip_suffix(',').map_or(self.at, str::len);
        self.at = at;
        self.note(RepairKind::ClosedBracket, at);
    }

    /// Whether the object that is read lacks its closing bracket before the opening bracket that is next: a new object
    /// begins here in the array around both.
    pub(super) fn next_object_begins(&self) -> bool {
        let [.., Shape::Array, Shape::Object] = self.open.as_slice() else { return false };
        let ahead = self.ahead(self.at + 1);
        after_key(ahead).is_some() || bare_member_follows(ahead)
    }

    /// Where a string ends that begins at `start` and has no closing quote, when the text ends with the closing brackets
    /// of all that is open. Brackets that the string itself opened are not among them.
    pub(super) fn before_closers(&self, start: usize) -> Option<usize> {
        let tail = self.text[start..].trim_end();
        let mut rest = tail.trim_end_matches('`');
        if tail.len() - rest.len() < 3 {
            rest = tail;
        }
        for shape in &self.open {
            rest = rest.trim_end().strip_suffix(shape.closing())?;
        }
        let balanced = |open: char, close: char| rest.matches(open).count() <= rest.matches(close).count();
        (balanced('{', '}') && balanced('[', ']')).then(|| start + rest.trim_end().len())
    }

    /// Whether `tail`, behind the words of a string, leads out of the values that are open to a place for a key: closing
    /// brackets, a comma, and an opening bracket of an object. A line break may stand for the comma.
    pub(super) fn leads_to_key(&self, tail: &str) -> bool {
        let mut open = self.open.iter().rev();
        let mut marks = tail.chars().filter(|c| !c.is_whitespace()).peekable();
        let mut closed = false;
        while let Some(shape) = marks.peek().and_then(|c| Shape::closed_by(*c)) {
            if open.next() != Some(&shape) {
                return false;
            }
            marks.next();
            closed = true;
        }
        if marks.next_if_eq(&',').is_none() && !tail.contains('\n') {
            return false;
        }
        let object = closed && marks.next_if_eq(&'{').is_some();
        let holder = if object { Shape::Array } else { Shape::Object };
        marks.next().is_none() && open.next() == Some(&holder)
    }
}

/// The kind of value that can hold what `text` begins with, behind another value: an object before a key, an array before
/// a value.
fn holder(text: &str) -> Option<Shape> {
    let after_comma = text.strip_prefix(',').map(str::trim_start);
    let rest = after_comma.unwrap_or(text);
    let comma = after_comma.is_some();
    if after_key(rest).is_some() || comma && bare_member_follows(rest) {
        Some(Shape::Object)
    } else if rest.starts_with(['{', '[']) || comma && !rest.is_empty() && value_begins(rest) {
        Some(Shape::Array)
    } else {
        None
    }
}
