//! From bytes to text: in which charset they are, and what a person is told of it.

mod declared;
mod utf16;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE};

/// This many bytes at the beginning decide whether a file is binary.
const SNIFFED: usize = 8192;
/// This many bytes, from the first that is not ASCII, are looked at for a guess.
const GUESSED: usize = 256 * 1024;
/// Sequences of UTF-8 that are whole, for each byte that belongs to none, in a text of UTF-8 that was damaged.
const WHOLE_FOR_BROKEN: usize = 4;
/// So many sequences of UTF-8 do not come about by chance in a text of one of the charsets with two bytes for a character.
const BEYOND_CHANCE: usize = 8;

/// A text that was bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// What of it is lost, or guessed.
    pub(crate) note: Option<String>,
}

/// Reads bytes as text; nothing for those that are none.
///
/// The charset is, in this order: that of a byte order mark, which is no part of the text; UTF-16 without one; the one that
/// `said` names, which is what came with the bytes; where they are `markup`, the one that they name themselves; UTF-8; a guess,
/// which the note tells. Bytes that are UTF-8 are read so whatever they name, and a name that does not fit is none.
pub(crate) fn decode(bytes: &[u8], said: Option<&str>, markup: bool) -> Option<Decoded> {
    if let Some(text) = utf16::of_four_bytes(bytes) {
        return Some(Decoded { text, note: None });
    }
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let decoded = read(encoding, &bytes[length..]);
        return (!decoded.text.contains('\0')).then_some(decoded);
    }
    if bytes[..bytes.len().min(SNIFFED)].contains(&0) {
        return utf16::without_mark(bytes).map(|encoding| read(encoding, bytes));
    }
    let named = said.and_then(declared::by_label).filter(|encoding| *encoding != UTF_16LE && *encoding != UTF_16BE);
    let named = named.or_else(|| markup.then(|| declared::in_markup(bytes)).flatten());
    let found = Sequences::count(bytes);
    if let Some(encoding) = named.filter(|encoding| *encoding != UTF_8) {
        let decoded = read(encoding, bytes);
        if found.leave_room_for(encoding, &decoded) && fits(&decoded.text) {
            return Some(decoded);
        }
    }
    if found.are_utf8() {
        let in_escapes = found.whole == 0 && (has(bytes, b"\x1b$") || has(bytes, b"\x1b("));
        let guessed = in_escapes.then(|| guess(bytes)).filter(|encoding| *encoding == ISO_2022_JP);
        return Some(guessed.map_or_else(|| read(UTF_8, bytes), |encoding| told(encoding, bytes)));
    }
    let controls = bytes.iter().filter(|byte| matches!(byte, 0..=7 | 14..=26 | 28..=31)).count();
    (controls * 50 <= bytes.len()).then(|| told(guess(bytes), bytes))
}

/// How much of a text is in sequences of UTF-8.
struct Sequences {
    whole: usize,
    broken: usize,
}

impl Sequences {
    fn count(bytes: &[u8]) -> Self {
        let (mut whole, mut broken, mut is_cut) = (0, 0, false);
        for chunk in bytes.utf8_chunks() {
            whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
            broken += usize::from(!chunk.invalid().is_empty());
            is_cut = std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
        }
        // A file that ends within a character was cut there, which says nothing of its charset.
        Self { whole, broken: broken - usize::from(is_cut && whole > 0) }
    }

    fn are_utf8(&self) -> bool {
        self.broken == 0 || self.whole >= WHOLE_FOR_BROKEN * self.broken
    }

    /// Whether a text may be in the charset that it names, though it may be UTF-8, too.
    fn leave_room_for(&self, named: &'static Encoding, decoded: &Decoded) -> bool {
        let two_bytes = [GBK, GB18030, BIG5, EUC_KR, EUC_JP, SHIFT_JIS].contains(&named);
        let ascii = self.whole == 0 && self.broken == 0;
        ascii || !self.are_utf8() || (two_bytes && self.whole < BEYOND_CHANCE && decoded.note.is_none())
    }
}

/// Whether a text was read in the charset in which it was written: some of its characters may be broken, but not many.
fn fits(text: &str) -> bool {
    let lost = text.matches(char::REPLACEMENT_CHARACTER).count();
    lost == 0 || text.chars().filter(|c| !c.is_ascii()).count() >= 5 * lost
}

