//! The merge of two texts with a common base.

use std::borrow::Cow;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::edited::Edited;

/// A range of lines of the base, and the range of lines of the other text in its place.
struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
}

/// The edit of `ours` that adds the changes of `theirs`; the error holds the lines of `theirs`, counted from 0, that
/// both changed.
///
/// Changes of neighbouring lines do not clash. Lines that both add at the end stay, those of `theirs` first.
pub(super) fn merged(base: &str, ours: &str, theirs: &str) -> Result<Edited, Vec<Range<usize>>> {
    // A last line without a line break equals the same line with a line break.
    let is_open = !ours.is_empty() && !ours.ends_with('\n');
    let whole = |text| if base.ends_with('\n') { Cow::Borrowed(text) } else { closed(text) };
    let (base, ours, theirs) = (whole(base), whole(ours), whole(theirs));
    let lines = |text| -> Vec<&str> { str::split_inclusive(text, '\n').collect() };
    let (old, mine, other) = (lines(&base), lines(&ours), lines(&theirs));
    let (by_us, by_them) = (hunks(&old, &mine), hunks(&old, &other));

    let mut starts = vec![0];
    starts.extend(mine.iter().scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    }));
    let mut parts: Vec<(Range<usize>, String)> = Vec::new();
    let mut clashes = Vec::new();
    for hunk in &by_them {
        let same = |own: &&Hunk| own.old == hunk.old && mine[own.new.clone()] == other[hunk.new.clone()];
        if by_us.iter().any(|own| same(&own)) {
            continue;
        }
        if by_us.iter().any(|own| clash(own, hunk, old.len())) {
            clashes.push(hunk.new.clone());
            continue;
        }
        let is_before = |own: &&Hunk| {
            let at_once = own.old.is_empty() && hunk.old.is_empty();
            own.old.end < hunk.old.start || (own.old.end == hunk.old.start && !at_once)
        };
        let place =
            by_us.iter().rfind(is_before).map_or(hunk.old.start, |own| own.new.end + hunk.old.start - own.old.end);
        let end = place + hunk.old.len();
        parts.push((starts[place]..starts[end], other[hunk.new.clone()].concat()));
    }
    if !clashes.is_empty() {
        return Err(clashes);
    }
    let mut edited = Edited::replacing(&ours, parts.iter().map(|(range, text)| (range.clone(), text.as_str())));
    if is_open && edited.text.ends_with('\n') {
        edited.text.pop();
    }
    Ok(edited)
}

fn closed(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') { Cow::Borrowed(text) } else { Cow::Owned(format!("{text}\n")) }
}

fn hunks(old: &[&str], new: &[&str]) -> Vec<Hunk> {
    let ops = capture_diff_slices(Algorithm::Myers, old, new);
    let tuples = ops.iter().map(similar::DiffOp::as_tag_tuple).filter(|(tag, ..)| *tag != DiffTag::Equal);
    let mut hunks: Vec<Hunk> = Vec::new();
    for (_, old, new) in tuples {
        match hunks.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            _ => hunks.push(Hunk { old, new }),
        }
    }
    hunks
}

/// Whether two hunks change the same lines, or insert lines at one place other than `end`, the end of the base.
fn clash(a: &Hunk, b: &Hunk, end: usize) -> bool {
    match (a.old.is_empty(), b.old.is_empty()) {
        (true, true) => a.old.start == b.old.start && a.old.start != end,
        (true, false) => b.old.start < a.old.start && a.old.start < b.old.end,
        (false, true) => a.old.start < b.old.start && b.old.start < a.old.end,
        (false, false) => a.old.start < b.old.end && b.old.start < a.old.end,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(base: &str, ours: &str, theirs: &str) -> Result<String, Vec<Range<usize>>> {
        merged(base, ours, theirs).map(|edited| edited.text)
    }

    #[test]
    fn other_lines_are_joined_and_the_same_lines_are_named() {
        for (base, ours, theirs, expected) in [
            ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", Ok("A\nb\nC\n")),
            ("a\nb\nc\n", "A\nb\nc\n", "A\nb\nc\n", Ok("A\nb\nc\n")),
            ("a\nb\nc\n", "a\nB\nc\n", "a\n1\n2\nc\n", Err((1, 3))),
            ("a\nb\nc\n", "a\nc\n", "a\nB\nc\n", Err((1, 2))),
            ("a\nb\n", "a\nours\nb\n", "a\ntheirs\nb\n", Err((1, 2))),
            // Both add lines at the end, with and without a last line break.
            ("a\n", "a\nours\n", "a\ntheirs\n", Ok("a\ntheirs\nours\n")),
            ("a", "a\nours", "a\ntheirs", Ok("a\ntheirs\nours")),
            ("a", "A", "a\ntheirs\n", Ok("A\ntheirs")),
            ("a\r\nb\r\n", "A\r\nb\r\n", "a\r\nb\r\nc\r\n", Ok("A\r\nb\r\nc\r\n")),
            ("", "ours", "theirs", Ok("theirs\nours")),
            ("a\nb", "a\nb", "a", Ok("a")),
        ] {
            let merged = texts(base, ours, theirs).map_err(|clashes| (clashes[0].start, clashes[0].end));
            assert_eq!(merged, expected.map(str::to_owned), "{base:?} {ours:?} {theirs:?}");
        }
    }

    proptest! {
        #[test]
        fn edits_of_different_lines_are_all_there(
            lines in proptest::collection::vec("[a-d]{0,2}", 1..12),
            touched in proptest::collection::vec(0..4_u8, 12),
            ends in any::<bool>(),
        ) {
            // Lines that one of the two replaces, doubles or removes, and lines that neither touches. Every line is
            // different, so that a difference of two texts has one reading only.
            let numbered: Vec<String> = lines.iter().enumerate().map(|(at, line)| format!("{at} {line}")).collect();
            let join = |edit: &dyn Fn(usize, &str) -> Option<String>| {
                let edited: Vec<String> = numbered.iter().enumerate().filter_map(|(at, line)| edit(at, line)).collect();
                format!("{}{}", edited.join("\n"), if ends && !edited.is_empty() { "\n" } else { "" })
            };
            let by = |who: u8| move |at: usize, line: &str, touched: &[u8]| match (touched[at] == who, at % 3) {
                (false, _) => Some(line.to_owned()),
                (true, 0) => Some(format!("{line} by {who}")),
                (true, 1) => Some(format!("{line}\nmore by {who}")),
                (true, _) => None,
            };
            let (first, second) = (by(1), by(2));
            let base = join(&|_, line| Some(line.to_owned()));
            let ours = join(&|at, line| first(at, line, &touched));
            let theirs = join(&|at, line| second(at, line, &touched));
            prop_assume!(!ours.is_empty() && !theirs.is_empty());
            let both = join(&|at, line| if touched[at] == 1 { first(at, line, &touched) } else { second(at, line, &touched) });
            prop_assert_eq!(texts(&base, &ours, &theirs), Ok(both));
            prop_assert_eq!(texts(&base, &ours, &base), Ok(ours.clone()));
            prop_assert_eq!(texts(&base, &base, &theirs).map(|text| text.trim_end().to_owned()), Ok(theirs.trim_end().to_owned()));
        }
    }
}
