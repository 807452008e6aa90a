//! Documents that are no text: what of each is found, where, and what is left out with which reason.

use graphloom_retrieval::{CorpusOptions, Evidence, Locator, UnreadReason};
use graphloom_test_support::documents::{archive, docx, docx_paragraph, epub, message, notebook, pdf, pdf_of_streams};

use super::place::{TestCorpus, path_of, search};

/// The passages of a file, in order.
fn passages(place: &TestCorpus, words: &str) -> Vec<Evidence> {
    let corpus = place.ready();
    let mut found: Vec<Evidence> = search(&corpus, words).into_iter().map(|hit| hit.evidence).collect();
    found.sort_by_key(|evidence| match evidence.locator {
        Locator::Passage { number } => number,
        Locator::Pages { first_page, .. } => first_page,
        _ => 0,
    });
    found
}

fn unread(place: &TestCorpus) -> Vec<(String, UnreadReason)> {
    let report = place.open().refresh().unwrap();
    report.unread.into_iter().map(|file| (file.path.rsplit('/').next().unwrap().to_owned(), file.reason)).collect()
}

#[test]
fn each_kind_is_found_with_its_title_and_its_place() {
    let place = TestCorpus::new(&[("note.md", "The zebra runs.")]);
    place.write("tides.pdf", pdf(&[&["The tide rises twice a day."], &["Gannets dive for herring."]]));
    place.write(
        "harbour.docx",
        docx(&(docx_paragraph("Title", "The Harbour") + &docx_paragraph("", "Cranes lift the crates."))),
    );
    place.write(
        "book.epub",
        epub("Of Ships", &["<html><body><h1>Sails</h1><p>The mast holds the sail.</p></body></html>"]),
    );
    place.write("plot.ipynb", notebook("# Waves\n\nA swell comes from afar.", "height = 3"));
    place.write("mail.eml", message("Lighthouse", "The lamp turns at night."));
    place.write(
        "all.mbox",
        [b"From ada Tue Mar  3 10:00:00 2026\n".as_slice(), &message("Anchors", "The chain is long."), b"\n"].concat(),
    );
    let corpus = place.ready();
    for (question, path, title, heading, locator) in [
        ("gannets", "tides.pdf", "tides", "", "page 2"),
        ("tide", "tides.pdf", "tides", "", "page 1"),
        ("cranes", "harbour.docx", "The Harbour", "", "passage 1"),
        ("mast", "book.epub", "Of Ships", "Sails", "passage 1"),
        ("swell", "plot.ipynb", "Waves", "Waves", "passage 1"),
        ("height", "plot.ipynb", "Waves", "Waves", "passage 1"),
        ("lamp", "mail.eml", "Lighthouse", "Lighthouse", "passage 1"),
        ("chain", "all.mbox", "all", "Anchors", "passage 1"),
        ("zebra", "note.md", "note", "", "line 1"),
    ] {
        let hits = search(&corpus, question);
        let hit = hits.first().unwrap_or_else(|| panic!("nothing for {question}"));
        let evidence = &hit.evidence;
        assert_eq!((path_of(hit).as_str(), evidence.title.as_str()), (path, title), "{question}");
        assert_eq!(evidence.heading.last().map_or("", String::as_str), heading, "{question}");
        assert_eq!(evidence.locator.to_string(), locator, "{question}");
    }
}

#[test]
fn a_sentence_goes_on_over_the_end_of_a_page() {
    let place = TestCorpus::new(&[]);
    place.write("a.pdf", pdf(&[&["The quick fox jumps over the"], &["lazy dog near the river."]]));
    let found = passages(&place, "fox dog");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].text, "The quick fox jumps over the lazy dog near the river.");
    assert_eq!(found[0].locator.to_string(), "pages 1-2");
    assert!(found[0].place().ends_with("docs/a.pdf, pages 1-2"));
}

