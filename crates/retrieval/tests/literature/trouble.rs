//! What sources do when they do not answer well, and what the person is told.

use graphloom_retrieval::EngineOutcome;
use graphloom_retrieval::literature::Fault;
use wiremock::{MockServer, ResponseTemplate};

use super::hosts::{SOURCES, answer, answer_once, body, only, report};

async fn status_of(source: &str, route: &str, with: ResponseTemplate) -> EngineOutcome {
    let host = MockServer::start().await;
    answer(&host, route, with).await;
    let (findings, report) = report(source, &host).await;
    assert!(findings.records.is_empty());
    assert!(report.line().ends_with('.') && report.line().len() > 20, "{}", report.line());
    report.outcome
}

fn fault(status: EngineOutcome) -> Fault {
    match status {
        EngineOutcome::Failed { fault } => fault,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn nothing_found_is_no_fault() {
    for (source, route, _, empty) in SOURCES {
        assert_eq!(status_of(source, route, body(empty)).await, EngineOutcome::Empty, "{source}");
    }
}

#[tokio::test]
async fn a_limit_is_told_with_its_end() {
    for (source, route, _, _) in SOURCES {
        let limited = ResponseTemplate::new(429).insert_header("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT");
        let host = MockServer::start().await;
        answer(&host, route, limited).await;
        let (_, report) = report(source, &host).await;
        assert!(report.line().contains("asked for a pause until Fri, 31 Dec 2100 23:59:59 GMT"), "{}", report.line());
        assert!(matches!(fault(report.outcome), Fault::RateLimited { until: Some(_) }), "{source}");
        assert_eq!(host.received_requests().await.unwrap().len(), 1, "{source} was not asked again");
    }
}

#[tokio::test]
async fn a_failure_that_passes_is_a_note() {
    for (source, route, good, _) in SOURCES {
        let host = MockServer::start().await;
        answer_once(&host, route, ResponseTemplate::new(502)).await;
        answer(&host, route, body(good)).await;
        let (findings, report) = report(source, &host).await;
        assert!(matches!(report.outcome, EngineOutcome::Found { pieces: 2, .. }), "{report}");
        assert!(report.notes[0].contains("is down (status 502)"), "{report}");
        assert_eq!(findings.records.len(), 2);
    }
}

#[tokio::test]
async fn a_failure_that_stays_is_told_after_four_tries() {
    for (source, route, _, _) in SOURCES {
        let host = MockServer::start().await;
        answer(&host, route, ResponseTemplate::new(500).set_body_string("<html>boom</html>")).await;
        let (_, report) = report(source, &host).await;
        assert_eq!(fault(report.outcome), Fault::Down { reason: "status 500".into() });
        assert_eq!(host.received_requests().await.unwrap().len(), 4);
    }
    let nobody = graphloom_test_support::ports::Deserted::new();
    let mut options = only("openalex", &MockServer::start().await);
    options.openalex.address = Some(format!("http://{}", nobody.address));
    let findings = super::hosts::ask(options, "walks").await;
    assert!(findings.reports[0].line().starts_with("OpenAlex is down ("), "{}", findings.reports[0]);
}

#[tokio::test]
async fn a_web_page_is_named_by_its_title() {
    let page = "<!DOCTYPE html>\n<html><head><title>Log in &amp; go on</title></head><body>Wi-Fi</body></html>";
    for (source, route, _, _) in SOURCES {
        for kind in ["text/html", "application/json"] {
            let with = ResponseTemplate::new(200).set_body_raw(page, kind);
            assert_eq!(fault(status_of(source, route, with).await), Fault::Html { title: "Log in & go on".into() });
        }
        let refused = ResponseTemplate::new(403).set_body_raw(page, "text/html");
        let refused = fault(status_of(source, route, refused).await);
        assert!(matches!(&refused, Fault::Refused { status: 403, .. }), "{refused:?}");
    }
}

#[tokio::test]
async fn an_error_with_the_status_of_success_is_a_lie_and_with_its_own_a_refusal() {
    let errors = [
        ("openalex", r#"{"error": "Invalid query", "message": "no such filter"}"#, "no such filter"),
        ("openalex", r#"{"error": "API rate limit exceeded"}"#, "API rate limit exceeded"),
        (
            "arxiv",
            "<feed><entry><id>https://arxiv.org/api/errors#bad</id><title>Error</title>\
             <summary>incorrect id format</summary></entry></feed>",
            "incorrect id format",
        ),
        (
            "crossref",
            r#"{"status": "failed", "message-type": "validation-failure", "message": [{"type": "parameter-not-allowed",
               "value": "x", "message": "no field queries here"}]}"#,
            "no field queries here",
        ),
    ];
    let errors = errors.into_iter().chain([
        (
            "semanticscholar",
            r#"{"error": "Unrecognized or unsupported fields: [x]"}"#,
            "Unrecognized or unsupported fields: [x]",
        ),
        ("core", r#"{"message": "syntax error"}"#, "syntax error"),
        ("europepmc", r#"{"errCode": 400, "errMsg": "query is mandatory"}"#, "query is mandatory"),
    ]);
    for (source, text, reason) in errors {
        let route = SOURCES.iter().find(|(name, ..)| *name == source).unwrap().1;
        let reason = reason.to_owned();
        let lie = fault(status_of(source, route, body(text)).await);
        assert_eq!(lie, Fault::Lied { status: 200, reason: reason.clone() });
        let with = ResponseTemplate::new(400).set_body_string(text);
        assert_eq!(fault(status_of(source, route, with).await), Fault::Refused { status: 400, reason });
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_malformed_wherever_it_breaks() {
    for (source, route, good, _) in SOURCES {
        for part in [1, 2, 3, 5, 7, 8, 9] {
            let mut cut = good.len() * part / 10;
            while !good.is_char_boundary(cut) {
                cut -= 1;
            }
            let with = body(&good[..cut]);
            let fault = fault(status_of(source, route, with).await);
            assert!(matches!(fault, Fault::Malformed { .. }), "{source} cut at {part}/10: {fault:?}");
        }
        for odd in ["", "null", "[]", "{}", "42", "\"text\"", "{\"results\": {}, \"message\": {\"items\": 1}}", "\u{0}"]
        {
            let fault = fault(status_of(source, route, body(odd)).await);
            assert!(matches!(fault, Fault::Malformed { .. }), "{source} {odd:?}: {fault:?}");
        }
    }
}

#[tokio::test]
async fn counts_without_records_and_records_without_anything_are_not_believed() {
    let claims = [
        ("openalex", r#"{"meta": {"count": 37}, "results": []}"#, "37 records and gives none"),
        ("arxiv", "<feed><totalResults>37</totalResults></feed>", "37 records and gives none"),
        (
            "crossref",
            r#"{"status": "ok", "message": {"total-results": "37", "items": []}}"#,
            "37 records and gives none",
        ),
        (
            "openalex",
            r#"{"meta": {"count": 3}, "results": [null, {"title": ["x"]}, {"title": "<i></i>"}]}"#,
            "none of its 3 records",
        ),
        (
            "crossref",
            r#"{"status": "ok", "message": {"total-results": 1, "items": [{"title": [[]]}]}}"#,
            "none of its 1",
        ),
        ("arxiv", "<!DOCTYPE f [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><feed>&b;</feed>", "document type"),
    ];
    for (source, text, reason) in claims {
        let route = SOURCES.iter().find(|(name, ..)| *name == source).unwrap().1;
        let fault = fault(status_of(source, route, body(text)).await);
        assert!(matches!(&fault, Fault::Malformed { reason: told } if told.contains(reason)), "{source}: {fault}");
    }
}

#[tokio::test]
async fn pubmed_over_its_limit_reports_success() {
    let limited = r#"{"error": "API rate limit exceeded", "api-key": "1.2.3.4", "count": "11", "limit": "3"}"#;
    let lied = r#"{"header": {}, "esearchresult": {"ERROR": "Invalid query"}}"#;
    for (text, expected) in [
        (limited, Fault::RateLimited { until: None }),
        (lied, Fault::Lied { status: 200, reason: "Invalid query".into() }),
    ] {
        let outcome = status_of("pubmed", "/pubmed/entrez/eutils/esearch.fcgi", body(text)).await;
        assert_eq!(fault(outcome), expected);
    }
    let none = r#"{"esearchresult": {"count": "0", "idlist": []}}"#;
    assert_eq!(status_of("pubmed", "/pubmed/entrez/eutils/esearch.fcgi", body(none)).await, EngineOutcome::Empty);
}

#[tokio::test]
async fn fields_of_the_wrong_type_are_fields_that_are_not_there() {
    let odd = r#"{"meta": {"count": -1}, "results": [{"id": 7, "doi": [], "title": "Kept", "authorships": {"a": 1},
        "publication_year": 20177, "cited_by_count": "many", "is_retracted": "yes", "primary_location": [1],
        "open_access": {"oa_url": "javascript:alert(1)"}, "abstract_inverted_index": {"word": "x", "other": [-1, 1e99]}}]}"#;
    let host = MockServer::start().await;
    answer(&host, "/openalex/works", body(odd)).await;
    let (findings, report) = report("openalex", &host).await;
    assert_eq!(report.outcome, EngineOutcome::Found { pieces: 1, total: None });
    let kept = &findings.records[0];
    assert_eq!((kept.year, kept.cited_by, kept.retracted, &kept.open_access), (None, None, false, &None));
    assert_eq!((&kept.abstract_text, kept.authors.len()), (&None, 0));
}

#[tokio::test]
async fn a_body_without_end_is_not_read_to_its_end() {
    let host = MockServer::start().await;
    answer(&host, "/openalex/works", body(&format!("{{{}", " ".repeat(100_000)))).await;
    let mut options = only("openalex", &host);
    let mut politeness = graphloom_retrieval::literature::Politeness::none();
    politeness.longest_body = 50_000;
    options.openalex.politeness = Some(politeness);
    let findings = super::hosts::ask(options, "walks").await;
    let EngineOutcome::Failed { fault } = &findings.reports[0].outcome else { panic!("{:?}", findings.reports) };
    assert_eq!(*fault, Fault::TooLarge { limit: 50_000 });
}
