//! The model of `--embeddings`.

use std::sync::Arc;

use graphloom_llm::providers::{KeyUse, Keys, RemoteEmbedder, is_private};
use graphloom_llm::resolve::{EmbedderSpec, RemoteSpec};
use graphloom_llm::{Embedder, ModelError, RemoteConfig};

use crate::{DataDir, Failure, Progress};

/// The role whose key, such as `LLM_API_KEY_EMBEDDINGS`, goes to the server of the embeddings.
const ROLE: &str = "embeddings";

/// Makes the model that makes vectors of passages; none for `off`. Says which server the passages are sent to, before
/// anything is sent. The one inside this program is fetched when it is not there; with `may_ask` a person is asked before
/// `pip` is run.
///
/// # Errors
/// A wrong address, a key that would go in the open, weights that cannot be fetched or read.
pub async fn build_embedder(
    spec: &EmbedderSpec,
    dirs: &DataDir,
    progress: &Progress,
    may_ask: bool,
) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    Ok(match spec {
        EmbedderSpec::Embedded => Some(in_process(dirs, progress, may_ask).await?),
        EmbedderSpec::Remote(remote) => Some(Arc::new(behind_server(remote, progress)?)),
        _ => None,
    })
}

fn behind_server(remote: &RemoteSpec, progress: &Progress) -> Result<RemoteEmbedder, ModelError> {
    let (mut config, base_url) = (RemoteConfig::from(remote), remote.base_url());
    let keys = Keys::from_env([ROLE])?;
    let used = match keys.of(ROLE, base_url, None)? {
        KeyUse::None => keys.elsewhere(remote.provider()).unwrap_or(KeyUse::None),
        used => used,
    };
    match used {
        KeyUse::Sent { key, source } => (config.key, config.key_variable) = (Some(key), source),
        KeyUse::Withheld { source, why } => progress.note(format!("`{source}` is not sent to `{base_url}`: {why}")),
        KeyUse::None => {}
    }
    let embedder = RemoteEmbedder::new(config)?;
    progress.note(format!("the passages of the corpus, and what is searched for, are sent to `{base_url}`"));
    if !is_private(base_url) {
        progress.warn(format!(
            "`{base_url}` is another machine and plain `http`: everybody on the way can read what is sent there"
        ));
    }
    Ok(embedder)
}

#[cfg(feature = "embedded")]
async fn in_process(dirs: &DataDir, progress: &Progress, may_ask: bool) -> Result<Arc<dyn Embedder>, ModelError> {
    use graphloom_llm_embedded::weights::{ALL_MINILM_L6_V2, KnownModel};
    use graphloom_llm_embedded::{EmbeddedError, MiniLm};

    use super::embedded::{fetch_options, fetch_weights, installed_weights};

    let (dirs, progress) = (dirs.clone(), progress.clone());
    let options = fetch_options(may_ask, &progress);
    let loaded = tokio::task::spawn_blocking(move || {
        let installed = |model: &KnownModel| match installed_weights(model, &dirs) {
            Ok(Some(path)) => Ok(path),
            Ok(None) => fetch_weights(model, &dirs, &options, &progress),
            Err(error) => {
                progress.warn(format!("{error}; it is fetched again now"));
                fetch_weights(model, &dirs, &options, &progress)
            }
        };
        let network = installed(&ALL_MINILM_L6_V2)?;
        let needed = ALL_MINILM_L6_V2.needs.iter().map(installed).collect::<Result<Vec<_>, EmbeddedError>>()?;
        progress.phase("loading the embedding model");
        MiniLm::load(&network, &needed[0])
    });
    match loaded.await {
        Ok(model) => Ok(Arc::new(model?)),
        Err(error) => {
            Err(ModelError::Setup { message: format!("loading the embedding model was interrupted: {error}") })
        }
    }
}

#[cfg(not(feature = "embedded"))]
async fn in_process(_: &DataDir, _: &Progress, _: bool) -> Result<Arc<dyn Embedder>, ModelError> {
    let message = crate::CliError::NotBuilt { feature: "embedded", option: "--embeddings" }.to_string();
    Err(ModelError::Setup { message })
}
