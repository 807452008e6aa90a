//! Pages that are drawn at random, as programs that set type write them, and what is read of them.

use std::time::Duration;

use graphloom_test_support::documents::{Placed, helvetica_width, pdf_of_placed};
use proptest::prelude::*;
use proptest::sample::select;

use super::super::{Format, ReadLimits, read_file};

/// Words with the places at which a line may end in them.
const WORDS: &[&str] = &[
    "the",
    "of",
    "and",
    "for",
    "under",
    "light",
    "a",
    "in",
    "it",
    "mar.su.pial",
    "light.house",
    "nav.i.ga.tion",
    "un.der.stand",
    "ge.o.graph.i.cal",
    "har.bour",
    "in.stru.ment",
    "ob.ser.va.tory",
    "ther.mom.e.ter",
    "sail.ors",
    "weath.er",
    "at.mos.phere",
    "per.ma.nent",
    "re.fract.ed",
    "cal.cu.lat.ed",
    "dis.tance",
    "mech.a.nism",
    "de.scrip.tion",
    "trans.par.ent",
    "long-term",
    "well-known",
    "salt-resistant",
    "sea-going",
    "pre- and",
    "two- to",
];
const COMPOUNDS: &str = "Words with hyphens: long-term, well-known, salt-resistant, sea-going. They come in all";

fn whole(word: &str) -> String {
    word.replace('.', "")
}

/// The lines of words in a column, broken as they are set.
fn set(words: &[&str], width: f32, size: f32, hyphen: char) -> Vec<String> {
    let fits = |line: &str| helvetica_width(line, size) <= width;
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in words.iter().flat_map(|word| word.split(' ')) {
        let mut rest = word.to_owned();
        loop {
            let space = if line.is_empty() { "" } else { " " };
            let candidate = format!("{line}{space}{}", whole(&rest));
            if fits(&candidate) {
                line = candidate;
                break;
            }
            let breaks = rest.char_indices().filter(|(at, c)| matches!(c, '.' | '-') && *at + 1 < rest.len());
            let parts = breaks.map(|(at, c)| {
                let end = if c == '-' { '-' } else { hyphen };
                (format!("{line}{space}{}{end}", whole(&rest[..at])), at + 1)
            });
            let last = parts.rev().find(|(part, at)| fits(part) && *at > 2 && rest.len() - at > 2);
            match last {
                Some((part, at)) => {
                    lines.push(part);
                    rest = rest[at..].to_owned();
                }
                None if line.is_empty() => {
                    line = whole(&rest);
                    break;
                }
                None => lines.push(std::mem::take(&mut line)),
            }
            line.clear();
        }
    }
    lines.push(line);
    lines
}

fn column(lines: &[String], x: f32, top: f32, size: f32) -> Vec<Placed> {
    let line =
        |(text, number): (&String, u8)| Placed { x, y: top - f32::from(number) * size * 1.2, size, text: text.clone() };
    lines.iter().zip(0..).map(line).collect()
}

fn read(pages: &[Vec<Placed>]) -> (Vec<String>, Option<String>) {
    let limits =
        ReadLimits { passage_bytes: 1200, unpacked_bytes: 0, pages: 10, time: Duration::from_secs(600), reader: None };
    let (document, note) = read_file(Format::Pdf, "page.pdf", &pdf_of_placed(pages), &limits).unwrap();
    (document.passages.iter().flat_map(|passage| words_of(&passage.text)).collect(), note)
}

fn words_of(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn expected(words: &[&str]) -> Vec<String> {
    words.iter().flat_map(|word| words_of(&whole(word))).collect()
}

fn words(count: std::ops::Range<usize>, hyphens: bool) -> impl Strategy<Value = Vec<&'static str>> {
    let words: Vec<&str> = WORDS.iter().copied().filter(|word| hyphens || !word.contains('-')).collect();
    proptest::collection::vec(select(words), count)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: graphloom_test_support::draws(), failure_persistence: None, ..ProptestConfig::default()
    })]

    /// A paragraph has its words, wherever its lines end.
    #[test]
    fn drawn_paragraphs_have_their_words_wherever_their_lines_end(
        words in words(40..160, true), ems in 12_u8..45, size in 8_u8..13, soft in any::<bool>(),
    ) {
        let size = f32::from(size);
        let width = (f32::from(ems) * size).min(460.0);
        let lines = set(&words, width, size, if soft { '\u{ad}' } else { '-' });
        let mut page = column(&[COMPOUNDS.to_owned(), "forms that there are.".to_owned()], 72.0, 740.0, size);
        let rest = 700.0;
        let (first, second) = lines.split_at(lines.len().min(40));
        page.extend(column(first, 72.0, rest, size));
        let mut pages = vec![page];
        if !second.is_empty() {
            pages.push(column(second, 72.0, 720.0, size));
        }
        let (found, _) = read(&pages);
        let expected = expected(&words);
        let begin = found.iter().position(|word| word == "are.").map_or(0, |at| at + 1);
        prop_assert_eq!(&found[begin..], expected.as_slice(), "{:?}", lines);
    }
}
