//! Texts as the usual writers write them, in every charset and form, and what is read of them.

use encoding_rs::Encoding;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Format, ReadLimits, read_file};

/// The languages: sentences, and the charsets in which they are written.
const LANGUAGES: &[(&[&str], &[&str])] = &[
    (
        &[
            "Der Wärter zählt die Schiffe, die nachts über die Förde fahren.",
            "Größere Boote müssen draußen warten, bis die Flut kommt.",
            "Im Frühjahr wird das Gehäuse der Lampe gründlich geputzt.",
            "Für Gäste gibt es Käse, Brötchen und süßen Tee.",
        ],
        &["windows-1252", "iso-8859-15"],
    ),
    (
        &[
            "Le gardien compte les bateaux qui passent près de la côte.",
            "L’été, les pêcheurs réparent leurs filets à l’ombre du phare.",
            "Où va la marée quand elle s’éloigne, très loin, là-bas ?",
            "Une fenêtre s’ouvre, et déjà l’équipage répète ses gestes.",
        ],
        &["windows-1252"],
    ),
    (
        &[
            "Смотритель считает корабли, которые проходят ночью мимо мыса.",
            "Большие лодки ждут прилива у входа в гавань.",
            "Весной фонарь чистят, а стёкла моют пресной водой.",
            "Гостям подают сыр, хлеб и горячий чай.",
        ],
        &["windows-1251", "koi8-r", "iso-8859-5", "ibm866"],
    ),
    (
        &[
            "Latarnik liczy statki, które nocą płyną wzdłuż wybrzeża.",
            "Większe łodzie czekają, aż przypływ podniesie wodę w porcie.",
            "Wiosną czyści się szkła, żeby światło sięgało dalej.",
        ],
        &["windows-1250", "iso-8859-2"],
    ),
    (
        &[
            "Ο φαροφύλακας μετρά τα πλοία που περνούν τη νύχτα.",
            "Τα μεγάλα σκάφη περιμένουν την παλίρροια έξω από το λιμάνι.",
            "Την άνοιξη καθαρίζουν το φανάρι και πλένουν τα τζάμια.",
        ],
        &["windows-1253", "iso-8859-7"],
    ),
    (
        &[
            "灯塔的看守人每天夜里数经过的船只。",
            "大船在港口外面等待涨潮，小船直接进港。",
            "春天的时候，他们清洗灯罩和玻璃。",
            "客人可以喝茶，也可以看旧的航海日志。",
        ],
        &["gbk", "gb2312", "gb18030"],
    ),
    (
        &[
            "燈塔的看守人每天夜裡數經過的船隻。",
            "大船在港口外面等待漲潮，小船直接進港。",
            "春天的時候，他們清洗燈罩和玻璃。",
        ],
        &["big5"],
    ),
    (
        &[
            "灯台守は夜ごとに沖を通る船を数えます。",
            "大きな船は港の外で満ち潮を待っています。",
            "春になるとレンズを磨き、窓ガラスを洗います。",
            "客にはお茶と古い航海日誌が出されます。",
        ],
        &["shift_jis", "euc-jp", "iso-2022-jp"],
    ),
    (
        &[
            "등대지기는 밤마다 지나가는 배를 셉니다.",
            "큰 배는 항구 밖에서 밀물을 기다립니다.",
            "봄이 되면 등의 유리를 깨끗하게 닦습니다.",
            "손님은 차를 마시며 오래된 항해 일지를 읽습니다.",
        ],
        &["euc-kr"],
    ),
    (
        &["ผู้เฝ้าประภาคารนับเรือที่แล่นผ่านในเวลากลางคืน", "เรือใหญ่รอให้น้ำขึ้นอยู่นอกท่าเรือ", "ในฤดูใบไม้ผลิพวกเขาทำความสะอาดกระจก"],
        &["windows-874"],
    ),
];

/// How a file says in which charset it is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CharsetLabel {
    Nothing,
    Meta,
    Equivalent,
    Declaration,
}

/// The charset of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Charset {
    Named(&'static str),
    Utf8 { mark: bool },
    Utf16 { mark: bool, little: bool },
}

