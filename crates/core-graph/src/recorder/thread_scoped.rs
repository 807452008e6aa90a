//! Whose turn it is with the subgraphs that are kept per thread.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::lock::lock;
use crate::tasks::{Kept, Standing};

/// Where the subgraphs that are kept per thread stand in a run, shared by its namespaces.
#[derive(Debug, Default)]
pub(crate) struct ThreadScopedCalls {
    /// By namespace, from the outermost task that has called the subgraph to the innermost.
    places: Mutex<BTreeMap<Arc<str>, Vec<Level>>>,
    used: AtomicBool,
}

/// Where a subgraph stands as long as a task is unfinished.
#[derive(Clone, Default)]
struct Level {
    /// The task: the subgraph's own call, or one around it; `""` for what the root has committed.
    owner: Arc<str>,
    position: ChildPosition,
}

/// What the next call of a subgraph begins with.
#[derive(Clone, Default)]
pub(crate) struct ChildPosition {
    /// The checkpoint, `None` when there was no call before.
    pub(crate) head: Option<u64>,
    /// What the store has at that checkpoint, when this run made it.
    pub(crate) kept: Option<Kept>,
}

/// How a call begins.
pub(crate) struct CallStart {
    pub(crate) position: ChildPosition,
    /// Whether it has begun before, in an earlier attempt or run.
    pub(crate) again: bool,
}

impl ThreadScopedCalls {
    fn places(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Vec<Level>>> {
        lock(&self.places)
    }

    /// Whether anything is known.
    pub(crate) fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Notes where a subgraph stands for as long as `owner` is unfinished. Outer tasks are noted first.
    pub(crate) fn note(&self, owner: &Arc<str>, ns: &Arc<str>, head: u64) {
        self.used.store(true, Ordering::Relaxed);
        let mut places = self.places();
        let levels = places.entry(Arc::clone(ns)).or_default();
        match levels.last_mut() {
            Some(level) if level.owner == *owner => {
                level.position.head = level.position.head.max(Some(head));
            }
            _ => levels
                .push(Level { owner: Arc::clone(owner), position: ChildPosition { head: Some(head), kept: None } }),
        }
    }

    /// Notes that `call` had begun when a run stopped.
    pub(crate) fn note_open(&self, call: &Arc<str>, ns: &Arc<str>) {
        self.used.store(true, Ordering::Relaxed);
        let mut places = self.places();
        let levels = places.entry(Arc::clone(ns)).or_default();
        let position = levels.last().map(|level| level.position.clone()).unwrap_or_default();
        levels.push(Level { owner: Arc::clone(call), position });
    }

    /// Begins a call, or goes on with it.
    ///
    /// # Errors
    /// The call that has the subgraph.
    pub(crate) fn begin(&self, ns: &Arc<str>, call: &Arc<str>) -> Result<CallStart, Arc<str>> {
        self.used.store(true, Ordering::Relaxed);
        let mut places = self.places();
        let levels = places.entry(Arc::clone(ns)).or_default();
        let Level { owner, position } = levels.last().cloned().unwrap_or_default();
        if owner == *call {
            return Ok(CallStart { position, again: true });
        }
        if !is_in(call, &owner) {
            return Err(owner);
        }
        levels.push(Level { owner: Arc::clone(call), position: position.clone() });
        Ok(CallStart { position, again: false })
    }

    /// Notes where a subgraph stands for a call that goes on from a checkpoint of an earlier one.
    ///
    /// # Errors
    /// The call that has the subgraph.
    pub(crate) fn take_over(&self, ns: &Arc<str>, call: &Arc<str>, head: u64) -> Result<(), Arc<str>> {
        self.begin(ns, call)?;
        if let Some(level) = self.places().get_mut(ns).and_then(|levels| levels.last_mut()) {
            level.position = ChildPosition { head: Some(head), kept: None };
        }
        Ok(())
    }

    /// Ends what the task has begun, itself and inside. Subgraphs stand where it left them, for the task around it;
    /// those that it does not name stand where they stood before.
    pub(crate) fn finish(&self, task: &str, left: &Standing) {
        if !self.is_used() {
            return;
        }
        let around: Arc<str> = task.rsplit_once('/').map_or("", |(around, _)| around).into();
        let mut places = self.places();
        let positions: Vec<_> =
            left.heads.iter().map(|(ns, head)| (Arc::clone(ns), left_position(left, ns, *head, &places))).collect();
        for levels in places.values_mut() {
            drop_levels(levels, task);
        }
        for (ns, position) in positions {
            let levels = places.entry(ns).or_default();
            match levels.last_mut() {
                Some(level) if level.owner == around => level.position = position,
                _ => levels.push(Level { owner: Arc::clone(&around), position }),
            }
        }
    }

    /// Forgets what was done inside a task that runs again from its beginning.
    pub(crate) fn forget(&self, task: &str) {
        if self.is_used() {
            self.places().values_mut().for_each(|levels| drop_levels(levels, task));
        }
    }
}

/// Returns where a subgraph stands after a call that left it at a head.
fn left_position(left: &Standing, ns: &Arc<str>, head: u64, places: &BTreeMap<Arc<str>, Vec<Level>>) -> ChildPosition {
    let own = || left.own.iter().find(|(own, _)| own == ns).map(|(_, kept)| Arc::clone(kept));
    let inner = || {
        let level = places.get(ns)?.iter().rfind(|level| level.position.head == Some(head))?;
        level.position.kept.as_ref().map(Arc::clone)
    };
    ChildPosition { head: Some(head), kept: own().or_else(inner) }
}

fn drop_levels(levels: &mut Vec<Level>, task: &str) {
    while levels.last().is_some_and(|level| !level.owner.is_empty() && is_in(&level.owner, task)) {
        levels.pop();
    }
}

/// Whether a task is `around` or inside of it; all are inside of the root.
fn is_in(task: &str, around: &str) -> bool {
    around.is_empty() || task.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Level").field("owner", &self.owner).field("head", &self.position.head).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(calls: &ThreadScopedCalls, call: &str) -> Result<(Option<u64>, bool), String> {
        let begun = calls.begin(&"leaf".into(), &call.into()).map_err(|owner| owner.to_string())?;
        Ok((begun.position.head, begun.again))
    }

