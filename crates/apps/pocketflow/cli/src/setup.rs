//! What the command line says: options, and parameters from a file and from `--set`.

use graphloom_cli::config::Layers;
use graphloom_cli::{ExitStatus, Failure, Session};
use graphloom_pocketflow::Config;
use graphloom_pocketflow::profile::profile;

use crate::args::WorkArgs;

/// What commands work with that go on with a conversation.
pub(crate) struct Setup {
    /// The options, complete: what the command line leaves open is that of the files `graphloom.toml`.
    pub(crate) work: WorkArgs,
    pub(crate) config: Config,
    pub(crate) session: Session,
}

impl Setup {
    /// The options and parameters, or `None` when the parameters were only to be printed.
    pub(crate) fn read(mut work: WorkArgs, session: Session) -> Result<Option<Self>, Failure> {
        let mut defaults = Config::default();
        defaults.small = profile()?.settings.small;
        // A conversation keeps no model and no sources of its own.
        session.files.fill_models(&mut work.run.models);
        session.files.fill_sources(&mut work.sources);
        let layers = Layers::of(&defaults, &session.files, &work.run.parameters)?;
        let config: Config = layers.build()?;
        config.check().map_err(Failure::usage)?;
        if work.run.parameters.print_config {
            let settings = layers.settings();
            session.progress.result(ExitStatus::Done, &settings.to_string(), &settings)?;
            return Ok(None);
        }
        Ok(Some(Self { work, config, session }))
    }
}
