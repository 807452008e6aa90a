//! Who is a member, as this one sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

/// The members that were seen, with the heartbeat each had last and since when.
#[derive(Default)]
pub(super) struct Peers {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seen: BTreeMap<Uuid, Heartbeat>,
    looked: Option<Instant>,
    /// This member.
    own: Uuid,
}

#[derive(Clone, Copy, Debug)]
struct Heartbeat {
    beat: u64,
    since: Instant,
}

/// What changed among the members since they were looked at before.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Members whose heartbeat has stood still for the time of a lease, with that heartbeat.
    pub(super) silent: Vec<(Uuid, u64)>,
    /// Whether members are gone that were there before.
    pub(super) are_fewer: bool,
}

impl Peers {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says which one is this member.
    pub(super) fn is(&self, own: Uuid) {
        self.lock().own = own;
    }

    /// Takes up who is there. A heartbeat stands still from when it was first seen; a time in which nobody could look does
    /// not count, since in that time nobody could be heard either.
    pub(super) fn look(&self, members: &BTreeMap<Uuid, u64>, now: Instant, beat: Duration, lease: Duration) -> Changes {
        let mut state = self.lock();
        let was_blind = state.looked.replace(now).is_none_or(|looked| now.duration_since(looked) > beat * 2);
        let before: BTreeSet<Uuid> = state.seen.keys().copied().collect();
        let mut changes = Changes::default();
        let mut seen = BTreeMap::new();
        for (id, beat) in members {
            let known = state.seen.get(id).filter(|seen| seen.beat == *beat && !was_blind);
            let known = known.copied().unwrap_or(Heartbeat { beat: *beat, since: now });
            if *id != state.own && now.duration_since(known.since) >= lease {
                changes.silent.push((*id, *beat));
            }
            seen.insert(*id, known);
        }
        changes.are_fewer = before.iter().any(|id| !seen.contains_key(id));
        state.seen = seen;
        changes
    }

    /// Forgets a member that was removed.
    pub(super) fn forget(&self, id: Uuid) {
        self.lock().seen.remove(&id);
    }

    /// Whether there are others.
    pub(super) fn has_others(&self) -> bool {
        let state = self.lock();
        state.seen.keys().any(|id| *id != state.own)
    }

    /// Whether this is the member that was there first, of those that are there.
    pub(super) fn is_eldest(&self) -> bool {
        let state = self.lock();
        state.seen.keys().all(|id| state.own <= *id)
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    const BEAT: Duration = Duration::from_secs(1);
    const LEASE: Duration = Duration::from_secs(5);

    #[test]
    fn a_member_is_silent_when_its_heartbeat_stands_still_while_it_was_looked_at() {
        let (peers, start) = (Peers::default(), Instant::now());
        let (own, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        peers.is(own);
        let look = |second: u64, beat: u64| {
            let members = BTreeMap::from([(own, 0), (other, beat)]);
            peers.look(&members, start + Duration::from_secs(second), BEAT, LEASE).silent
        };
        for second in 0..5 {
            assert_eq!(look(second, 7), []);
        }
        assert_eq!(look(5, 7), [(other, 7)]);
        assert_eq!(look(6, 8), [], "it is heard again");
        assert_eq!(look(7, 8), []);
        // Nobody could look for a while.
        assert_eq!(look(20, 8), []);
        for second in 21..25 {
            assert_eq!(look(second, 8), []);
        }
        assert_eq!(look(25, 8), [(other, 8)]);
    }

    #[test]
    fn the_eldest_is_the_one_that_was_there_first() {
        let (peers, now) = (Peers::default(), Instant::now());
        let [one, two, three] = [1, 2, 3].map(Uuid::from_u128);
        peers.is(two);
        assert!(peers.is_eldest() && !peers.has_others());
        peers.look(&BTreeMap::from([(two, 0), (three, 0)]), now, BEAT, LEASE);
        assert!(peers.is_eldest() && peers.has_others());
        peers.look(&BTreeMap::from([(one, 0), (two, 0)]), now, BEAT, LEASE);
        assert!(!peers.is_eldest());
        let changes = peers.look(&BTreeMap::from([(two, 0)]), now, BEAT, LEASE);
        assert!(changes.are_fewer && peers.is_eldest() && !peers.has_others());
    }
}
