//! PDF files as programs write them: what stands before them, where lines end, and columns.

use graphloom_test_support::documents::{Placed, pdf, pdf_of_placed};

use super::place::{TestCorpus, paths, search};

/// A file behind bytes that are none of it, with the places in it counted from the beginning of these bytes.
fn moved(before: &[u8], file: &[u8]) -> Vec<u8> {
    let text: String = file.iter().map(|byte| char::from(*byte)).collect();
    let mut lines: Vec<String> = Vec::new();
    let mut last = "";
    for line in text.split('\n') {
        let place = line.strip_suffix(" 00000 n ").unwrap_or(if last == "startxref" { line } else { "" });
        let moved = place.parse::<usize>().map(|place| place + before.len());
        lines.push(match moved {
            Ok(place) if last == "startxref" => place.to_string(),
            Ok(place) => format!("{place:010} 00000 n "),
            Err(_) => line.to_owned(),
        });
        last = line;
    }
    let moved: Vec<u8> = lines.join("\n").chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    [before, &moved].concat()
}

#[test]
fn bytes_before_the_mark_of_a_file_do_not_matter() {
    let file = pdf(&[&["The gannet dives for herring."], &["The tern dives, too."]]);
    let banner = "GPL Ghostscript 9.07 (2013-02-14)\nCopyright (C) 2012. All rights reserved.\nLoading a font.\n";
    for before in [b"\n".as_slice(), b"\xef\xbb\xbf", b"\r\n\r\n", banner.as_bytes(), &[b'.'; 1000]] {
        for file in [[before, &file].concat(), moved(before, &file)] {
            let place = TestCorpus::new(&[]);
            place.write("a.pdf", &file);
            let report = place.open().refresh().unwrap();
            assert!(report.unread.is_empty() && report.lossy.is_empty(), "{before:?}: {report:?}");
            let corpus = place.open();
            assert_eq!(search(&corpus, "tern")[0].evidence.text, "The tern dives, too.", "{before:?}");
            assert_eq!(paths(&corpus, "gannet herring"), ["a.pdf"], "{before:?}");
        }
    }
    let place = TestCorpus::new(&[]);
    place.write("late.pdf", [&[b'.'; 1100], file.as_slice()].concat());
    let message = place.open().refresh().unwrap_err().to_string();
    assert!(message.contains("late.pdf` is named as a PDF file and its content is that of a text"), "{message}");
}

#[test]
fn no_word_stays_broken_at_the_end_of_a_line() {
    let place = TestCorpus::new(&[]);
    place.write(
        "a.pdf",
        pdf(&[
            &[
                "A kangaroo is a marsu-",
                "pial, and a well-",
                "known one: pre-",
                "and post-war books call it well-known. A wom-",
            ],
            &["bat is one, too, and so is Jean-", "Luc the koala."],
        ]),
    );
    let corpus = place.ready();
    assert_eq!(
        search(&corpus, "marsupial")[0].evidence.text,
        "A kangaroo is a marsupial, and a well-known one: pre- and post-war books call it well-known. \
         A wombat is one, too, and so is Jean-Luc the koala."
    );
    let soft = |y: f32, text: &str| Placed { x: 72.0, y, size: 12.0, text: text.to_owned() };
    place.write(
        "b.pdf",
        pdf_of_placed(&[vec![soft(700.0, "The light\u{ad}"), soft(685.0, "house stands on a cliff.")]]),
    );
    corpus.refresh().unwrap();
    assert_eq!(search(&corpus, "lighthouse")[0].evidence.text, "The lighthouse stands on a cliff.");
}

/// A page in columns of lines that are full, 10 points high, with a channel that is so wide.
fn page(columns: &[&[&str]], channel: f32, shift: f32) -> Vec<Placed> {
    let width = (500.0 - channel * (columns.len() as f32 - 1.0)) / columns.len() as f32;
    let mut page = Vec::new();
    for (number, lines) in columns.iter().enumerate() {
        let x = 56.0 + number as f32 * (width + channel);
        for (line, text) in lines.iter().enumerate() {
            let y = 640.0 - 12.0 * line as f32 - shift * number as f32;
            page.push(Placed { x, y, size: 10.0, text: (*text).to_owned() });
        }
    }
    page
}

#[test]
fn columns_under_a_title_and_over_a_page_number_are_read_one_after_the_other() {
    // Each line is as wide as its column, some 245 points.
    let left = [
        "The keeper of the lighthouse climbs the stairs before",
        "the sun sets, and he lights the lamp with a match that",
        "he has kept dry in a tin. Then the lens begins to turn,",
        "and a ship that is far out on the sea can see the beam",
        "every ten seconds. In the morning he puts out the lamp",
        "and writes the weather of the night into a large book.",
    ];
    let right = [
        "A tide is higher where the coast is shaped as a funnel",
        "and lower on an island in the middle of the open ocean.",
        "Boats with a deep keel wait for the water to come back,",
        "and those with a flat bottom may lie on the mud for an",
        "hour or two. Pilots know the channels by heart, because",
        "the sand moves with each storm and a chart is too slow.",
    ];
    for (channel, shift) in [(10.0, 0.0), (10.0, 2.0), (8.0, 5.0), (6.0, 0.0)] {
        let mut placed = page(&[&left, &right], channel, shift);
        let head = |x: f32, y: f32, size: f32, text: &str| Placed { x, y, size, text: text.to_owned() };
        placed.push(head(150.0, 720.0, 17.0, "On Lamps and on Tides at the Coast"));
        placed.push(head(280.0, 695.0, 11.0, "Ada Keeper"));
        placed.push(head(270.0, 672.0, 11.0, "January 3, 2024"));
        placed.push(head(302.0, 120.0, 10.0, "1"));
        let place = TestCorpus::new(&[]);
        place.write("a.pdf", pdf_of_placed(&[placed]));
        let corpus = place.open();
        let report = corpus.refresh().unwrap();
        assert!(report.lossy.is_empty(), "{report:?}");
        let text = search(&corpus, "keeper lens tide channels")
            .iter()
            .map(|hit| hit.evidence.text.clone())
            .collect::<String>();
        for column in [&left, &right] {
            assert!(text.contains(&column.join(" ")), "a channel of {channel}, shifted by {shift}: {text}");
        }
    }
}
