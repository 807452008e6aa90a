//! Every parameter of a conversation, by its name in a file of parameters.

use serde::{Deserialize, Serialize};

use crate::profile::SmallRules;
use crate::research::LiteratureConfig;
use crate::resources::Limits;

/// Every parameter of a conversation, by the names of `--config` and `--set`.
///
/// ```
/// use graphloom_pocketflow::Config;
///
/// let mut config = Config::default();
/// config.limits.records = 0;
/// assert!(config.check().unwrap_err().contains("`limits.records` is 0"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Config {
    /// Limits of a conversation.
    pub limits: Limits,
    /// How the sources of the network are asked.
    pub literature: LiteratureConfig,
    /// How models that answer inside a grammar are led.
    pub small: SmallRules,
}

impl Config {
    /// Whether the parameters make sense together.
    ///
    /// # Errors
    /// What does not, and what to set instead.
    pub fn check(&self) -> Result<(), String> {
        let limits = &self.limits;
        let least = [
            ("limits.records_per_query", limits.records_per_query),
            ("limits.records", limits.records),
            ("limits.record_bytes", limits.record_bytes),
            ("small.records", self.small.records),
            ("small.sentences", self.small.sentences),
            ("small.groups", self.small.groups),
            ("literature.deadline_seconds", usize::try_from(self.literature.deadline_seconds).unwrap_or(usize::MAX)),
        ];
        if let Some((name, _)) = least.iter().find(|(_, value)| *value == 0) {
            return Err(format!("`{name}` is 0; give 1 or more"));
        }
        match (self.literature.since, self.literature.until) {
            (Some(since), Some(until)) if since > until => {
                Err(format!("`literature.since` is {since}, after `literature.until`, {until}; no work can be of both"))
            }
            _ => Ok(()),
        }
    }
}
