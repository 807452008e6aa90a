//! Several sources at once, as a search engine, and from a recording.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_retrieval::literature::{
    Fault, Findings, Found, Literature, Query, Recorded, Recording, Source, SourceName,
};
use graphloom_retrieval::{EngineOutcome, EngineReport, RetrievalError, Search};
use wiremock::{MockServer, ResponseTemplate};

use super::hosts::{CROSSREF, OPENALEX, answer, ask, body, good_host, options};

fn lines(findings: &Findings) -> Vec<String> {
    findings.reports.iter().map(EngineReport::line).collect()
}

#[tokio::test]
async fn the_same_work_of_three_sources_is_one_record() {
    let findings = ask(options(&good_host().await), "walks").await;
    let walks = &findings.records[0];
    assert_eq!(walks.sources(), ["arxiv", "crossref", "openalex"]);
    assert_eq!((walks.year, walks.cited_by), (Some(2017), Some(31)));
    assert_eq!(walks.publisher.as_deref(), Some("Walk Press"));
    assert_eq!(findings.records.len(), 4);
    assert_eq!(findings.get(&walks.id), Some(walks));
    assert_eq!(
        lines(&findings),
        ["OpenAlex gave 2 of 418 records.", "arXiv gave 2 records.", "Crossref gave 2 of 3 records."]
    );
    let again = Findings::joined([findings.clone(), findings.clone()]);
    assert_eq!(again.records.len(), 4);
    assert_eq!(again.reports.len(), 6);
}

#[tokio::test]
async fn the_same_work_of_seven_sources_is_one_record() {
    let findings = ask(options(&good_host().await).only(&SourceName::ALL), "walks").await;
    let walks = &findings.records[0];
    assert_eq!(walks.sources(), ["arxiv", "core", "crossref", "europepmc", "openalex", "pubmed", "semanticscholar"]);
    assert_eq!((walks.cited_by, walks.publisher.as_deref()), (Some(40), Some("Walk Press")));
    assert!(walks.pmid.is_some() && walks.pmcid.is_some() && walks.arxiv.is_some());
    assert_eq!(findings.reports.len(), 7);
}

#[tokio::test]
async fn a_source_that_fails_hides_nothing_and_is_not_hidden() {
    let host = MockServer::start().await;
    answer(&host, "/openalex/works", body(OPENALEX)).await;
    answer(&host, "/crossref/works", body(CROSSREF)).await;
    answer(&host, "/arxiv/api/query", ResponseTemplate::new(503)).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let literature =
        Literature::open(options(&host)).unwrap().on_report(move |report| listener.lock().unwrap().push(report.line()));
    let answer = Search::search(&literature, "lattice walks", 2).await;
    assert_eq!((answer.reports.len(), answer.remarks().count()), (3, 1));
    let hits = answer.hits;
    assert!(hits.iter().all(|hit| hit.work.is_some() && !hit.engine.is_empty()));
    assert_eq!(hits[0].evidence.title, "Walks on lattice points: A study");
    assert!(hits[0].score > hits[1].score && !hits[0].snippet.is_empty());
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 3);
    assert!(heard.contains(&"arXiv is down (status 503); try again later.".to_owned()), "{heard:?}");
}

#[tokio::test]
async fn when_no_source_answers_the_search_fails_and_says_how() {
    let host = MockServer::start().await;
    let literature = Literature::open(options(&host)).unwrap();
    let error = Search::search(&literature, "walks", 5).await.or_error().unwrap_err();
    assert!(matches!(&error, RetrievalError::NoEngine { told, .. } if told.len() == 3), "{error}");
    assert!(!error.is_retryable(), "they refused: {error}");
    let wordless = Search::search(&literature, "?!", 5).await;
    assert!(wordless.reports.iter().all(|report| report.outcome.fault() == Some(&Fault::NoWords)), "{wordless:?}");
}

/// A source that never answers.
struct Silent;

#[async_trait]
impl Source for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    async fn search(&self, _query: &Query) -> Result<Found, Fault> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_takes_too_long_is_not_waited_for() {
    let literature = Literature::of(vec![Arc::new(Silent)]).deadline(Duration::from_secs(90));
    let queries = [Query::parse("walks").unwrap(), Query::parse("runs").unwrap()];
    let findings = literature.ask_all(&queries).await;
    assert_eq!(findings.reports.len(), 2);
    for (report, query) in findings.reports.iter().zip(&queries) {
        assert_eq!(report.query, query.to_string());
        assert_eq!(report.outcome, EngineOutcome::Failed { fault: Fault::TimedOut { seconds: 90 } });
    }
}

#[tokio::test]
async fn a_recording_gives_the_same_findings_without_a_host() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("answers.json");
    let host = MockServer::start().await;
    answer(&host, "/openalex/works", body(OPENALEX)).await;
    answer(&host, "/crossref/works", body(CROSSREF)).await;
    answer(&host, "/arxiv/api/query", ResponseTemplate::new(403).set_body_string("go away")).await;
    let query = Query::parse("walks").unwrap();
    let recording = Recording::create(&path).unwrap();
    let options = options(&host).contact("me@example.org").unwrap().key(SourceName::OpenAlex, "secret-key");
    let mut live = Literature::open(options).unwrap().recorded(&recording).ask(&query).await;
    drop(host);
    let replay = Literature::of(Recorded::load(&path).unwrap());
    let mut replayed = replay.ask(&query).await;
    live.reports.sort_by(|a, b| a.engine.cmp(&b.engine));
    replayed.reports.sort_by(|a, b| a.engine.cmp(&b.engine));
    assert_eq!(replayed, live);
    assert_eq!(
        replayed.reports[0].line(),
        "arXiv refused the request (status 403: go away); check the question, the contact address and the key."
    );
    let other = replay.ask(&Query::parse("runs").unwrap()).await;
    assert!(other.reports.iter().all(|report| report.outcome == EngineOutcome::Failed { fault: Fault::Unrecorded }));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("secret-key") && !text.contains("me@example.org"));
    Recording::create(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "a recording goes on where it was");
}

#[test]
fn what_is_no_recording_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("answers.json");
    assert!(matches!(Recorded::load(&path), Err(RetrievalError::RecordingFile { .. })));
    for text in [
        "",
        "{",
        "[]",
        "{\"format\": 2}",
        "{\"format\": 1}",
        "{\"format\": 1, \"answers\": []}",
        "{\"format\": 1, \"answers\": [{}]}",
    ] {
        std::fs::write(&path, text).unwrap();
        let refused = Recorded::load(&path).map(|sources| sources.len());
        assert!(matches!(refused, Err(RetrievalError::RecordingForm { .. })), "{text}: {refused:?}");
        if !text.contains("[]}") {
            assert!(Recording::create(&path).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "what is no recording is left as it is");
        }
    }
}
