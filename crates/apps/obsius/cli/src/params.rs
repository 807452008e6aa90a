//! The parameters of a run: defaults, then files, then `--set`.

use graphloom_cli::config::Layers;
use graphloom_cli::{ExitStatus, Failure, ParameterArgs, Session};
use graphloom_obsius::Config;
use graphloom_obsius::config::LOCAL_ITERATION_TIMEOUT_MS;

/// The parameters of a run, and who set them.
pub(crate) struct Params {
    layers: Layers,
}

impl Params {
    /// The parameters, or `None` when they were only to be printed.
    pub(crate) fn read(given: &ParameterArgs, session: &Session) -> Result<Option<Self>, Failure> {
        let layers = Layers::of(&Config::default(), &session.files, given)?;
        let config: Config = layers.build()?;
        config.check().map_err(Failure::usage)?;
        if given.print_config {
            let settings = layers.settings();
            session.progress.result(ExitStatus::Done, &settings.to_string(), &settings)?;
            return Ok(None);
        }
        Ok(Some(Self { layers }))
    }

    /// The parameters for a model; a small one gets more time for an iteration unless that was set.
    pub(crate) fn config(&self, small: bool) -> Result<(Config, Option<String>), Failure> {
        let mut config: Config = self.layers.build()?;
        let settings = self.layers.settings();
        let is_default =
            settings.0.iter().any(|setting| setting.key == "ITERATION_TIMEOUT_MS" && setting.source == "default");
        if !(small && is_default) {
            return Ok((config, None));
        }
        config.iteration_timeout_ms = LOCAL_ITERATION_TIMEOUT_MS;
        let notice = format!(
            "`ITERATION_TIMEOUT_MS` is raised to {LOCAL_ITERATION_TIMEOUT_MS}, because the model runs inside this program"
        );
        Ok((config, Some(notice)))
    }
}
