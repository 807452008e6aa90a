//! Other limits for a run that goes on.

use graphloom_cli::config::{ConfigFiles, Layers};
use graphloom_cli::{CommonArgs, Failure};
use graphloom_obsius::Config;

/// Parameters that a run keeps, each with the reason.
const KEPT: [(&str, &str); 3] = [
    ("confidence_threshold", "it says from when on the work counts as complete, which the run was begun with"),
    ("max_subtasks", "the plan is made"),
    ("MAX_WORKING_MEMORY_ENTRIES", "the memory is made"),
];

/// The parameters of a run with what `--config` and `--set` change in them; none when they change nothing. What the files
/// `graphloom.toml` say is for runs that begin.
pub(crate) fn read(common: &CommonArgs, own: &Config) -> Result<Option<Config>, Failure> {
    if common.sets.is_empty() && common.config.is_none() {
        return Ok(None);
    }
    let layers = Layers::of(own, &ConfigFiles::default(), common)?;
    let config: Config = layers.build()?;
    config.check().map_err(Failure::usage)?;
    let settings = layers.settings();
    for changed in settings.0.iter().filter(|setting| setting.value != setting.default) {
        if let Some((name, why)) = KEPT.iter().find(|(name, _)| *name == changed.key) {
            let limits = settings.0.iter().map(|setting| setting.key.as_str());
            let limits: Vec<&str> = limits.filter(|key| KEPT.iter().all(|(kept, _)| kept != key)).collect();
            return Err(Failure::usage(format!(
                "`{name}` stays as it is in a run that goes on: {why}; what can be changed is {}",
                limits.join(", ")
            )));
        }
    }
    Ok((config != *own).then_some(config))
}
