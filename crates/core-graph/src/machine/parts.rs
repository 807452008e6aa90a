//! What the id of a checkpoint is a hash of.

use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

const ROOM: usize = 240;

/// Parts of what is hashed; most commits are small enough to be hashed at once.
pub(super) struct Parts {
    bytes: [u8; ROOM],
    length: usize,
    /// The hash of what there was no room for.
    before: u128,
}

impl Default for Parts {
    fn default() -> Self {
        Self { bytes: [0; ROOM], length: 0, before: 0 }
    }
}

impl Parts {
    /// Adds a part of a fixed length.
    pub(super) fn add(&mut self, part: &[u8]) {
        if ROOM - self.length < part.len() {
            self.before = self.hash();
            self.length = 0;
        }
        match self.bytes.get_mut(self.length..self.length + part.len()) {
            Some(room) => {
                room.copy_from_slice(part);
                self.length += part.len();
            }
            None => self.before = xxh3_128_with_seed(part, seed(self.before)),
        }
    }

    /// Adds a part of any length, and its length.
    pub(super) fn add_text(&mut self, part: &[u8]) {
        self.add(&(part.len() as u64).to_le_bytes());
        if part.len() > ROOM / 2 {
            self.add(&xxh3_128(part).to_le_bytes());
        } else {
            self.add(part);
        }
    }

    pub(super) fn hash(&self) -> u128 {
        xxh3_128_with_seed(self.bytes.get(..self.length).unwrap_or(&self.bytes), seed(self.before))
    }
}

fn seed(hash: u128) -> u64 {
    hash as u64 ^ (hash >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(parts: &[&[u8]]) -> u128 {
        let mut all = Parts::default();
        parts.iter().for_each(|part| all.add_text(part));
        all.hash()
    }

    #[test]
    fn every_part_counts_however_long_and_wherever_it_ends() {
        let long = vec![1; 500];
        let mut longer = long.clone();
        longer[499] = 2;
        let middle = vec![1; 100];
        let several: [&[&[u8]]; 9] = [
            &[],
            &[b""],
            &[b"ab"],
            &[b"a", b"b"],
            &[&long],
            &[&longer],
            &[&middle, &middle, &middle],
            &[&middle, &middle, &middle, b""],
            &[&middle, b"x", &middle, &middle],
        ];
        let mut hashes: Vec<_> = several.iter().map(|parts| hash(parts)).collect();
        assert_eq!(hashes, several.iter().map(|parts| hash(parts)).collect::<Vec<_>>());
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), several.len());
    }
}
