//! Profiles: which agent serves an (action, task type), as data.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{AgentError, Prompts, Strategy};

/// The task type that stands for every type without an entry of its own.
const ANY: &str = "*";

/// A profile file: agents by action and task type, and the application's own settings `S`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Profile<S = toml::Table> {
    /// The profile's name.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The application's task type for each word a model may write.
    #[serde(default)]
    pub task_types: BTreeMap<String, String>,
    /// The agents: action, then task type, `*` for every other type.
    pub agents: BTreeMap<String, BTreeMap<String, AgentSpec>>,
    /// The application's own settings.
    #[serde(default)]
    pub settings: S,
}

/// One agent: how its prompt is made, which model answers, how the reply is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AgentSpec {
    /// The template's name.
    pub template: String,
    /// The template for models that are guided; `template` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub small: Option<String>,
    /// The role that chooses the model.
    pub role: String,
    /// Sampling temperature; left to the model when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// The most tokens of one reply; left to the model when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How many replies are read before the agent gives up; at least one.
    pub tries: u32,
    /// The tag in the reply for each part the parser looks for.
    pub tags: BTreeMap<String, String>,
}

impl Default for AgentSpec {
    fn default() -> Self {
        Self {
            template: String::new(),
            small: None,
            role: "default".into(),
            temperature: None,
            max_tokens: None,
            tries: 3,
            tags: BTreeMap::new(),
        }
    }
}

impl AgentSpec {
    /// The template's name for models that are worked with in this way.
    pub fn template_for(&self, strategy: Strategy) -> &str {
        match strategy {
            Strategy::Free => &self.template,
            Strategy::Guided => self.small.as_deref().unwrap_or(&self.template),
        }
    }

    /// The tag for a part of the reply, the part's own name when the profile names none.
    pub fn tag<'a>(&'a self, part: &'a str) -> &'a str {
        self.tags.get(part).map_or(part, String::as_str)
    }
}

impl<S: DeserializeOwned + Default> Profile<S> {
    /// Reads a profile from TOML.
    ///
    /// # Errors
    /// [`AgentError::Profile`] with the line when the text is not TOML, a field is unknown or an agent has no template.
    pub fn parse(text: &str) -> Result<Self, AgentError> {
        let profile: Self = toml::from_str(text)
            .map_err(|e| AgentError::Profile { profile: "?".into(), message: e.to_string().trim_end().to_string() })?;
        for (action, types) in &profile.agents {
            for (task_type, spec) in types {
                if spec.template.is_empty() {
                    return Err(profile.wrong(format!("`agents.{action}.{task_type}` needs a `template`")));
                }
            }
        }
        Ok(profile)
    }
}

impl<S> Profile<S> {
    /// The agent for an action on a task type.
    ///
    /// # Errors
    /// [`AgentError::Profile`] naming what the profile has.
    pub fn agent(&self, action: &str, task_type: &str) -> Result<&AgentSpec, AgentError> {
        let types = self.agents.get(action).ok_or_else(|| {
            self.wrong(format!("no agent for action `{action}`; it has {}", quoted(self.agents.keys())))
        })?;
        types.get(task_type).or_else(|| types.get(ANY)).ok_or_else(|| {
            self.wrong(format!(
                "no agent for action `{action}` on task type `{task_type}`; it has {}",
                quoted(types.keys())
            ))
        })
    }

    /// Checks that every template the profile names exists.
    ///
    /// # Errors
    /// [`AgentError::Profile`] naming the first agent whose template is missing.
    pub fn check(&self, prompts: &Prompts) -> Result<(), AgentError> {
        for (action, types) in &self.agents {
            for (task_type, spec) in types {
                for template in std::iter::once(&spec.template).chain(&spec.small) {
                    if prompts.version(template).is_none() {
                        return Err(self.wrong(format!(
                            "`agents.{action}.{task_type}` names the template `{template}`, which does not exist; the templates are {}",
                            quoted(prompts.names())
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    fn wrong(&self, message: String) -> AgentError {
        AgentError::Profile { profile: self.name.clone(), message }
    }
}

/// Names in backticks, separated by commas.
pub(crate) fn quoted<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|n| format!("`{}`", n.as_ref())).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
name = "demo"
task_types = { write = "write", analysis = "think" }
[agents.execute.write]
template = "w"
tags = { article = "text" }
[agents.execute."*"]
template = "other"
small = "tiny"
[settings]
depth = 3
"#;

    #[test]
    fn the_exact_type_wins_over_any() {
        let profile: Profile = Profile::parse(TEXT).unwrap();
        assert_eq!(profile.agent("execute", "write").unwrap().template, "w");
        assert_eq!(profile.agent("execute", "think").unwrap().template, "other");
        assert_eq!(profile.agent("execute", "write").unwrap().tag("article"), "text");
        assert_eq!(profile.agent("execute", "write").unwrap().tag("think"), "think");
        assert_eq!(profile.settings["depth"].as_integer(), Some(3));
    }

    #[test]
    fn a_guided_model_gets_the_template_for_small_ones_where_there_is_one() {
        let profile: Profile = Profile::parse(TEXT).unwrap();
        for (task_type, free, guided) in [("write", "w", "w"), ("think", "other", "tiny")] {
            let spec = profile.agent("execute", task_type).unwrap();
            assert_eq!((spec.template_for(Strategy::Free), spec.template_for(Strategy::Guided)), (free, guided));
        }
    }

    #[test]
    fn what_is_missing_is_named_with_what_there_is() {
        let profile: Profile = Profile::parse(TEXT).unwrap();
        let error = profile.agent("plan", "write").unwrap_err().to_string();
        assert_eq!(error, "profile `demo`: no agent for action `plan`; it has `execute`");
        let prompts = Prompts::new(&[("w", "x"), ("other", "x")]).unwrap();
        let error = profile.check(&prompts).unwrap_err().to_string();
        assert!(error.contains("`agents.execute.*` names the template `tiny`"), "{error}");
    }

    #[test]
    fn mistakes_in_the_file_are_told() {
        for (text, part) in [
            ("name = \"x\"\nagent = 1\n[agents]", "unknown field `agent`"),
            ("name = \"x\"\n[agents.plan.write]\ntempature = 1\n", "unknown field `tempature`"),
            ("name = \"x\"\n[agents.plan.write]\nrole = \"plan\"\n", "`agents.plan.write` needs a `template`"),
            ("name = ", "line 1"),
        ] {
            let error = Profile::<toml::Table>::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
