//! Which file the target of a link names.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use crate::path::without_ending;
use crate::{LinkForm, NotePath};

/// How a target names its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From the folder of the note that links.
    Relative,
    /// From the vault's root.
    Root,
    /// By its name, or the end of its path.
    Name,
}

/// The names of all files of a vault, compared without case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resolver {
    by_path: BTreeMap<String, Vec<NotePath>>,
    by_name: BTreeMap<String, Vec<NotePath>>,
}

impl Resolver {
    pub(crate) fn new(files: impl IntoIterator<Item = NotePath>) -> Self {
        let mut names = Self::default();
        for file in files {
            let key = file.as_str().to_lowercase();
            let name = key.rsplit('/').next().unwrap_or(&key).to_owned();
            names.by_name.entry(name).or_default().push(file.clone());
            names.by_path.entry(key).or_default().push(file);
        }
        names
    }

    /// The file that the target of a link in a note of `folder` names.
    ///
    /// Without case: the exact path from the root; else the files whose path ends so, those below the folder of the
    /// link first, then the shortest path. `./`, `../` and `/` at the start are followed. Markdown links are read from
    /// the folder of the note first, as everywhere in Markdown.
    pub(crate) fn resolve(&self, folder: &str, target: &str, form: LinkForm) -> Option<(&NotePath, Way)> {
        let composed: String = target.nfc().collect();
        let target = composed.as_str();
        if form == LinkForm::Path {
            let whole = self.by_path.get(&target.to_lowercase())?;
            let file = whole.iter().find(|file| file.as_str() == target).or_else(|| whole.first());
            return file.map(|file| (file, Way::Root));
        }
        if let Some(rest) = target.strip_prefix('/') {
            return self.exact(rest).map(|file| (file, Way::Root));
        }
        let explicit = target.starts_with("./") || target.starts_with("../");
        if explicit || form != LinkForm::Wiki {
            let relative = joined(folder, target).and_then(|path| self.exact(&path));
            if explicit || relative.is_some() {
                return relative.map(|file| (file, Way::Relative));
            }
        }
        if target.contains('/')
            && let Some(file) = self.exact(target)
        {
            return Some((file, Way::Root));
        }
        self.nearest(folder, target).map(|file| (file, Way::Name))
    }

    fn exact(&self, path: &str) -> Option<&NotePath> {
        let one = |path: &str| -> Option<&NotePath> {
            let files = self.by_path.get(&path.to_lowercase())?;
            files.iter().find(|file| file.as_str() == path).or_else(|| files.first())
        };
        one(path).or_else(|| one(&format!("{path}.md")))
    }

    fn nearest(&self, folder: &str, target: &str) -> Option<&NotePath> {
        let one = |target: &str| -> Option<&NotePath> {
            let key = target.to_lowercase();
            let files = self.by_name.get(key.rsplit('/').next().unwrap_or(&key))?;
            let ends_so = |file: &&NotePath| {
                let path = file.as_str().to_lowercase();
                path.strip_suffix(&key).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            };
            files.iter().filter(ends_so).min_by_key(|file| {
                let path = file.as_str();
                // A file at the root is named exactly by its bare name.
                (path.contains('/'), !below(path, folder), path.chars().count(), path)
            })
        };
        one(target).or_else(|| one(&format!("{target}.md")))
    }
}

/// What a target's file is called, however the target is written: its name in lower case, composed, without `.md`. Only
/// files with the same key can be meant by it.
pub(crate) fn name_key(target: &str) -> String {
    let composed: String = target.nfc().collect();
    without_ending(composed.rsplit('/').next().unwrap_or(&composed)).to_lowercase()
}

fn below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// A path that starts in a folder; `None` when it leads out of the vault.
pub(crate) fn joined(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The way from a folder to a path.
pub(crate) fn relative(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let shared = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let mut parts = vec![".."; from.len() - shared];
    parts.extend(&to[shared..]);
    parts.join("/")
}
