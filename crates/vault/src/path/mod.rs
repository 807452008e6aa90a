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
pub(crate) use rules::broken_rule;
pub use title::TitledPath;

/// The path of a note, from the vault's root: parts separated by `/`, in Unicode's composed form, ending in `.md`.
///
/// A value of this type cannot lead out of the vault, to a hidden file, or to a name that another system refuses or
/// that breaks links. Whatever is written goes through it.
///
/// ```
/// use graphloom_vault::NotePath;
///
/// let path = NotePath::parse("Projects/Graph plan.md")?;
/// assert_eq!((path.folder(), path.name()), ("Projects", "Graph plan"));
/// assert!(NotePath::parse("../secrets.md").is_err());
/// assert_eq!(NotePath::parse_lenient(" Projects/Graph plan")?, path);
/// # Ok::<(), graphloom_vault::VaultError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct NotePath(Arc<str>);

impl NotePath {
    /// Reads a path as it must be.
    ///
    /// # Errors
    /// [`VaultError::IllegalPath`] for an absolute path, `..`, a hidden part, a name that is illegal on some system,
    /// that breaks links or is too long, and for anything that does not end in `.md`.
    pub fn parse(path: &str) -> Result<Self, VaultError> {
        let refuse = |reason: String| VaultError::illegal_path(path, reason);
        if path.starts_with('/') {
            return Err(refuse("it is absolute; write the path from the vault's root, without a first `/`".to_owned()));
        }
        let composed = match is_nfc_quick(path.chars()) {
            IsNormalized::Yes => path.to_owned(),
            _ => path.nfc().collect(),
        };
        let Some(stem) = composed.strip_suffix(".md") else {
            return Err(refuse("the path of a note ends in `.md`".to_owned()));
        };
        if composed.len() > rules::PATH_LIMIT {
            return Err(refuse(format!("it has {} bytes, more than {}", composed.len(), rules::PATH_LIMIT)));
        }
        if let Some(reason) = composed.split('/').find_map(broken_rule) {
            return Err(refuse(reason));
        }
        let name = stem.rsplit('/').next().unwrap_or(stem);
        if name.is_empty() || name.ends_with(' ') || name.ends_with('.') {
            return Err(refuse("the name before `.md` is empty or ends with a space or a dot".to_owned()));
        }
        Ok(Self(composed.into()))
    }

    /// Reads a path as people and models write it: spaces and `./` around it and wikilink brackets are taken off, and
    /// `.md` is added when it is missing.
    ///
    /// # Errors
    /// As [`parse`](Self::parse): nothing else is corrected.
    pub fn parse_lenient(path: &str) -> Result<Self, VaultError> {
        let mut text = path.trim();
        if let Some(inner) = text.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
            text = inner.split(['|', '#']).next().unwrap_or(inner).trim();
        }
        while let Some(rest) = text.strip_prefix("./") {
            text = rest;
        }
        let parsed = if text.ends_with(".md") { Self::parse(text) } else { Self::parse(&format!("{text}.md")) };
        parsed.map_err(|error| match error {
            VaultError::IllegalPath { reason, .. } => VaultError::illegal_path(path, reason),
            other => other,
        })
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

    /// The name without folder and `.md`; this is what a wikilink usually says.
    #[must_use]
    pub fn name(&self) -> &str {
        self.file_name().strip_suffix(".md").unwrap_or_else(|| self.file_name())
    }

    /// The name with `.md`.
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
        self.0.strip_suffix(".md").unwrap_or(&self.0)
    }

    /// The path in lower case: paths with the same key are one file on some systems.
    #[must_use]
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
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
        Self::parse(&path)
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
    fn deserialising_checks_too() {
        assert!(serde_json::from_str::<NotePath>("\"../x.md\"").is_err());
        assert_eq!(serde_json::from_str::<NotePath>("\"x.md\"").unwrap().as_str(), "x.md");
    }
}
