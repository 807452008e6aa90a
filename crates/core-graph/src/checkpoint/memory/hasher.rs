//! How ids of threads and names of namespaces are hashed.

use std::hash::{BuildHasher, Hasher, RandomState};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Hashes a short text in a fraction of the time of the standard hasher. The seed differs from store to store, so that
/// nobody can choose ids that collide.
#[derive(Clone, Debug)]
pub(super) struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Seeded {
    type Hasher = SeededHasher;

    fn build_hasher(&self) -> SeededHasher {
        SeededHasher(self.0)
    }
}

/// The hash of the parts so far.
#[derive(Debug)]
pub(super) struct SeededHasher(u64);

impl Hasher for SeededHasher {
    fn write(&mut self, bytes: &[u8]) {
        // The root namespace, which most commits are in, has the empty name.
        if !bytes.is_empty() {
            self.0 = xxh3_64_with_seed(bytes, self.0);
        }
    }

    fn write_u8(&mut self, mark: u8) {
        self.0 = self.0.rotate_left(8) ^ u64::from(mark);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
