//! The profile: which prompt and which model serve what is asked for, as data, and the prompt files.

use graphloom_agents::{AgentError, Profile, Prompts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The profile of this application.
///
/// Its agents are named by what is asked for. The task type `*` is the one call that a capable model answers; every other
/// one is a small question for a model that answers inside a grammar.
pub type FlowProfile = Profile<Settings>;

/// The settings of a profile beyond its agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// How models that answer inside a grammar are led.
    pub small: SmallRules,
}

/// How models that answer inside a grammar are led.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SmallRules {
    /// The most records that are read.
    pub records: usize,
    /// The most sentences of a record that are judged to find its claim.
    pub sentences: usize,
    /// The most groups of records that a gap is looked for in.
    pub groups: usize,
}

impl Default for SmallRules {
    fn default() -> Self {
        Self { records: 6, sentences: 3, groups: 3 }
    }
}

/// The built-in profile.
///
/// # Errors
/// None for the built-in file; the signature is that of [`Profile::parse`].
pub fn profile() -> Result<FlowProfile, AgentError> {
    Profile::parse(include_str!("../profiles/pocketflow.toml"))
}

macro_rules! templates {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!(concat!("../prompts/", $name, ".j2")))),+] };
}

/// The built-in prompt files.
pub const TEMPLATES: &[(&str, &str)] = templates![
    "queries",
    "extract",
    "themes",
    "gap",
    "proposal",
    "reply",
    "answer",
    "small/query",
    "small/judge",
    "small/quotes",
    "small/answer",
];

/// The built-in prompts.
///
/// # Errors
/// None for the built-in files; the signature is that of [`Prompts::new`].
pub fn prompts() -> Result<Prompts, AgentError> {
    Prompts::new(TEMPLATES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profile_fits_the_built_in_prompts() {
        let profile = profile().unwrap();
        profile.check(&prompts().unwrap()).unwrap();
        for (action, kind) in
            [("queries", "query"), ("extract", "judge"), ("gap", "judge"), ("proposal", "quotes"), ("answer", "short")]
        {
            let (whole, small) = (profile.agent(action, "*").unwrap(), profile.agent(action, kind).unwrap());
            assert_ne!(whole.template, small.template, "{action}/{kind}");
            assert_eq!(whole.role, small.role, "{action}/{kind}: one model does a thing, asked one way or the other");
        }
    }
}
