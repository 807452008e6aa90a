//! The options that name graphs, and what these work with.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use graphloom_cli::{Failure, ModelArgs, Session, SourceArgs};

#[derive(Args, Debug)]
pub(crate) struct GraphArgs {
    /// The demo graphs, which need no model
    #[arg(long)]
    pub(crate) demo: bool,
    /// The applications: `writehere`, `obsius`, `pocketflow`, `deepsearch`, or `none`; all of them unless given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    apps: Vec<App>,
    /// A vault of notes for `obsius`, which clients know by the name of its folder; may be given several times. What runs
    /// change in it is reviewed by their clients
    #[arg(long, value_name = "DIR")]
    pub(super) vault: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) models: ModelArgs,
    #[command(flatten)]
    pub(super) sources: SourceArgs,
}

/// An application that can be served.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum App {
    /// Reports and stories
    Writehere,
    /// Requests about a vault of notes
    Obsius,
    /// Research conversations
    Pocketflow,
    /// Cited reports
    Deepsearch,
    /// None of them
    None,
}

impl GraphArgs {
    /// Fills in what files say of models and sources.
    ///
    /// # Errors
    /// No graph is named.
    pub(crate) fn filled(mut self, session: &Session) -> Result<Self, Failure> {
        session.files.fill_models(&mut self.models);
        session.files.fill_sources(&mut self.sources);
        if self.demo || self.has_any() {
            return Ok(self);
        }
        Err(Failure::usage("there is no graph to serve; `--apps` names applications, `--demo` adds the demo graphs"))
    }

    /// Whether an application is named.
    pub(super) fn has(&self, app: App) -> bool {
        self.apps.is_empty() || self.apps.contains(&app)
    }

    /// Whether any application is.
    pub(super) fn has_any(&self) -> bool {
        [App::Writehere, App::Obsius, App::Pocketflow, App::Deepsearch].into_iter().any(|app| self.has(app))
    }
}
