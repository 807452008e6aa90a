//! The charset that a text in HTML or XML says it is in.

use dom_query::Document;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The bytes at the beginning in which a page may name its charset. Browsers look at 1,024 first (HTML, section 13.2.3.2) and
/// begin anew where they find it later.
const SNIFFED: usize = 16 * 1024;
/// Names that programs write and the web's list of labels does not have.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("cp936", "gbk"),
    ("ms936", "gbk"),
    ("windows-936", "gbk"),
    ("gb-2312", "gbk"),
    ("cp949", "euc-kr"),
    ("ms949", "euc-kr"),
    ("uhc", "euc-kr"),
    ("euckr", "euc-kr"),
    ("cp950", "big5"),
    ("ms950", "big5"),
    ("cp932", "shift_jis"),
    ("eucjp", "euc-jp"),
    ("utf8mb4", "utf-8"),
    ("latin-1", "latin1"),
    ("win-1251", "windows-1251"),
];

/// The charset with a name.
pub(super) fn by_label(label: &str) -> Option<&'static Encoding> {
    let label = label.trim_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | ';' | ','));
    let known = |label: &str| Encoding::for_label_no_replacement(label.as_bytes());
    known(label).or_else(|| {
        let label = label.to_ascii_lowercase().replace('_', "-");
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == label);
        known(other.map_or(&label, |(_, label)| label))
    })
}

/// The charset that a page or a document in XML names. Bytes that have been read as far as the name are not in UTF-16.
pub(super) fn in_markup(bytes: &[u8]) -> Option<&'static Encoding> {
    // ASCII is the same in all charsets that can be named so.
    let (start, _) = WINDOWS_1252.decode_without_bom_handling(&bytes[..bytes.len().min(SNIFFED)]);
    let named = in_declaration(&start).or_else(|| in_meta(&start))?;
    Some(if named == UTF_16LE || named == UTF_16BE { UTF_8 } else { named })
}

/// The name in `<?xml version="1.0" encoding="…"?>`.
fn in_declaration(start: &str) -> Option<&'static Encoding> {
    let declaration = start.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    by_label(value[1..].split(quote).next()?)
}

/// The name in `<meta charset="…">`, or in `<meta http-equiv="Content-Type" content="text/html; charset=…">`.
fn in_meta(start: &str) -> Option<&'static Encoding> {
    if !start.to_ascii_lowercase().contains("charset") {
        return None;
    }
    let page = Document::from(start);
    page.select("meta").iter().find_map(|meta| {
        let named = meta.attr("charset").and_then(|label| by_label(&label));
        named.or_else(|| {
            let kind = meta.attr("http-equiv")?;
            let content = meta.attr("content").filter(|_| kind.trim().eq_ignore_ascii_case("content-type"))?;
            in_content(&content)
        })
    })
}

/// The name behind `charset=` in the content of a header.
fn in_content(content: &str) -> Option<&'static Encoding> {
    let at = content.to_ascii_lowercase().find("charset")?;
    let value = content[at + "charset".len()..].trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    by_label(value.split(|c: char| c.is_ascii_whitespace() || matches!(c, ';' | ',' | '"' | '\'')).next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_a_declaration_is_read() {
        for (page, name) in [
            ("<meta charset=gb2312>", Some("GBK")),
            ("<html><head><META CHARSET='Shift_JIS' />", Some("Shift_JIS")),
            ("<meta content='text/html; charset=windows-1251' http-equiv=content-type>", Some("windows-1251")),
            ("<meta http-equiv=\"Content-Type\" content=\"text/html;charset = 'EUC-KR'\">", Some("EUC-KR")),
            ("<?xml version='1.0' encoding='Shift_JIS'?><html>", Some("Shift_JIS")),
            ("\r\n<?xml version=\"1.0\" encoding = \"cp936\" standalone=\"yes\"?>", Some("GBK")),
            ("<script src=a charset=utf-8></script><meta charset=big5>", Some("Big5")),
            ("<!-- <meta charset=big5> --><meta charset=koi8-r>", Some("KOI8-R")),
            ("<meta charset=nothing><meta charset=euc_jp>", Some("EUC-JP")),
            ("<meta charset=utf-16>", Some("UTF-8")),
            ("<meta name=description content='charset=big5'>", None),
            ("<p>charset=big5", None),
        ] {
            assert_eq!(in_markup(page.as_bytes()).map(Encoding::name), name, "{page}");
        }
        let late = format!("<html><head><!--{}--><meta charset=gbk>", " ".repeat(4000));
        assert_eq!(in_markup(late.as_bytes()).map(Encoding::name), Some("GBK"));
    }
}
