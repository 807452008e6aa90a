//! What is sent to the hosts.

use std::collections::BTreeMap;

use graphloom_retrieval::RetrievalError;
use graphloom_retrieval::literature::{Literature, LiteratureOptions, Query, SourceName};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::hosts::{PUBMED, SOURCES, answer, ask, body, good_host, only, options};

async fn sent(host: &MockServer, route: &str) -> Vec<BTreeMap<String, String>> {
    let requests = host.received_requests().await.unwrap();
    let pairs = |request: &wiremock::Request| request.url.query_pairs().into_owned().collect();
    requests.iter().filter(|request| request.url.path() == route).map(pairs).collect()
}

#[tokio::test]
async fn each_source_gets_the_question_in_its_own_form_and_knows_who_asks() {
    let host = good_host().await;
    let options =
        options(&host).contact("me@example.org").unwrap().agent("reader/1").key(SourceName::OpenAlex, "secret-key");
    let options = options.key_for(SourceName::OpenAlex, &host.address().to_string()).unwrap();
    let literature = Literature::open(options).unwrap();
    let query =
        Query::parse("\"random walks\" lattice").unwrap().any_of(["graph", "Markov basis"]).since(2016).limit(5);
    let findings = literature.ask(&query).await;
    assert!(findings.reports.iter().all(|report| report.outcome.answered()), "{:?}", findings.reports);
    let openalex = &sent(&host, "/openalex/works").await[0];
    assert_eq!(openalex["search"], "\"random walks\" AND lattice AND (graph OR \"Markov basis\")");
    assert_eq!((openalex["filter"].as_str(), openalex["per_page"].as_str()), ("from_publication_date:2016-01-01", "5"));
    assert_eq!(openalex["api_key"], "secret-key");
    assert!(!openalex.contains_key("mailto"));
    let arxiv = &sent(&host, "/arxiv/api/query").await[0];
    assert_eq!(
        arxiv["search_query"],
        "all:\"random walks\" AND all:lattice AND (all:graph OR all:\"Markov basis\") AND \
         submittedDate:[201601010000 TO 999912312359]"
    );
    assert_eq!((arxiv["max_results"].as_str(), arxiv["sortBy"].as_str()), ("5", "relevance"));
    let crossref = &sent(&host, "/crossref/works").await[0];
    assert_eq!(crossref["query.bibliographic"], "random walks lattice graph Markov basis");
    assert_eq!((crossref["mailto"].as_str(), crossref["rows"].as_str()), ("me@example.org", "5"));
    for request in host.received_requests().await.unwrap() {
        assert_eq!(request.headers["user-agent"], "reader/1 (mailto:me@example.org)");
    }
    let told = serde_json::to_string(&findings).unwrap();
    assert!(!told.contains("secret-key") && !told.contains("me@example.org"), "{told}");
}

#[tokio::test]
async fn keys_go_where_each_source_wants_them() {
    let host = good_host().await;
    let mut options = options(&host).contact("me@example.org").unwrap();
    let keyed = [SourceName::Pubmed, SourceName::SemanticScholar, SourceName::Core];
    for name in keyed {
        options = options.key(name, "secret-key").key_for(name, &host.address().to_string()).unwrap();
    }
    let options = options.only(&[&keyed[..], &[SourceName::EuropePmc]].concat());
    let query = Query::parse("\"random walks\" lattice").unwrap().any_of(["graph", "basis"]).since(2016).limit(5);
    let findings = Literature::open(options).unwrap().ask(&query).await;
    assert!(findings.reports.iter().all(|report| report.outcome.answered()), "{:?}", findings.reports);
    let search = &sent(&host, "/pubmed/entrez/eutils/esearch.fcgi").await[0];
    assert_eq!(search["term"], "\"random walks\" AND lattice AND (graph OR basis)");
    assert_eq!((search["mindate"].as_str(), search["maxdate"].as_str()), ("2016", "3000"));
    assert_eq!((search["api_key"].as_str(), search["email"].as_str()), ("secret-key", "me@example.org"));
    let fetch = &sent(&host, "/pubmed/entrez/eutils/efetch.fcgi").await[0];
    assert_eq!((fetch["id"].as_str(), fetch["retmode"].as_str()), ("30000001,30000002,30000003", "xml"));
    assert!(sent(&host, "/pubmed/entrez/eutils/esummary.fcgi").await.is_empty());
    let requests = host.received_requests().await.unwrap();
    let of = |part: &str| requests.iter().find(|request| request.url.path().contains(part)).unwrap();
    assert_eq!(of("/semanticscholar/").headers["x-api-key"], "secret-key");
    assert!(!of("/semanticscholar/").url.as_str().contains("secret-key"));
    assert_eq!(of("/core/").headers["authorization"], "Bearer secret-key");
    let body: serde_json::Value = of("/core/").body_json().unwrap();
    assert_eq!(body["exclude"], serde_json::json!(["fullText"]));
    assert_eq!(body["q"], "\"random walks\" AND lattice AND (graph OR basis) AND yearPublished>=2016");
    let europe = of("/europepmc/");
    assert!(!format!("{} {:?}", europe.url, europe.headers).contains("secret-key"), "no key is for it");
    let told = serde_json::to_string(&findings).unwrap();
    assert!(!told.contains("secret-key") && !told.contains("me@example.org"), "{told}");
}

