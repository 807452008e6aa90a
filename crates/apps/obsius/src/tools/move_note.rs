//! `move_note`: another name or place for a note, another file or a folder, with every link to it.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use graphloom_vault::{NotePath, Notes, Overlay};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names::{count, find_file, find_note, links_in_words, ticked};
use super::workspace::{NotesView, Workspace, tool_error};

pub(super) struct MoveNote(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MoveArguments {
    /// The note: its path, its name or its title. Or the path of another file, or of a folder with a `/` at its end.
    #[schemars(length(min = 1, max = 500))]
    path: String,
    /// The new path; without a `/` a new name in the same folder; with a `/` at the end a folder.
    #[schemars(length(min = 1, max = 500))]
    to: String,
}

impl TypedTool for MoveNote {
    type Arguments = MoveArguments;
    const NAME: &'static str = "move_note";
    const DESCRIPTION: &'static str = include_str!("descriptions/move_note.txt");
    const RISK: Risk = Risk::Write;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("from", "path"),
        ("source", "path"),
        ("old_path", "path"),
        ("note", "path"),
        ("file", "path"),
        ("file_path", "path"),
        ("destination", "to"),
        ("target", "to"),
        ("new_path", "to"),
        ("new_name", "to"),
        ("new_title", "to"),
        ("folder", "to"),
    ];

    async fn run(&self, arguments: MoveArguments) -> Result<ToolOutput, ToolError> {
        let MoveArguments { path: name, to } = arguments;
        let changed = self
            .0
            .change(move |sight| {
                let Subject { from, is_folder } = subject(sight, &name)?;
                if is_folder {
                    let to = folder_destination(sight.overlay, &from, &to);
                    let renamed = sight.overlay.rename_folder(&from, &to).map_err(|error| tool_error(&error))?;
                    return Ok((from, to, renamed));
                }
                let from = NotePath::of_file(&from).map_err(|error| tool_error(&error))?;
                sight.check_seen(&from)?;
                let to = destination(sight.overlay, &from, &to)?;
                if from == to {
                    return Err(ToolError::refused(format!("`{from}` is already there")));
                }
                let renamed = sight.overlay.rename(&from, &to).map_err(|error| tool_error(&error))?;
                Ok((from.to_string(), to.to_string(), renamed))
            })
            .await?;
        let (from, to, renamed) = changed.value;
        let mut message = format!("Moved `{from}` to `{to}`.");
        if renamed.moved.len() > 1 {
            message = format!("Moved {} from `{from}` to `{to}`.", count(renamed.moved.len(), "file", "files"));
        }
        let links = renamed.links();
        message.push_str(&match links {
            0 => " No link had to be changed.".to_owned(),
            _ => links_in_words(&renamed.relinked),
        });
        if !renamed.unread.is_empty() {
            message.push_str(&format!(" Files that cannot be read keep their links: {}.", ticked(&renamed.unread)));
        }
        let note = renamed.moved.values().next().filter(|path| renamed.moved.len() == 1 && path.is_note());
        let note = note.and_then(|path| changed.overlay.read(path).ok().flatten());
        let data = json!({ "from": from, "path": to, "hash": note.map(|note| note.hash().clone()), "links": links,
                           "moved": renamed.moved, "relinked": renamed.relinked, "unread": renamed.unread });
        Ok(ToolOutput::new(message).with_data(data))
    }
}

/// What is moved.
struct Subject {
    from: String,
    is_folder: bool,
}

/// The note that is named, else another file, else a folder; what ends with a `/` is a folder.
fn subject(sight: &NotesView<'_>, name: &str) -> Result<Subject, ToolError> {
    let file = |path: NotePath| Subject { from: path.to_string(), is_folder: false };
    let folder = folder_named(sight.overlay, name).map(|from| Subject { from, is_folder: true });
    if let Some(folder) = folder.as_ref().filter(|_| name.trim().ends_with('/')) {
        return Ok(Subject { from: folder.from.clone(), is_folder: true });
    }
    let missing = match find_note(sight.overlay, sight.index, name) {
        Ok(note) => return Ok(file(note)),
        Err(error) => error,
    };
    match find_file(sight.overlay, name)? {
        Some(found) => Ok(file(found)),
        None => folder.ok_or(missing),
    }
}

/// The folder of this path in the letters it is written in.
fn folder_named(overlay: &Overlay, name: &str) -> Option<String> {
    let wanted = name.trim().trim_start_matches("./").trim_matches('/').to_lowercase();
    let files = overlay.paths().into_iter().map(|path| path.to_string()).chain(overlay.attachments());
    for path in files {
        let mut at = 0;
        while let Some(next) = path[at..].find('/') {
            let folder = &path[..at + next];
            if folder.to_lowercase() == wanted {
                return Some(folder.to_owned());
            }
            at += next + 1;
        }
    }
    None
}

/// Where a folder goes: into one that is there and is named with a `/` at the end, else to that very path; a bare name
/// stays beside it.
fn folder_destination(overlay: &Overlay, from: &str, to: &str) -> String {
    let to = to.trim();
    let bare = to.trim_matches('/');
    let (above, name) = from.rsplit_once('/').unwrap_or(("", from));
    match folder_named(overlay, bare) {
        Some(into) if to.ends_with('/') && into != from => format!("{into}/{name}"),
        _ if to == "/" => name.to_owned(),
        _ if bare.contains('/') || to.starts_with('/') || above.is_empty() => bare.to_owned(),
        _ => format!("{above}/{bare}"),
    }
}

/// Where the file goes: a folder keeps the name, a name keeps the folder. The ending stays.
fn destination(overlay: &Overlay, from: &NotePath, to: &str) -> Result<NotePath, ToolError> {
    let to = to.trim();
    // A first `/` says that it is from the top of the vault.
    let (top, rest) = to.strip_prefix('/').map_or((false, to), |rest| (true, rest));
    let folder = rest.trim_end_matches('/');
    let is_folder = rest.is_empty()
        || rest.ends_with('/')
        || (!NotePath::of_file(rest).is_ok_and(|path| path.ending() == from.ending())
            && rest.contains('/')
            && overlay.paths().iter().any(|path| crate::index::is_in(path, Some(folder))));
    let whole = if is_folder && folder.is_empty() {
        from.file_name().to_owned()
    } else if is_folder {
        format!("{folder}/{}", from.file_name())
    } else if top || rest.contains('/') || from.folder().is_empty() {
        rest.to_owned()
    } else {
        format!("{}/{rest}", from.folder())
    };
    let whole = whole.trim().trim_start_matches("[[").trim_end_matches("]]").trim_start_matches("./").to_owned();
    let path = NotePath::of_file(&whole).map_err(|error| tool_error(&error))?;
    if path.ending() == from.ending() || from.ending().is_empty() {
        return Ok(path);
    }
    let ending = from.file_name().rsplit('.').next().unwrap_or_default();
    NotePath::of_file(&format!("{path}.{ending}")).map_err(|error| tool_error(&error))
}
