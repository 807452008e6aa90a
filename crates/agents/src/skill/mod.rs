//! Skills: folders with instructions that a model loads when it needs them.
//!
//! A skill is a folder with a file `SKILL.md`, in the form that editors and agents use
//! ([agentskills.io](https://agentskills.io/specification)): front matter with `name` and `description`, then instructions in
//! Markdown; further files may stand beside it.
//!
//! - The model reads names and descriptions of all skills, in the description of the tool `load_skill`.
//! - `load_skill` gives it the instructions of one and the list of its files, `read_skill_file` one of those files.
//! - Nothing is written or run, and nothing is read outside of the folder, whatever a link in it says.
//!
//! Instructions and further Markdown files of a skill are the words of the person who named its folder: the model follows them.
//! All other files are data, as what any tool answers. Name folders that you trust.

mod front_matter;
mod read;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{AgentError, ToolRegistry};
use tools::{LoadSkill, ReadSkillFile};

/// The most skills.
const SKILLS: usize = 100;
/// The longest description that the model reads.
const DESCRIPTION: usize = 1_024;

/// The skills of some folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skills {
    skills: Vec<Skill>,
    notes: Vec<String>,
}

/// One skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it does and when it is of use.
    pub description: String,
    /// Its folder, without links.
    pub folder: PathBuf,
    /// Its file of instructions.
    file: PathBuf,
}

impl Skills {
    /// Reads skills: each folder is one, or holds some. What cannot be used is left out and [noted](Self::notes).
    ///
    /// # Errors
    /// [`AgentError::Skills`] for a folder that cannot be read, or holds no skill.
    pub fn read<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Self, AgentError> {
        let mut found = Self::default();
        for folder in folders {
            let folder = folder.as_ref();
            let wrong = |message: String| AgentError::Skills { folder: folder.to_owned(), message };
            let candidates = read::candidates(folder).map_err(|error| wrong(error.to_string()))?;
            if candidates.is_empty() {
                return Err(wrong("neither it nor a folder in it has a file `SKILL.md`".to_owned()));
            }
            for candidate in candidates {
                found.take(&candidate);
            }
        }
        Ok(found)
    }

    fn take(&mut self, folder: &Path) {
        let place = folder.display();
        let mut skill = match read::skill(folder) {
            Ok(skill) => skill,
            Err(reason) => return self.notes.push(format!("the skill in `{place}` is left out: {reason}")),
        };
        if let Some(other) = self.skills.iter().find(|other| other.name == skill.name) {
            let other = other.folder.display();
            let reason = format!("`{other}` has a skill of the name `{}`, too", skill.name);
            return self.notes.push(format!("the skill in `{place}` is left out: {reason}"));
        }
        if self.skills.len() == SKILLS {
            return self.notes.push(format!("the skill in `{place}` is left out: there are {SKILLS} already"));
        }
        if folder.file_name().is_some_and(|name| name.to_string_lossy() != skill.name.as_str()) {
            self.notes.push(format!("the skill in `{place}` calls itself `{}`, and goes by that name", skill.name));
        }
        if let Some((end, _)) = skill.description.char_indices().nth(DESCRIPTION) {
            skill.description.truncate(end);
            self.notes
                .push(format!("the description of the skill `{}` is cut after {DESCRIPTION} characters", skill.name));
        }
        self.skills.push(skill);
    }

    /// The skills.
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    /// What was left out or read otherwise than it stands, as sentences.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Gives a model the skills, as two tools that only read; none where there are no skills.
    ///
    /// # Errors
    /// [`AgentError::Tool`] where there are tools of these names.
    pub fn register(&self, tools: &mut ToolRegistry) -> Result<(), AgentError> {
        if self.skills.is_empty() {
            return Ok(());
        }
        let skills: Arc<[Skill]> = self.skills.clone().into();
        tools.register(Arc::new(LoadSkill::new(Arc::clone(&skills))))?;
        tools.register(Arc::new(ReadSkillFile::new(skills)))?;
        Ok(())
    }
}
