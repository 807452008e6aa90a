//! Masking of the parts of a text whose full stops end no sentence.

use std::ops::Range;

use crate::link::target_length;

/// Replaces the hidden ranges of `text` by spaces, and inline code, link targets, addresses and HTML tags by letters.
///
/// Every byte keeps its place.
#[must_use]
pub fn mask(text: &str, hidden: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in hidden.into_iter().filter(|range| text.get(range.clone()).is_some()) {
        bytes[range].fill(b' ');
    }
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'`' => code_end(&bytes, at),
            b'(' if at > 0 && bytes[at - 1] == b']' => target_length(&text[at..]).map(|length| at + length),
            b'<' => tag_end(&bytes, at),
            b'h' if bytes[at..].starts_with(b"http://") || bytes[at..].starts_with(b"https://") => {
                address_end(&bytes, at)
            }
            _ => None,
        };
        if let Some(end) = end {
            // A sentence may begin with code, so the first letter in place of code is a capital.
            let first = if bytes[at] == b'`' { b'X' } else { b'x' };
            bytes[at..end].fill(b'x');
            bytes[at] = first;
            at = end;
        } else {
            at += 1;
        }
    }
    // Only whole characters were replaced: every masked range begins and ends at an ASCII byte.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn code_end(bytes: &[u8], at: usize) -> Option<usize> {
    let ticks = bytes[at..].iter().take_while(|&&b| b == b'`').count();
    let mut from = at + ticks;
    while let Some(found) = bytes[from..].iter().position(|&b| b == b'`') {
        let start = from + found;
        let length = bytes[start..].iter().take_while(|&&b| b == b'`').count();
        if length == ticks {
            return Some(start + length);
        }
        from = start + length;
    }
    None
}

fn tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    let first = *bytes.get(at + 1)?;
    if !(first.is_ascii_alphabetic() || first == b'/') {
        return None;
    }
    let length = bytes[at..].iter().take(400).position(|&b| matches!(b, b'>' | b'\n'))?;
    (bytes[at + length] == b'>').then_some(at + length + 1)
}

fn address_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let length = rest
        .iter()
        .position(|&b| b.is_ascii_whitespace() || !b.is_ascii() || matches!(b, b'<' | b'>' | b'"' | b')' | b']'))
        .unwrap_or(rest.len());
    // The full stop of the sentence is not part of the address.
    let body = rest[..length].iter().rposition(|b| !matches!(b, b'.' | b',' | b';' | b':' | b'!' | b'?'))?;
    Some(at + body + 1)
}
