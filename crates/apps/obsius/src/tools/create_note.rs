//! `create_note`: a new note.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use graphloom_vault::{NotePath, Notes};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::names::{broken_in_words, broken_links, links_in_words};
use super::workspace::{Workspace, tool_error};

pub(super) struct CreateNote(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateArguments {
    /// The title, which becomes the name; or the path, when it has a `/` or ends in `.md`.
    #[schemars(length(min = 1, max = 255))]
    title: String,
    /// The text in Markdown; other notes are linked as [[Name]].
    #[serde(default)]
    content: String,
    /// The folder; the top of the vault unless set.
    #[serde(default)]
    folder: Option<String>,
    /// The tags, without #.
    #[serde(default)]
    tags: Vec<String>,
    /// Keys and values for the frontmatter.
    #[serde(default)]
    frontmatter: Map<String, Value>,
}

impl TypedTool for CreateNote {
    type Arguments = CreateArguments;
    const NAME: &'static str = "create_note";
    const DESCRIPTION: &'static str = include_str!("descriptions/create_note.txt");
    const RISK: Risk = Risk::Write;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "title"),
        ("name", "title"),
        ("note", "title"),
        ("file", "title"),
        ("filename", "title"),
        ("file_name", "title"),
        ("file_path", "title"),
        ("note_title", "title"),
        ("body", "content"),
        ("text", "content"),
        ("markdown", "content"),
        ("directory", "folder"),
        ("dir", "folder"),
        ("tag", "tags"),
        ("properties", "frontmatter"),
        ("metadata", "frontmatter"),
    ];

    async fn run(&self, arguments: CreateArguments) -> Result<ToolOutput, ToolError> {
        let (path, changed_name) = place(&arguments)?;
        let CreateArguments { content, mut frontmatter, tags, .. } = arguments;
        if !tags.is_empty() {
            let tags: Vec<Value> = tags.iter().map(|tag| tag.trim().trim_start_matches('#').into()).collect();
            frontmatter.insert("tags".to_owned(), Value::Array(tags));
        }
        let mut text = content;
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let wanted = path.clone();
        let changed = self
            .0
            .change(move |sight| {
                let made = sight.overlay.create(&wanted, &text).map_err(|error| tool_error(&error))?;
                for (key, value) in &frontmatter {
                    sight.overlay.set_frontmatter(&wanted, key, value.clone()).map_err(|error| tool_error(&error))?;
                }
                Ok((sight.overlay.expect(&wanted).map_err(|error| tool_error(&error))?, made))
            })
            .await?;
        let (note, made) = changed.value;
        let broken = broken_links(&changed.links, &path);
        let lines = note.text().lines().count();
        let mut message = format!("Created `{path}` with {}.", super::names::count(lines, "line", "lines"));
        if !changed_name.is_empty() {
            message.push_str(&format!(" Its name differs from the title: {}.", changed_name.join("; ")));
        }
        if made.links() > 0 {
            let links = links_in_words(&made.relinked);
            message.push_str(&format!("{links} They led to another note of this name, and still do."));
        }
        message.push_str(&broken_in_words(&broken));
        let data = json!({ "path": path, "hash": note.hash(), "lines": lines, "links": note.links().len(),
                           "relinked": made.relinked, "broken_links": broken });
        Ok(ToolOutput::new(message).with_data(data))
    }
}

/// Where the note goes, and how its name differs from the title.
fn place(arguments: &CreateArguments) -> Result<(NotePath, Vec<String>), ToolError> {
    let folder = arguments.folder.as_deref().unwrap_or_default().trim().trim_matches('/');
    let title = arguments.title.trim();
    let is_path = title.ends_with(".md") || (folder.is_empty() && title.contains('/'));
    if is_path {
        let below = !folder.is_empty() && !title.to_lowercase().starts_with(&format!("{}/", folder.to_lowercase()));
        let whole = if below { format!("{folder}/{title}") } else { title.to_owned() };
        return Ok((NotePath::parse_lenient(&whole).map_err(|error| tool_error(&error))?, Vec::new()));
    }
    let titled = NotePath::for_title(folder, title).map_err(|error| tool_error(&error))?;
    Ok((titled.path, titled.changed))
}
