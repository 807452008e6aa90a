//! The graph over the folder `notes`, killed before and after every commit.

use graphloom::graph::App;
use graphloom::graph::checkpoint::ThreadStatus;
use graphloom::graph::simulate::Simulator;
use graphloom::retrieval::{Corpus, CorpusOptions};

use new_crate::{Report, graph};

fn app(index: &std::path::Path) -> App<Report, Corpus> {
    let notes = concat!(env!("CARGO_MANIFEST_DIR"), "/notes");
    let corpus = Corpus::open(index, &[notes.into()], CorpusOptions::default()).unwrap();
    corpus.refresh().unwrap();
    graph().unwrap().with_context(corpus)
}

#[tokio::test(start_paused = true)]
async fn every_citation_holds_wherever_the_run_is_killed() {
    let index = tempfile::tempdir().unwrap();
    let simulator = Simulator::new(app(index.path()));
    let question = Report::update().question("What is left after a crash?");
    for report in simulator.crash_everywhere(question).await.unwrap() {
        assert_eq!(report.violations, Vec::<String>::new());
        assert_eq!(report.status, ThreadStatus::Done, "{}", report.detail);
        assert!(report.state.text.contains("goes on from its last commit"));
        assert!(!report.state.checked.is_empty());
        for checked in &report.state.checked {
            assert_eq!(checked.verdict, "supported", "{}", checked.claim);
        }
    }
}

#[tokio::test]
async fn where_nothing_is_found_nothing_is_written() {
    let index = tempfile::tempdir().unwrap();
    let run = app(index.path())
        .run_once(Report::update().question("zebras"))
        .await
        .unwrap();
    let report = run.done().unwrap();
    assert!(report.evidence.is_empty() && report.text.is_empty());
}
