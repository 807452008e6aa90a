//! Making a model of its name.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use super::ModelSpec;
use crate::cassette::{Cassette, Replay};
use crate::{ChatModel, Compatible, CompatibleConfig, ModelError, Notes, Scripted};

/// A model that runs inside this program, which this crate does not make itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelSource {
    /// The built-in model.
    Embedded,
    /// Weights in a file.
    Gguf(PathBuf),
}

/// Makes the model that `spec` names, for `role`. A model behind a server gets no key: which one belongs to it, if any, is
/// for [`Keys`](crate::compatible::Keys) to say and for the caller to set. `local` makes those that run inside this program; `notes` takes what
/// happens around calls of the others.
///
/// # Errors
/// Those of the model's own constructor.
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
        ModelSpec::Compatible { name, base_url } => {
            let mut config = CompatibleConfig::new(name.clone(), base_url.clone());
            config.notes = notes.clone();
            Ok(Arc::new(Compatible::new(config)?))
        }
        ModelSpec::Scripted(path) => Ok(Arc::new(Scripted::open(path)?)),
        ModelSpec::Replay(path) => Ok(Arc::new(Replay::new(Arc::new(Cassette::replay(path)?), role)?)),
    }
}