#[tokio::test]
async fn a_key_that_a_host_repeats_is_not_told() {
    for status in [401, 400, 200] {
        let host = MockServer::start().await;
        let told = r#"{"error": "bad key", "message": "the key secret-key is unknown"}"#;
        let with = ResponseTemplate::new(status).set_body_string(told);
        Mock::given(path("/openalex/works")).respond_with(with).mount(&host).await;
        let options = only("openalex", &host).key(SourceName::OpenAlex, "secret-key");
        let options = options.key_for(SourceName::OpenAlex, &host.address().to_string()).unwrap();
        let findings = ask(options, "walks").await;
        let line = findings.reports[0].line();
        assert!(line.contains("is unknown") && !line.contains("secret-key"), "{line}");
    }
}

#[tokio::test]
async fn a_key_that_pubmed_repeats_is_in_no_note() {
    let host = MockServer::start().await;
    let [(search, numbers), (fetch, _), (summary, summaries)] = PUBMED;
    answer(&host, search, body(numbers)).await;
    answer(&host, summary, body(summaries)).await;
    let told = r#"{"error": "API key invalid", "api-key": "secret-key", "type": "ip"}"#;
    answer(&host, fetch, ResponseTemplate::new(400).set_body_string(told)).await;
    let options = only("pubmed", &host).key(SourceName::Pubmed, "secret-key");
    let findings = ask(options.key_for(SourceName::Pubmed, &host.address().to_string()).unwrap(), "walks").await;
    let report = findings.reports[0].to_string();
    assert!(report.contains("the abstracts did not come") && report.contains("API key invalid"), "{report}");
    assert!(!serde_json::to_string(&findings).unwrap().contains("secret-key"), "{report}");
}

#[tokio::test]
async fn arxiv_is_asked_again_for_any_of_the_words_when_no_work_has_all() {
    let host = MockServer::start().await;
    let (_, route, good, empty) = SOURCES[1];
    Mock::given(path(route)).respond_with(body(empty)).up_to_n_times(1).mount(&host).await;
    Mock::given(path(route)).respond_with(body(good)).mount(&host).await;
    let findings = ask(only("arxiv", &host), "walks nowhere").await;
    let asked: Vec<String> =
        sent(&host, route).await.into_iter().map(|mut pairs| pairs.remove("search_query").unwrap()).collect();
    assert_eq!(asked, ["all:walks AND all:nowhere", "(all:walks OR all:nowhere)"]);
    assert!(findings.reports[0].to_string().contains("any of them"), "{}", findings.reports[0]);
}

#[test]
fn what_cannot_be_used_is_named_before_anything_is_asked() {
    for given in ["", "me", "me@here", "a b@example.org", "a@b@example.org", "me@example.org\r\nX: y"] {
        let refused = LiteratureOptions::default().contact(given);
        assert!(matches!(refused, Err(RetrievalError::NoContact { .. })), "{given:?}");
    }
    for given in ["", "api.example.org", "ftp://example.org", "file:///etc"] {
        let mut options = LiteratureOptions::default();
        options.arxiv.address = Some(given.into());
        let error = Literature::open(options).unwrap_err();
        assert!(error.to_string().contains("of `arxiv` cannot be used"), "{error}");
    }
}
