//! Sentences that begin with a lower-case letter.
//!
//! Unicode Standard Annex 29 takes a full stop before a lower-case letter as part of an abbreviation. In texts about
//! programs, sentences begin with identifiers (`cx.once(…) is not …`), and in careless texts with any word.

/// The fewest spaces, before a full stop or after it, that stand for a hidden mark: the shortest mark is `[citation:`.
const MARK: usize = 10;

/// The byte offsets in a piece of masked text at which a sentence begins with a lower-case letter, in order.
pub(super) fn small(piece: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (stop, _) in piece.match_indices('.') {
        let behind = &piece[stop + 1..];
        let closed = behind.trim_start_matches(['"', '\'', '”', '’', ')', ']', '*', '_']);
        let next = closed.trim_start();
        let gap = closed.len() - next.len();
        if gap == 0 || !next.starts_with(char::is_lowercase) {
            continue;
        }
        let word = next.split(char::is_whitespace).next().unwrap_or_default();
        let before = piece[..stop].trim_end();
        let last =
            before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"')).next().unwrap_or_default();
        let marked = gap >= MARK || stop - before.len() >= MARK;
        if marked || is_identifier(word) || is_whole(last) && word.chars().any(char::is_alphabetic) {
            found.push(piece.len() - next.len());
        }
    }
    found
}

/// Whether a word is written as identifiers of programs are. Abbreviations such as `i.e.` are not.
fn is_identifier(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let parts: Vec<&str> = word.split('.').collect();
    let dotted = parts.len() > 1
        && parts.iter().all(|part| part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').count() >= 2);
    let inner = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    dotted || inner || word.contains('_') || word.contains("::") || word.contains("()")
}

/// Whether a word is too long for an abbreviation: letters only, four or more.
fn is_whole(word: &str) -> bool {
    word.chars().count() >= 4 && word.chars().all(char::is_alphabetic)
}
