//! The result of an edit of a text: the new text, the new bytes, and the new places of the old bytes.

use std::ops::Range;

use crate::changes::differing;
use crate::note::ranges::merged;

/// A byte range of the old text, and the byte range of the new text in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// A text after an edit.
#[derive(Clone, Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    /// The hunks, in order and without overlap.
    pub(super) hunks: Vec<Hunk>,
}

impl Edited {
    /// The edit that turns `old` into `text`, as one hunk from the first to the last byte that differs.
    pub(super) fn between(old: &str, text: String) -> Self {
        let (before, after) = differing(old, &text);
        Self { text, hunks: vec![Hunk { old: before, new: after }] }
    }

    /// The edit that replaces parts of a text. The parts must be in order and must not overlap.
    pub(super) fn replacing<'a>(old: &str, parts: impl IntoIterator<Item = (Range<usize>, &'a str)>) -> Self {
        let (mut text, mut hunks, mut at) = (String::with_capacity(old.len() + 64), Vec::new(), 0);
        for (part, new) in parts {
            text.push_str(&old[at..part.start]);
            let start = text.len();
            text.push_str(new);
            at = part.end;
            hunks.push(Hunk { old: part, new: start..text.len() });
        }
        text.push_str(&old[at..]);
        Self { text, hunks }
    }

    /// The ranges of the new text that the author of the edits wrote: the ranges in `before`, moved to their new
    /// places, and the new bytes if `by_author` is set.
    pub(super) fn written(&self, before: &[Range<usize>], by_author: bool) -> Vec<Range<usize>> {
        let mut written: Vec<Range<usize>> =
            before.iter().map(|range| self.moved(range.start, false)..self.moved(range.end, true)).collect();
        if by_author {
            written.extend(self.hunks.iter().map(|hunk| hunk.new.clone()));
        }
        for range in &mut written {
            range.end = range.end.min(self.text.len());
        }
        merged(written)
    }

    /// Maps an offset of the old text to the new text. An offset inside a replaced part maps to the start of the new
    /// part, or to its end if `end` is set.
    fn moved(&self, at: usize, end: bool) -> usize {
        let mut moved = at;
        for hunk in &self.hunks {
            let is_inside = if end { hunk.old.start < at } else { hunk.old.start <= at };
            if !is_inside {
                break;
            }
            let is_over = if end { hunk.old.end < at } else { hunk.old.end <= at };
            moved = match (is_over, end) {
                (true, _) => hunk.new.end + (at - hunk.old.end),
                (false, false) => hunk.new.start,
                (false, true) => hunk.new.end,
            };
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_followed_by_place_and_not_by_its_text() {
        // The user's `xx`, then the author's, then more of the user's.
        let old = "xx-xx-yy";
        let edit = Edited::replacing(old, [(0..1, "abc"), (6..8, "")]);
        assert_eq!(edit.text, "abcx-xx-");
        let written = edit.written(std::slice::from_ref(&(3..5)), false);
        assert_eq!(written, std::slice::from_ref(&(5..7)));
        assert_eq!(&edit.text[5..7], "xx");
        assert_eq!(edit.written(std::slice::from_ref(&(3..5)), true), [0..3, 5..7]);
        // A replaced part that overlaps a written range.
        let edit = Edited::replacing(old, [(4..7, "new")]);
        assert_eq!(edit.written(std::slice::from_ref(&(3..5)), false), std::slice::from_ref(&(3..7)));
    }

    #[test]
    fn the_difference_of_two_texts_ends_at_whole_characters() {
        for (old, new) in [("", "a"), ("ab", "aXb"), ("é", "è"), ("aaa", "aa"), ("日本", "日"), ("x", "x")] {
            let edit = Edited::between(old, new.to_owned());
            let hunk = &edit.hunks[0];
            let back = format!("{}{}{}", &old[..hunk.old.start], &new[hunk.new.clone()], &old[hunk.old.end..]);
            assert_eq!(back, new);
        }
    }
}
