//! Where a note is in its vault.

mod rules;
mod title;

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::VaultError;
pub(crate) use rules::{broken_rule, unnameable};
pub use title::TitledPath;

/// The path of a file of a vault, from its root: parts separated by `/`, in Unicode's composed form. A note's ends in `.md`,
/// in whatever case.
///
/// A value of this type cannot lead out of the vault or to a hidden file; whatever is read or written goes through it. A
/// file that is there may have any name ([`of_file`](Self::of_file)). A *new* name must be one that every system takes and
/// that no link stumbles over ([`parse`](Self::parse), [`check_new`](Self::check_new)).
///
/// ```
/// use graphloom_vault::NotePath;
///
/// let path = NotePath::parse("Projects/Graph plan.md")?;
/// assert_eq!((path.folder(), path.name()), ("Projects", "Graph plan"));
/// assert!(NotePath::parse("../secrets.md").is_err());
/// assert!(NotePath::parse("What is it?.md").is_err());
/// assert_eq!(NotePath::of_file("What is it?.md")?.name(), "What is it?");
/// assert_eq!(NotePath::parse_lenient(" Projects/Graph plan")?, path);
/// # Ok::<(), graphloom_vault::VaultError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct NotePath(Arc<str>);

/// The ending of notes.
const ENDING: &str = ".md";

impl NotePath {
    /// Reads the path of a new note.
    ///
    /// # Errors
    /// [`VaultError::IllegalPath`] for an absolute path, `..`, a hidden part, a name that is illegal on some system,
    /// that breaks links or is too long, and for anything that does not end in `.md`.
    pub fn parse(path: &str) -> Result<Self, VaultError> {
        let refuse = |reason: String| VaultError::illegal_path(path, reason);
        let read = Self::of_file(path)?;
        if !read.as_str().ends_with(ENDING) {
            return Err(refuse("the path of a note ends in `.md`".to_owned()));
        }
        read.check_new().map_err(refuse)?;
        Ok(read)
    }

    /// Reads the path of a file that is there, a note or another: of any name but one that cannot be shown in a line.
    ///
    /// # Errors
    /// [`VaultError::IllegalPath`] for an absolute path, `..`, a hidden part and control characters.
    pub fn of_file(path: &str) -> Result<Self, VaultError> {
        let refuse = |reason: String| VaultError::illegal_path(path, reason);
        if path.starts_with('/') {
            return Err(refuse("it is absolute; write the path from the vault's root, without a first `/`".to_owned()));
        }
        let composed = match is_nfc_quick(path.chars()) {
            IsNormalized::Yes => path.to_owned(),
            _ => path.nfc().collect(),
        };
        match composed.split('/').find_map(rules::unnameable) {
            Some(reason) => Err(refuse(reason)),
            None => Ok(Self(composed.into())),
        }
    }

    /// Whether every part of the path may be given to a new file.
    ///
    /// # Errors
    /// The rule that is broken, and what would be right.
    pub fn check_new(&self) -> Result<(), String> {
        if self.0.len() > rules::PATH_LIMIT {
            return Err(format!("it has {} bytes, more than {}", self.0.len(), rules::PATH_LIMIT));
        }
        if let Some(reason) = self.0.split('/').find_map(broken_rule) {
            return Err(reason);
        }
        self.check_stem()
    }

    /// Whether something stands before `.md`, and ends as a name may.
    pub(crate) fn check_stem(&self) -> Result<(), String> {
        let name = self.name();
        if name.is_empty() || name.ends_with(' ') || name.ends_with('.') {
            return Err("the name before `.md` is empty or ends with a space or a dot".to_owned());
        }
        Ok(())
    }

    /// Reads a path as people and models write it: spaces and `./` around it and wikilink brackets are taken off, and
    /// `.md` is added when it is missing.
    ///
    /// # Errors
    /// As [`parse`](Self::parse): nothing else is corrected.
    pub fn parse_lenient(path: &str) -> Result<Self, VaultError> {
        let text = bare(path, true);
        let parsed = if has_ending(text) { Self::parse(text) } else { Self::parse(&format!("{text}{ENDING}")) };
        parsed.map_err(|error| match error {
            VaultError::IllegalPath { reason, .. } => VaultError::illegal_path(path, reason),
            other => other,
        })
    }