#[derive(Clone, Debug)]
struct Written {
    paragraphs: Vec<&'static str>,
    charset: Charset,
    said: CharsetLabel,
    format: Format,
    line_end: &'static str,
}

fn written() -> impl Strategy<Value = Written> {
    let said =
        select(vec![CharsetLabel::Nothing, CharsetLabel::Meta, CharsetLabel::Equivalent, CharsetLabel::Declaration]);
    let format = select(vec![Format::Html, Format::Plain, Format::Markdown]);
    let line_end = select(vec!["\n", "\r\n"]);
    (select(LANGUAGES), said, format, line_end).prop_flat_map(|((sentences, charsets), said, format, line_end)| {
        let both = any::<bool>;
        let charset = prop_oneof![
            6 => select(charsets).prop_map(Charset::Named),
            1 => both().prop_map(|mark| Charset::Utf8 { mark }),
            2 => (both(), both()).prop_map(|(mark, little)| Charset::Utf16 { mark, little }),
        ];
        let paragraphs = proptest::sample::subsequence(sentences, 1..=sentences.len()).prop_shuffle();
        (paragraphs, charset).prop_map(move |(paragraphs, charset)| Written {
            paragraphs,
            charset,
            said: if format == Format::Html { said } else { CharsetLabel::Nothing },
            format,
            line_end,
        })
    })
}

impl Written {
    fn label(&self) -> &'static str {
        match self.charset {
            Charset::Named(label) => label,
            Charset::Utf8 { .. } => "utf-8",
            Charset::Utf16 { .. } => "utf-16",
        }
    }

    fn text(&self) -> String {
        let label = self.label();
        let text = if self.format == Format::Html {
            let (before, head) = match self.said {
                CharsetLabel::Nothing => (String::new(), String::new()),
                CharsetLabel::Meta => (String::new(), format!("<meta charset=\"{label}\">")),
                CharsetLabel::Equivalent => {
                    (String::new(), format!("<META content='text/html; charset={label}' http-equiv=\"Content-Type\">"))
                }
                CharsetLabel::Declaration => (format!("<?xml version=\"1.0\" encoding=\"{label}\"?>\n"), String::new()),
            };
            let body: String = self.paragraphs.iter().map(|paragraph| format!("<p>{paragraph}</p>\n")).collect();
            format!(
                "{before}<html>\n<head><script charset=\"utf-8\"></script>{head}</head>\n<body>\n{body}</body></html>\n"
            )
        } else {
            self.paragraphs.join("\n\n") + "\n"
        };
        text.replace('\n', self.line_end)
    }

    fn bytes(&self) -> Vec<u8> {
        let text = self.text();
        match self.charset {
            Charset::Named(label) => Encoding::for_label(label.as_bytes()).unwrap().encode(&text).0.into_owned(),
            Charset::Utf8 { mark } => [if mark { "\u{feff}" } else { "" }, &text].concat().into_bytes(),
            Charset::Utf16 { mark, little } => {
                let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
                units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
            }
        }
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: graphloom_test_support::draws(), failure_persistence: None, ..ProptestConfig::default()
    })]

    /// What a file of a usual writer says is read to the letter, and a guess of its charset is told.
    #[test]
    fn drawn_texts_of_usual_writers_are_read_to_the_letter(file in written()) {
        let limits = ReadLimits {
            passage_bytes: 1200, unpacked_bytes: 0, pages: 0, time: std::time::Duration::ZERO, reader: None,
        };
        let (document, note) = read_file(file.format, "file", &file.bytes(), &limits).unwrap();
        let read: String = std::iter::once(document.title.as_str())
            .chain(document.passages.iter().map(|passage| passage.text.as_str()))
            .map(squeezed)
            .collect();
        let named = file.said != CharsetLabel::Nothing || !matches!(file.charset, Charset::Named(_));
        let is_exact = file.paragraphs.iter().all(|paragraph| read.contains(&squeezed(paragraph)));
        prop_assert_eq!(note.is_none(), named, "{:?}", note);
        prop_assert!(is_exact, "{:?}: {}", note, read);
    }
}
