//! The tools by which a model reads skills.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_llm::ToolSpec;
use serde_json::{Value, json};

use super::{Skill, read};
use crate::{Risk, Tool, ToolError, ToolOutput};

/// The names of the tools.
const LOAD: &str = "load_skill";
const FILE: &str = "read_skill_file";

/// Gives the instructions of a skill.
pub(super) struct LoadSkill {
    spec: ToolSpec,
    skills: Arc<[Skill]>,
}

/// Gives a further file of a skill.
pub(super) struct ReadSkillFile {
    spec: ToolSpec,
    skills: Arc<[Skill]>,
}

/// The names of skills, as a type of an argument.
fn names(skills: &[Skill]) -> Value {
    json!({"enum": skills.iter().map(|skill| skill.name.as_str()).collect::<Vec<_>>(), "description": "The name of the skill."})
}

fn spec(name: &str, description: String, properties: &Value, required: &[&str]) -> ToolSpec {
    let parameters = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false
    });
    ToolSpec { name: name.to_owned(), description, parameters, strict: false }
}

fn found<'s>(skills: &'s [Skill], arguments: &Value) -> Result<&'s Skill, ToolError> {
    let name = arguments.get("name").and_then(Value::as_str).unwrap_or_default();
    skills
        .iter()
        .find(|skill| skill.name == name)
        .ok_or_else(|| ToolError::refused(format!("there is no skill `{name}`")))
}

impl LoadSkill {
    pub(super) fn new(skills: Arc<[Skill]>) -> Self {
        let mut description =
            "Gives you the instructions of a skill. Load one before you do what it is for. The skills are:".to_owned();
        for skill in &*skills {
            let words: Vec<&str> = skill.description.split_whitespace().collect();
            description.push_str(&format!("\n- {}: {}", skill.name, words.join(" ")));
        }
        let spec = spec(LOAD, description, &json!({ "name": names(&skills) }), &["name"]);
        Self { spec, skills }
    }
}

impl ReadSkillFile {
    pub(super) fn new(skills: Arc<[Skill]>) -> Self {
        let description = "Reads a file of a skill, one of those that `load_skill` lists.".to_owned();
        let path = json!({"type": "string", "description": "Its path in the skill, as in `references/forms.md`."});
        let spec = spec(FILE, description, &json!({ "name": names(&skills), "path": path }), &["name", "path"]);
        Self { spec, skills }
    }
}

#[async_trait]
impl Tool for LoadSkill {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn risk(&self) -> Risk {
        Risk::Read
    }

    fn aliases(&self) -> &[(&str, &str)] {
        &[("skill", "name"), ("skill_name", "name")]
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let skill = found(&self.skills, &arguments)?;
        let mut text = read::body(skill).map_err(ToolError::failed)?;
        let (files, more) = read::files(skill);
        if !files.is_empty() {
            text.push_str(&format!("\n\nFiles of this skill, which `{FILE}` reads:"));
            files.iter().for_each(|file| text.push_str(&format!("\n- {file}")));
            if more {
                text.push_str("\n- and more");
            }
        }
        Ok(ToolOutput::new(text).with_origin(format!("skill {}", skill.name)).followed())
    }
}

#[async_trait]
impl Tool for ReadSkillFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn risk(&self) -> Risk {
        Risk::Read
    }

    fn aliases(&self) -> &[(&str, &str)] {
        &[("skill", "name"), ("skill_name", "name"), ("file", "path"), ("file_path", "path")]
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let skill = found(&self.skills, &arguments)?;
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        let text = read::file(skill, path).map_err(ToolError::refused)?;
        let output = ToolOutput::new(text).with_origin(format!("skill {}, file {path}", skill.name));
        let is_markdown = Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
        Ok(if is_markdown { output.followed() } else { output })
    }
}
