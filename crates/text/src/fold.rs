//! Folding of characters for comparison, one for one, so that the count of characters stays.

/// The character that `c` is compared as: lower case, half width, and one kind each of quotation mark, dash and space.
///
/// One character becomes one character. A character that would become several (`ß`, ligatures) stays as it is.
#[must_use]
pub fn fold(c: char) -> char {
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
