//! From the bytes of a page to its text.

use encoding_rs::Encoding;

/// The bytes at the beginning in which a page may name its encoding (HTML, section 13.2.3.2).
const SNIFFED: usize = 1024;

/// The text of a body, and whether something was lost. The encoding is that of a byte order mark, else the declared one,
/// else the one that the page names, else UTF-8, else, for bytes that are no UTF-8, what the web takes for western text.
pub(super) fn decode(body: &[u8], declared: Option<&str>) -> (String, bool) {
    let named = declared.and_then(by_label).or_else(|| named_in(body));
    let encoding = match named {
        Some(encoding) => encoding,
        None if std::str::from_utf8(body).is_ok() => encoding_rs::UTF_8,
        None => encoding_rs::WINDOWS_1252,
    };
    let (text, _, lost) = encoding.decode(body);
    (text.into_owned(), lost)
}

fn by_label(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.trim_matches(['"', '\'', ' ']).as_bytes())
}

fn named_in(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&body[..body.len().min(SNIFFED)]).to_ascii_lowercase();
    let after = &start[start.find("charset=")? + "charset=".len()..];
    let after = after.trim_start_matches(['"', '\'', ' ']);
    let label = after.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))).next()?;
    by_label(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_found() {
        let gbk = [0xca, 0xfd, 0xbe, 0xdd, 0xbf, 0xe2];
        let mut named = b"<meta charset=\"gbk\"><p>".to_vec();
        named.extend(gbk);
        assert_eq!(decode(&gbk, Some("GBK")).0, "数据库");
        assert!(decode(&named, None).0.ends_with("数据库"));
        assert_eq!(decode("数据库".as_bytes(), None), ("数据库".to_owned(), false));
        assert_eq!(decode(b"caf\xe9", None), ("café".to_owned(), false));
        assert_eq!(decode(b"caf\xe9", Some("utf-8")), ("caf\u{fffd}".to_owned(), true));
        assert_eq!(decode(b"\xef\xbb\xbfa", Some("latin1")).0, "a");
        assert_eq!(decode(b"a", Some("no such thing")).0, "a");
    }
}