    /// The paths of notes that people and models may mean by a text, the likeliest first: as
    /// [`parse_lenient`](Self::parse_lenient), for notes that are there and can have any name. Whether one of them is
    /// there is another question.
    #[must_use]
    pub fn candidates_for(text: &str) -> Vec<Self> {
        let mut meant: Vec<Self> = Vec::new();
        // `C# notes` is a name, or a note `C` with a heading.
        for text in [bare(text, false), bare(text, true)] {
            let whole = if has_ending(text) { text.to_owned() } else { format!("{text}{ENDING}") };
            meant.extend(Self::of_file(&whole).ok().filter(|path| !path.name().is_empty() && !meant.contains(path)));
        }
        meant
    }

    /// The path of a new note with this title, in a folder (`""` is the root): characters that a name cannot have are
    /// replaced, and the answer says which.
    ///
    /// ```
    /// use graphloom_vault::NotePath;
    /// let made = NotePath::for_title("Projects", "C#: what, and why?")?;
    /// assert_eq!(made.path.as_str(), "Projects/C what, and why.md");
    /// assert_eq!(made.changed.len(), 1);
    /// # Ok::<(), graphloom_vault::VaultError>(())
    /// ```
    ///
    /// # Errors
    /// [`VaultError::IllegalPath`] when nothing of the title is left, or the folder is not legal: folders are not
    /// corrected.
    pub fn for_title(folder: &str, title: &str) -> Result<TitledPath, VaultError> {
        title::path_for_title(folder, title)
    }

    /// The whole path, with `.md`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the path of a note: it ends in `.md`, in whatever case.
    #[must_use]
    pub fn is_note(&self) -> bool {
        has_ending(&self.0)
    }

    /// The name without folder and `.md`; this is what a wikilink usually says. Another file's name has its ending.
    #[must_use]
    pub fn name(&self) -> &str {
        without_ending(self.file_name())
    }

    /// The name with its ending.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folder, without a last `/`; `""` is the root.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The path without `.md`.
    #[must_use]
    pub fn stem(&self) -> &str {
        without_ending(&self.0)
    }

    /// What follows the last dot of the name, in lower case: `md` of a note; `""` without a dot.
    #[must_use]
    pub fn ending(&self) -> String {
        self.file_name().rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_lowercase())
    }

    /// The path in lower case: paths with the same key are one file on some systems.
    #[must_use]
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

/// Whether a path ends as notes do.
pub(crate) fn has_ending(path: &str) -> bool {
    without_ending(path).len() < path.len()
}

/// A path without the ending of notes.
pub(crate) fn without_ending(path: &str) -> &str {
    match path.len().checked_sub(ENDING.len()).and_then(|at| path.split_at_checked(at)) {
        Some((stem, ending)) if ending.eq_ignore_ascii_case(ENDING) => stem,
        _ => path,
    }
}

/// A path without the spaces, brackets and `./` that are written around it; `anchors`: and without heading and shown text.
fn bare(path: &str, anchors: bool) -> &str {
    let mut text = path.trim();
    if let Some(inner) = text.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
        let ends: &[char] = if anchors { &['|', '#'] } else { &['|'] };
        text = inner.split(ends).next().unwrap_or(inner).trim();
    }
    while let Some(rest) = text.strip_prefix("./") {
        text = rest;
    }
    text
}

impl fmt::Display for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NotePath({})", self.0)
    }
}

impl TryFrom<String> for NotePath {
    type Error = VaultError;

    fn try_from(path: String) -> Result<Self, VaultError> {
        Self::of_file(&path)
    }
}

impl FromStr for NotePath {
    type Err = VaultError;

    fn from_str(path: &str) -> Result<Self, VaultError> {
        Self::parse(path)
    }
}

