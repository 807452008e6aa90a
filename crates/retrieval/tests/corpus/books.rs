//! Books: the parts of one are found however it names them.

use graphloom_test_support::documents::archive;

use super::place::{TestCorpus, search};

/// A book in the folder `OEBPS` whose chapters stand at places and are named so.
fn book(container: &str, chapters: &[(&str, &str, &str)]) -> Vec<u8> {
    let item = |(at, (_, href, _)): (usize, &(&str, &str, &str))| format!(r#"<item id="c{at}" href="{href}"/>"#);
    let items: String = chapters.iter().enumerate().map(item).collect();
    let spine: String = (0..chapters.len()).map(|at| format!(r#"<itemref idref="c{at}"/>"#)).collect();
    let package = format!("<package><manifest>{items}</manifest><spine>{spine}</spine></package>");
    let container = format!(r#"<container><rootfiles><rootfile full-path="{container}"/></rootfiles></container>"#);
    let pages: Vec<(&str, String)> = chapters
        .iter()
        .map(|(place, _, words)| (*place, format!("<html><body><p>{words}</p></body></html>")))
        .collect();
    let mut parts = vec![
        ("mimetype", b"application/epub+zip".as_slice()),
        ("META-INF/container.xml", container.as_bytes()),
        ("OEBPS/package/book.opf", package.as_bytes()),
    ];
    parts.extend(pages.iter().map(|(place, page)| (*place, page.as_bytes())));
    archive(&parts)
}

#[test]
fn chapters_are_found_by_every_form_of_their_names() {
    let chapters = [
        ("OEBPS/text/root.xhtml", "/OEBPS/text/root.xhtml", "The mast holds the sail."),
        ("OEBPS/text/up.xhtml", "../text/up.xhtml#top", "Gannets dive for herring."),
        ("OEBPS/package/a chapter é.xhtml", "a%20chapter%20%C3%A9.xhtml", "Cranes lift the crates."),
        ("OEBPS/package/as%20it%20is.xhtml", "as%20it%20is.xhtml", "The lamp turns at night."),
        ("OEBPS/text/back.xhtml", "..\\text\\back.xhtml", "The chain is long."),
        ("OEBPS/text/whole.xhtml", "OEBPS/text/whole.xhtml", "A swell comes from afar."),
    ];
    for container in ["OEBPS/package/book.opf", "/OEBPS/package/book.opf"] {
        let place = TestCorpus::new(&[]);
        place.write("book.epub", book(container, &chapters));
        let corpus = place.ready();
        for word in ["mast", "gannets", "cranes", "lamp", "chain", "swell"] {
            assert!(!search(&corpus, word).is_empty(), "nothing for {word} of {container}");
        }
    }
}
