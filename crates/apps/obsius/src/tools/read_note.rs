//! `read_note`: one note, or a part of it.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use graphloom_vault::{Note, Notes};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names::{find_note, ticked};
use super::workspace::{Workspace, tool_error};

pub(super) struct ReadNote(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadArguments {
    /// The note: its path, its name or its title.
    #[schemars(length(min = 1, max = 500))]
    path: String,
    /// Only what stands below this heading.
    #[serde(default)]
    section: Option<String>,
    /// The first line to read, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    from_line: Option<usize>,
    /// How many lines at most.
    #[serde(default)]
    #[schemars(range(min = 1))]
    lines: Option<usize>,
}

impl TypedTool for ReadNote {
    type Arguments = ReadArguments;
    const NAME: &'static str = "read_note";
    const DESCRIPTION: &'static str = include_str!("descriptions/read_note.txt");
    const RISK: Risk = Risk::Read;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("title", "path"),
        ("name", "path"),
        ("note", "path"),
        ("file", "path"),
        ("filename", "path"),
        ("file_name", "path"),
        ("file_path", "path"),
        ("note_path", "path"),
        ("heading", "section"),
        ("offset", "from_line"),
        ("start_line", "from_line"),
        ("limit", "lines"),
        ("max_lines", "lines"),
    ];

    async fn run(&self, arguments: ReadArguments) -> Result<ToolOutput, ToolError> {
        let name = arguments.path.clone();
        let note = self
            .0
            .look(move |overlay, index| {
                let path = find_note(overlay, index, &name)?;
                overlay.expect(&path).map_err(|error| tool_error(&error))
            })
            .await?;
        let pending = self.0.overlay().changes().get(note.path()).is_some();
        let (text, part) = requested_text(&note, &arguments)?;
        self.0.saw(note.path().clone(), note.hash().clone());
        let mut content = format!("`{}` — {}", note.path(), note.title());
        if !note.tag_names().is_empty() {
            content.push_str(&format!("\nTags: {}", note.tag_names().join(", ")));
        }
        if pending {
            content.push_str("\nAs changed in this run, not yet written.");
        }
        if let Some(problem) = note.frontmatter().problem() {
            content.push_str(&format!("\nThe frontmatter is broken at line {}: {}", problem.line, problem.message));
        }
        if let Some(part) = part {
            content.push_str(&format!("\n{part}"));
        }
        content.push_str(&format!("\n\n{text}"));
        let data = json!({
            "path": note.path(),
            "title": note.title(),
            "hash": note.hash(),
            "tags": note.tag_names(),
            "aliases": note.aliases(),
            "frontmatter": note.frontmatter().to_map(),
            "links": note.links().iter().map(|link| link.target.as_str()).collect::<Vec<_>>(),
            "headings": note.headings().iter().map(|heading| heading.text.as_str()).collect::<Vec<_>>(),
            "lines": note.text().lines().count(),
            "words": words(note.body()),
            "pending": pending,
        });
        Ok(ToolOutput::new(content).with_data(data).with_origin(format!("note {}", note.path())))
    }
}

/// The text that was asked for, and which part of the note it is when it is not the whole.
fn requested_text(note: &Note, arguments: &ReadArguments) -> Result<(String, Option<String>), ToolError> {
    let mut text = note.text();
    let mut part = None;
    if let Some(heading) = arguments.section.as_deref().filter(|heading| !heading.trim().is_empty()) {
        text = section(note, heading)?;
        part = Some(format!("Only the section `{}`.", heading.trim_start_matches('#').trim()));
    }
    if arguments.from_line.is_none() && arguments.lines.is_none() {
        return Ok((text.to_owned(), part));
    }
    let all: Vec<&str> = text.lines().collect();
    let first = arguments.from_line.unwrap_or(1).max(1);
    if first > all.len().max(1) {
        return Err(ToolError::failed(format!(
            "`{}` has {} lines there, and none from {first} on",
            note.path(),
            all.len()
        )));
    }
    let last = first.saturating_sub(1).saturating_add(arguments.lines.unwrap_or(usize::MAX)).min(all.len());
    let lines = all.get(first - 1..last).unwrap_or_default().join("\n");
    let range = format!("Lines {first} to {last} of {}.", all.len());
    Ok((lines, Some(part.map_or(range.clone(), |section: String| format!("{section} {range}")))))
}

/// What stands below a heading, with it, up to the next one of its level or above.
fn section<'a>(note: &'a Note, heading: &str) -> Result<&'a str, ToolError> {
    let wanted = heading.trim().trim_start_matches('#').trim().to_lowercase();
    let own: Vec<_> = note.headings().iter().filter(|heading| !heading.nested).collect();
    let Some(at) = own.iter().position(|heading| heading.text.trim().to_lowercase() == wanted) else {
        let known: Vec<&str> = own.iter().map(|heading| heading.text.as_str()).collect();
        let known = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", ticked(&known)) };
        return Err(ToolError::failed(format!("`{}` has no heading `{heading}`; {known}", note.path())));
    };
    let end = own[at + 1..].iter().find(|next| next.level <= own[at].level).map(|next| next.span.start);
    Ok(note.text().get(own[at].span.start..end.unwrap_or(note.text().len())).unwrap_or_default())
}

/// Words as people count them, with each character of an unspaced script as part of its run.
fn words(text: &str) -> usize {
    unicode_segmentation::UnicodeSegmentation::unicode_words(text).count()
}
