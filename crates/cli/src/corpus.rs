//! The documents of `--corpus`.

use graphloom_retrieval::{Corpus, CorpusOptions, IndexReport};

use crate::{CliError, CommonArgs, DataDir, ExitStatus, Failure, Progress, SearchEngine};

/// Opens the corpus that the options name, brings its index up to date, and tells what could not be read. `None` without
/// a corpus, or with `--search none`.
///
/// # Errors
/// [`CliError::Usage`] for `--search local` without a corpus; an empty or unreadable corpus; an index that cannot be
/// written.
pub async fn open_corpus(
    args: &CommonArgs,
    dirs: &DataDir,
    progress: &Progress,
) -> Result<Option<(Corpus, IndexReport)>, Failure> {
    match (args.search, args.corpus.is_empty()) {
        (Some(SearchEngine::Local), true) => {
            return Err(CliError::usage("`--search local` needs `--corpus DIR`").into());
        }
        (Some(SearchEngine::None), _) | (None, true) => return Ok(None),
        _ => {}
    }
    let (index, roots) = (dirs.index(&args.corpus), args.corpus.clone());
    progress.phase("reading the corpus");
    let opened = tokio::task::spawn_blocking(move || {
        let corpus = Corpus::open(&index, &roots, CorpusOptions::default())?;
        let report = corpus.refresh()?;
        Ok::<_, graphloom_retrieval::RetrievalError>((corpus, report))
    });
    let (corpus, report) = opened.await.map_err(|error| Failure::new(ExitStatus::Failed, error))??;
    progress.note(format!("corpus: {report}"));
    for unread in &report.unread {
        progress.warn(format!("`{}` {}, so it is not searched", unread.path, unread.reason));
    }
    for lossy in &report.lossy {
        progress.warn(format!("`{}`: {}", lossy.path, lossy.note));
    }
    if let Some(reason) = &report.rebuilt {
        progress.note(format!("the index was built anew: {reason}"));
    }
    Ok(Some((corpus, report)))
}