/// The charset that bytes are most likely in, by the letters that stand beside each other.
fn guess(bytes: &[u8]) -> &'static Encoding {
    let first = bytes.iter().position(|byte| !byte.is_ascii() || *byte == 0x1b).unwrap_or_default();
    let looked_at = &bytes[first.saturating_sub(64)..bytes.len().min(first + GUESSED)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(looked_at, looked_at.len() < GUESSED);
    detector.guess(None, Utf8Detection::Deny)
}

fn read(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let (text, lost) = encoding.decode_without_bom_handling(bytes);
    let note = lost.then(|| format!("not valid {}; undecodable bytes read as `\u{fffd}`", encoding.name()));
    Decoded { text: text.into_owned(), note }
}

/// Reads bytes in a charset that is a guess, which the note says.
fn told(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let Decoded { text, note } = read(encoding, bytes);
    let guessed = format!("names no charset and is no UTF-8: read as {}, which is a guess", encoding.name());
    Decoded { text, note: Some(note.map_or_else(|| guessed.clone(), |lost| format!("{guessed}; {lost}"))) }
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(bytes: &[u8]) -> String {
        let decoded = decode(bytes, None, true).unwrap();
        assert_eq!(decoded.note, None, "{}", decoded.text);
        decoded.text
    }

    #[test]
    fn marks_and_names_are_followed() {
        assert_eq!(exact("héllo".as_bytes()), "héllo");
        assert_eq!(exact(b"\xef\xbb\xbfabc"), "abc");
        assert_eq!(exact(b"\xff\xfea\0b\0"), "ab");
        assert_eq!(exact(b"\xfe\xff\0a\0b"), "ab");
        assert_eq!(exact(b"\xff\xfe\0\0a\0\0\0b\0\0\0"), "ab");
        assert_eq!(exact(b"a\0 \0b\0\r\0\n\0"), "a b\r\n");
        assert_eq!(exact(b"\0a\0 \0b"), "a b");
        assert_eq!(exact(b""), "");
        assert!(decode(b"\xff\xfea\0b", None, false).unwrap().note.is_some());
        assert_eq!(decode(b"\x7fELF\0\0", None, false), None);
        assert_eq!(decode(b"\x7fELF\0\0\x01\x02\0\0", None, false), None);

        let gbk = [0xca, 0xfd, 0xbe, 0xdd, 0xbf, 0xe2];
        let of = |said: Option<&str>, bytes: &[u8]| decode(bytes, said, true).map(|decoded| decoded.text);
        assert_eq!(of(Some("GBK"), &gbk).unwrap(), "数据库");
        assert_eq!(
            of(Some("\"gb2312\""), "数据库".as_bytes()).unwrap(),
            "数据库",
            "no whole number of characters in GBK"
        );
        assert_eq!(of(Some("latin1"), b"\xef\xbb\xbfa").unwrap(), "a");
        assert_eq!(of(Some("no such thing"), b"a").unwrap(), "a");
        assert!(of(None, &[b"<meta charset=\"gbk\"><p>".as_slice(), &gbk].concat()).unwrap().ends_with("数据库"));
        assert_eq!(of(Some("iso-8859-1"), "déjà".as_bytes()).unwrap(), "déjà", "saved anew as UTF-8");
    }

    #[test]
    fn a_guess_is_told_and_damaged_utf_8_is_no_guess() {
        for said in [None, Some("utf-8")] {
            let decoded = decode(b"Un caf\xe9 au lait.", said, false).unwrap();
            assert_eq!(decoded.text, "Un café au lait.");
            assert!(decoded.note.unwrap().contains("read as windows-1252, which is a guess"));
        }
        let mut broken = "Le café est fermé, il a gelé déjà.".as_bytes().to_vec();
        broken.extend(b" \xff");
        let decoded = decode(&broken, None, false).unwrap();
        assert_eq!(decoded.text, "Le café est fermé, il a gelé déjà. \u{fffd}");
        assert!(decoded.note.unwrap().contains("not valid UTF-8"));
        let cut = "hélas, l'été".as_bytes();
        assert_eq!(decode(&cut[..cut.len() - 1], None, false).unwrap().text, "hélas, l'ét\u{fffd}");
        let noise: Vec<u8> = (0..4000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
        assert_eq!(decode(&noise, None, false), None);
    }
}
