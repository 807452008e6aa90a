//! Each engine is asked in its own form, and its answer is read.

use graphloom_retrieval::web::{EngineName, EngineOutcome, Web};
use serde_json::{Value, json};
use wiremock::{MockServer, Request};

use super::hosts::{ENGINES, KEY, answer, ask, json as body_of, options};

async fn good_host() -> MockServer {
    let host = MockServer::start().await;
    for (_, route, good, _) in ENGINES {
        answer(&host, route, body_of(200, good)).await;
    }
    host
}

/// The one request of a question.
async fn request(engine: EngineName, question: &str, limit: usize) -> Request {
    let host = good_host().await;
    ask(&host, engine, question, limit).await;
    let mut requests = host.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1);
    requests.remove(0)
}

#[tokio::test]
async fn the_pages_of_each_engine_are_read() {
    let host = good_host().await;
    let mut told = Vec::new();
    for (engine, ..) in ENGINES {
        let found = ask(&host, engine, "write-ahead log", 10).await;
        for result in found.results {
            told.push(format!(
                "{} {} | {} | {} | {} | {}",
                result.engine,
                result.rank,
                result.url,
                result.title,
                result.text,
                result.published.as_deref().unwrap_or("-")
            ));
        }
        told.push(found.reports[0].to_string());
    }
    insta::assert_snapshot!(told.join("\n"));
}

#[tokio::test]
async fn tavily_is_asked_with_a_posted_question_and_a_bearer_key() {
    let request = request(EngineName::Tavily, "write-ahead\nlog", 99).await;
    assert_eq!(request.method.as_str(), "POST");
    assert_eq!(request.headers["authorization"], format!("Bearer {KEY}").as_str());
    assert_eq!(request.headers["content-type"], "application/json");
    let body: Value = request.body_json().unwrap();
    assert_eq!(
        body,
        json!({
            "query": "write-ahead log", "max_results": 10, "search_depth": "advanced", "include_answer": false,
            "include_raw_content": false, "include_images": false,
        })
    );
    let long = self::request(EngineName::Tavily, &"log ".repeat(300), 1).await.body_json::<Value>().unwrap();
    assert!(long["query"].as_str().unwrap().chars().count() <= 400);
}

#[tokio::test]
async fn serper_is_asked_with_a_posted_question_and_a_key_of_its_own_header() {
    let request = request(EngineName::Google, "write-ahead log", 3).await;
    assert_eq!(request.method.as_str(), "POST");
    assert_eq!(request.headers["x-api-key"], KEY);
    assert_eq!(
        request.body_json::<Value>().unwrap(),
        json!({"q": "write-ahead log", "gl": "us", "hl": "en", "num": 3})
    );
}

#[tokio::test]
async fn brave_is_asked_in_the_address_and_exa_with_a_posted_question() {
    let brave = request(EngineName::Brave, "a & b", 3).await;
    assert_eq!((brave.method.as_str(), &brave.headers["x-subscription-token"]), ("GET", &KEY.parse().unwrap()));
    assert_eq!(brave.headers["accept"], "application/json");
    let pairs: std::collections::BTreeMap<String, String> = brave.url.query_pairs().into_owned().collect();
    assert_eq!((pairs["q"].as_str(), pairs["count"].as_str(), pairs["search_lang"].as_str()), ("a & b", "3", "en"));
    let long = request(EngineName::Brave, &"log ".repeat(80), 1).await;
    let asked = long.url.query_pairs().find(|(name, _)| name == "q").unwrap().1.into_owned();
    assert_eq!(asked.split(' ').count(), 50);
    let exa = request(EngineName::Exa, "write-ahead\nlog", 99).await;
    assert_eq!((exa.method.as_str(), &exa.headers["x-api-key"]), ("POST", &KEY.parse().unwrap()));
    assert_eq!(
        exa.body_json::<Value>().unwrap(),
        json!({"query": "write-ahead log", "numResults": 10, "contents": {"text": {"maxCharacters": 12000}}})
    );
}

#[tokio::test]
async fn brave_hears_its_own_codes_of_languages() {
    for (language, code) in [("ja", "jp"), ("zh", "zh-hans"), ("pt", "pt-pt"), ("no", "nb"), ("de", "de")] {
        let host = good_host().await;
        let mut options = options(&host);
        options.language = language.to_owned();
        Web::open(&[EngineName::Brave], &options).unwrap().ask("a log", 3).await;
        let asked = &host.received_requests().await.unwrap()[0];
        assert!(asked.url.query_pairs().any(|(name, value)| name == "search_lang" && value == code), "{}", asked.url);
    }
}

#[tokio::test]
async fn searxng_and_wikipedia_are_asked_in_the_address() {
    let parameters = |request: &Request| {
        let mut pairs: Vec<String> = request.url.query_pairs().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.sort();
        pairs.join(" ")
    };
    let searxng = request(EngineName::Searxng, "a & b", 3).await;
    assert_eq!(searxng.method.as_str(), "GET");
    assert_eq!(parameters(&searxng), "format=json language=en pageno=1 q=a & b");
    let wikipedia = request(EngineName::Wikipedia, "write-ahead log", 3).await;
    assert_eq!(
        parameters(&wikipedia),
        "action=query exintro=1 exlimit=max explaintext=1 format=json formatversion=2 generator=search gsrlimit=3 \
         gsrnamespace=0 gsrsearch=write-ahead log inprop=url prop=extracts|info"
    );
}

#[tokio::test]
async fn an_engine_without_a_page_is_empty_and_not_at_fault() {
    for (engine, route, _, none) in ENGINES {
        let host = MockServer::start().await;
        answer(&host, route, body_of(200, none)).await;
        let found = ask(&host, engine, "nothing like it", 5).await;
        assert_eq!((found.results.len(), &found.reports[0].outcome), (0, &EngineOutcome::Empty), "{engine}");
        assert!(found.answered());
    }
}

#[tokio::test]
async fn what_asks_for_nothing_is_not_asked() {
    let host = good_host().await;
    for (engine, ..) in ENGINES {
        let found = ask(&host, engine, " … !? ", 5).await;
        assert!(matches!(found.reports[0].outcome, EngineOutcome::Failed { .. }), "{engine}");
    }
    assert!(host.received_requests().await.unwrap().is_empty());
}
