//! Making a model from its name.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use super::ModelSpec;
use crate::cassette::{Cassette, Replay};
use crate::{ChatModel, ModelError, Notes, Remote, RemoteConfig, Scripted};

/// A model that runs inside this program. The caller makes such a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelSource {
    /// The built-in model.
    Embedded,
    /// Weights in a file.
    Gguf(PathBuf),
}

/// Makes the model that `spec` names, for `role`. `local` makes models that run inside this program; `notes` takes the
/// events around calls of the others. A model behind a server gets no key: [`Keys`](crate::providers::Keys) decides
/// which key belongs to the model, and the caller sets that key.
///
/// # Errors
/// The errors of the model's own constructor; [`ModelError::Setup`] for several models, see [`ModelSpec::members`].
pub async fn resolve<F, Fut>(
    spec: &ModelSpec,
    role: &str,
    notes: &Notes,
    local: F,
) -> Result<Arc<dyn ChatModel>, ModelError>
where
    F: FnOnce(ModelSource) -> Fut,
    Fut: Future<Output = Result<Arc<dyn ChatModel>, ModelError>>,
{
    match spec {
        ModelSpec::Embedded => local(ModelSource::Embedded).await,
        ModelSpec::Gguf(path) => local(ModelSource::Gguf(path.clone())).await,
        ModelSpec::Remote(spec) => {
            let mut config = RemoteConfig::from(spec);
            config.notes = notes.clone();
            Ok(Arc::new(Remote::new(config)?))
        }
        ModelSpec::Scripted(path) => Ok(Arc::new(Scripted::open(path)?)),
        ModelSpec::FirstOf(chain) => {
            let message = format!("`{chain}` are several models; each is made for itself");
            Err(ModelError::Setup { message })
        }
        ModelSpec::Replay(path) => Ok(Arc::new(Replay::new(Arc::new(Cassette::replay(path)?), role)?)),
    }
}
