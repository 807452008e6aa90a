//! Texts with two or four bytes for a character.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// The text of bytes with a byte order mark of UTF-32, which no browser reads; nothing if they have none.
pub(super) fn of_four_bytes(bytes: &[u8]) -> Option<String> {
    let (rest, number): (&[u8], fn([u8; 4]) -> u32) = if let Some(rest) = bytes.strip_prefix(b"\xff\xfe\0\0") {
        (rest, u32::from_le_bytes)
    } else {
        (bytes.strip_prefix(b"\0\0\xfe\xff")?, u32::from_be_bytes)
    };
    let (numbers, left) = rest.as_chunks::<4>();
    let text = numbers.iter().map(|bytes| char::from_u32(number(*bytes)).filter(|c| *c != '\0')).collect::<Option<_>>();
    text.filter(|_| left.is_empty())
}

/// The order of the bytes of a text in UTF-16 without a mark; nothing if they are no such text, which they must be to the last
/// character, with something between words or sentences: with every byte at random some would be controls, without a partner, or nothing
/// at all.
pub(super) fn without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let likely = |encoding: &'static Encoding| {
        let (text, lost) = encoding.decode_without_bom_handling(bytes);
        let (mut all, mut written, mut is_parted) = (0_usize, 0_usize, false);
        for c in text.chars() {
            if is_foreign(c) {
                return None;
            }
            all += 1;
            written += usize::from(is_written(c));
            is_parted |= c.is_whitespace() || matches!(c, '、' | '。' | '，' | '！' | '？' | '；' | '：');
        }
        let most = !lost && is_parted && written * 10 >= all * 7;
        most.then_some(written)
    };
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    match (likely(UTF_16LE), likely(UTF_16BE)) {
        (None, None) => None,
        (little, big) if little >= big => Some(UTF_16LE),
        _ => Some(UTF_16BE),
    }
}

/// Whether no text has it: a control that is no space, no character, or what becomes of a line end and a space when their bytes change
/// places.
fn is_foreign(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{85}');
    control || matches!(c, '\u{a00}' | '\u{2000}') || matches!(u32::from(c) & 0xffff, 0xfffe | 0xffff)
}

/// Whether it is a letter, a digit, a space or a sign of a usual text.
fn is_written(c: char) -> bool {
    c.is_alphanumeric()
        || c.is_ascii()
        || matches!(c, '\u{a0}'..='\u{bf}' | '\u{300}'..='\u{36f}' | '\u{2010}'..='\u{205e}' | '\u{20a0}'..='\u{2bff}')
        || matches!(c, '\u{3000}'..='\u{303f}' | '\u{fe30}'..='\u{fe4f}' | '\u{feff}'..='\u{ff65}' | '\u{1f000}'..='\u{1faff}')
}
