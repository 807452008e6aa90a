//! The model inside this program: fetched once, then loaded.

use std::path::PathBuf;
use std::sync::Arc;

use graphloom_llm::resolve::ModelSource;
use graphloom_llm::{ChatModel, ModelError};
use graphloom_llm_embedded::weights::{self, FetchEvent, FetchOptions, KnownModel, SMOLLM2_135M};
use graphloom_llm_embedded::{Embedded, EmbeddedError, LoadOptions};

use crate::{DataDir, Progress};

/// Loads a model that runs inside this program, after fetching the built-in one when it is not there.
pub(super) async fn load(
    source: ModelSource,
    dirs: &DataDir,
    progress: &Progress,
) -> Result<Arc<dyn ChatModel>, ModelError> {
    let (dirs, progress) = (dirs.clone(), progress.clone());
    let loaded = tokio::task::spawn_blocking(move || {
        let path = match source {
            ModelSource::Gguf(path) => path,
            ModelSource::Embedded => match installed_weights(&SMOLLM2_135M, &dirs) {
                Ok(Some(path)) => path,
                Ok(None) => fetch_weights(&SMOLLM2_135M, &dirs, &FetchOptions::default(), &progress)?,
                Err(error) => {
                    progress.warn(format!("{error}; it is fetched again now"));
                    fetch_weights(&SMOLLM2_135M, &dirs, &FetchOptions::default(), &progress)?
                }
            },
        };
        progress.phase("loading the model");
        Embedded::load(&path, &LoadOptions::default())
    });
    match loaded.await {
        Ok(model) => Ok(Arc::new(model?)),
        Err(error) => {
            let message = format!("loading the built-in model was interrupted: {error}");
            Err(ModelError::Setup { message })
        }
    }
}

/// Where the weights of a model are, in the data directory or in the user's own cache.
///
/// # Errors
/// [`EmbeddedError::Truncated`], [`EmbeddedError::Corrupt`] or [`EmbeddedError::Io`] for a file in the data directory that
/// is damaged or cannot be read.
pub fn installed_weights(model: &KnownModel, dirs: &DataDir) -> Result<Option<PathBuf>, EmbeddedError> {
    if let Some(path) = weights::locate(model, &dirs.models())? {
        return Ok(Some(path));
    }
    // Damage elsewhere is not this directory's business.
    Ok(dirs.shared_models().and_then(|shared| weights::locate(model, shared).ok().flatten()))
}

/// Fetches the weights of a model into the data directory, and tells how far it is. It blocks.
///
/// # Errors
/// Those of [`weights::fetch`].
pub fn fetch_weights(
    model: &KnownModel,
    dirs: &DataDir,
    options: &FetchOptions,
    progress: &Progress,
) -> Result<PathBuf, EmbeddedError> {
    let megabytes = model.size as f64 / 1e6;
    weights::fetch(model, &dirs.models(), options, |event| match event {
        FetchEvent::Cached { .. } => {}
        FetchEvent::Waiting => progress.phase("another program fetches the same weights; waiting for it"),
        FetchEvent::Trying { source } => {
            progress.note(format!("fetching the weights of `{}` ({megabytes:.0} MB, once) from {source}", model.name));
        }
        FetchEvent::Progress { done, total } => progress.transfer("fetching the weights", done, total),
        FetchEvent::Failed { source, message } => progress.note(format!("no weights from {source}: {message}")),
        FetchEvent::Done { path } => {
            progress.note(format!("the weights are in `{}`, their sha256 is right", path.display()));
        }
        _ => {}
    })
}