impl AsRef<str> for NotePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for NotePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_leads_elsewhere_or_cannot_be_a_name() {
        for path in [
            "",
            ".md",
            "/a.md",
            "../a.md",
            "a/../b.md",
            "./a.md",
            "a//b.md",
            "a/.md",
            ".obsidian/a.md",
            ".trash/a.md",
            "x/.git/a.md",
            ".obsius/a.md",
            "a\\b.md",
            "..\\a.md",
            "C:/a.md",
            "a:b.md",
            "a*.md",
            "a?.md",
            "a|b.md",
            "<a>.md",
            "a\"b.md",
            "a#b.md",
            "a^b.md",
            "[a].md",
            "con.md",
            "x/AUX.md",
            "lpt1.txt/a.md",
            "nul.tar.md",
            "a .md",
            "a..md",
            "dir./a.md",
            "dir /a.md",
            " a.md",
            "a\n.md",
            "a\0.md",
            "a\u{202e}b.md",
            "a.txt",
            "a",
            "a.MD",
        ] {
            assert!(NotePath::parse(path).is_err(), "`{path}` was accepted");
        }
        assert!(NotePath::parse(&format!("{}.md", "x".repeat(300))).is_err());
        assert!(NotePath::parse(&format!("{}a.md", "folder/".repeat(200))).is_err());
    }

    #[test]
    fn accepts_names_of_all_languages() {
        for path in ["a.md", "日本語/機械学習.md", "Ünïcode – dash.md", "v1.2 notes.md", "a'b (c) & d, e!.md", "🎉.md"]
        {
            assert_eq!(NotePath::parse(path).unwrap().as_str(), path);
        }
    }

    #[test]
    fn composes_unicode_so_that_one_name_is_one_path() {
        assert_eq!(NotePath::parse("Cafe\u{301}.md").unwrap(), NotePath::parse("Caf\u{e9}.md").unwrap());
    }

    #[test]
    fn reads_what_a_model_writes() {
        for (written, path) in [
            ("Note", "Note.md"),
            (" ./dir/Note.md ", "dir/Note.md"),
            ("[[dir/Note|shown]]", "dir/Note.md"),
            ("[[Note#Heading]]", "Note.md"),
            ("v1.2", "v1.2.md"),
        ] {
            assert_eq!(NotePath::parse_lenient(written).unwrap().as_str(), path, "{written}");
        }
        for written in ["", "../x", "/etc/passwd", "a\\b", "[[../x]]", ".obsidian/app", "a#b"] {
            assert!(NotePath::parse_lenient(written).is_err(), "`{written}` was accepted");
        }
    }

    #[test]
    fn a_file_that_is_there_may_have_any_name_that_can_be_shown() {
        let long = format!("{}.md", "字".repeat(83));
        for path in
            ["What is it?.md", "AC: DC.md", "C# notes.md", "a/\"x\".md", "con.md", "a .md", " b.md", "[x].md", &long]
        {
            let read = NotePath::of_file(path).unwrap();
            assert!(read.is_note() && read.as_str() == path && read.check_new().is_err(), "{path}");
        }
        assert_eq!(NotePath::of_file("a/Upper.MD").unwrap().name(), "Upper");
        assert_eq!(NotePath::of_file("a/x.PNG").unwrap().ending(), "png");
        assert!(!NotePath::of_file("a/x.md.png").unwrap().is_note());
        for path in
            ["", "/a.md", "../a.md", "a//b.md", "a/.x.md", ".obsidian/a.md", "a\nb.md", "a\u{1b}[2J.md", "a\0.md"]
        {
            assert!(NotePath::of_file(path).is_err(), "`{path}` was accepted");
        }
    }

    #[test]
    fn a_text_can_mean_a_name_or_a_heading() {
        let meant = |text| NotePath::candidates_for(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(meant("[[C# notes]]"), ["C# notes.md", "C.md"]);
        assert_eq!(meant(" ./dir/What?"), ["dir/What?.md"]);
        assert_eq!(meant("Upper.MD"), ["Upper.MD"]);
        assert_eq!(meant("../x"), [""; 0]);
    }

    #[test]
    fn deserialising_checks_too() {
        assert!(serde_json::from_str::<NotePath>("\"../x.md\"").is_err());
        assert_eq!(serde_json::from_str::<NotePath>("\"x.md\"").unwrap().as_str(), "x.md");
    }
}
