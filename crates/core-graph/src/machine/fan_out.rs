//! Sends and fan-outs: their order, those of one key, and when a fan-out closes.

use std::collections::BTreeSet;

use compact_str::CompactString;
use smallvec::SmallVec;

use crate::checkpoint::RecordBytes;
use crate::machine::MachineCore;
use crate::machine::task::Groups;
use crate::name::Packet;
use crate::tasks::GroupId;
use crate::timeout::Timeout;

/// A send.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(super) node: u32,
    pub(super) key: CompactString,
    pub(super) input: RecordBytes,
    /// The fan-outs that wait for it.
    pub(super) groups: Groups,
    /// Its own time limit.
    pub(super) timeout: Option<Box<Timeout>>,
}

impl Sent {
    /// A send from outside, for which no fan-out waits.
    ///
    /// # Errors
    /// Why its input cannot be encoded.
    pub(crate) fn from_outside(node: u32, packet: Packet) -> Result<Self, String> {
        let Packet { key, input, timeout, .. } = packet;
        Ok(Self { node, key, input: input?, groups: Groups::new(), timeout })
    }

    /// Its place among the sends of a commit.
    fn order(&self) -> (KeyOrder<&str>, u32) {
        (KeyOrder::of(&self.key), self.node)
    }
}

/// A send that did nothing, because its target has one of the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Coalesced {
    pub(crate) node: u32,
    pub(crate) key: CompactString,
}

/// A fan-out, and how many of its tasks ended with a commit.
pub(super) type Finished = (GroupId, u64);

/// Counts fan-outs; neighbours that are the same one are counted together.
pub(super) fn counted(groups: impl Iterator<Item = GroupId>) -> SmallVec<[Finished; 1]> {
    let mut counts = SmallVec::<[Finished; 1]>::new();
    for group in groups {
        match counts.last_mut() {
            Some((last, tasks)) if *last == group => *tasks += 1,
            _ => counts.push((group, 1)),
        }
    }
    counts
}

impl MachineCore {
    /// Sends in the order of their keys, each once. A second send of a key does nothing, but its fan-out waits for the
    /// task of the first.
    pub(super) fn coalesce(&mut self, mut sent: Vec<Sent>) -> (Vec<Sent>, Vec<Coalesced>) {
        let differ = sent.iter().map(Sent::order).is_sorted_by(|one, next| one < next);
        if differ && !self.frontier.has_sends() {
            self.open_groups(sent.iter().flat_map(|packet| packet.groups.iter().copied()));
            return (sent, Vec::new());
        }
        let (mut coalesced, mut joined) = (Vec::new(), Vec::new());
        let mut packets: Vec<Sent> = Vec::with_capacity(sent.len());
        if !differ {
            sent.sort_by_cached_key(|Sent { node, key, .. }| (KeyOrder::at(key, key.clone()), *node));
        }
        for packet in sent {
            let pending = self.frontier.sent(packet.node, &packet.key);
            let waits_for = match (packets.last_mut(), pending.and_then(|id| self.frontier.get_mut(id))) {
                (_, Some(task)) => &mut task.groups,
                (Some(last), None) if last.node == packet.node && last.key == packet.key => &mut last.groups,
                _ => {
                    self.open_groups(packet.groups.iter().copied());
                    packets.push(packet);
                    continue;
                }
            };
            for group in packet.groups {
                if !waits_for.contains(&group) {
                    waits_for.push(group);
                    joined.push(group);
                }
            }
            coalesced.push(Coalesced { node: packet.node, key: packet.key });
            if let (Some(id), true) = (pending, self.persist.is_some()) {
                self.frontier.touch(id);
            }
        }
        self.open_groups(joined.into_iter());
        (packets, coalesced)
    }

    /// Counts a task more for each of these fan-outs.
    fn open_groups(&mut self, groups: impl Iterator<Item = GroupId>) {
        for (id, tasks) in counted(groups) {
            self.frontier.groups.entry(id).or_default().open += tasks;
        }
    }

    /// Opens, widens and closes fan-outs; a closed one arrives at the joins of its targets.
    pub(super) fn count_groups(
        &mut self,
        opened: &[(GroupId, BTreeSet<u32>)],
        finished: &[Finished],
        arrivals: &mut Vec<(usize, usize)>,
    ) {
        let mut touched = BTreeSet::new();
        for (id, targets) in opened {
            self.frontier.groups.entry(*id).or_default().targets.extend(targets);
            touched.insert(*id);
        }
        for (id, tasks) in finished {
            if let Some(group) = self.frontier.groups.get_mut(id) {
                group.open = group.open.saturating_sub(*tasks);
            }
            touched.insert(*id);
        }
        for id in touched {
            self.frontier.touch_group_if(id, self.persist.is_some());
            if self.frontier.groups.get(&id).is_some_and(|group| group.open == 0)
                && let Some(group) = self.frontier.groups.remove(&id)
            {
                group
                    .targets
                    .iter()
                    .for_each(|target| arrivals.extend_from_slice(&self.outline.node(*target).exits.joins));
            }
        }
    }
}

/// The order of keys: those that are numbers by value, all others as text after them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyOrder<K> {
    is_text: bool,
    number: i64,
    text: K,
}

impl<'k> KeyOrder<&'k str> {
    pub(super) fn of(key: &'k str) -> Self {
        Self::at(key, key)
    }
}

impl<K> KeyOrder<K> {
    fn at(key: &str, text: K) -> Self {
        let number = key.parse::<i64>();
        Self { is_text: number.is_err(), number: number.unwrap_or(0), text }
    }
}

#[cfg(test)]
mod tests {
    use super::KeyOrder;

    #[test]
    fn numbers_sort_by_value_and_before_texts() {
        let mut keys = ["b", "10", "9", "a", "1.2"];
        keys.sort_by(|a, b| KeyOrder::of(a).cmp(&KeyOrder::of(b)));
        assert_eq!(keys, ["9", "10", "1.2", "a", "b"]);
    }
}
