//! Sentences that begin with a small letter.
//!
//! The standard takes a full stop before a small letter for that of an abbreviation. In texts about programs sentences
//! begin with identifiers (`cx.once(…) is not …`), and in careless ones with any word.

/// So many spaces are a mark that was hidden, before the full stop or behind it: the shortest one is `[citation:`.
const MARK: usize = 10;

/// The places in a piece of masked text where a sentence begins with a small letter, in order.
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

/// Whether a word is written as names of things in programs are, and no abbreviation such as `i.e.` is.
fn is_identifier(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let parts: Vec<&str> = word.split('.').collect();
    let dotted = parts.len() > 1
        && parts.iter().all(|part| part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').count() >= 2);
    let inner = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    dotted || inner || word.contains('_') || word.contains("::") || word.contains("()")
}

/// Whether a word is long enough to be one, and no shortening: letters only, four or more.
fn is_whole(word: &str) -> bool {
    word.chars().count() >= 4 && word.chars().all(char::is_alphabetic)
}
