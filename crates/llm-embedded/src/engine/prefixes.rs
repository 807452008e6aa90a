//! The keys and values of the last conversations, for those that begin alike.

use std::collections::VecDeque;

use candle_core::Result;

use crate::model::Cache;

/// The most conversations that are kept.
const MOST: usize = 6;

/// The most tokens that are kept in all; one takes 23 KB in the default model.
const MOST_TOKENS: usize = 4096;

/// The conversations that were read last, latest first.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    entries: VecDeque<(Vec<u32>, Cache)>,
}

impl Prefixes {
    /// A cache of its own with the longest kept beginning of `tokens`, a whole number of `step` tokens long and
    /// shorter than `tokens`; `None` when nothing kept begins alike.
    pub(crate) fn fork(&mut self, tokens: &[u32], step: usize) -> Result<Option<Cache>> {
        let shared = |entry: &(Vec<u32>, Cache)| {
            let alike = entry.0.iter().zip(tokens).take_while(|(a, b)| a == b).count();
            alike.min(whole(tokens.len(), step)) / step * step
        };
        let lengths = self.entries.iter().map(shared).enumerate();
        // Of equals the latest: `max_by_key` takes the last, so the order is turned.
        let Some((index, length)) = lengths.rev().max_by_key(|(_, length)| *length).filter(|(_, length)| *length > 0)
        else {
            return Ok(None);
        };
        let Some(entry) = self.entries.remove(index) else { return Ok(None) };
        let fork = entry.1.fork(length);
        self.entries.push_front(entry);
        fork.map(Some)
    }

    /// Keeps the beginning of a conversation that was read, as far as it is a whole number of `step` tokens.
    pub(crate) fn keep(&mut self, tokens: &[u32], cache: &Cache, step: usize) {
        let tokens = &tokens[..whole(tokens.len(), step)];
        if tokens.is_empty()
            || tokens.len() > MOST_TOKENS
            || self.entries.iter().any(|(kept, _)| kept.starts_with(tokens))
        {
            return;
        }
        self.entries.retain(|(kept, _)| !tokens.starts_with(kept));
        // The conversation goes on behind its beginning, in the same memory.
        self.entries.push_front((tokens.to_vec(), cache.share(tokens.len())));
        self.entries.truncate(MOST);
        while self.entries.iter().map(|(kept, _)| kept.len()).sum::<usize>() > MOST_TOKENS {
            self.entries.pop_back();
        }
    }
}

/// The most tokens below `length` that are a whole number of steps; at least one token is always left to be read.
fn whole(length: usize, step: usize) -> usize {
    length.saturating_sub(1) / step * step
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device, Tensor};

    use super::*;

    fn cache(length: usize) -> Cache {
        let mut cache = Cache::new(1, 1, 2).unwrap();
        cache.reserve(length).unwrap();
        let zeros = Tensor::zeros((length, 1, 2), DType::F32, &Device::Cpu).unwrap();
        cache.write(0, &zeros, &zeros).unwrap();
        cache.advance(length);
        cache
    }

    fn range(end: u32) -> Vec<u32> {
        (0..end).collect()
    }

    fn forked(prefixes: &mut Prefixes, tokens: &[u32]) -> usize {
        prefixes.fork(tokens, 4).unwrap().map_or(0, |cache| cache.len())
    }

    #[test]
    fn only_whole_steps_are_shared_and_a_token_is_left() {
        let mut prefixes = Prefixes::default();
        prefixes.keep(&range(10), &cache(10), 4);
        assert_eq!(forked(&mut prefixes, &range(10)), 8);
        assert_eq!(forked(&mut prefixes, &range(8)), 4);
        assert_eq!(forked(&mut prefixes, &[0, 1, 2, 3, 4, 9, 9, 9, 9]), 4);
        assert_eq!(forked(&mut prefixes, &[0, 1, 2, 9, 9]), 0);
        assert_eq!(forked(&mut prefixes, &[]), 0);
    }

    #[test]
    fn a_longer_conversation_replaces_its_beginning() {
        let mut prefixes = Prefixes::default();
        prefixes.keep(&range(9), &cache(9), 4);
        prefixes.keep(&range(17), &cache(17), 4);
        prefixes.keep(&range(9), &cache(9), 4);
        assert_eq!(prefixes.entries.len(), 1);
        assert_eq!(forked(&mut prefixes, &range(30)), 16);
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_goes_first() {
        let mut prefixes = Prefixes::default();
        for first in 0..10_u32 {
            let tokens: Vec<u32> = (0..1001).map(|index| first * 10_000 + index).collect();
            prefixes.keep(&tokens, &cache(1001), 4);
        }
        assert_eq!(prefixes.entries.len(), 4);
        assert_eq!(prefixes.entries[0].0[0], 90_000);
        assert_eq!(forked(&mut prefixes, &range(1000)), 0);
        let long = range(5000);
        prefixes.keep(&long, &cache(10), 4);
        assert_eq!(prefixes.entries.len(), 4, "one that is too long by itself is not kept");
    }
}
