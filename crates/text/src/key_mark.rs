//! Marks in brackets that name something by a key, in any usual spelling.

use std::ops::Range;

use crate::link::target_length;
use crate::markdown::{code, touches};

/// A mark such as `[citation:1, 2]`, with its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyMark {
    /// The bytes of the mark with its brackets.
    pub range: Range<usize>,
    /// The keys in their order.
    pub keys: Vec<String>,
}

/// How marks of one kind begin.
#[derive(Clone, Copy, Debug)]
pub struct KeyWords<'w> {
    /// The words before the colon, in lower case.
    pub words: &'w [&'w str],
    /// Whether numbers are keys, so that `(citation 1)` is a mark, with round brackets and without a colon.
    pub numbers: bool,
}

/// Pairs of brackets.
const PAIRS: [(char, &[char]); 6] = [
    ('[', &[']', '］', '】']),
    ('【', &['】', ']', '］']),
    ('［', &['］', ']', '】']),
    ('〔', &['〕']),
    ('(', &[')', '）']),
    ('（', &['）', ')']),
];
/// Words between two keys.
const AND: [&str; 6] = ["and", "und", "et", "&", "和", "、"];

/// The marks of a text, in order: `[word:key]` in square, lenticular, round and full-width brackets, escaped or doubled, with
/// any blanks and letter case, with several keys behind commas and semicolons or behind the word again, and with a web address
/// behind it as of a link. What stands in code is none.
///
/// In round brackets and without a colon keys are numbers or have a `#`, so that `(ref: Smith)` stays text.
///
/// ```
/// use graphloom_text::{KeyWords, key_marks};
///
/// let words = KeyWords { words: &["citation"], numbers: true };
/// let text = "A【Citation：１，2】 b `[citation:3]` c \\[citation:4, citation:5\\] (citation 6) [citation needed]";
/// let found: Vec<String> = key_marks(text, words).into_iter().map(|mark| mark.keys.join("+")).collect();
/// assert_eq!(found, ["1+2", "4+5", "6"]);
/// ```
#[must_use]
pub fn key_marks(text: &str, words: KeyWords<'_>) -> Vec<KeyMark> {
    let mut found = key_marks_anywhere(text, words);
    if !found.is_empty() {
        let code = code(&without_brackets(text, found.iter().map(|mark| &mark.range)));
        found.retain(|mark| !touches(&mark.range, &code));
    }
    found
}

/// A text without a mark that it breaks off in, such as `[citation:1`, and without the blanks before it.
///
/// ```
/// use graphloom_text::{KeyWords, without_cut_mark};
///
/// let words = KeyWords { words: &["citation"], numbers: true };
/// assert_eq!(without_cut_mark("So it is [citation:1", words), "So it is");
/// assert_eq!(without_cut_mark("So it is [cit", words), "So it is");
/// assert_eq!(without_cut_mark("So it is [c", words), "So it is [c");
/// ```
#[must_use]
pub fn without_cut_mark<'t>(text: &'t str, words: KeyWords<'_>) -> &'t str {
    let body = text.trim_end();
    let is_bracket = |c: char| PAIRS.iter().any(|(open, ends)| *open == c || ends.contains(&c));
    let Some(at) = body.rfind(is_bracket) else { return text };
    let inner = body[at..].trim_start_matches(is_bracket);
    if body[at..].starts_with(|c| PAIRS.iter().all(|(open, _)| *open != c)) || inner.contains(['\n', '`']) {
        return text;
    }
    let inner = inner.trim().to_lowercase();
    let word = inner.split([':', '：']).next().unwrap_or_default().trim();
    let is_whole = words.words.contains(&word) && (word.len() < inner.len() || !inner.contains(char::is_whitespace));
    let is_begun = word.len() == inner.len() && word.len() >= 3 && words.words.iter().any(|one| one.starts_with(word));
    if is_whole || is_begun { body[..at].trim_end_matches(['\\', '[']).trim_end() } else { text }
}

/// As [`key_marks`], in code as well.
#[must_use]
pub fn key_marks_anywhere(text: &str, words: KeyWords<'_>) -> Vec<KeyMark> {
    let mut found: Vec<KeyMark> = Vec::new();
    for (at, open) in text.char_indices() {
        let Some((_, closing)) = PAIRS.iter().find(|(sign, _)| *sign == open) else { continue };
        if found.last().is_some_and(|mark| at < mark.range.end) {
            continue;
        }
        let from = found.last().map_or(0, |mark| mark.range.end);
        found.extend(read(text, at, from, open, closing, words));
    }
    found
}

