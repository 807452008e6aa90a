//! The rows in which a frontier is stored: whole, or what changed. Nodes go by name.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::record::heads::Heads;
use crate::record::pack::Pack;
#[cfg(feature = "conformance")]
use crate::state::{StateError, codec};
use crate::tasks::{GroupId, TaskId};
use crate::timeout::Timeout;

/// The name under which stores keep the frontier.
pub(crate) const FRONTIER: &str = "#frontier";

/// A difference of two frontiers, or a whole one as the difference from nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrontierDelta {
    pub(crate) tasks: Vec<TaskRow>,
    pub(crate) removed: Vec<TaskId>,
    /// All joins at which something has arrived by target, when one changed: predecessor and arrivals.
    pub(crate) joins: Option<Vec<(String, Vec<(String, u32)>)>>,
    pub(crate) groups: Vec<(GroupId, u64, Vec<String>)>,
    /// All of them, when one changed.
    #[serde(default)]
    pub(crate) heads: Option<Heads>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TaskRow {
    pub(crate) id: TaskId,
    pub(crate) node: String,
    pub(crate) key: Option<Arc<str>>,
    #[serde(with = "serde_bytes")]
    pub(crate) input: Option<Vec<u8>>,
    pub(crate) groups: Vec<GroupId>,
    pub(crate) failed: u32,
    pub(crate) seen: Option<u64>,
    /// Last, so that it takes no room where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<Timeout>,
}

pub(crate) fn pack_id(pack: &mut Pack, number: u64, place: u32) {
    pack.array(2);
    pack.uint(number);
    pack.uint(place.into());
}

/// The stored form of a frontier after a plain step into `node`: whole, when that task is all it holds, or what changed.
pub(crate) fn pack_step(pack: &mut Pack, number: u64, node: Option<&str>, whole: bool) {
    pack.clear();
    match node {
        Some(node) => {
            pack.written([0x94, 0x91, 0x97]);
            pack_id(pack, number, 0);
            pack.text(node);
            pack.written(NEW_AND_PLAIN);
        }
        None => pack.written([0x94, 0x90]),
    }
    if whole {
        return pack.written([0x90, 0x90, 0x90]);
    }
    pack.array(1);
    pack_id(pack, number.saturating_sub(1), 0);
    pack.written([0xc0, 0x90]);
}

/// What follows the node in the stored form of a task that is new and plain: no key and no input, no groups, no failures,
/// nothing seen.
pub(crate) const NEW_AND_PLAIN: [u8; 5] = [0xc0, 0xc0, 0x90, 0, 0xc0];

pub(crate) fn pack_duration(pack: &mut Pack, duration: Option<Duration>) {
    let Some(duration) = duration else { return pack.nil() };
    pack.array(2);
    pack.uint(duration.as_secs());
    pack.uint(duration.subsec_nanos().into());
}

pub(crate) fn pack_heads(pack: &mut Pack, heads: &Heads) {
    pack.array(2);
    match &heads.call {
        Some(call) => pack.text(call),
        None => pack.nil(),
    }
    pack.map(heads.children.len());
    for (ns, number) in &heads.children {
        pack.text(ns);
        pack.uint(*number);
    }
}

/// The stored form of a frontier with one unfinished task, the first that checkpoint `number` made.
#[cfg(feature = "conformance")]
pub(crate) fn pending_frontier(node: &str, number: u64, seen: Option<u64>) -> Result<Vec<u8>, StateError> {
    let task = TaskRow {
        id: TaskId { number, place: 0 },
        node: node.to_owned(),
        key: None,
        input: None,
        groups: Vec::new(),
        failed: 0,
        seen,
        timeout: None,
    };
    codec::encode_row(FRONTIER, &FrontierDelta { tasks: vec![task], ..FrontierDelta::default() })
}

/// The stored form of a frontier without tasks that records where subgraphs stand.
#[cfg(feature = "conformance")]
pub(crate) fn recording_frontier(children: &[(&str, u64)]) -> Result<Vec<u8>, StateError> {
    let children = children.iter().map(|(ns, number)| (Arc::from(*ns), *number)).collect();
    let heads = Some(Heads { call: None, children });
    codec::encode_row(FRONTIER, &FrontierDelta { heads, ..FrontierDelta::default() })
}

impl FrontierDelta {
    /// Folds a later difference into this whole frontier.
    pub(crate) fn fold(&mut self, later: Self) {
        let mut tasks: BTreeMap<_, _> = std::mem::take(&mut self.tasks).into_iter().map(|row| (row.id, row)).collect();
        later.removed.iter().for_each(|id| drop(tasks.remove(id)));
        tasks.extend(later.tasks.into_iter().map(|row| (row.id, row)));
        self.tasks = tasks.into_values().collect();
        if later.joins.is_some() {
            self.joins = later.joins;
        }
        for group in later.groups {
            self.groups.retain(|(id, ..)| *id != group.0);
            if group.1 > 0 {
                self.groups.push(group);
            }
        }
        self.heads = later.heads.or(self.heads.take());
    }

    /// What the ids of the tasks begin with.
    pub(crate) fn base<'a>(&'a self, ns: &'a Arc<str>) -> &'a Arc<str> {
        self.heads.as_ref().map_or(ns, |heads| heads.base(ns))
    }

    /// Where children that are kept per thread stand.
    pub(crate) fn children(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        self.heads.iter().flat_map(|heads| &heads.children).map(|(ns, number)| (ns, *number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_step_is_stored_as_a_serializer_would() {
        let long = "a node with a name of more than 31 letters";
        for (number, node) in [(1, Some("n")), (128, Some(long)), (70_000, Some("m")), (3, None)] {
            let id = TaskId { number, place: 0 };
            let task = |node: &str| {
                let (key, input, groups, failed, seen, timeout) = (None, None, Vec::new(), 0, None, None);
                TaskRow { id, node: node.to_owned(), key, input, groups, failed, seen, timeout }
            };
            let removed = vec![TaskId { number: number - 1, place: 0 }];
            let changed =
                FrontierDelta { tasks: node.map(task).into_iter().collect(), removed, ..FrontierDelta::default() };
            let whole = FrontierDelta { removed: Vec::new(), joins: Some(Vec::new()), ..changed.clone() };
            for (delta, is_whole) in [(changed, false), (whole, true)] {
                let mut pack = Pack::default();
                pack_step(&mut pack, number, node, is_whole);
                let FrontierDelta { tasks, removed, joins, groups, .. } = &delta;
                assert_eq!(pack.bytes(), rmp_serde::to_vec(&(tasks, removed, joins, groups)).unwrap());
                assert_eq!(rmp_serde::from_slice::<FrontierDelta>(pack.bytes()).unwrap(), delta);
            }
        }
    }
}
