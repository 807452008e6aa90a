//! Reading the folders of skills.

use std::io;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

use super::Skill;
use super::front_matter::parted;

/// The names of the file of instructions.
const FILES: [&str; 2] = ["SKILL.md", "skill.md"];
/// The longest file that is read.
const BYTES: u64 = 256 << 10;
/// The longest name.
const NAME: usize = 64;
/// How many files of a skill are listed, and how deep.
const LISTED: usize = 200;
const DEPTH: usize = 6;

/// The folders of skills that a folder is or holds, by name.
///
/// # Errors
/// The folder cannot be read.
pub(super) fn candidates(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if instructions(folder).is_some() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && instructions(&path).is_some() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The file of instructions of a folder.
fn instructions(folder: &Path) -> Option<PathBuf> {
    FILES.iter().map(|name| folder.join(name)).find(|file| file.is_file())
}

/// Reads a skill.
///
/// # Errors
/// Why it cannot be used.
pub(super) fn skill(folder: &Path) -> Result<Skill, String> {
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    let file = instructions(&folder).ok_or("it has no file `SKILL.md`")?;
    let text = text(&inside(&folder, &file)?)?;
    let (front, _) = parted(&text)?;
    let name = front.name.ok_or("its front matter has no `name`")?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.len() > NAME || !name.chars().all(fits) || name.starts_with('-') || name.ends_with('-') {
        return Err("its name is not one of at most 64 lower case letters, digits and hyphens between them".to_owned());
    }
    let description = front.description.ok_or("its front matter has no `description`")?;
    Ok(Skill { name, description, folder, file })
}

/// The instructions of a skill, as they stand now.
///
/// # Errors
/// Why they cannot be read.
pub(super) fn body(skill: &Skill) -> Result<String, String> {
    let text = text(&inside(&skill.folder, &skill.file)?)?;
    Ok(parted(&text)?.1.trim().to_owned())
}

/// The further files of a skill, by their paths in it, and whether there are more.
pub(super) fn files(skill: &Skill) -> (Vec<String>, bool) {
    let walk = WalkDir::new(&skill.folder).max_depth(DEPTH).sort_by_file_name();
    let hidden = |entry: &walkdir::DirEntry| entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
    let mut found = Vec::new();
    for entry in walk.into_iter().filter_entry(|entry| !hidden(entry)).filter_map(Result::ok) {
        if !entry.file_type().is_file() || entry.path() == skill.file {
            continue;
        }
        if found.len() == LISTED {
            return (found, true);
        }
        if let Ok(path) = entry.path().strip_prefix(&skill.folder) {
            let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            found.push(parts.join("/"));
        }
    }
    (found, false)
}

/// A file of a skill, by its path in it.
///
/// # Errors
/// A path that leads out of the skill, or to no text.
pub(super) fn file(skill: &Skill, path: &str) -> Result<String, String> {
    let relative = Path::new(path.trim_start_matches("./"));
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(format!("`{path}` does not lead to a file of the skill"));
    }
    text(&inside(&skill.folder, &skill.folder.join(relative))?)
}

/// A file without links, which is in a folder.
fn inside(folder: &Path, file: &Path) -> Result<PathBuf, String> {
    let name = file.strip_prefix(folder).unwrap_or(file).display();
    let real = file.canonicalize().map_err(|error| format!("`{name}` cannot be read: {error}"))?;
    if !real.starts_with(folder) {
        return Err(format!("`{name}` is a link that leads out of the skill"));
    }
    // A pipe or a device would be waited for.
    if !real.is_file() {
        return Err(format!("`{name}` is no file"));
    }
    Ok(real)
}

fn text(file: &Path) -> Result<String, String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let unreadable = |error: io::Error| format!("`{name}` cannot be read: {error}");
    let mut bytes = Vec::new();
    std::fs::File::open(file).and_then(|open| open.take(BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > BYTES {
        return Err(format!("`{name}` has more than {BYTES} bytes, which is too long to be read"));
    }
    String::from_utf8(bytes).map_err(|_| format!("`{name}` is no text"))
}
