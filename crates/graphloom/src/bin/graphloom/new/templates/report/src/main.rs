//! `cargo run -- "A question" FOLDER` reports what the documents of a folder say about a question.

use std::error::Error;
use std::path::Path;

use graphloom::retrieval::{Corpus, CorpusOptions};

use new_crate::{Report, graph};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let question = words
        .next()
        .unwrap_or_else(|| "What is left after a crash?".to_owned());
    let folder = words.next().unwrap_or_else(|| "notes".to_owned());
    let corpus = Corpus::open(
        Path::new("index"),
        &[folder.into()],
        CorpusOptions::default(),
    )?;
    corpus.refresh()?;

    let app = graph()?.with_context(corpus);
    let report = app
        .run_once(Report::update().question(question))
        .await?
        .done()?;
    if report.evidence.is_empty() {
        println!("nothing was found");
    }
    for checked in &report.checked {
        println!(
            "{}: {} [{}]",
            checked.verdict, checked.claim, checked.source
        );
    }
    for (id, source) in &report.evidence {
        println!("[{id}] {}", source.place());
    }
    Ok(())
}
