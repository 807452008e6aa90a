//! Numbers from a seed.

/// `SplitMix64` (Steele, Lea, Flood 2014).
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 to below `limit`; 0 for a limit of 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit.max(1)
    }

    /// One of the values.
    pub fn choose<T: Copy>(&mut self, values: &[T]) -> T {
        let at = self.below(values.len() as u64);
        values[usize::try_from(at).unwrap_or(0)]
    }

    /// True in `percent` of a hundred.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
