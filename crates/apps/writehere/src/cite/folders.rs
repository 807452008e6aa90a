//! The folders of sources as readers see them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use graphloom_retrieval::{Evidence, Source};

/// What references call each folder. One that was given by its whole path is named by the end of it, by as much as tells
/// it from the others, since where it lies on a machine is nobody's business.
pub(super) struct Folders<'e>(BTreeMap<&'e str, String>);

impl<'e> Folders<'e> {
    /// Names for the folders of all evidence of a run.
    pub(super) fn of(evidence: impl IntoIterator<Item = &'e Evidence>) -> Self {
        let roots: BTreeSet<&str> = evidence
            .into_iter()
            .filter_map(|found| match &found.source {
                Source::Local { root, .. } => Some(root.as_str()),
                _ => None,
            })
            .collect();
        let whole = roots.iter().filter(|root| Path::new(root).is_absolute());
        let named = whole.map(|root| {
            let parts = parts(root);
            let differs = |count: usize| {
                let end = end(&parts, count);
                roots.iter().all(|other| other == root || self::end(&self::parts(other), count) != end)
            };
            let count = (1..parts.len()).find(|count| differs(*count)).unwrap_or(parts.len());
            (*root, end(&parts, count))
        });
        Self(named.collect())
    }

    /// A source by these names.
    pub(super) fn shown(&self, source: &Source) -> Source {
        match source {
            Source::Local { root, path } => {
                let root = self.0.get(root.as_str()).unwrap_or(root);
                Source::Local { root: root.clone(), path: path.clone() }
            }
            other => other.clone(),
        }
    }
}

/// The names on the way to a folder.
fn parts(root: &str) -> Vec<String> {
    let parts = Path::new(root).components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    parts.collect()
}

fn end(parts: &[String], count: usize) -> String {
    parts[parts.len().saturating_sub(count)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_path_is_named_by_its_end() {
        let of = |root: &str| Source::Local { root: root.into(), path: "a.md".into() };
        let roots = ["/home/ann/docs", "/home/bob/docs", "/srv/notes", "../papers", "/", "notes"];
        let evidence: Vec<Evidence> = roots.iter().map(|root| Evidence::new(*root, of(root), "t", "x")).collect();
        let folders = Folders::of(&evidence);
        let shown: Vec<String> = roots.iter().map(|root| folders.shown(&of(root)).to_string()).collect();
        assert_eq!(shown, ["ann/docs/a.md", "bob/docs/a.md", "srv/notes/a.md", "../papers/a.md", "a.md", "notes/a.md"]);
    }
}
