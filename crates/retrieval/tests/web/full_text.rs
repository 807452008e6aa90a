//! Open full texts: where they are looked for, how they are read, and what is told where there is none.

use std::sync::Arc;
use std::time::Duration;

use graphloom_retrieval::Search;
use graphloom_retrieval::full_text::{FullTexts, NoFullText, Unpaywall};
use graphloom_retrieval::literature::export::{bibtex, csl_json};
use graphloom_retrieval::literature::{
    ArxivId, Contact, Doi, Fault, Literature, LiteratureOptions, Pmcid, Record, SourceName,
};
use graphloom_retrieval::web::{PageError, PageOptions, Pages, PdfFiles, PdfText, ReadPdf};
use graphloom_test_support::clock::StandingClock;
use graphloom_test_support::documents::{pdf, pdf_of_streams};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

const ARTICLE: &str = "<article><front><article-meta><title-group><article-title>Walks</article-title></title-group>\
    </article-meta></front><body><sec><title>Results</title><p>Walks mix in nine steps.</p></sec></body></article>";
const DESCRIPTION: &str =
    "<article><front><article-meta><abstract><p>Short.</p></abstract></article-meta></front></article>";
const PAGE: &str = "<!DOCTYPE html><html><head><title>Walks</title></head><body><article><h1>Walks</h1><p>A walk on a \
    lattice mixes in nine steps, which is what the whole paper shows at some length and with care.</p></article></body></html>";

async fn host(routes: &[(&str, ResponseTemplate)]) -> MockServer {
    let host = MockServer::start().await;
    for (route, template) in routes {
        Mock::given(path(*route)).respond_with(template.clone()).mount(&host).await;
    }
    host
}

fn body(text: &str, kind: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(text.to_owned(), kind)
}

/// Full texts at `host`, which is exempt from the guard.
fn texts(host: &MockServer) -> FullTexts {
    let pages = Pages::new(PageOptions::default().exempt(&host.address().to_string())).unwrap();
    let unpaywall = Unpaywall::open(&host.uri(), "reader/1", Contact::parse("me@example.org").unwrap()).unwrap();
    FullTexts::new(pages).with_unpaywall(unpaywall).at(&format!("{}/pmc", host.uri()), &host.uri())
}

fn work(change: impl Fn(&mut Record)) -> Record {
    let mut record = Record::new("Walks");
    change(&mut record);
    record.identified()
}

#[tokio::test]
async fn the_article_of_a_repository_is_read() {
    let host = host(&[("/pmc/PMC7/fullTextXML", body(ARTICLE, "application/xml"))]).await;
    let found = texts(&host).of(&work(|record| record.pmcid = Pmcid::parse("PMC7"))).await.unwrap();
    assert_eq!(found.text, "# Results\n\nWalks mix in nine steps.");
    assert_eq!(found.url, format!("{}/pmc/PMC7/fullTextXML", host.uri()));
}

#[tokio::test]
async fn where_one_place_fails_the_next_is_tried() {
    let host = host(&[
        // With the status of success it gives the description of an article alone.
        ("/pmc/PMC7/fullTextXML", body(DESCRIPTION, "text/xml")),
        ("/html/1605.08386", ResponseTemplate::new(404)),
        ("/open", body(PAGE, "text/html")),
    ])
    .await;
    let open = format!("{}/open", host.uri());
    let record = work(|record| {
        record.pmcid = Pmcid::parse("PMC7");
        record.arxiv = ArxivId::parse("1605.08386");
        record.open_access = Some(open.clone());
    });
    let found = texts(&host).of(&record).await.unwrap();
    assert!(found.url == open && found.text.contains("mixes in nine steps"), "{found:?}");
    let requests = host.received_requests().await.unwrap();
    let asked: Vec<&str> = requests.iter().map(|sent| sent.url.path()).filter(|path| *path != "/robots.txt").collect();
    assert_eq!(
        asked,
        ["/pmc/PMC7/fullTextXML", "/html/1605.08386", "/open"],
        "Unpaywall is asked last, and need not be"
    );
}

