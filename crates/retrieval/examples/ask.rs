//! Indexes a folder and asks it each line of standard input: prints the paths that are found, best first, one line for each
//! question. `cargo run -p graphloom-retrieval --example ask -- INDEX FOLDER < questions`; `bench/documents` uses it.

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Instant;

use graphloom_retrieval::{Corpus, CorpusOptions, SearchOptions, Source};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (index, folder) = (arguments.next().ok_or("which index?")?, arguments.next().ok_or("which folder?")?);
    let corpus = Corpus::open(&index, &[folder], CorpusOptions::default())?;
    let began = Instant::now();
    let report = corpus.refresh()?;
    writeln!(std::io::stderr(), "{report}, {:.1} s on the clock", began.elapsed().as_secs_f64())?;
    let mut out = std::io::stdout().lock();
    for question in std::io::stdin().lock().lines() {
        let options = SearchOptions::with_limit(100).per_document(1);
        let hits = corpus.search(&question?, &options)?;
        let paths = hits.iter().filter_map(|hit| match &hit.evidence.source {
            Source::Local { path, .. } => Some(path.as_str()),
            _ => None,
        });
        writeln!(out, "{}", paths.collect::<Vec<_>>().join("\t"))?;
    }
    Ok(())
}
