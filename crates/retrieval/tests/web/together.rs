//! Several engines at once.

use graphloom_retrieval::web::{EngineName, SearchRate, Web, WebOptions};
use graphloom_retrieval::{RetrievalError, Search, Source};
use wiremock::{MockServer, ResponseTemplate};

use super::hosts::{ENGINES, answer, json, options};

#[tokio::test]
async fn a_page_that_several_engines_found_is_kept_once_with_its_longest_text() {
    let host = MockServer::start().await;
    for (_, route, good, _) in ENGINES {
        answer(&host, route, json(200, good)).await;
    }
    let web = Web::open(&EngineName::ALL, &options(&host)).unwrap();
    let found = web.ask("write-ahead log", 10).await;
    let pages: Vec<String> = found.results.iter().map(|page| format!("{} {}", page.engine, page.url)).collect();
    assert_eq!(
        pages,
        [
            "tavily https://db.example/wal",
            "brave https://logs.example/journal",
            "wikipedia https://en.wikipedia.org/wiki/Write-ahead_logging",
            "tavily https://notes.example/log",
            "google https://logs.example/a?b=c",
            "exa https://recovery.example",
            "searxng https://logs.example/b",
            "wikipedia https://en.wikipedia.org/wiki/Journaling_file_system",
        ]
    );
    assert!(found.results[0].text.contains("checkpoint"));
    assert_eq!(found.reports.len(), 6);
    let hits = Search::search(&web, "write-ahead log", 2).await.hits;
    let with_text = found.results.iter().filter(|result| !result.text.trim().is_empty()).count();
    assert_eq!(hits.len(), with_text, "two of each engine, each page once");
    assert_eq!(hits[0].evidence.source, Source::Web { url: "https://db.example/wal".into() });
    assert!(hits[0].evidence.id.starts_with("db-"), "{}", hits[0].evidence.id);
}

#[tokio::test]
async fn one_that_fails_takes_nothing_from_the_others() {
    let host = MockServer::start().await;
    answer(&host, "/tavily/search", ResponseTemplate::new(502)).await;
    answer(&host, "/google/search", json(200, ENGINES[1].2)).await;
    let web = Web::open(&[EngineName::Tavily, EngineName::Google], &options(&host)).unwrap();
    let found = web.ask("write-ahead log", 10).await;
    let answered: Vec<bool> = found.reports.iter().map(|report| report.outcome.answered()).collect();
    assert_eq!((answered, found.results.len()), (vec![false, true], 2));
    assert_eq!(web.search("write-ahead log", 10).await.or_error().unwrap().hits.len(), 2);
}

#[tokio::test]
async fn a_search_without_an_answer_is_an_error_with_every_reason() {
    let host = MockServer::start().await;
    answer(&host, "/tavily/search", json(401, "{}")).await;
    answer(&host, "/google/search", ResponseTemplate::new(502)).await;
    let web = Web::open(&[EngineName::Tavily, EngineName::Google], &options(&host)).unwrap();
    let error = web.search("write-ahead log", 10).await.or_error().unwrap_err();
    assert!(matches!(&error, RetrievalError::NoEngine { told, retryable: true } if told.len() == 2), "{error}");
    let none = Web::open(&[], &WebOptions::default()).unwrap();
    assert!(none.search("x", 1).await.or_error().unwrap().hits.is_empty(), "nothing was asked");
}

#[tokio::test]
async fn the_bound_on_searches_counts_every_engine() {
    let host = MockServer::start().await;
    for (_, route, good, _) in ENGINES {
        answer(&host, route, json(200, good)).await;
    }
    let web = Web::open(&EngineName::ALL, &options(&host)).unwrap().rate(SearchRate::new(50.0));
    let begin = std::time::Instant::now();
    web.ask("write-ahead log", 10).await;
    // Six searches, the last of them five turns of 20 ms after the first.
    assert!(begin.elapsed() >= std::time::Duration::from_millis(100));
}

#[test]
fn what_an_engine_lacks_is_told_before_anything_is_asked() {
    for (engine, variable) in [
        (EngineName::Tavily, "TAVILY_API_KEY"),
        (EngineName::Google, "SERPER_API_KEY"),
        (EngineName::Brave, "BRAVE_API_KEY"),
        (EngineName::Exa, "EXA_API_KEY"),
        (EngineName::Searxng, "SEARXNG_URL"),
    ] {
        let error = Web::open(&[engine], &WebOptions::default()).unwrap_err();
        assert!(error.to_string().contains(variable), "{error}");
    }
    assert!(Web::open(&[EngineName::Wikipedia], &WebOptions::default()).is_ok());
    let long = format!("https://example.org/{}", "x".repeat(8192));
    let error = Web::open(&[EngineName::Searxng], &WebOptions::default().address(EngineName::Searxng, &long));
    assert!(matches!(error, Err(RetrievalError::SourceAddress { .. })));
}
