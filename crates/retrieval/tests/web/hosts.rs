//! Engines on this machine.

use graphloom_retrieval::web::{EngineName, Web, WebAnswer, WebOptions};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

pub(crate) const KEY: &str = "key-that-must-not-be-shown";

/// The engines with the route that each is asked at, a good body, and one without pages.
pub(crate) const ENGINES: [(EngineName, &str, &str, &str); 6] = [
    (
        EngineName::Tavily,
        "/tavily/search",
        include_str!("bodies/tavily.json"),
        r#"{"query": "x", "results": [], "response_time": 0.2}"#,
    ),
    (
        EngineName::Google,
        "/google/search",
        include_str!("bodies/google.json"),
        r#"{"searchParameters": {"q": "x"}, "organic": [], "credits": 1}"#,
    ),
    (
        EngineName::Searxng,
        "/searxng/search",
        include_str!("bodies/searxng.json"),
        r#"{"query": "x", "number_of_results": 0, "results": [], "unresponsive_engines": []}"#,
    ),
    (
        EngineName::Wikipedia,
        "/wikipedia/w/api.php",
        include_str!("bodies/wikipedia.json"),
        r#"{"batchcomplete": true}"#,
    ),
    (
        EngineName::Brave,
        "/brave/res/v1/web/search",
        include_str!("bodies/brave.json"),
        r#"{"type": "search", "query": {"original": "x"}}"#,
    ),
    (
        EngineName::Exa,
        "/exa/search",
        include_str!("bodies/exa.json"),
        r#"{"requestId": "1", "results": [], "costDollars": {"total": 0.005}}"#,
    ),
];

/// The engines that have a key.
pub(crate) const KEYED: [EngineName; 4] = [EngineName::Tavily, EngineName::Google, EngineName::Brave, EngineName::Exa];

pub(crate) fn json(status: u16, body: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(body.as_bytes().to_vec(), "application/json")
}

/// The host answers at `route` from now on, after what was set before is used up.
pub(crate) async fn answer(host: &MockServer, route: &str, with: ResponseTemplate) {
    Mock::given(path(route)).respond_with(with).mount(host).await;
}

pub(crate) fn options(host: &MockServer) -> WebOptions {
    let place = host.address().to_string();
    KEYED.into_iter().fold(WebOptions::default().all_at(&host.uri()), |options, name| {
        options.key(name, KEY).key_for(name, &place).unwrap()
    })
}

/// What one engine at `host` makes of a question.
pub(crate) async fn ask(host: &MockServer, engine: EngineName, question: &str, limit: usize) -> WebAnswer {
    Web::open(&[engine], &options(host)).unwrap().ask(question, limit).await
}
