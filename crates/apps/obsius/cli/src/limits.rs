//! Other limits for a run that goes on.

use graphloom_cli::config::{ConfigFiles, Layers};
use graphloom_cli::{ExitStatus, Failure, ParameterArgs, Session};
use graphloom_obsius::Config;

/// Parameters that a run keeps, each with the reason.
const KEPT: [(&str, &str); 3] = [
    ("confidence_threshold", "it says from when on the work counts as complete, which the run was begun with"),
    ("max_subtasks", "the plan is made"),
    ("MAX_WORKING_MEMORY_ENTRIES", "the memory is made"),
];

/// What `--config` and `--set` say of the parameters of a run that goes on.
pub(crate) enum Limits {
    /// Nothing.
    Own,
    /// Other ones.
    Changed(Config),
    /// They were only to be printed.
    Printed,
}

/// The parameters of a run with what `--config` and `--set` change in them. What the files `graphloom.toml` say is for runs
/// that begin.
pub(crate) fn read(given: &ParameterArgs, own: &Config, session: &Session) -> Result<Limits, Failure> {
    let layers = Layers::of(own, &ConfigFiles::default(), given)?;
    let config: Config = layers.build()?;
    if config != *own {
        config.check().map_err(Failure::usage)?;
    }
    let settings = layers.settings();
    for changed in settings.0.iter().filter(|setting| setting.value != setting.default) {
        if let Some((name, why)) = KEPT.iter().find(|(name, _)| *name == changed.key) {
            let limits = settings.0.iter().map(|setting| setting.key.as_str());
            let limits: Vec<&str> = limits.filter(|key| KEPT.iter().all(|(fixed, _)| fixed != key)).collect();
            return Err(Failure::usage(format!(
                "`{name}` stays as it is in a run that goes on: {why}; what can be changed is {}",
                limits.join(", ")
            )));
        }
    }
    if given.print_config {
        session.progress.result(ExitStatus::Done, &settings.to_string(), &settings)?;
        return Ok(Limits::Printed);
    }
    Ok(if config == *own { Limits::Own } else { Limits::Changed(config) })
}
