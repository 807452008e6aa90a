//! Words, numbers and signs of a text with their places.

use std::ops::Range;

use graphloom_text::{fold, is_ideographic, is_katakana, number};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word of letters, which may hold digits, `_` and, between letters, `-`, `.`, `'` and `::`.
    Word,
    /// Digits with the marks that stand between groups and before decimals.
    Number,
    /// One ideograph or Hiragana, which are written without spaces.
    Ideograph,
    /// Any other visible character.
    Sign,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
    /// The text as it is compared.
    pub(crate) folded: String,
}

/// The tokens of `text`, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let end_of = |index: usize| chars.get(index).map_or(text.len(), |&(at, _)| at);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&(start, c)) = chars.get(at) {
        let folded = fold(c);
        let (kind, end) = if folded.is_ascii_digit() {
            let end = number::end(text, start);
            (
                Kind::Number,
                chars[at..].iter().position(|&(place, _)| place >= end).map_or(chars.len(), |length| at + length),
            )
        } else if is_ideographic(c) {
            (Kind::Ideograph, at + 1)
        } else if is_katakana(c) {
            (Kind::Word, run(&chars, at, |c| is_katakana(c) || c == '・'))
        } else if c.is_alphabetic() || folded == '_' {
            (Kind::Word, word_end(&chars, at))
        } else if c.is_whitespace() || c.is_control() {
            at += 1;
            continue;
        } else {
            (Kind::Sign, at + 1)
        };
        let range = start..end_of(end);
        found.push(Token { kind, folded: text[range.clone()].chars().map(fold).collect(), range });
        at = end;
    }
    found
}

fn run(chars: &[(usize, char)], from: usize, keep: impl Fn(char) -> bool) -> usize {
    chars[from..].iter().position(|&(_, c)| !keep(c)).map_or(chars.len(), |length| from + length)
}

fn letter(c: char) -> bool {
    (c.is_alphanumeric() || fold(c) == '_' || is_mark(c)) && !is_ideographic(c) && !is_katakana(c)
}

/// Marks that combine with the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

fn word_end(chars: &[(usize, char)], from: usize) -> usize {
    let mut at = run(chars, from, letter);
    loop {
        let rest = &chars[at..];
        let joiner = match rest.first().map(|&(_, c)| fold(c)) {
            Some('-' | '.' | '\'') => 1,
            Some(':') if rest.get(1).is_some_and(|&(_, c)| c == ':') => 2,
            _ => return at,
        };
        if !rest.get(joiner).is_some_and(|&(_, c)| letter(c)) {
            return at;
        }
        at = run(chars, at + joiner, letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_keep_what_belongs_together() {
        let text = "It's 1,024 KiB, std::fs in v3.11.2; 12 000 rows（１２％）と データベース。x_1 e.g. 3.";
        let found: Vec<String> = tokens(text).into_iter().map(|token| token.folded).collect();
        let expected = [
            "it's",
            "1,024",
            "kib",
            ",",
            "std::fs",
            "in",
            "v3.11.2",
            ";",
            "12 000",
            "rows",
            "(",
            "12",
            "%",
            ")",
            "と",
            "データベース",
            "。",
            "x_1",
            "e.g",
            ".",
            "3",
            ".",
        ];
        assert_eq!(found, expected);
    }

    /// Each character begins a text, so that none begins a token without belonging to it.
    #[test]
    fn every_visible_character_is_in_one_token() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let mut text = [0; 4];
            let text: &str = c.encode_utf8(&mut text);
            let visible = !c.is_whitespace() && !c.is_control();
            let found = tokens(text).into_iter().map(|token| token.range);
            assert!(found.eq(visible.then_some(0..text.len())), "{c:?}");
        }
    }
}
