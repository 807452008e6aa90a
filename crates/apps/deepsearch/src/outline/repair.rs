//! Dependencies of sections: what is wrong with them, and what is done about it.

use std::fmt;

use crate::state::Section;

/// How a section may build on another. The original has them in Chinese; these are its meanings.
pub const RELATIONSHIPS: [&str; 6] = [
    "Framework Support",
    "Basic Dependence",
    "Theoretical Guidance",
    "Conclusion Extension",
    "Information Integration",
    "Problem-Oriented",
];

/// What a relationship is when nobody said.
const UNSAID: &str = RELATIONSHIPS[1];

/// What is wrong with a dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A section has no id.
    MissingId,
    /// Two sections have one id.
    DuplicateId(String),
    /// A section builds on itself.
    SelfDependency(String),
    /// A section builds on one that is not there.
    UnknownParent {
        /// The section.
        section: String,
        /// What it names.
        parent: String,
    },
    /// A section builds on a later one.
    ReverseDependency {
        /// The section.
        section: String,
        /// The later one.
        parent: String,
    },
    /// A section names a parent twice.
    DuplicateParent {
        /// The section.
        section: String,
        /// The parent.
        parent: String,
    },
    /// A section has more or fewer relationships than parents.
    Relationships {
        /// The section.
        section: String,
        /// Its parents.
        parents: usize,
        /// Its relationships.
        relationships: usize,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingId => f.write_str("a section has no id"),
            Self::DuplicateId(id) => write!(f, "two sections have the id `{id}`"),
            Self::SelfDependency(id) => write!(f, "section {id} builds on itself"),
            Self::UnknownParent { section, parent } => {
                write!(f, "section {section} builds on `{}`, which is no section", parent.trim_start_matches('?'))
            }
            Self::ReverseDependency { section, parent } => {
                write!(f, "section {section} builds on the later section {parent}")
            }
            Self::DuplicateParent { section, parent } => write!(f, "section {section} names section {parent} twice"),
            Self::Relationships { section, parents, relationships } => {
                write!(f, "section {section} has {parents} parents and {relationships} relationships")
            }
        }
    }
}

/// Everything that is wrong with the dependencies of sections.
pub fn faults(sections: &[Section]) -> Vec<Fault> {
    let mut found = Vec::new();
    let place = |id: &str| sections.iter().position(|section| section.id == id);
    for (at, section) in sections.iter().enumerate() {
        let id = &section.id;
        if id.is_empty() {
            found.push(Fault::MissingId);
        } else if place(id) != Some(at) {
            found.push(Fault::DuplicateId(id.clone()));
        }
        for (number, parent) in section.parent_ids.iter().enumerate() {
            let (section_id, parent_id) = (id.clone(), parent.clone());
            match place(parent) {
                _ if parent == id => found.push(Fault::SelfDependency(section_id)),
                None => found.push(Fault::UnknownParent { section: section_id, parent: parent_id }),
                Some(other) if other >= at => {
                    found.push(Fault::ReverseDependency { section: section_id, parent: parent_id });
                }
                Some(_) if section.parent_ids[..number].contains(parent) => {
                    found.push(Fault::DuplicateParent { section: section_id, parent: parent_id });
                }
                Some(_) => {}
            }
        }
        let (parents, relationships) = (section.parent_ids.len(), section.relationships.len());
        if parents != relationships {
            found.push(Fault::Relationships { section: id.clone(), parents, relationships });
        }
    }
    found
}

/// Mends dependencies and says what was wrong: invalid parents are dropped with their relationships, missing
/// relationships are the last one or *Basic Dependence*, those too many are dropped. What is wrong even then loses all
/// dependencies. Afterwards there are no [`faults`] but in ids, and no circle.
pub fn repair(sections: &mut [Section]) -> Vec<String> {
    let notes: Vec<String> = faults(sections).iter().map(ToString::to_string).collect();
    if notes.is_empty() {
        return notes;
    }
    let ids: Vec<String> = sections.iter().map(|section| section.id.clone()).collect();
    for (at, section) in sections.iter_mut().enumerate() {
        let relationships = std::mem::take(&mut section.relationships);
        let mut parents: Vec<String> = Vec::new();
        for (number, parent) in std::mem::take(&mut section.parent_ids).into_iter().enumerate() {
            let earlier = ids[..at].contains(&parent) && parent != section.id;
            if earlier && !parents.contains(&parent) {
                let relationship = relationships.get(number).or(relationships.last()).cloned();
                section.relationships.push(relationship.unwrap_or_else(|| UNSAID.to_owned()));
                parents.push(parent);
            }
        }
        section.parent_ids = parents;
    }
    let ids_only = |fault: &Fault| matches!(fault, Fault::MissingId | Fault::DuplicateId(_));
    if faults(sections).iter().any(|fault| !ids_only(fault)) {
        for section in sections {
            section.parent_ids.clear();
            section.relationships.clear();
        }
    }
    notes
}