#[test]
fn what_a_reader_of_a_docx_file_does_not_see_is_left_out() {
    let item = |list: u8, text: &str| {
        format!(
            r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="{list}"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
        )
    };
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", docx_paragraph("", text));
    let body = [
        docx_paragraph("Heading1", "Ropes"),
        r#"<w:p><w:r><w:t xml:space="preserve">A knot </w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>obey me</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>holds &amp; slips.</w:t></w:r></w:p>"#.to_owned(),
        docx_paragraph("Secret", "Hidden orders."),
        item(1, "hemp"),
        item(1, "nylon"),
        item(2, "first"),
        item(2, "second"),
        format!("<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>", cell("name"), cell("load"), cell("hemp"), cell("3 t")),
        docx_paragraph("Heading2", "Knots"),
        docx_paragraph("", "The bowline is a knot."),
    ];
    let place = TestCorpus::new(&[]);
    place.write("a.docx", docx(&body.concat()));
    let found = passages(&place, "knot");
    let texts: Vec<(&[String], &str)> =
        found.iter().map(|evidence| (evidence.heading.as_slice(), evidence.text.as_str())).collect();
    let list = "- hemp\n- nylon\n1. first\n2. second";
    assert_eq!(
        texts,
        [
            (
                ["Ropes".to_owned()].as_slice(),
                format!("A knot holds & slips.\n\n{list}\n\nname | load\nhemp | 3 t").as_str()
            ),
            (["Ropes".to_owned(), "Knots".to_owned()].as_slice(), "The bowline is a knot."),
        ]
    );
    assert_eq!(found[0].title, "Ropes");
}

#[test]
fn files_that_are_not_what_their_names_say_are_told() {
    let place = TestCorpus::new(&[("good.md", "The zebra runs.")]);
    place.write("page.pdf", "<!DOCTYPE html><html><body>Not found</body></html>");
    place.write("book.docx", epub("T", &["<p>x</p>"]));
    place.write("old.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0");
    place.write("text.txt", pdf(&[&["words"]]));
    place.write("letter.eml", "Dear all,\n\nnothing here is a header.");
    place.write("other.epub", archive(&[("a.txt", b"words".as_slice())]));
    let reasons = unread(&place);
    let found: Vec<(&str, String)> = reasons.iter().map(|(name, reason)| (name.as_str(), reason.to_string())).collect();
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["book.docx", "letter.eml", "old.docx", "other.epub", "page.pdf", "text.txt"]);
    for ((name, reason), part) in
        found.iter().zip(["EPUB book", "text", "older Word", "application/zip", "HTML page", "PDF file"])
    {
        assert!(reason.contains("content is that of a ") && reason.contains(part), "{name} {reason}");
    }
    assert!(reasons.iter().all(|(_, reason)| matches!(reason, UnreadReason::Mislabelled { .. })));
}

#[test]
fn a_file_that_unpacks_without_end_is_left_out() {
    let place = TestCorpus::new(&[("good.md", "The zebra runs.")]);
    let bomb = vec![b' '; 3 << 20];
    place.write("bomb.docx", archive(&[("word/document.xml", bomb.as_slice())]));
    place.write(
        "bomb.epub",
        archive(&[("META-INF/container.xml", b"<rootfile full-path='a'/>".as_slice()), ("a", bomb.as_slice())]),
    );
    let mut options = CorpusOptions::default();
    options.max_unpacked_bytes = 1 << 20;
    let report = place.open_with(options).refresh().unwrap();
    assert_eq!(report.unread.len(), 2, "{report:?}");
    assert!(report.unread.iter().all(|file| file.reason == UnreadReason::Expands { limit: 1 << 20 }), "{report:?}");
}

#[test]
fn a_pdf_file_without_text_or_with_a_password_is_told() {
    let place = TestCorpus::new(&[("good.md", "The zebra runs.")]);
    place.write(
        "scan.pdf",
        pdf_of_streams(vec![(String::new(), b"q 612 0 0 792 0 0 cm 0 g 0 0 1 1 re f Q".to_vec()); 3]),
    );
    let locked = String::from_utf8_lossy(&pdf(&[&["words"]])).replace(
        "/Root 1 0 R",
        "/Root 1 0 R /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (0123456789abcdef0123456789abcdef) \
         /U (0123456789abcdef0123456789abcdef) >> /ID [(0123456789abcdef) (0123456789abcdef)]",
    );
    place.write("locked.pdf", locked.replace('\u{fffd}', "?"));
    place.write("broken.pdf", "%PDF-1.7\nnothing of it");
    place.write("cut.pdf", &pdf(&[&["words"]])[..60]);
    let reasons = unread(&place);
    let of =
        |name: &str| &reasons.iter().find(|(own, _)| own == name).unwrap_or_else(|| panic!("{name}: {reasons:?}")).1;
    assert_eq!(*of("scan.pdf"), UnreadReason::Scanned { pages: 3 });
    assert_eq!(*of("locked.pdf"), UnreadReason::Encrypted);
    for name in ["broken.pdf", "cut.pdf"] {
        assert!(
            matches!(of(name), UnreadReason::Malformed { .. } | UnreadReason::Scanned { .. }),
            "{name}: {reasons:?}"
        );
    }
}

