//! The profile: which agent serves what, as data, and the prompt files.

use graphloom_agents::{AgentError, Profile, Prompts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The profile of this application.
pub type ObsiusProfile = Profile<Settings>;

/// The settings of a profile beyond its agents: there are none, and any is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {}

/// The built-in profile.
///
/// # Errors
/// None for the built-in file; the signature is that of [`Profile::parse`].
pub fn profile() -> Result<ObsiusProfile, AgentError> {
    Profile::parse(include_str!("../profiles/obsius.toml"))
}

macro_rules! templates {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!(concat!("../prompts/", $name, ".j2")))),+] };
}

/// The built-in prompt files.
pub const TEMPLATES: &[(&str, &str)] = templates![
    "_earlier",
    "_vault",
    "_progress",
    "simple",
    "unchanged",
    "analyze",
    "execute",
    "reflect",
    "answer",
    "small/tool",
    "small/analyze",
    "small/title",
    "small/group",
    "small/judge",
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
        for action in ["simple", "analyze", "execute", "reflect", "answer", "tool", "title", "group"] {
            profile.agent(action, "any").unwrap();
        }
    }
}
