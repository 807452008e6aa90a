//! Documents of every kind in `--corpus`: what a report cites of them, and files that must not take the program with them.

use graphloom_test_support::documents::{docx, docx_paragraph, epub, message, notebook, pdf, pdf_of_streams, spaces};
use graphloom_test_support::logs::SYNCING;

use crate::support::{TestDir, assert_report, text};

const LOG: [&str; 3] = [
    "A write-ahead log keeps a transaction safe because every change is appended to the log.",
    "When the power fails, the database file still holds its old pages.",
    "On the next start the reader scans the log and replays every frame up to the last commit record.",
];

/// The run of a report about the two documents in the corpus, and what it told.
fn report(dir: &TestDir) -> String {
    let output = dir.run(&dir.ask(&["--yes", "--out", "out"]));
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert_report(dir, "out");
    told
}

#[test]
fn a_report_cites_sentences_of_every_kind_of_document() {
    let prose = LOG.join(" ");
    let sync = SYNCING.replace('\n', " ");
    let letter = message("Logging", &prose);
    let page = format!("<html><body><h1>Logging</h1><p>{prose}</p></body></html>");
    let kinds: [(&str, Vec<u8>, &str); 6] = [
        ("logging.pdf", pdf(&[&["Notes on storage."], &LOG]), "corpus/logging.pdf#page=2"),
        (
            "logging.docx",
            docx(&(docx_paragraph("Heading1", "Logging") + &docx_paragraph("", &prose))),
            "corpus/logging.docx",
        ),
        ("logging.epub", epub("Logging", &[page.as_str()]), "corpus/logging.epub"),
        ("logging.ipynb", notebook(&format!("# Logging\n\n{prose}"), "1 + 1"), "corpus/logging.ipynb"),
        ("logging.eml", letter.clone(), "corpus/logging.eml"),
        (
            "logging.mbox",
            [b"From a@b.c Tue Mar  3 10:00:00 2026\n".as_slice(), &letter].concat(),
            "corpus/logging.mbox",
        ),
    ];
    for (name, bytes, address) in kinds {
        let dir = TestDir::new();
        std::fs::remove_file(dir.path("corpus/logging.md")).unwrap();
        std::fs::write(dir.path(&format!("corpus/{name}")), bytes).unwrap();
        std::fs::write(dir.path("corpus/syncing.md"), &sync).unwrap();
        report(&dir);
        let result = dir.json("out/final_result.json");
        let citations = result["citation_messages"]["data"].as_array().unwrap();
        let of_log = citations.iter().find(|citation| citation["url"] == address);
        let of_log = of_log.unwrap_or_else(|| panic!("{name} is not cited: {citations:?}"));
        assert_eq!(of_log["verdict"], "supported", "{name}: {of_log:#}");
        let written = dir.read("out/report.md");
        assert!(written.contains(address), "{name}: {written}");
    }
}

#[test]
fn a_pdf_file_that_unpacks_without_end_is_told_and_left_out() {
    let dir = TestDir::new();
    let bomb = pdf_of_streams(vec![("/Filter /FlateDecode".to_owned(), spaces(8 << 10))]);
    assert!(bomb.len() < 16 << 20, "{}", bomb.len());
    std::fs::write(dir.path("corpus/bomb.pdf"), bomb).unwrap();
    let told = report(&dir);
    let line = told.lines().find(|line| line.contains("`corpus/bomb.pdf`")).unwrap_or_else(|| panic!("{told}"));
    assert!(line.ends_with("so it is not searched"), "{line}");
}