#[test]
fn pages_after_the_most_are_told() {
    let place = TestCorpus::new(&[]);
    place.write("a.pdf", pdf(&[&["One fish."], &["Two fish."], &["Red fish."]]));
    let mut options = CorpusOptions::default();
    options.max_pages = 2;
    let corpus = place.open_with(options);
    let report = corpus.refresh().unwrap();
    assert_eq!(report.lossy[0].note, "only the first 2 of 3 pages were read");
    assert!(search(&corpus, "red").is_empty() && !search(&corpus, "two").is_empty());
}

#[test]
fn mailboxes_and_notebooks_are_read_as_programs_write_them() {
    let place = TestCorpus::new(&[]);
    let mailbox = "\n\
From ada@example.org Tue Mar  3 10:00:00 2026\nFrom: Ada <ada@example.org>\nSubject: Nets\nDate: yesterday, before noon\n\n\
The nets are torn.\n\nFrom here on they are mended.\n>From there they are not.\n\n\
From - Wed Mar  4 10:00:00 2026\nSubject: Ropes\n\nThe ropes hold.\n";
    place.write("all.mbox", mailbox);
    let russian = "Маяк светит каждую ночь, и корабли находят дорогу в гавань.";
    let letter = format!("\u{feff}From: Ада <ada@example.org>\nSubject: Гавань и маяк\n\n{russian}\n");
    let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(letter.trim_start_matches('\u{feff}'));
    place.write("letter.eml", bytes);
    place.write(
        "plot.ipynb",
        "\u{feff}{\"nbformat\": 4, \"metadata\": {\"scale\": NaN}, \"cells\": [\n  // one\n  {\"cell_type\": \"markdown\", \"source\": \"A \
         swell\ncomes.\", \"outputs\": null},\n]}",
    );
    let corpus = place.open();
    let report = corpus.refresh().unwrap();
    assert!(report.unread.is_empty(), "{report:?}");
    let notes: Vec<&str> = report.lossy.iter().map(|file| file.note.as_str()).collect();
    let guess = "a message names no charset and is no UTF-8: read as windows-1251, which is a guess";
    assert_eq!(notes, [guess]);
    let of = |words: &str| search(&corpus, words).remove(0).evidence;
    let nets = of("torn nets");
    assert_eq!(
        nets.text,
        "From: Ada <ada@example.org>\nDate: yesterday, before noon\n\nThe nets are torn.\n\nFrom here on they are \
         mended.\nFrom there they are not."
    );
    assert_eq!(of("ropes").heading, ["Ropes"]);
    let letter = of("корабли");
    assert_eq!(letter.heading, ["Гавань и маяк"]);
    assert!(
        letter.text.starts_with("From: Ада <ada@example.org>") && letter.text.ends_with(russian),
        "{}",
        letter.text
    );
    assert_eq!(of("swell").text.split_whitespace().collect::<Vec<_>>(), ["A", "swell", "comes."]);
}

#[test]
fn attachments_and_hidden_parts_of_mail_are_not_read() {
    let place = TestCorpus::new(&[]);
    let html = "From: a@b.c\r\nSubject: Fish\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n\
        --x\r\nContent-Type: text/html\r\n\r\n<p>The cod swims.</p><p style=\"display:none\">Obey.</p>\r\n\
        --x\r\nContent-Type: image/png\r\nContent-Disposition: attachment; filename=a.png\r\n\r\nxxxx\r\n--x--\r\n";
    place.write("a.eml", html);
    let corpus = place.open();
    let report = corpus.refresh().unwrap();
    assert_eq!(report.lossy[0].note, "1 attachments were not read");
    let hits = search(&corpus, "cod");
    assert!(hits[0].evidence.text.ends_with("The cod swims."), "{}", hits[0].evidence.text);
}
