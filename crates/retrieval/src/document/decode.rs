//! From bytes to text, with a note where something was lost.

/// This many bytes at the beginning decide whether a file is binary.
const SNIFFED: usize = 8192;

/// The text of a file and what was lost in reading it; nothing for a binary file.
///
/// UTF-8 and, with a byte order mark, UTF-16 are read exactly. The mark is not part of the text.
pub(crate) fn decode(bytes: &[u8]) -> Option<(String, Option<String>)> {
    if let Some(rest) = bytes.strip_prefix(&[0xff, 0xfe]) {
        return Some(decode_utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(&[0xfe, 0xff]) {
        return Some(decode_utf16(rest, u16::from_be_bytes));
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    if bytes[..bytes.len().min(SNIFFED)].contains(&0) {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some((text.to_owned(), None)),
        Err(error) => {
            let note = format!("not valid UTF-8 at byte {}; undecodable bytes read as `\u{fffd}`", error.valid_up_to());
            Some((String::from_utf8_lossy(bytes).into_owned(), Some(note)))
        }
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (String, Option<String>) {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    match String::from_utf16(&units) {
        Ok(text) if bytes.len().is_multiple_of(2) => (text, None),
        _ => {
            let note = "not valid UTF-16; undecodable units read as `\u{fffd}`".to_owned();
            (String::from_utf16_lossy(&units), Some(note))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_apart() {
        let exact = |text: &str| Some((text.to_owned(), None));
        assert_eq!(decode("héllo".as_bytes()), exact("héllo"));
        assert_eq!(decode(b"\xef\xbb\xbfabc"), exact("abc"));
        assert_eq!(decode(b"\xff\xfea\0b\0"), exact("ab"));
        assert_eq!(decode(b"\xfe\xff\0a\0b"), exact("ab"));
        assert_eq!(decode(b""), exact(""));
        assert_eq!(decode(b"\x7fELF\0\0"), None);
        let (text, note) = decode(b"caf\xe9 au lait").unwrap();
        assert_eq!(text, "caf\u{fffd} au lait");
        assert!(note.unwrap().contains("byte 3"));
        assert!(decode(b"\xff\xfea\0b").unwrap().1.is_some());
    }
}
