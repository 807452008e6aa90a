//! Files in the charsets in which they are written are found by their words, and a guess is told.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, ISO_2022_JP, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

use super::place::{TestCorpus, path_of, search};

const CHINESE: &str = "数据库在断电以后仍然保存全部记录，因为日志先写入磁盘。管理员每天检查备份。";
const TRADITIONAL: &str = "資料庫在斷電以後仍然保存全部記錄，因為日誌先寫入磁碟。管理員每天檢查備份。";
const JAPANESE: &str = "灯台は夜になると光り、船は港への道を見つけます。嵐の日には霧笛も鳴ります。";
const KOREAN: &str = "등대는 밤마다 빛나고 배는 항구로 가는 길을 찾습니다. 폭풍이 치면 사이렌도 울립니다.";
const RUSSIAN: &str = "Маяк светит каждую ночь, и корабли находят дорогу в гавань. В туман звучит сирена.";
const FRENCH: &str = "Le phare éclaire la côte chaque nuit, et les bateaux rentrent au port malgré la tempête.";

fn in_charset(encoding: &'static Encoding, text: &str) -> Vec<u8> {
    let (bytes, _, lost) = encoding.encode(text);
    assert!(!lost, "{text}");
    bytes.into_owned()
}

fn of_two_bytes(text: &str, mark: bool, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = mark.then_some('\u{feff}');
    let text: String = mark.into_iter().chain(text.chars()).collect();
    text.encode_utf16().flat_map(bytes).collect()
}

/// That a text is found in a file, to the letter, and what is told of it. The same text in other files is shown once.
fn assert_found(path: &str, bytes: &[u8], word: &str, text: &str) -> Option<String> {
    let place = TestCorpus::new(&[]);
    place.write(path, bytes);
    let corpus = place.open();
    let mut report = corpus.refresh().unwrap_or_else(|error| panic!("{path}: {error}"));
    let hits = search(&corpus, word);
    let hit = hits.first().unwrap_or_else(|| panic!("{word} is not found in {path}"));
    assert_eq!((path_of(hit).as_str(), hit.evidence.text.as_str()), (path, text));
    report.lossy.pop().map(|file| file.note)
}

#[test]
fn pages_are_read_in_the_charset_that_they_name() {
    let cases = [
        ("a.html", "<meta charset=gb2312>", GBK, "日志", CHINESE),
        ("b.htm", "<meta charset='Shift_JIS'>", SHIFT_JIS, "灯台", JAPANESE),
        (
            "c.html",
            r#"<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1251">"#,
            WINDOWS_1251,
            "гавань",
            RUSSIAN,
        ),
        ("d.html", "<script charset=utf-8></script><meta charset=\"EUC-KR\">", EUC_KR, "등대", KOREAN),
        (
            "e.html",
            "<meta content='text/html;charset=iso-8859-1' http-equiv=content-type>",
            WINDOWS_1252,
            "phare",
            FRENCH,
        ),
        ("f.html", "<meta charset=big5>", BIG5, "資料", TRADITIONAL),
        ("g.html", "<meta charset=iso-2022-jp>", ISO_2022_JP, "霧笛", JAPANESE),
    ];
    for (path, declaration, encoding, word, text) in cases {
        let page =
            format!("<!DOCTYPE html><html><head>{declaration}<title>T</title></head><body><p>{text}</p></body></html>");
        assert_eq!(assert_found(path, &in_charset(encoding, &page), word, text), None, "{path}");
    }
    let page = format!(
        "<?xml version=\"1.0\" encoding=\"EUC-JP\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><p>{JAPANESE}</p></body></html>"
    );
    assert_eq!(assert_found("h.xhtml", &in_charset(EUC_JP, &page), "灯台", JAPANESE), None);
    let stale = format!("<html><head><meta charset=windows-1251></head><body><p>{FRENCH}</p></body></html>");
    assert_eq!(assert_found("saved anew.html", stale.as_bytes(), "tempête", FRENCH), None);
}

#[test]
fn texts_that_name_no_charset_are_read_in_the_one_that_their_letters_speak_for_and_that_is_told() {
    let cases = [
        ("gbk.txt", GBK, "GBK", "日志", CHINESE),
        ("big5.md", BIG5, "Big5", "資料", TRADITIONAL),
        ("sjis.txt", SHIFT_JIS, "Shift_JIS", "灯台", JAPANESE),
        ("euc.text", EUC_JP, "EUC-JP", "灯台", JAPANESE),
        ("korean.txt", EUC_KR, "EUC-KR", "등대", KOREAN),
        ("russian.md", WINDOWS_1251, "windows-1251", "гавань", RUSSIAN),
        ("koi.txt", KOI8_R, "KOI8-U", "гавань", RUSSIAN),
        ("french.txt", WINDOWS_1252, "windows-1252", "tempête", FRENCH),
    ];
    for (path, encoding, name, word, text) in cases {
        let told = format!("names no charset and is no UTF-8: read as {name}, which is a guess");
        assert_eq!(assert_found(path, &in_charset(encoding, text), word, text), Some(told), "{path}");
    }
    let place = TestCorpus::new(&[]);
    place.write("french.txt", in_charset(WINDOWS_1252, FRENCH));
    let report = place.open().refresh().unwrap().to_string();
    assert!(report.contains("1 read with a loss or a guess"), "{report}");
}

#[test]
fn two_bytes_for_a_letter_are_read_with_a_mark_and_without_and_what_is_binary_is_refused() {
    for (name, word, text) in [("ru", "гавань", RUSSIAN), ("zh", "日志", CHINESE), ("fr", "phare", FRENCH)] {
        for (mark, kind) in [(true, "txt"), (false, "md"), (false, "txt")] {
            for bytes in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
                let file = of_two_bytes(&format!("{text}\r\n"), mark, bytes);
                assert_eq!(assert_found(&format!("{name}.{kind}"), &file, word, text), None, "{name}, {mark}");
            }
        }
    }
    let place = TestCorpus::new(&[("good.md", "The zebra runs.")]);
    let binary: Vec<u8> = (0..4000_u32).flat_map(|n| (n.wrapping_mul(2_654_435_761) >> 9).to_le_bytes()).collect();
    place.write("noise.txt", &binary);
    place.write("packed.md", binary.iter().map(|byte| byte | 1).collect::<Vec<u8>>());
    place.write("samples.txt", (0..2000_i16).flat_map(|n| (n % 90 - 45).to_le_bytes()).collect::<Vec<u8>>());
    let report = place.open().refresh().unwrap();
    let unread: Vec<String> = report.unread.iter().map(|file| file.reason.to_string()).collect();
    assert_eq!(unread, ["is a binary file"; 3], "{report:?}");
}
