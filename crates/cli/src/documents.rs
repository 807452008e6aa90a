//! The documents of `--corpus`, found by their words and, with `--embeddings`, by their meaning.

use std::io::BufRead;
use std::sync::Arc;

use graphloom_llm::resolve::EmbedderSpec;
use graphloom_retrieval::{Corpus, HybridCorpus, IndexReport, OtherModel, RetrievalError, Search};

use crate::models::build_embedder;
use crate::{ConsentArgs, DataDir, ExitStatus, Failure, Progress, SearchEngine, SourceArgs, open_corpus};

/// An indexed corpus.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Documents {
    /// The documents, found by their words.
    pub corpus: Corpus,
    /// The same with vectors, where `--embeddings` names a model.
    pub hybrid: Option<HybridCorpus>,
    /// What became of each file.
    pub report: IndexReport,
}

impl Documents {
    /// What is searched.
    pub fn search(&self) -> Arc<dyn Search> {
        match &self.hybrid {
            Some(hybrid) => Arc::new(hybrid.clone()),
            None => Arc::new(self.corpus.clone()),
        }
    }
}

/// Opens the corpus as [`open_corpus`] does, and makes the vectors that `--embeddings` asks for and that are not there yet.
/// What was made is kept when the program is stopped. Vectors of another model are replaced with `--yes`, or when a person
/// says so on the terminal.
///
/// # Errors
/// Those of [`open_corpus`]; `--embeddings` without a corpus; a model that cannot be made or fails; vectors of another model that may not be replaced.
pub async fn open_documents(
    args: &SourceArgs,
    engines: &[SearchEngine],
    dirs: &DataDir,
    progress: &Progress,
    consent: &ConsentArgs,
) -> Result<Option<Documents>, Failure> {
    let spec = args.embeddings.clone().unwrap_or_default();
    if args.corpus.is_empty() && spec != EmbedderSpec::Off {
        return Err(Failure::usage(format!("`--embeddings {spec}` needs `--corpus DIR`, whose passages it finds")));
    }
    let opened = open_corpus(args, engines, dirs, progress).await?;
    let Some((corpus, report)) = opened else { return Ok(None) };
    let may_ask = consent.may_ask(progress);
    let Some(embedder) = build_embedder(&spec, dirs, progress, may_ask).await? else {
        return Ok(Some(Documents { corpus, hybrid: None, report }));
    };
    let hybrid = HybridCorpus::new(corpus.clone(), embedder);
    make_vectors(&hybrid, progress, consent).await?;
    Ok(Some(Documents { corpus, hybrid: Some(hybrid), report }))
}

async fn make_vectors(hybrid: &HybridCorpus, progress: &Progress, consent: &ConsentArgs) -> Result<(), Failure> {
    let told = |done: usize, of: usize| {
        let percent = (done * 100).checked_div(of).unwrap_or(100);
        let shown = if progress.is_live() { percent } else { percent / 25 * 25 };
        progress.phase(format!("vectors of passages: {shown} % of {of}"));
    };
    let other = if consent.yes { OtherModel::Replace } else { OtherModel::Refuse };
    let report = match hybrid.make_vectors(other, told).await {
        Err(RetrievalError::OtherEmbedder { stored, asked, .. }) => {
            let question = format!("the vectors of this corpus are those of `{stored}`, and `{asked}` is asked for");
            let replace = consent.may_ask(progress) && {
                let (question, progress) = (question.clone(), progress.clone());
                let asking = move || ask(&question, &progress, &mut std::io::stdin().lock());
                tokio::task::spawn_blocking(asking).await.unwrap_or_default()
            };
            if !replace {
                let message =
                    format!("{question}; `--yes` has them made anew, `--embeddings` names the model that made them");
                return Err(Failure::new(ExitStatus::Waiting, message));
            }
            hybrid.make_vectors(OtherModel::Replace, told).await?
        }
        other => other?,
    };
    progress.note(format!("corpus: {report}"));
    Ok(())
}

/// Asks whether vectors may be replaced; no answer is no.
fn ask(question: &str, progress: &Progress, answers: &mut dyn BufRead) -> bool {
    progress.line(&format!("{question}. May they be made anew? [y/N]"));
    let mut answer = String::new();
    let read = progress.suspend(|| answers.read_line(&mut answer));
    read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}
