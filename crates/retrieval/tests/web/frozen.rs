//! From a question to the text of a page, over a web of documents on this machine.

use graphloom_frozen_web::{Breakage, FrozenWeb};
use graphloom_retrieval::Fault;
use graphloom_retrieval::web::{EngineName, EngineOutcome, Pages, Web, WebOptions};

struct FrozenEngines {
    _place: tempfile::TempDir,
    frozen: FrozenWeb,
}

async fn frozen_engines() -> FrozenEngines {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    for (name, text) in [
        (
            "log.md",
            "# The log\n\nEvery change is written to the log first.\n\n## Length\n\nThe log grows until a checkpoint.",
        ),
        ("größe.txt", "The size\n\nA page of the table has 8192 bytes."),
        ("lock.html", "<title>Locks</title><body><p>A lock keeps two writers of the log apart.</p></body>"),
    ] {
        std::fs::write(docs.join(name), text).unwrap();
    }
    let frozen = FrozenWeb::of(&docs, &place.path().join("index")).await;
    FrozenEngines { _place: place, frozen }
}

#[tokio::test]
async fn a_page_that_an_engine_names_can_be_read() {
    let FrozenEngines { frozen, _place } = frozen_engines().await;
    let pages = Pages::new(frozen.page_options()).unwrap();
    for engine in [EngineName::Tavily, EngineName::Google] {
        let web = Web::open(&[engine], &frozen.web_options()).unwrap();
        for (question, title, text) in [
            ("When does the log grow?", "The log", "until a checkpoint"),
            ("How many bytes has a page?", "The size", "8192 bytes"),
            ("What does a lock do?", "Locks", "two writers"),
        ] {
            let answer = web.ask(question, 3).await;
            let first = &answer.results[0];
            assert_eq!((first.title.as_str(), first.engine.as_str()), (title, engine.as_str()), "{question}");
            let page = pages.fetch(&first.url).await.unwrap();
            assert!(page.text.contains(text), "{}", page.text);
        }
    }
    assert_eq!(frozen.questions().await[0], "tavily: When does the log grow?");
    assert_eq!(frozen.fetched().await.len(), 6);
    let unnamed = format!("{}/pages/../index/meta.json", frozen.address());
    assert!(pages.fetch(&unnamed).await.is_err());
}

#[tokio::test]
async fn an_engine_that_breaks_is_told_and_a_key_is_needed() {
    let FrozenEngines { frozen, _place } = frozen_engines().await;
    let keyless = WebOptions::default().all_at(&frozen.address());
    let both = [EngineName::Tavily, EngineName::Google];
    let answer = Web::open(&both, &keyless).unwrap().ask("log", 3).await;
    let refused = |outcome: &EngineOutcome| matches!(outcome.fault(), Some(Fault::Refused { status: 401 | 403, .. }));
    assert!(answer.reports.iter().all(|report| refused(&report.outcome)), "{:?}", answer.reports);
    for breakage in Breakage::ALL {
        let FrozenEngines { frozen, _place } = frozen_engines().await;
        frozen.break_engine(EngineName::Tavily, breakage).await;
        let answer = Web::open(&both, &frozen.web_options()).unwrap().ask("log", 3).await;
        let answered: Vec<bool> = answer.reports.iter().map(|report| report.outcome.answered()).collect();
        assert_eq!(answered, [false, true], "{breakage:?}");
        assert!(answer.results.iter().all(|result| result.engine == "google"));
    }
}
