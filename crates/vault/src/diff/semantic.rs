//! What a change of text means: keys and links that are different.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::{Anchor, Link, Note};

/// A difference that lines of text show badly.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SemanticChange {
    /// A key of the frontmatter is new, gone, or has another value.
    Frontmatter {
        /// The key.
        key: String,
        /// Its value before; `None` when it was not there.
        before: Option<Value>,
        /// Its value after; `None` when it is gone.
        after: Option<Value>,
    },
    /// A link leads somewhere else.
    LinkRetargeted {
        /// The target before, as written.
        before: String,
        /// The target after.
        after: String,
    },
    /// A link is new.
    LinkAdded(String),
    /// A link is gone.
    LinkRemoved(String),
}

impl fmt::Display for SemanticChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frontmatter { key, before: None, after: Some(after) } => write!(f, "key `{key}` is new: {after}"),
            Self::Frontmatter { key, before: Some(before), after: None } => write!(f, "key `{key}` is gone: {before}"),
            Self::Frontmatter { key, before, after } => {
                let shown = |value: &Option<Value>| value.as_ref().map_or_else(String::new, ToString::to_string);
                write!(f, "key `{key}`: {} → {}", shown(before), shown(after))
            }
            Self::LinkRetargeted { before, after } => write!(f, "link `{before}` → `{after}`"),
            Self::LinkAdded(target) => write!(f, "link `{target}` is new"),
            Self::LinkRemoved(target) => write!(f, "link `{target}` is gone"),
        }
    }
}

/// The differences between two texts of a note; a note that is not there has no keys and no links.
pub(super) fn semantic_changes(before: Option<&Note>, after: Option<&Note>) -> Vec<SemanticChange> {
    let mut found = Vec::new();
    keys(before, after, &mut found);
    links(before, after, &mut found);
    found
}

fn keys(before: Option<&Note>, after: Option<&Note>, found: &mut Vec<SemanticChange>) {
    let old = before.map(|note| note.frontmatter().to_map()).unwrap_or_default();
    let new = after.map(|note| note.frontmatter().to_map()).unwrap_or_default();
    let all = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
    for key in all.filter(|key| old.get(*key) != new.get(*key)) {
        let (before, after) = (old.get(key).cloned(), new.get(key).cloned());
        found.push(SemanticChange::Frontmatter { key: key.clone(), before, after });
    }
}

fn links(before: Option<&Note>, after: Option<&Note>, found: &mut Vec<SemanticChange>) {
    let targets = |note: Option<&Note>| -> Vec<String> {
        note.map(|note| note.links().iter().map(link_text).collect()).unwrap_or_default()
    };
    let (old, new) = (targets(before), targets(after));
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Insert { new_index, new_len, .. } => {
                found.extend(new[new_index..new_index + new_len].iter().cloned().map(SemanticChange::LinkAdded));
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                found.extend(old[old_index..old_index + old_len].iter().cloned().map(SemanticChange::LinkRemoved));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let pairs = old_len.min(new_len);
                for at in 0..pairs {
                    let (before, after) = (old[old_index + at].clone(), new[new_index + at].clone());
                    found.push(SemanticChange::LinkRetargeted { before, after });
                }
                let gone = old[old_index + pairs..old_index + old_len].iter().cloned();
                found.extend(gone.map(SemanticChange::LinkRemoved));
                let more = new[new_index + pairs..new_index + new_len].iter().cloned();
                found.extend(more.map(SemanticChange::LinkAdded));
            }
        }
    }
}

fn link_text(link: &Link) -> String {
    match &link.anchor {
        None => link.target.clone(),
        Some(Anchor::Block(id)) => format!("{}#^{id}", link.target),
        Some(Anchor::Heading(chain)) => format!("{}#{}", link.target, chain.join("#")),
    }
}
