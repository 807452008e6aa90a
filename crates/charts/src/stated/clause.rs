//! The clauses of a sentence, as far as lists of values need them.

use std::ops::Range;

/// Words between clauses. `and` is not among them: what it joins depends on what stands on both sides.
const BETWEEN: &[&str] =
    &[" while ", " whereas ", " but ", " compared with ", " compared to ", " against ", " versus ", " vs. "];
/// Words that join two of a list.
const AND: &[&str] = &[" and ", " und ", " et ", " y ", " e ", "和", "以及"];

/// The pieces of a sentence between commas, semicolons and words that begin another clause.
pub(super) fn clauses(text: &str) -> Vec<Range<usize>> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        // A comma inside of a number is none.
        let number = c == ',' && text[end..].starts_with(|c: char| c.is_ascii_digit());
        if matches!(c, ',' | ';' | '；' | '，' | '、') && !number {
            cuts.push(at..end);
        }
    }
    for word in BETWEEN {
        cuts.extend(text.match_indices(word).map(|(at, found)| at..at + found.len()));
    }
    between(text, 0..text.len(), cuts)
}

/// The pieces of a clause around the words that join a list.
pub(super) fn joined(text: &str, clause: Range<usize>) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    for word in AND {
        let found = text[clause.clone()].match_indices(word);
        cuts.extend(found.map(|(at, found)| clause.start + at..clause.start + at + found.len()));
    }
    between(text, clause, cuts)
}

fn between(text: &str, whole: Range<usize>, mut cuts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    cuts.sort_by_key(|cut| cut.start);
    let mut pieces = Vec::new();
    let mut from = whole.start;
    for cut in cuts {
        pieces.push(from..cut.start.max(from));
        from = cut.end.max(from);
    }
    pieces.push(from..whole.end);
    pieces.retain(|piece| !text[piece.clone()].trim().is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_no_clauses() {
        let text = "SQLite took 1,400 ms, Python 12,5 ms while others took 3; so";
        let found: Vec<&str> = clauses(text).into_iter().map(|range| text[range].trim()).collect();
        assert_eq!(found, ["SQLite took 1,400 ms", "Python 12,5 ms", "others took 3", "so"]);
        assert_eq!(joined("a and b", 0..7).len(), 2);
    }
}
