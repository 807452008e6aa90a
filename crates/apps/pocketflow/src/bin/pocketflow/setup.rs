//! What the command line says: options, and parameters from a file and from `--set`.

use std::path::PathBuf;

use graphloom_cli::config::Layers;
use graphloom_cli::{CommonArgs, ExitStatus, Failure, Session};
use graphloom_pocketflow::Config;
use graphloom_pocketflow::profile::profile;

/// What all commands work with.
pub(crate) struct Setup {
    pub(crate) common: CommonArgs,
    /// Prompt files that replace those of the program.
    pub(crate) prompts: Option<PathBuf>,
    pub(crate) config: Config,
    pub(crate) session: Session,
}

impl Setup {
    /// The options and parameters, or `None` when the parameters were only to be printed.
    pub(crate) fn read(
        common: &CommonArgs,
        prompts: Option<PathBuf>,
        session: Session,
    ) -> Result<Option<Self>, Failure> {
        let mut defaults = Config::default();
        defaults.small = profile()?.settings.small;
        // A conversation keeps no model and no sources of its own.
        let common = session.files.for_new_run(common);
        let layers = Layers::of(&defaults, &session.files, &common)?;
        let config: Config = layers.build()?;
        config.check().map_err(Failure::usage)?;
        if common.print_config {
            let settings = layers.settings();
            session.progress.result(ExitStatus::Done, &settings.to_string(), &settings)?;
            return Ok(None);
        }
        Ok(Some(Self { common, prompts, config, session }))
    }
}
