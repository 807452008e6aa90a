//! Characters made comparable, one for one, so that places stay known.

/// What a character is compared as: small letters, half-width forms, one kind of quotation mark, dash and space.
///
/// One character becomes one character; what would become several (`ß`, ligatures) stays as it is.
pub(crate) fn fold(c: char) -> char {
    let c = match c {
        // Full-width forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' | '`' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{00ab}' | '\u{00bb}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c if c.is_whitespace() => ' ',
        c => c,
    };
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => c,
    }
}

/// Whether a character is written without spaces between words.
pub(crate) fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309f}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2fa1f}')
}

/// Whether a character is Katakana, of which words of other languages are made.
pub(crate) fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}')
}
