//! Finds what prompt files show outside of a fence.
//!
//! A template is read with the parser of its engine, and followed through loops, branches, inclusions and what it sets, so
//! that every branch counts, whatever the arguments are. What flows into the text of a message without the filter `fenced`
//! is told by the path of its variable, such as `documents[].title`.

mod files;
mod follow;

pub use files::{Files, Unreadable};
pub use follow::{UnfencedVariable, Unknown};

use std::collections::BTreeSet;

/// What the templates of an application show outside of a fence, and the parts that none of them includes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TemplateFindings {
    /// Each variable, where it is shown.
    pub shown: BTreeSet<UnfencedVariable>,
    /// Parts that are in no prompt.
    pub unused_parts: BTreeSet<String>,
}

/// Looks through the templates of an application; `shared` are those of the crates below it.
///
/// # Errors
/// A construction of the template language that is not followed here.
pub fn look_through(own: &Files, shared: &Files) -> Result<TemplateFindings, Unknown> {
    let mut found = TemplateFindings::default();
    let mut included = BTreeSet::new();
    for (name, source) in own.templates() {
        let follow = follow::Follow::new(name, own, shared);
        found.shown.extend(follow.template(source, &mut included)?);
    }
    found.unused_parts = own.parts().filter(|part| !included.contains(*part)).map(str::to_owned).collect();
    Ok(found)
}
