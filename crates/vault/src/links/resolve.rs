//! Which file the target of a link names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use crate::{LinkForm, NotePath};

/// From where a link's target names its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addressing {
    /// From the folder of the note that links.
    Relative,
    /// From the vault's root.
    Root,
    /// By its name, or the end of its path.
    Name,
}

/// Files by their path and by their name, both in lower case; those of one key in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    by_path: BTreeMap<String, Vec<NotePath>>,
    by_name: BTreeMap<String, Vec<NotePath>>,
}

impl Names {
    pub(crate) fn insert(&mut self, file: &NotePath) {
        let key = file.key();
        let name = key.rsplit('/').next().unwrap_or(&key).to_owned();
        for files in [self.by_name.entry(name).or_default(), self.by_path.entry(key).or_default()] {
            if let Err(at) = files.binary_search(file) {
                files.insert(at, file.clone());
            }
        }
    }

    pub(crate) fn remove(&mut self, file: &NotePath) {
        let key = file.key();
        let name = key.rsplit('/').next().unwrap_or(&key).to_owned();
        for (files, key) in [(&mut self.by_name, name), (&mut self.by_path, key)] {
            if let Some(same) = files.get_mut(&key) {
                same.retain(|other| other != file);
                if same.is_empty() {
                    files.remove(&key);
                }
            }
        }
    }

    fn contains(&self, file: &NotePath) -> bool {
        self.by_path.get(&file.key()).is_some_and(|files| files.binary_search(file).is_ok())
    }
}

/// The names of all files of a vault, compared without case. A shared base and the differences from it: a clone
/// copies the differences only.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resolver {
    base: Arc<Names>,
    more: Names,
    gone: BTreeSet<NotePath>,
}

impl Resolver {
    pub(crate) fn over(base: Arc<Names>) -> Self {
        Self { base, more: Names::default(), gone: BTreeSet::new() }
    }

    pub(crate) fn insert(&mut self, file: &NotePath) {
        if !self.gone.remove(file) && !self.base.contains(file) {
            self.more.insert(file);
        }
    }

    pub(crate) fn remove(&mut self, file: &NotePath) {
        self.more.remove(file);
        if self.base.contains(file) {
            self.gone.insert(file.clone());
        }
    }

    pub(crate) fn contains(&self, file: &NotePath) -> bool {
        self.more.contains(file) || (self.base.contains(file) && !self.gone.contains(file))
    }

    /// The files whose paths are this one but for the case of letters, in order.
    pub(crate) fn like(&self, path: &str) -> Vec<&NotePath> {
        let key = path.to_lowercase();
        self.both(self.base.by_path.get(&key), self.more.by_path.get(&key))
    }

    /// The files below a folder, whatever the case of its letters, in order of their keys.
    pub(crate) fn below(&self, folder: &str) -> impl Iterator<Item = &NotePath> {
        let inside = format!("{}/", folder.to_lowercase());
        [(&*self.base, true), (&self.more, false)].into_iter().flat_map(move |(names, is_base)| {
            let inside = inside.clone();
            let from = names.by_path.range(inside.clone()..).take_while(move |(key, _)| key.starts_with(&inside));
            from.flat_map(|(_, files)| files).filter(move |file| !(is_base && self.gone.contains(*file)))
        })
    }

    fn both<'a>(&'a self, base: Option<&'a Vec<NotePath>>, more: Option<&'a Vec<NotePath>>) -> Vec<&'a NotePath> {
        let from_base = base.into_iter().flatten().filter(|file| !self.gone.contains(*file));
        let mut files: Vec<&NotePath> = from_base.chain(more.into_iter().flatten()).collect();
        files.sort_unstable();
        files
    }

    /// The file that the target of a link in a note of `folder` names.
    ///
    /// Without case: the exact path from the root; else the files whose path ends so, those below the folder of the
    /// link first, then the shortest path. `./`, `../` and `/` at the start are followed. Markdown links are read from
    /// the folder of the note first, as everywhere in Markdown.
    pub(crate) fn resolve(&self, folder: &str, target: &str, form: LinkForm) -> Option<(&NotePath, Addressing)> {
        let composed: String = target.nfc().collect();
        let target = composed.as_str();
        if form == LinkForm::Path {
            return self.file_at(target).map(|file| (file, Addressing::Root));
        }
        if let Some(rest) = target.strip_prefix('/') {
            return self.exact(rest).map(|file| (file, Addressing::Root));
        }
        let explicit = target.starts_with("./") || target.starts_with("../");
        if explicit || form != LinkForm::Wiki {
            let relative = joined(folder, target).and_then(|path| self.exact(&path));
            if explicit || relative.is_some() {
                return relative.map(|file| (file, Addressing::Relative));
            }
        }
        if target.contains('/')
            && let Some(file) = self.exact(target)
        {
            return Some((file, Addressing::Root));
        }
        self.nearest(folder, target).map(|file| (file, Addressing::Name))
    }

    fn exact(&self, path: &str) -> Option<&NotePath> {
        self.file_at(path).or_else(|| self.file_at(&format!("{path}.md")))
    }

    /// The file of this path, in these letters if there is one.
    fn file_at(&self, path: &str) -> Option<&NotePath> {
        let files = self.like(path);
        files.iter().find(|file| file.as_str() == path).or_else(|| files.first()).copied()
    }

    fn nearest(&self, folder: &str, target: &str) -> Option<&NotePath> {
        let one = |target: &str| -> Option<&NotePath> {
            let key = target.to_lowercase();
            let name = key.rsplit('/').next().unwrap_or(&key);
            let files = self.both(self.base.by_name.get(name), self.more.by_name.get(name));
            let ends_so = |file: &&NotePath| {
                let path = file.as_str().to_lowercase();
                path.strip_suffix(&key).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            };
            files.into_iter().filter(ends_so).min_by_key(|file| {
                let path = file.as_str();
                // A file at the root is named exactly by its bare name.
                (path.contains('/'), !below(path, folder), path.chars().count(), path)
            })
        };
        one(target).or_else(|| one(&format!("{target}.md")))
    }
}

/// What the file of a target is called, however the target is written: the last name in it, in lower case and composed;
/// `""` where it has none, as in `..`. A file can be meant only by targets with one of its [keys](keys_of).
pub(crate) fn target_key(target: &str) -> String {
    let composed: String = target.nfc().collect();
    let mut above = 0;
    for part in composed.rsplit('/') {
        match part {
            "" | "." => {}
            ".." => above += 1,
            _ if above > 0 => above -= 1,
            part => return part.to_lowercase(),
        }
    }
    String::new()
}

/// The [keys](target_key) of targets that can mean a file: its name, without `.md` too, and no name at all.
pub(crate) fn keys_of(path: &NotePath) -> Vec<String> {
    let name = path.file_name().to_lowercase();
    let bare = name.strip_suffix(".md").map(str::to_owned);
    [Some(name), bare, Some(String::new())].into_iter().flatten().collect()
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