/// A text of the same length in which the brackets of marks are letters, so that `[ref:a]: …` is not read as the definition of
/// a link: it is none when the mark is replaced.
#[must_use]
pub fn without_brackets<'r>(text: &str, marks: impl IntoIterator<Item = &'r Range<usize>>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in marks {
        for byte in &mut bytes[range.clone()] {
            // A mark has no line break, and a mask of whole characters is text.
            *byte = b'x';
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The mark whose bracket opens at `at`; what stands before `from` belongs to another.
fn read(text: &str, at: usize, from: usize, open: char, closing: &[char], words: KeyWords<'_>) -> Option<KeyMark> {
    let body = at + open.len_utf8();
    let length = text[body..]
        .find(|c: char| c == '\n' || c == '`' || PAIRS.iter().any(|(sign, ends)| *sign == c || ends.contains(&c)))?;
    let close = text[body + length..].chars().next().filter(|c| closing.contains(c))?;
    let inner = &text[body..body + length];
    let is_round = matches!(open, '(' | '（');
    let keys = keys(inner.strip_suffix('\\').unwrap_or(inner), words, is_round)?;
    let mut range = at..body + length + close.len_utf8();
    let slashes = text[from..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
    if slashes % 2 == 1 {
        range.start -= 1;
    }
    if open == '[' && text[from..range.start].ends_with('[') && text[range.end..].starts_with(']') {
        range = range.start - 1..range.end + 1;
    }
    let behind = &text[range.end..];
    if !is_round && ["(http://", "(https://"].iter().any(|link| behind.starts_with(link)) {
        range.end += target_length(behind).unwrap_or_default();
    }
    Some(KeyMark { range, keys })
}

/// The keys inside of brackets.
fn keys(inner: &str, words: KeyWords<'_>, is_round: bool) -> Option<Vec<String>> {
    let inner: String = inner.chars().map(narrow).collect();
    let mut keys: Vec<String> = Vec::new();
    let (mut named, mut colon) = (false, false);
    for piece in inner.split([',', ';', '、']) {
        let mut wanted = named;
        for token in piece.split_whitespace() {
            let (word, rest) = token.split_once(':').map_or((token, None), |(word, rest)| (word, Some(rest)));
            let is_word = words.words.contains(&word.to_lowercase().as_str());
            let key = if is_word {
                (named, wanted) = (true, true);
                colon |= rest.is_some();
                rest.unwrap_or_default()
            } else if named && word.is_empty() && rest.is_some() {
                colon = true;
                rest.unwrap_or_default()
            } else if AND.contains(&token) && !keys.is_empty() {
                wanted = true;
                continue;
            } else {
                token
            };
            let key = key.trim_matches(['"', '\'', '“', '”', '‘', '’']);
            if key.is_empty() {
                continue;
            }
            if !named || !wanted {
                return None;
            }
            keys.push(key.to_owned());
            wanted = false;
        }
    }
    let is_plain = |key: &String| {
        let numbers = key.bytes().all(|b| b.is_ascii_digit() || b == b'-') && key.bytes().any(|b| b.is_ascii_digit());
        key.contains('#') || (words.numbers && numbers)
    };
    let is_sure = (colon && !is_round) || keys.iter().all(is_plain);
    (!keys.is_empty() && is_sure).then_some(keys)
}

/// Full-width signs, digits and letters as those of ASCII; any dash is `-`.
fn narrow(c: char) -> char {
    match c {
        '！'..='～' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '–' | '—' | '‐' | '‑' | '−' => '-',
        '\u{3000}' => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CITATION: KeyWords<'_> = KeyWords { words: &["citation", "citations", "cite"], numbers: true };
    const REFERENCE: KeyWords<'_> = KeyWords { words: &["reference", "references", "ref", "refs"], numbers: false };

    #[test]
    fn marks_are_read_in_any_usual_spelling() {
        for (text, mark, keys) in [
            ("a [citation:1] b", "[citation:1]", "1"),
            ("a [citation:1,2] b", "[citation:1,2]", "1 2"),
            ("a [citation:1, citation:2] b", "[citation:1, citation:2]", "1 2"),
            ("a [citation:1 citation:2] b", "[citation:1 citation:2]", "1 2"),
            ("a [citation:1 and 2] b", "[citation:1 and 2]", "1 2"),
            ("a 【citation:1】 b", "【citation:1】", "1"),
            ("a［citation:1］b", "［citation:1］", "1"),
            ("a [Citation:1] b", "[Citation:1]", "1"),
            ("a [CITATIONS : 1 ；２] b", "[CITATIONS : 1 ；２]", "1 2"),
            ("a (citation:1) b", "(citation:1)", "1"),
            ("a（citation：１，２）b", "（citation：１，２）", "1 2"),
            ("a \\[citation:1\\] b", "\\[citation:1\\]", "1"),
            ("a \\[citation:1] b", "\\[citation:1]", "1"),
            ("a [[citation:1]] b", "[[citation:1]]", "1"),
            ("a [citation 1] b", "[citation 1]", "1"),
            ("a [cite: 1–3] b", "[cite: 1–3]", "1-3"),
            ("a [citation:1](https://a.example/x_(y)) b", "[citation:1](https://a.example/x_(y))", "1"),
        ] {
            let found = key_marks(text, CITATION);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!((&text[found[0].range.clone()], found[0].keys.join(" ").as_str()), (mark, keys), "{text}");
        }
        for (text, keys) in [
            ("a 【reference:t#1】 b", "t#1"),
            ("a ［reference:t#1］ b", "t#1"),
            ("a (reference:t#1) b", "t#1"),
            ("a [reference:t#1, reference:u#2] b", "t#1 u#2"),
            ("a [reference:t#1; u#2] b", "t#1 u#2"),
            ("a [Reference: `t#1`] b", ""),
            ("a [Reference: t#1] b", "t#1"),
            ("a [ref: \"t#1\"，u#2] b", "t#1 u#2"),
        ] {
            let found: Vec<String> = key_marks(text, REFERENCE).into_iter().flat_map(|mark| mark.keys).collect();
            assert_eq!(found.join(" "), keys, "{text}");
        }
        for text in [
            "[Ref: Smith 2020]",
            "(ref: Smith)",
            "[ref:]",
            "[ref 12]",
            "[citation:\n1]",
            "(see reference: t#1)",
            "`[ref:t#1]`",
        ] {
            assert_eq!(key_marks(text, REFERENCE), [], "{text}");
        }
        for text in ["[citation needed]", "[citation: a b]", "citation:1", "[citation:1"] {
            assert_eq!(key_marks(text, CITATION), [], "{text}");
        }
    }
}