#[tokio::test]
async fn unpaywall_says_where_a_work_is_open() {
    let host = MockServer::start().await;
    let locations = serde_json::json!({
        "doi": "10.5555/a(b)/c", "is_oa": true,
        "best_oa_location": { "url": format!("{}/open", host.uri()), "url_for_landing_page": format!("{}/open", host.uri()), "url_for_pdf": null },
        "oa_locations": [{ "url_for_landing_page": "javascript:alert(1)", "url_for_pdf": null }],
    });
    let routes = [
        ("/v2/10.5555/a(b)/c", body(&locations.to_string(), "application/json")),
        ("/open", body(PAGE, "text/html")),
        ("/v2/10.5555/lie", body(r#"{"error": true, "message": "try again"}"#, "application/json")),
        (
            "/v2/10.5555/closed",
            body(
                r#"{"doi": "10.5555/closed", "is_oa": false, "best_oa_location": null, "oa_locations": []}"#,
                "application/json",
            ),
        ),
    ];
    for (route, with) in routes {
        Mock::given(path(route)).respond_with(with).mount(&host).await;
    }
    let of = |doi: &str| work(|record| record.doi = Doi::parse(doi));
    let found = texts(&host).of(&of("10.5555/a(b)/c")).await.unwrap();
    assert!(found.text.contains("mixes in nine steps"), "{found:?}");
    let asked = host.received_requests().await.unwrap();
    assert_eq!(asked[0].url.query(), Some("email=me%40example.org"));
    for doi in ["10.5555/closed", "10.5555/unknown"] {
        assert_eq!(texts(&host).of(&of(doi)).await, Err(NoFullText::Closed { asked: None }), "{doi}");
    }
    let lied = texts(&host).of(&of("10.5555/lie")).await.unwrap_err();
    assert!(matches!(&lied, NoFullText::Closed { asked: Some(Fault::Lied { .. }) }), "{lied}");
}

const ABSTRACT: &str = "We study walks on the points of a lattice. They mix in a number of steps that depends on the basis \
    alone, which settles a question of long standing for all lattices of two and of three dimensions.";

/// The page of a repository about a work.
fn landing_page() -> String {
    format!(
        "<!DOCTYPE html><html><head><title>Walks</title></head><body><article><h1>Walks</h1><p>{ABSTRACT}</p><p>This item \
         may be used under the licence of the repository. Export the citation as a file, or share the item.</p></article>\
         </body></html>"
    )
}

#[tokio::test]
async fn a_page_that_describes_a_work_is_passed_over_for_the_work() {
    let host = MockServer::start().await;
    let places = serde_json::json!({ "doi": "10.5555/walks", "is_oa": true, "oa_locations": [], "best_oa_location": {
        "url_for_landing_page": format!("{}/item", host.uri()), "url_for_pdf": format!("{}/item.pdf", host.uri()) } });
    let pdf = format!("%PDF-{}", "spets enin ni xim sklaW ".repeat(100));
    for (route, with) in [
        ("/v2/10.5555/walks", body(&places.to_string(), "application/json")),
        ("/item", body(&landing_page(), "text/html")),
        ("/item.pdf", body(&pdf, "application/pdf")),
    ] {
        Mock::given(path(route)).respond_with(with).mount(&host).await;
    }
    let record = work(|record| {
        record.doi = Doi::parse("10.5555/walks");
        record.abstract_text = Some(ABSTRACT.to_owned());
    });
    let NoFullText::Unreadable { tried } = texts(&host).of(&record).await.unwrap_err() else { panic!("it is open") };
    assert!(tried[0].to_string().contains("it describes the work") && tried[1].is_pdf(), "{tried:?}");
    let pages = Pages::new(PageOptions::default().exempt(&host.address().to_string())).unwrap();
    let unpaywall = Unpaywall::open(&host.uri(), "reader/1", Contact::parse("me@example.org").unwrap()).unwrap();
    let reading = FullTexts::new(pages.with_pdf(Arc::new(Backwards))).with_unpaywall(unpaywall);
    let found = reading.of(&record).await.unwrap();
    assert!(found.url.ends_with("/item.pdf") && found.text.contains("Walks mix in nine steps"), "{found:?}");
}

#[tokio::test]
async fn a_short_work_with_a_long_abstract_is_read() {
    let text =
        format!("<html><body><article><p>{}</p></article></body></html>", "Walks mix in nine steps. ".repeat(1_000));
    let host = host(&[("/open", body(&text, "text/html"))]).await;
    let record = work(|record| {
        record.open_access = Some(format!("{}/open", host.uri()));
        record.abstract_text = Some("Walks mix. ".repeat(1_000));
    });
    assert!(texts(&host).of(&record).await.unwrap().text.len() > 20_000);
}

#[tokio::test]
async fn copies_that_do_not_come_end() {
    let slow = || ResponseTemplate::new(200).set_delay(Duration::from_secs(60));
    let host = host(&[("/pmc/PMC7/fullTextXML", slow()), ("/html/1605.08386", slow()), ("/open", slow())]).await;
    let record = work(|record| {
        record.pmcid = Pmcid::parse("PMC7");
        record.arxiv = ArxivId::parse("1605.08386");
        record.open_access = Some(format!("{}/open", host.uri()));
    });
    let clock = StandingClock::new();
    let within = Duration::from_millis(300);
    let texts = texts(&host).deadline(within);
    let limit_passes = async {
        while host.received_requests().await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        clock.advance(within).await;
    };
    let (late, ()) = tokio::join!(texts.of(&record), limit_passes);
    assert_eq!(late, Err(NoFullText::TimedOut { within }));
}

#[tokio::test]
async fn a_copy_stands_beside_the_abstract_and_is_named_with_its_hash() {
    let host = MockServer::start().await;
    let words: serde_json::Map<String, serde_json::Value> = ["Random", "walks", "mix."]
        .iter()
        .enumerate()
        .map(|(at, word)| ((*word).to_owned(), serde_json::json!([at])))
        .collect();
    let found = serde_json::json!({ "meta": { "count": 1 }, "results": [{
        "id": "https://openalex.org/W1", "doi": "https://doi.org/10.5555/walks", "title": "Walks on lattices",
        "publication_year": 2017, "type": "article", "abstract_inverted_index": words,
        "authorships": [{ "author_position": "first", "author": { "display_name": "Ann Lee" } }],
        "open_access": { "is_oa": true, "oa_url": format!("{}/open", host.uri()) } }] });
    for (route, with) in
        [("/openalex/works", body(&found.to_string(), "application/json")), ("/open", body(PAGE, "text/html"))]
    {
        Mock::given(path(route)).respond_with(with).mount(&host).await;
    }
    let options = LiteratureOptions::default().all_at(&host.uri()).only(&[SourceName::OpenAlex]);
    let literature = Literature::open(options).unwrap().with_full_texts(texts(&host));
    let answer = literature.search("lattice walks", 3).await;
    let hit = &answer.hits[0];
    let record = hit.work.as_deref().unwrap();
    let copy = format!("{}/open", host.uri());
    assert!(hit.evidence.text.contains("mixes in nine steps") && hit.snippet.contains("nine steps"), "{hit:?}");
    assert_eq!(hit.evidence.copy.as_ref(), Some(&copy));
    assert_eq!(hit.evidence.content_hash, blake3::hash(PAGE.as_bytes()).to_hex().to_string());
    assert_eq!(hit.evidence.place(), format!("Lee 2017, https://doi.org/10.5555/walks, read at {copy}"));
    assert_eq!((record.abstract_text.as_deref(), record.readable()), (Some("Random walks mix."), &*hit.evidence.text));
    for exported in [bibtex(std::slice::from_ref(record)), csl_json(std::slice::from_ref(record)).to_string()] {
        assert!(exported.contains("Random walks mix.") && !exported.contains("nine steps"), "{exported}");
    }
    let stored = serde_json::to_value(record).unwrap();
    assert_eq!(&serde_json::from_value::<Record>(stored).unwrap(), record);
}

struct Backwards;

impl ReadPdf for Backwards {
    fn read(&self, body: &[u8]) -> Result<PdfText, String> {
        match body.strip_prefix(b"%PDF-") {
            Some(rest) => {
                let text = rest.iter().rev().map(|b| char::from(*b)).collect();
                Ok(PdfText { text, ..PdfText::default() })
            }
            None => Err("it is no PDF".to_owned()),
        }
    }
}

#[tokio::test]
async fn a_pdf_is_told_unless_something_reads_it() {
    let host = host(&[
        ("/a.pdf", body("%PDF-skaeps ti", "application/pdf")),
        ("/b.pdf", body("<html>log in</html>", "application/pdf")),
    ])
    .await;
    let of = |name: &str| work(|record| record.open_access = Some(format!("{}/{name}", host.uri())));
    let NoFullText::Unreadable { tried } = texts(&host).of(&of("a.pdf")).await.unwrap_err() else {
        panic!("it is open")
    };
    assert!(tried.len() == 1 && tried[0].is_pdf(), "{tried:?}");
    let pages = Pages::new(PageOptions::default().exempt(&host.address().to_string())).unwrap();
    let reading = FullTexts::new(pages.with_pdf(Arc::new(Backwards)));
    assert_eq!(reading.of(&of("a.pdf")).await.unwrap().text, "it speaks");
    let wrong = reading.of(&of("b.pdf")).await.unwrap_err();
    assert!(wrong.to_string().contains("it is no PDF"), "{wrong}");
}

#[tokio::test]
async fn a_work_in_pdf_is_read_and_one_without_text_is_told() {
    let lines = ["A walk on a lattice mixes in nine steps.", "The bound is met for every lattice."];
    let of_file = |bytes: Vec<u8>| ResponseTemplate::new(200).set_body_raw(bytes, "application/pdf");
    let host = host(&[
        ("/a.pdf", of_file(pdf(&[&["Walks on lattices."], &lines]))),
        ("/scanned.pdf", of_file(pdf_of_streams(vec![(String::new(), b"q Q".to_vec())]))),
        ("/login.pdf", body("<html>log in</html>", "application/pdf")),
    ])
    .await;
    let of = |name: &str| work(|record| record.open_access = Some(format!("{}/{name}", host.uri())));
    let pages = Pages::new(PageOptions::default().exempt(&host.address().to_string())).unwrap();
    let reading = FullTexts::new(pages.with_pdf(Arc::new(PdfFiles::default())));
    let text = reading.of(&of("a.pdf")).await.unwrap().text;
    assert!(text.contains("A walk on a lattice mixes in nine steps."), "{text}");
    for (name, reason) in [("scanned.pdf", "has no text on its pages (1)"), ("login.pdf", "PDF")] {
        let refused = reading.of(&of(name)).await.unwrap_err().to_string();
        assert!(refused.contains(reason), "{name}: {refused}");
    }
}

#[tokio::test]
async fn an_open_copy_in_a_private_network_is_not_asked_for() {
    let host = host(&[("/open", body(PAGE, "text/html"))]).await;
    let pages = Pages::new(PageOptions::default()).unwrap();
    let record = work(|record| record.open_access = Some("http://127.0.0.1/open".to_owned()));
    let error = FullTexts::new(pages).of(&record).await.unwrap_err();
    let NoFullText::Unreadable { tried } = &error else { panic!("{error}") };
    assert!(matches!(tried[0].error, PageError::Private { .. }), "{error}");
    assert!(host.received_requests().await.unwrap().is_empty());
}
