//! The engines of the web as DeepSearch uses them, over a web of documents on this machine.
#![expect(clippy::unwrap_used, reason = "a step that fails fails the test")]

use graphloom_deepsearch::Config;
use graphloom_deepsearch::config::{SearchMethod, Secret};
use graphloom_deepsearch::search::{Engines, Retrieved, open_web};
use graphloom_frozen_web::{Breakage, FrozenWeb, Wire};
use graphloom_retrieval::EngineOutcome;
use graphloom_retrieval::web::EngineName;
use serde_json::json;

const LOG: &str = "# The log\n\nEvery change is written to the log before it is written to the table.\n\n\
    ## Checkpoints\n\nAt a checkpoint the pages are written, and the log begins anew.\n";
const LOCK: &str = "<title>Locks</title><body><p>A lock keeps two writers of one table apart until the first is done.</p>\
    <p>Readers take no lock, so that they never wait for a writer of the table they read.</p></body>";

struct World {
    _place: tempfile::TempDir,
    frozen: FrozenWeb,
}

async fn world() -> World {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join("log.md"), LOG).unwrap();
    std::fs::write(docs.join("lock.html"), LOCK).unwrap();
    let frozen = FrozenWeb::of(&docs, &place.path().join("index")).await;
    World { _place: place, frozen }
}

/// A configuration whose pages may come from the frozen web.
fn config(world: &World) -> Config {
    let mut config = Config::default();
    config.web_search_engine_config.extension = json!({ "page_hosts": [world.frozen.host()] });
    config
}

fn open(world: &World, config: &Config, names: &[&str]) -> Engines {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let environment = world.frozen.environment();
    let variable = |name: &str| environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    Engines::of(open_web(config, &names, variable).unwrap().search.unwrap())
}

#[tokio::test]
async fn a_document_is_the_page_and_not_the_excerpt() {
    let world = world().await;
    let search = open(&world, &config(&world), &["google"]);
    let answer = search.ask(SearchMethod::Web, "When does the log begin anew?", 3).await;
    let first = &answer.documents[0];
    assert_eq!((first.title.as_str(), first.engine.as_str(), first.rank), ("The log", "google", 1));
    assert!(
        first.text.contains("before it is written to the table") && first.text.contains("begins anew"),
        "{}",
        first.text
    );
    assert!(first.is_web() && first.query.starts_with("When"));
    assert!(matches!(answer.reports[0].outcome, EngineOutcome::Found { pieces: 1.., .. }));
    assert!(!world.frozen.fetched().await.is_empty());
}

#[tokio::test]
async fn a_key_goes_to_the_address_beside_it_and_to_no_other() {
    const OF_FILE: &str = "key-of-the-file";
    const OF_ENVIRONMENT: &str = "key-of-the-environment";
    let (beside, other) = (Wire::answering("200 OK", "", "{}"), Wire::answering("200 OK", "", "{}"));
    let addressed = |key: &str, address: String| {
        let mut config = Config::default();
        let engine = &mut config.web_search_engine_config;
        engine.search_engine_name = "tavily".into();
        (engine.search_api_key, engine.search_url) = (Secret::new(key), address);
        config
    };
    let place = |wire: &Wire| format!("http://{}", wire.host());
    // The key and the address of the file, its address alone, its key alone beside an address of the environment.
    for (config, named, to, sent) in [
        (addressed(OF_FILE, place(&beside)), None, &beside, Some(OF_FILE)),
        (addressed("", place(&beside)), None, &beside, None),
        (addressed("", place(&beside)), Some(other.host()), &beside, None),
        (addressed("", place(&beside)), Some(beside.host()), &beside, Some(OF_ENVIRONMENT)),
        (addressed(OF_FILE, String::new()), Some(other.host()), &other, None),
    ] {
        let variable = |name: &str| match name {
            "TAVILY_API_KEY" => Some(OF_ENVIRONMENT.to_owned()),
            "TAVILY_API_KEY_FOR" => named.clone(),
            "TAVILY_URL" => Some(place(&other)),
            _ => None,
        };
        let opened = open_web(&config, &[], variable).unwrap();
        Engines::of(opened.search.unwrap()).ask(SearchMethod::Web, "When does the log begin anew?", 3).await;
        let bytes = to.taken();
        assert!(bytes.contains("When does the log begin anew?"), "{bytes}");
        for key in [OF_FILE, OF_ENVIRONMENT] {
            assert_eq!(bytes.contains(key), sent == Some(key), "{key}: {bytes}");
        }
        assert_eq!(opened.withheld.len(), usize::from(sent.is_none()), "{:?}", opened.withheld);
        assert!(beside.taken().is_empty() && other.taken().is_empty(), "and nothing arrives elsewhere");
    }
    // Nothing is sent where others could read it.
    let error = open_web(&addressed(OF_FILE, "http://192.0.2.1".into()), &[], |_| None).map(|_| ()).unwrap_err();
    assert!(error.code.code() == 211_300 && !error.to_string().contains(OF_FILE), "{error}");
}

