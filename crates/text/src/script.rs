//! Scripts that are written without spaces between words.

/// Whether a character is written without spaces between words.
#[must_use]
pub fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309f}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character is Katakana, in which Japanese writes words of other languages.
#[must_use]
pub fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}')
}
