//! The documents of `--corpus`.

use std::path::PathBuf;
use std::sync::OnceLock;

use graphloom_retrieval::{Corpus, CorpusOptions, IndexReport};

use crate::{DataDir, ExitStatus, Failure, Progress, SearchEngine, SourceArgs};

/// The running program, once it has begun as [`main`](crate::main) begins one: it can read PDF files apart.
pub(crate) static READER: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Opens the corpus that the options name, brings its index up to date, and tells what could not be read. `None` unless
/// `local` is among the `engines`, see [`SourceArgs::engines`].
///
/// # Errors
/// An empty or unreadable corpus; an index that cannot be written.
pub async fn open_corpus(
    args: &SourceArgs,
    engines: &[SearchEngine],
    dirs: &DataDir,
    progress: &Progress,
) -> Result<Option<(Corpus, IndexReport)>, Failure> {
    if !engines.contains(&SearchEngine::Local) {
        if !args.corpus.is_empty() {
            progress.note("`--search` leaves `local` out, so the folders of `--corpus` are not searched");
        }
        return Ok(None);
    }
    dirs.create_indexes()?;
    let (index, roots) = (dirs.index(&args.corpus), args.corpus.clone());
    progress.phase("reading the corpus");
    let opened = tokio::task::spawn_blocking(move || {
        let mut options = CorpusOptions::default();
        options.reader = READER.get().cloned().flatten();
        let corpus = Corpus::open(&index, &roots, options)?;
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