#[tokio::test]
async fn a_page_that_is_a_pdf_is_told_and_its_excerpt_is_used() {
    let world = world().await;
    world.frozen.pages_as_pdf("%PDF-1.7\n%%EOF\n").await;
    let answer =
        open(&world, &config(&world), &["google"]).ask(SearchMethod::Web, "When does the log begin anew?", 3).await;
    assert!(!answer.documents.is_empty() && answer.documents.iter().all(|found| !found.text.contains("%PDF")));
    assert!(matches!(answer.reports[0].outcome, EngineOutcome::Found { pieces: 1.., .. }));
    assert_eq!(answer.notes.len(), answer.documents.len());
    let told = &answer.notes[0];
    assert!(told.contains("only the excerpt of the engine is used: the page is `application/pdf`"), "{told}");
    let stored = serde_json::to_value(&answer).unwrap();
    assert_eq!(serde_json::from_value::<Retrieved>(stored).unwrap(), answer, "a recording keeps it");
}

#[tokio::test]
async fn pages_of_this_machine_are_not_fetched_unless_their_host_is_named() {
    let world = world().await;
    for extension in [json!({}), json!({ "page_hosts": ["127.0.0.1:1"] }), json!({ "fetch_pages": false })] {
        let mut config = config(&world);
        config.web_search_engine_config.extension = extension;
        let answer = open(&world, &config, &["google"]).ask(SearchMethod::Web, "Who waits for a writer?", 3).await;
        assert!(!answer.documents.is_empty(), "the excerpt is left");
    }
    assert!(world.frozen.fetched().await.is_empty());
}

#[tokio::test]
async fn an_engine_that_fails_is_a_report_and_never_a_document() {
    for breakage in Breakage::ALL {
        let world = world().await;
        world.frozen.break_engine(EngineName::Tavily, breakage).await;
        let both = open(&world, &config(&world), &["tavily", "google"]);
        assert_eq!(both.names(), ["tavily", "google"]);
        let answer = both.ask(SearchMethod::Web, "When does the log begin anew?", 3).await;
        let tavily = &answer.reports.iter().find(|report| report.engine == "tavily").unwrap().outcome;
        match breakage {
            Breakage::RateLimited => {
                assert!(matches!(tavily, EngineOutcome::Failed { fault } if fault.is_rate_limit()), "{tavily:?}");
            }
            _ => assert!(matches!(tavily, EngineOutcome::Failed { .. }), "{breakage:?}: {tavily:?}"),
        }
        assert!(!answer.documents.is_empty());
        assert!(answer.documents.iter().all(|document| document.engine == "google"));
        world.frozen.break_engine(EngineName::Google, breakage).await;
        let dead = open(&world, &config(&world), &["tavily", "google"]).ask(SearchMethod::Web, "log", 3).await;
        assert_eq!((dead.documents.len(), dead.reports.len()), (0, 2));
    }
}

#[tokio::test]
async fn the_address_and_the_key_of_the_configuration_are_used_and_not_told() {
    let world = world().await;
    let mut config = config(&world);
    config.web_search_engine_config.search_engine_name = "tavily".into();
    config.web_search_engine_config.search_url = format!("{}/tavily", world.frozen.address());
    let ask = async |key: &str| {
        let mut config = config.clone();
        config.web_search_engine_config.search_api_key = graphloom_deepsearch::config::Secret::new(key);
        let search = Engines::of(open_web(&config, &[], |_| None).unwrap().search.unwrap());
        search.ask(SearchMethod::Web, "Who waits for a writer?", 3).await
    };
    let good = ask(graphloom_frozen_web::KEY).await;
    assert_eq!(good.documents[0].title, "Locks");
    let bad = ask("wrong-key-of-a-user").await;
    assert!(matches!(bad.reports[0].outcome, EngineOutcome::Failed { .. }));
    let told = serde_json::to_string(&(good, bad)).unwrap();
    assert!(!told.contains("wrong-key") && !told.contains(graphloom_frozen_web::KEY), "{told}");
}
