//! What can go wrong with the weights and with loading them.

use std::path::PathBuf;

use graphloom_llm::ModelError;

/// An error of fetching, checking or loading a model.
///
/// What fails while the model answers is a [`ModelError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// No place for the weights is known.
    #[error("no directory for the model's weights: set `GRAPHLOOM_HOME` to a directory that can be written")]
    NoDirectory,
    /// The weights are not on this machine.
    #[error("the weights of `{model}` are not in `{}`; run `{}`", path.display(), crate::weights::fetch_command(model))]
    Missing {
        /// The model.
        model: String,
        /// Where they were looked for.
        path: PathBuf,
    },
    /// The file is not the one that was asked for.
    #[error(
        "`{}` is damaged: its sha256 is `{actual}`, expected `{expected}`; run `graphloom model fetch` to replace it",
        path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The sha256 that it should have.
        expected: String,
        /// The sha256 that it has.
        actual: String,
    },
    /// The file ends early.
    #[error(
        "`{}` is incomplete: {actual} of {expected} bytes; run `graphloom model fetch` to replace it",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The size in bytes that it should have.
        expected: u64,
        /// The size in bytes that it has.
        actual: u64,
    },
    /// No source delivered the weights.
    #[error("the weights of `{model}` could not be fetched\n{tried}\n{commands}")]
    Offline {
        /// The model.
        model: String,
        /// One line per source: what was tried and what failed.
        tried: String,
        /// Commands that fetch the file by hand.
        commands: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not a GGUF file that can be read.
    #[error("`{}` cannot be read as GGUF: {message}", path.display())]
    Gguf {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The file is sound, but this engine does not run it.
    #[error("`{}` cannot be run here: {message}; use Ollama or llama-server for it", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What is not supported, and what is.
        message: String,
    },
    /// The engine's thread could not be started.
    #[error("the thread of the embedded model could not be started")]
    Thread(#[source] std::io::Error),
}

impl EmbeddedError {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

impl From<EmbeddedError> for ModelError {
    fn from(error: EmbeddedError) -> Self {
        Self::Setup { message: chain(&error) }
    }
}

/// An error with all its causes in one line. The runtime has the same for its own errors, which this crate does not know.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}
