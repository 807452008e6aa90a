//! From a title to a file name.

use unicode_normalization::UnicodeNormalization;

use super::{NotePath, rules};
use crate::VaultError;

/// A path made of a title, and what of the title could not stay.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TitledPath {
    /// The path.
    pub path: NotePath,
    /// What was changed, each in words; empty when the name is the title.
    pub changed: Vec<String>,
}

/// The most bytes of a title that go into a name.
const TITLE_LIMIT: usize = 120;

pub(super) fn path_for_title(folder: &str, title: &str) -> Result<TitledPath, VaultError> {
    let mut changed = Vec::new();
    let composed: String = title.trim().nfc().collect();
    let base = composed.strip_suffix(".md").unwrap_or(&composed);

    let mut dropped: Vec<char> = Vec::new();
    let mut name = String::new();
    for c in base.chars() {
        if rules::is_illegal(c) {
            if !dropped.contains(&c) {
                dropped.push(c);
            }
            name.push(' ');
        } else {
            name.push(c);
        }
    }
    let mut name = join_words(&name, !dropped.is_empty());
    if !dropped.is_empty() {
        let shown = dropped.iter().map(|c| format!("`{}`", c.escape_debug())).collect::<Vec<_>>().join(", ");
        changed.push(format!("{shown} left out, because names cannot hold it"));
    }
    if name.len() > TITLE_LIMIT {
        name = cut(&name, TITLE_LIMIT);
        changed.push(format!("shortened to {} characters", name.chars().count()));
    }
    let trimmed = name.trim_start_matches(['.', ' ']).trim_end_matches(['.', ' ']);
    if trimmed != name {
        name = trimmed.to_owned();
        changed.push("dots at its ends left out".to_owned());
    }
    if rules::is_reserved(&name) {
        name = format!("{name}_");
        changed.push("`_` added, because the bare name is a device on Windows".to_owned());
        if rules::is_reserved(&name) {
            name = format!("_{name}");
        }
    }
    if name.is_empty() {
        return Err(VaultError::illegal_path(title, "nothing of the title can be in a name; choose words"));
    }
    let path = match folder.trim_matches('/') {
        "" => NotePath::parse(&format!("{name}.md"))?,
        folder => NotePath::parse(&format!("{folder}/{name}.md"))?,
    };
    Ok(TitledPath { path, changed })
}

/// Where characters were left out, spaces are single and do not stand before punctuation.
fn join_words(name: &str, collapse: bool) -> String {
    if !collapse {
        return name.to_owned();
    }
    let words = name.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace(" ,", ",").replace(" .", ".").replace(" )", ")").replace("( ", "(")
}

/// The longest start of at most `limit` bytes, ending at a word where one ends in the second half.
fn cut(name: &str, limit: usize) -> String {
    let mut end = limit;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let start = &name[..end];
    match start.rfind(' ') {
        Some(space) if space > limit / 2 => start[..space].to_owned(),
        _ => start.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_a_legal_name_and_says_what_changed() {
        for (title, path, changes) in [
            ("Plain title", "Plain title.md", 0),
            ("Already.md", "Already.md", 0),
            ("a/b: c?", "a b c.md", 1),
            ("...hidden", "hidden.md", 1),
            ("CON", "CON_.md", 1),
            ("機械学習：入門", "機械学習：入門.md", 0),
            ("What [is] this, #2?", "What is this, 2.md", 1),
        ] {
            let made = path_for_title("", title).unwrap();
            assert_eq!((made.path.as_str(), made.changed.len()), (path, changes), "{title}: {:?}", made.changed);
        }
    }

    #[test]
    fn a_long_title_is_cut_at_a_word() {
        let made = path_for_title("dir", &"word ".repeat(100)).unwrap();
        assert!(made.path.name().len() <= TITLE_LIMIT && made.path.name().ends_with("word"));
        assert_eq!(made.path.folder(), "dir");
        assert!(path_for_title("", &"字".repeat(500)).unwrap().path.name().len() <= TITLE_LIMIT);
    }

    #[test]
    fn refuses_an_empty_name_and_an_illegal_folder() {
        assert!(path_for_title("", "???").is_err());
        assert!(path_for_title("", "").is_err());
        assert!(path_for_title("../out", "x").is_err());
        assert!(path_for_title(".obsidian", "x").is_err());
    }
}
