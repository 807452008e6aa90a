//! What a person has set for a vault in Obsidian, read from `.obsidian` and never written.
//!
//! The names, values and defaults are those of Obsidian's `app.json`, as
//! [obsidian-typings](https://github.com/Fevol/obsidian-typings) lists them under `AppVaultConfig`.

use std::path::Path;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::{NotePath, Vault, VaultError};

const APP: &str = ".obsidian/app.json";

/// The settings of Obsidian that are followed here.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// How new links are written.
    pub links: LinkStyle,
    /// What is left out of searches.
    pub excluded: Excluded,
}

/// How new links are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkStyle {
    /// How a link names its file: `newLinkFormat`.
    pub format: LinkFormat,
    /// Whether it is a Markdown link: `useMarkdownLinks`.
    pub markdown: bool,
}

/// How a link names its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkFormat {
    /// By its name where that is enough, else by its whole path.
    #[default]
    Shortest,
    /// From the folder of the note it stands in.
    Relative,
    /// By its whole path.
    Absolute,
}

/// Files that are left out of searches: `userIgnoreFilters`. A filter between `/` is a regular expression that fits
/// anywhere in a path; any other is the beginning of one. The case of letters does not count.
#[derive(Clone, Debug, Default)]
pub struct Excluded {
    filters: Vec<Regex>,
}

impl Excluded {
    /// Whether a file is left out.
    #[must_use]
    pub fn has(&self, path: &NotePath) -> bool {
        self.filters.iter().any(|filter| filter.is_match(path.as_str()))
    }

    /// Whether nothing is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }
}

impl Settings {
    /// Reads the settings of a vault. What cannot be read has its default, and is told, each in one line.
    #[must_use]
    pub fn read(vault: &Vault) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        let text = match vault.hidden_text(Path::new(APP)) {
            Ok(Some(text)) => text,
            Ok(None) => return (Self::default(), warnings),
            Err(error) => return (Self::default(), vec![unread(&error)]),
        };
        let settings = Self::of(text.trim_start_matches('\u{feff}'), &mut warnings);
        (settings, warnings)
    }

    fn of(text: &str, warnings: &mut Vec<String>) -> Self {
        let mut settings = Self::default();
        let app = match serde_json::from_str::<Value>(text) {
            Ok(app @ Value::Object(_)) => app,
            Ok(_) => {
                warnings.push(unread(&"it holds no object"));
                return settings;
            }
            Err(error) => {
                warnings.push(unread(&error));
                return settings;
            }
        };
        // A key that is not there, or null, has its default.
        let of = |key: &str| app.get(key).filter(|value| !value.is_null());
        let mut refuse = |key: &str, why: &str| warnings.push(format!("`{key}` in `{APP}` is not heeded: {why}"));
        settings.links.format = match of("newLinkFormat").map(Value::as_str) {
            None | Some(Some("shortest")) => LinkFormat::Shortest,
            Some(Some("relative")) => LinkFormat::Relative,
            Some(Some("absolute")) => LinkFormat::Absolute,
            Some(_) => {
                refuse("newLinkFormat", "it is none of `shortest`, `relative`, `absolute`");
                LinkFormat::default()
            }
        };
        match of("useMarkdownLinks").map(Value::as_bool) {
            None => {}
            Some(Some(markdown)) => settings.links.markdown = markdown,
            Some(None) => refuse("useMarkdownLinks", "it is neither `true` nor `false`"),
        }
        let filters = match of("userIgnoreFilters") {
            None => &[][..],
            Some(Value::Array(filters)) => filters.as_slice(),
            Some(_) => {
                refuse("userIgnoreFilters", "it is no list");
                &[][..]
            }
        };
        for filter in filters {
            match filter.as_str().map(pattern) {
                Some(Ok(Some(pattern))) => settings.excluded.filters.push(pattern),
                Some(Ok(None)) => {}
                Some(Err(_)) => {
                    refuse("userIgnoreFilters", &format!("its entry {filter} is no regular expression known here"));
                }
                None => refuse("userIgnoreFilters", &format!("its entry {filter} is no text")),
            }
        }
        settings
    }
}

fn unread(why: &dyn std::fmt::Display) -> String {
    format!("`{APP}` cannot be read, and the settings of Obsidian have their defaults: {why}")
}

/// What a filter fits; nothing for an empty one.
fn pattern(filter: &str) -> Result<Option<Regex>, regex::Error> {
    let expression = filter.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    let expression = match (expression, filter) {
        (_, "") | (Some(""), _) => return Ok(None),
        (Some(expression), _) => expression.to_owned(),
        (None, beginning) => format!("^{}", regex::escape(beginning)),
    };
    RegexBuilder::new(&expression).case_insensitive(true).build().map(Some)
}

impl Vault {
    /// What a person has set for the vault in Obsidian. What cannot be read has its default, and is told, each in one
    /// line.
    #[must_use]
    pub fn settings(&self) -> (Settings, Vec<String>) {
        Settings::read(self)
    }

    fn hidden_text(&self, path: &Path) -> Result<Option<String>, VaultError> {
        let Some(bytes) = self.hidden_bytes(path)? else { return Ok(None) };
        let not_text = |_| VaultError::illegal_path(&path.to_string_lossy(), "it is not UTF-8 text");
        String::from_utf8(bytes).map(Some).map_err(not_text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Settings, Vec<String>) {
        let mut warnings = Vec::new();
        (Settings::of(text, &mut warnings), warnings)
    }

    #[test]
    fn what_is_set_holds_and_what_is_not_has_its_default() {
        let (settings, warnings) = of(r#"{"newLinkFormat": "relative", "useMarkdownLinks": true, "other": 1}"#);
        assert_eq!(settings.links, LinkStyle { format: LinkFormat::Relative, markdown: true });
        assert!(warnings.is_empty() && settings.excluded.is_empty());
        for text in ["{}", r#"{"newLinkFormat": null, "userIgnoreFilters": null}"#] {
            let (settings, warnings) = of(text);
            assert_eq!((settings.links, warnings.len()), (LinkStyle::default(), 0), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_each_in_a_line() {
        for (text, about) in [
            ("{", &["`.obsidian/app.json` cannot be read"][..]),
            ("[]", &["it holds no object"]),
            (
                r#"{"newLinkFormat": "long", "useMarkdownLinks": "yes", "userIgnoreFilters": [1, "/(/", "a/"]}"#,
                &["`newLinkFormat`", "`useMarkdownLinks`", "entry 1 is no text", "entry \"/(/\" is no regular"],
            ),
        ] {
            let (settings, warnings) = of(text);
            assert_eq!(settings.links, LinkStyle::default());
            assert_eq!(warnings.len(), about.len(), "{warnings:?}");
            for (line, part) in warnings.iter().zip(about) {
                assert!(line.contains(part) && !line.contains('\n'), "{line}");
            }
        }
    }

    #[test]
    fn filters_are_beginnings_of_paths_and_regular_expressions() {
        let filters = r#"{"userIgnoreFilters": ["Templates/", "a.b", "", "/old\\/.*\\.md$/", "//"]}"#;
        let excluded = of(filters).0.excluded;
        for (path, is_out) in [
            ("templates/Daily.md", true),
            ("x/Templates/Daily.md", false),
            ("Templates.md", false),
            ("A.B/c.md", true),
            ("aXb/c.md", false),
            ("very OLD/x.md", true),
            ("old.md", false),
        ] {
            assert_eq!(excluded.has(&NotePath::of_file(path).unwrap()), is_out, "{path}");
        }
    }
}
