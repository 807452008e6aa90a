//! Whether a tag is spoken of in a sentence, or begins and ends thoughts itself.

use std::ops::Range;

/// Words before a closing tag that a sentence speaks of: a thought does not end with them.
const BEFORE: [&str; 25] = [
    "with", "by", "a", "an", "the", "and", "or", "after", "before", "until", "between", "tag", "tags", "token",
    "closing", "ending", "write", "writes", "writing", "use", "uses", "add", "adds", "emit", "emits",
];

/// Words after a tag that a sentence speaks of.
const AFTER: [&str; 16] = [
    "tag", "tags", "token", "tokens", "is", "are", "marks", "mark", "opens", "closes", "starts", "begins", "ends",
    "comes", "belongs", "element",
];

const QUOTES: &[char] = &['"', '\'', '“', '”', '‘', '’', '«', '»', '„', '「', '」', '『', '』'];

/// Whether a sentence ends with this text.
pub(super) fn ends_sentence(before: &str) -> bool {
    let text = before.trim_end().trim_end_matches(['"', '”', '’', ')', '*', '_', '»', '」']);
    text.is_empty()
        || text.ends_with(['.', '!', '?', '。', '！', '？', '…'])
        || text.ends_with('>') && text.contains('<')
}

/// The line before a place, from the part's begin.
pub(super) fn line_before(text: &str, from: usize, at: usize) -> &str {
    let line = text[from..at].rsplit('\n').next().unwrap_or_default();
    line.trim_start_matches('\u{feff}')
}

/// Whether a tag is quoted or escaped.
pub(super) fn is_quoted(text: &str, at: &Range<usize>, from: usize) -> bool {
    let mut before = text[from..at.start].chars().rev();
    let mut after = text[at.end..].chars();
    let is_quote = |c: Option<char>| c.is_some_and(|c| QUOTES.contains(&c));
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || ".,!?".contains(c));
    let (last, next) = (before.next(), after.next());
    last == Some('\\') || is_quote(last) && is_quote(next) && !is_word(before.next())
}

/// Whether a closing tag is spoken of, by what stands around it.
pub(super) fn closing_is_spoken_of(text: &str, at: &Range<usize>, from: usize) -> bool {
    let before = &text[from..at.start];
    let mut after = text[at.end..].chars();
    let next = after.next();
    if is_quoted(text, at, from) || before.ends_with('(') && next == Some(')') {
        return true;
    }
    let then = after.next();
    // `…</think>" and`: a tag in quotes that began earlier.
    if next.is_some_and(|c| QUOTES.contains(&c)) && then.is_none_or(|c| !c.is_alphanumeric()) {
        return true;
    }
    let is_a_word = before.ends_with([' ', '\t']) && !line_before(text, from, at.start).trim().is_empty();
    if !is_a_word {
        return next.is_some_and(|c| matches!(c, ',' | ';' | ')')) && !ends_sentence(before);
    }
    if next.is_some_and(|c| matches!(c, ',' | ';' | '.' | ')' | '?' | ':')) {
        return !ends_sentence(before);
    }
    if next != Some(' ') || !then.is_some_and(char::is_lowercase) || ends_sentence(before) {
        return false;
    }
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    BEFORE.contains(&last.as_str()) || followed_by_its_word(&text[at.end..])
}

/// Whether a closing tag, before which an opening one was spoken of, ends thoughts all the same: it stands at the end of a
/// sentence and before a new one, or has its line.
pub(super) fn closing_is_sure(text: &str, at: &Range<usize>, from: usize) -> bool {
    let before = text[from..at.start].trim_end_matches([' ', '\t']);
    let after = text[at.end..].trim_start_matches([' ', '\t', '\r']);
    let begins_anew = after.chars().next().is_none_or(|c| !c.is_lowercase() && !",;.)?:!…".contains(c));
    let ends =
        before.is_empty() || before.ends_with(['\n', '.', '!', '?', '。', '！', '？']) && !before.ends_with("..");
    ends && begins_anew
}

/// Whether the next word is one that stands after a tag that is spoken of.
pub(super) fn followed_by_its_word(after: &str) -> bool {
    let Some(rest) = after.strip_prefix(' ') else { return false };
    let word: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
    AFTER.contains(&word.as_str())
}

/// Whether the next word is not whole yet, and may be one that stands after a tag that is spoken of.
pub(super) fn its_word_may_follow(after: &str) -> bool {
    match after.strip_prefix(' ') {
        Some(rest) => AFTER.iter().any(|word| word.starts_with(rest)),
        None => after.is_empty(),
    }
}
