//! `update_note`: an edit of one note.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use graphloom_vault::{NotePath, Notes, Overlay, VaultError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::names::{broken_in_words, broken_links, count, find_note};
use super::workspace::{Workspace, tool_error};

pub(super) struct UpdateNote(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UpdateArguments {
    /// The note: its path, its name or its title.
    #[schemars(length(min = 1, max = 500))]
    path: String,
    /// What to do; told by the other arguments unless set.
    #[serde(default)]
    operation: Option<Operation>,
    /// The new text.
    #[serde(default)]
    content: Option<String>,
    /// For `section`: the heading below which the text is replaced.
    #[serde(default)]
    section: Option<String>,
    /// For `replace`: the exact text that is replaced by `content`.
    #[serde(default)]
    old_text: Option<String>,
    /// For `replace`: how often `old_text` must be there; 1 unless set.
    #[serde(default)]
    #[schemars(range(min = 1))]
    expected_count: Option<usize>,
    /// For `frontmatter`: keys and their values; null removes a key.
    #[serde(default)]
    frontmatter: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Append,
    Prepend,
    Section,
    Replace,
    Frontmatter,
}

/// One edit with all that it needs.
enum Edit {
    Append(String),
    Prepend(String),
    Section { heading: String, content: String },
    Replace { old: String, new: String, expected: usize },
    Frontmatter(Map<String, Value>),
}

impl TypedTool for UpdateNote {
    type Arguments = UpdateArguments;
    const NAME: &'static str = "update_note";
    const DESCRIPTION: &'static str = include_str!("descriptions/update_note.txt");
    const RISK: Risk = Risk::Write;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("title", "path"),
        ("name", "path"),
        ("note", "path"),
        ("file", "path"),
        ("filename", "path"),
        ("file_name", "path"),
        ("file_path", "path"),
        ("note_path", "path"),
        ("op", "operation"),
        ("mode", "operation"),
        ("action", "operation"),
        ("text", "content"),
        ("body", "content"),
        ("new_text", "content"),
        ("new_string", "content"),
        ("new_content", "content"),
        ("replacement", "content"),
        ("heading", "section"),
        ("old", "old_text"),
        ("old_string", "old_text"),
        ("old_content", "old_text"),
        ("find", "old_text"),
        ("search", "old_text"),
        ("count", "expected_count"),
        ("expected", "expected_count"),
        ("expected_replacements", "expected_count"),
        ("properties", "frontmatter"),
        ("metadata", "frontmatter"),
    ];

    async fn run(&self, arguments: UpdateArguments) -> Result<ToolOutput, ToolError> {
        let name = arguments.path.clone();
        let edit = Edit::read(arguments)?;
        let changed = self
            .0
            .change(move |sight| {
                let path = find_note(sight.overlay, sight.index, &name)?;
                sight.check_seen(&path)?;
                let before = sight.overlay.expect(&path).map_err(|error| tool_error(&error))?;
                edit.make(sight.overlay, &path).map_err(|error| tool_error(&error))?;
                let after = sight.overlay.expect(&path).map_err(|error| tool_error(&error))?;
                Ok((edit.in_words(), before, after))
            })
            .await?;
        let (what, before, after) = changed.value;
        let path = after.path();
        let (was, is) = (before.text().lines().count(), after.text().lines().count());
        let broken = broken_links(&changed.links, path);
        let message = if before.hash() == after.hash() {
            format!("`{path}` is as it was: the edit changes nothing.")
        } else {
            format!(
                "{what} in `{path}`: {} before, {is} after.{}",
                count(was, "line", "lines"),
                broken_in_words(&broken)
            )
        };
        let data = json!({ "path": path, "before": before.hash(), "hash": after.hash(), "lines_before": was, "lines": is,
                           "changed": before.hash() != after.hash(), "broken_links": broken });
        Ok(ToolOutput::new(message).with_data(data))
    }
}

impl Edit {
    /// The edit that the arguments say, or what is missing for it.
    fn read(arguments: UpdateArguments) -> Result<Self, ToolError> {
        let UpdateArguments { operation, content, section, old_text, expected_count, frontmatter, .. } = arguments;
        let operation = operation.unwrap_or(match (&frontmatter, &old_text, &section) {
            (Some(_), ..) if content.is_none() => Operation::Frontmatter,
            (_, Some(_), _) => Operation::Replace,
            (_, _, Some(_)) => Operation::Section,
            _ => Operation::Append,
        });
        let need = |name: &str, given: Option<String>| {
            given.ok_or_else(|| missing(operation, &format!("`{name}` must be there")))
        };
        Ok(match operation {
            Operation::Append => Self::Append(need("content", content)?),
            Operation::Prepend => Self::Prepend(need("content", content)?),
            Operation::Section => {
                Self::Section { heading: need("section", section)?, content: need("content", content)? }
            }
            Operation::Replace => {
                let old = need("old_text", old_text)?;
                if old.is_empty() {
                    return Err(missing(operation, "`old_text` is empty"));
                }
                Self::Replace { old, new: need("content", content)?, expected: expected_count.unwrap_or(1) }
            }
            Operation::Frontmatter => match frontmatter.filter(|keys| !keys.is_empty()) {
                Some(keys) => Self::Frontmatter(keys),
                None => return Err(missing(operation, "`frontmatter` must be there with at least one key")),
            },
        })
    }

    fn make(&self, overlay: &mut Overlay, path: &NotePath) -> Result<(), VaultError> {
        match self {
            Self::Append(content) => overlay.append(path, content),
            Self::Prepend(content) => overlay.prepend(path, content),
            Self::Section { heading, content } => overlay.replace_section(path, heading, content),
            Self::Replace { old, new, expected } => overlay.replace_text(path, old, new, *expected),
            Self::Frontmatter(keys) => {
                for (key, value) in keys {
                    if value.is_null() {
                        overlay.remove_frontmatter(path, key)?;
                    } else {
                        overlay.set_frontmatter(path, key, value.clone())?;
                    }
                }
                Ok(())
            }
        }
    }

    fn in_words(&self) -> String {
        match self {
            Self::Append(_) => "Added text at the end".to_owned(),
            Self::Prepend(_) => "Added text at the start".to_owned(),
            Self::Section { heading, .. } => {
                format!("Replaced the section `{}`", heading.trim_start_matches('#').trim())
            }
            Self::Replace { expected, .. } => format!("Replaced text in {}", count(*expected, "place", "places")),
            Self::Frontmatter(keys) => {
                let names: Vec<String> = keys.keys().map(|key| format!("`{key}`")).collect();
                format!("Set the frontmatter keys {}", names.join(", "))
            }
        }
    }
}

fn missing(operation: Operation, what: &str) -> ToolError {
    let (name, needs) = match operation {
        Operation::Append => ("append", "`content`"),
        Operation::Prepend => ("prepend", "`content`"),
        Operation::Section => ("section", "`section` and `content`"),
        Operation::Replace => ("replace", "`old_text` and `content`"),
        Operation::Frontmatter => ("frontmatter", "`frontmatter`"),
    };
    ToolError::Arguments {
        tool: UpdateNote::NAME.to_owned(),
        faults: vec![format!("at the top level: {what} for the operation `{name}`")],
        hint: format!(
            "`{name}` needs {needs}; the operations are `append`, `prepend`, `section`, `replace`, `frontmatter`"
        ),
    }
}
