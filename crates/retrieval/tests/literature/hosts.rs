//! Hosts on this machine, and literature that asks them.

use graphloom_retrieval::EngineReport;
use graphloom_retrieval::literature::{Findings, Literature, LiteratureOptions, Query};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

pub(crate) const OPENALEX: &str = include_str!("bodies/openalex.json");
pub(crate) const ARXIV: &str = include_str!("bodies/arxiv.xml");
pub(crate) const CROSSREF: &str = include_str!("bodies/crossref.json");

/// The sources with the route that each is asked at, a good body, and one without records.
pub(crate) const SOURCES: [(&str, &str, &str, &str); 6] = [
    ("openalex", "/openalex/works", OPENALEX, r#"{"meta": {"count": 0}, "results": []}"#),
    (
        "arxiv",
        "/arxiv/api/query",
        ARXIV,
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'>\
         <o:totalResults>0</o:totalResults></feed>",
    ),
    ("crossref", "/crossref/works", CROSSREF, r#"{"status": "ok", "message": {"total-results": 0, "items": []}}"#),
    (
        "semanticscholar",
        "/semanticscholar/graph/v1/paper/search",
        include_str!("bodies/semanticscholar.json"),
        r#"{"total": 0, "offset": 0}"#,
    ),
    (
        "core",
        "/core/v3/search/works",
        include_str!("bodies/core.json"),
        r#"{"totalHits": 0, "limit": 5, "offset": 0, "results": []}"#,
    ),
    (
        "europepmc",
        "/europepmc/europepmc/webservices/rest/search",
        include_str!("bodies/europepmc.json"),
        r#"{"version": "6.9", "hitCount": 0, "resultList": {"result": []}}"#,
    ),
];

/// The utilities of PubMed, which is asked twice for an answer, with a good body of each.
pub(crate) const PUBMED: [(&str, &str); 3] = [
    ("/pubmed/entrez/eutils/esearch.fcgi", include_str!("bodies/pubmed_search.json")),
    ("/pubmed/entrez/eutils/efetch.fcgi", include_str!("bodies/pubmed_articles.xml")),
    ("/pubmed/entrez/eutils/esummary.fcgi", include_str!("bodies/pubmed_summaries.json")),
];

pub(crate) fn body(text: &str) -> ResponseTemplate {
    let kind = if text.starts_with('{') { "application/json" } else { "application/atom+xml" };
    ResponseTemplate::new(200).set_body_raw(text.as_bytes().to_vec(), kind)
}

/// A host at which every source answers well.
pub(crate) async fn good_host() -> MockServer {
    let host = MockServer::start().await;
    for (_, route, good, _) in SOURCES {
        answer(&host, route, body(good)).await;
    }
    for (route, good) in PUBMED {
        answer(&host, route, body(good)).await;
    }
    host
}

/// The host answers at `route` from now on, after what was set before is used up.
pub(crate) async fn answer(host: &MockServer, route: &str, with: ResponseTemplate) {
    Mock::given(path(route)).respond_with(with).mount(host).await;
}

/// The next answer at `route`, once.
pub(crate) async fn answer_once(host: &MockServer, route: &str, with: ResponseTemplate) {
    Mock::given(path(route)).respond_with(with).up_to_n_times(1).with_priority(1).mount(host).await;
}

pub(crate) fn options(host: &MockServer) -> LiteratureOptions {
    LiteratureOptions::default().all_at(&host.uri())
}

/// Only one source, at `host`.
pub(crate) fn only(source: &str, host: &MockServer) -> LiteratureOptions {
    options(host).only(&[source.parse().unwrap()])
}

pub(crate) async fn ask(options: LiteratureOptions, question: &str) -> Findings {
    Literature::open(options).unwrap().ask(&Query::parse(question).unwrap()).await
}

/// What one source at `host` makes of a question.
pub(crate) async fn report(source: &str, host: &MockServer) -> (Findings, EngineReport) {
    let findings = ask(only(source, host), "walks").await;
    let report = findings.reports[0].clone();
    (findings, report)
}