    fn finish(calls: &ThreadScopedCalls, task: &str, head: Option<u64>) {
        let heads = head.map(|head| ("leaf".into(), head));
        calls.finish(task, &Standing { heads: heads.into_iter().collect(), own: None });
    }

    #[test]
    fn one_call_at_a_time_and_each_begins_where_the_one_before_ended() {
        let calls = ThreadScopedCalls::default();
        assert_eq!(begin(&calls, "leaf:1.0"), Ok((None, false)));
        assert_eq!(begin(&calls, "leaf:1.0"), Ok((None, true)), "another attempt");
        assert_eq!(begin(&calls, "leaf:1.1"), Err("leaf:1.0".to_owned()));
        finish(&calls, "leaf:1.0", Some(3));
        assert_eq!(begin(&calls, "leaf:1.1"), Ok((Some(3), false)));
        finish(&calls, "leaf:1.1", None);
        assert_eq!(begin(&calls, "leaf:4.0"), Ok((Some(3), false)), "a call that came to nothing changes nothing");
    }

    #[test]
    fn below_calls_that_run_together_it_belongs_to_one_until_that_ends() {
        let calls = ThreadScopedCalls::default();
        calls.note(&"".into(), &"leaf".into(), 2);
        assert_eq!(begin(&calls, "mid:1.0/leaf:1.0"), Ok((Some(2), false)));
        finish(&calls, "mid:1.0/leaf:1.0", Some(4));
        assert_eq!(begin(&calls, "mid:1.1/leaf:1.0"), Err("mid:1.0".to_owned()));
        assert_eq!(begin(&calls, "mid:1.0/leaf:3.0"), Ok((Some(4), false)));
        finish(&calls, "mid:1.0/leaf:3.0", Some(6));
        finish(&calls, "mid:1.0", None);
        assert_eq!(begin(&calls, "mid:1.1/leaf:1.0"), Ok((Some(2), false)), "the outer call came to nothing");
        finish(&calls, "mid:1.1/leaf:1.0", Some(8));
        finish(&calls, "mid:1.1", Some(8));
        assert_eq!(begin(&calls, "leaf:9.0"), Ok((Some(8), false)));
    }

    #[test]
    fn what_a_run_before_left_is_gone_on_with() {
        let calls = ThreadScopedCalls::default();
        calls.note(&"".into(), &"leaf".into(), 2);
        calls.note(&"mid:1.0".into(), &"leaf".into(), 4);
        calls.note_open(&"mid:1.0/leaf:3.0".into(), &"leaf".into());
        assert_eq!(begin(&calls, "mid:1.1/leaf:1.0"), Err("mid:1.0/leaf:3.0".to_owned()));
        assert_eq!(begin(&calls, "mid:1.0/leaf:3.0"), Ok((Some(4), true)));
        calls.forget("mid:1.0");
        assert_eq!(begin(&calls, "mid:1.1/leaf:1.0"), Ok((Some(2), false)));
    }
}
