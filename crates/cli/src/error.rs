//! What can go wrong before and around a run.

use std::path::PathBuf;

use crate::ExitStatus;

/// An error of the command line, by whose fault it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// What the user wrote makes no sense.
    #[error("{message}")]
    Usage {
        /// What is wrong and what to write instead.
        message: String,
    },
    /// A parameter that does not exist.
    #[error("{source_name}: there is no parameter `{key}`{}", suggestion(nearest.as_deref(), known))]
    UnknownParameter {
        /// Where it stands: a file, or `--set`.
        source_name: String,
        /// The parameter.
        key: String,
        /// The parameter that was probably meant.
        nearest: Option<String>,
        /// All parameters beside it.
        known: Vec<String>,
    },
    /// A parameter has a value that it cannot have.
    #[error("{source_name}: the parameter `{key}` cannot be set: {message}")]
    WrongParameter {
        /// Where it stands.
        source_name: String,
        /// The parameter.
        key: String,
        /// What fits instead.
        message: String,
    },
    /// A file of parameters cannot be understood.
    #[error("`{}` is not a file of parameters: {message}", path.display())]
    ConfigFile {
        /// The file.
        path: PathBuf,
        /// Where and why.
        message: String,
    },
    /// No place for data is known.
    #[error("no directory for runs and models is known; name one with `--data-dir DIR` or set `GRAPHLOOM_HOME`")]
    NoHome,
    /// A file or directory cannot be used.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no such run.
    #[error("there is no run `{thread}` in `{place}`{}", match nearest {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => "; `runs` lists those that are there".to_owned(),
    })]
    UnknownRun {
        /// The run.
        thread: String,
        /// The database.
        place: String,
        /// The run that was probably meant.
        nearest: Option<String>,
    },
    /// A drawing cannot be laid out.
    #[error("the drawing cannot be laid out: {message}")]
    Drawing {
        /// What the reader of its text says.
        message: String,
    },
    /// This program was built without a part.
    #[error(
        "this program was built without `{feature}`; build it with `--features {feature}`, or choose another `{option}`"
    )]
    NotBuilt {
        /// The cargo feature.
        feature: &'static str,
        /// The option that asked for it.
        option: &'static str,
    },
}

impl CliError {
    /// A [`CliError::Usage`].
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into() }
    }

    /// The status that the program ends with.
    pub fn status(&self) -> ExitStatus {
        match self {
            Self::Usage { .. }
            | Self::UnknownParameter { .. }
            | Self::WrongParameter { .. }
            | Self::ConfigFile { .. }
            | Self::UnknownRun { .. }
            | Self::NotBuilt { .. } => ExitStatus::Usage,
            _ => ExitStatus::Failed,
        }
    }

    /// An error of a file or directory, for `map_err`.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

fn suggestion(nearest: Option<&str>, known: &[String]) -> String {
    match (nearest, known) {
        (Some(nearest), _) => format!("; did you mean `{nearest}`?"),
        (None, []) => "; nothing can be set here".to_owned(),
        (None, known) => format!("; there are `{}`", known.join("`, `")),
    }
}
