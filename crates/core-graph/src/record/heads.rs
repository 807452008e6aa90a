//! Which call a namespace serves, and where its children stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Which call a namespace serves, and where its children stand; stored with the frontier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Heads {
    /// The id of the task that the namespace runs for, when that is not the namespace's name.
    pub(crate) call: Option<Arc<str>>,
    /// By namespace, the checkpoint at which a child that is kept per thread stands, also one of a child.
    pub(crate) children: BTreeMap<Arc<str>, u64>,
}

impl Heads {
    /// Takes over where children stand. Numbers grow along a branch, in whatever order its tasks commit.
    pub(crate) fn record(&mut self, children: &[(Arc<str>, u64)]) {
        for (ns, number) in children {
            let head = self.children.entry(Arc::clone(ns)).or_default();
            *head = (*head).max(*number);
        }
    }

    /// Whether nothing is recorded.
    pub(crate) fn are_unset(&self) -> bool {
        self.call.is_none() && self.children.is_empty()
    }

    /// What the ids of the namespace's tasks begin with.
    pub(crate) fn base<'a>(&'a self, ns: &'a Arc<str>) -> &'a Arc<str> {
        self.call.as_ref().unwrap_or(ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_grow() {
        let mut heads = Heads::default();
        let (one, other): (Arc<str>, Arc<str>) = ("one".into(), "one/other".into());
        heads.record(&[(Arc::clone(&one), 3), (Arc::clone(&other), 2)]);
        heads.record(&[(Arc::clone(&one), 2)]);
        heads.record(&[(Arc::clone(&other), 7)]);
        assert_eq!(heads.children.into_iter().collect::<Vec<_>>(), [(one, 3), (other, 7)]);
    }

    #[test]
    fn ids_begin_with_the_call() {
        let ns: Arc<str> = "child".into();
        assert_eq!(&**Heads::default().base(&ns), "child");
        let serving = Heads { call: Some("child:2.0".into()), ..Heads::default() };
        assert_eq!(&**serving.base(&ns), "child:2.0");
    }
}
