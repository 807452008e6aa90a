//! Seeds of calls.

/// The seed of a call in a run with the seed `run`: FNV-1a over what is asked, the same on every platform and in every
/// version, so that recordings are found again.
///
/// ```
/// use graphloom_agents::seed_of;
///
/// assert_eq!(seed_of(0, ""), 0xcbf2_9ce4_8422_2325);
/// assert_eq!(seed_of(7, "1.2/write"), seed_of(7, "1.2/write"));
/// assert_ne!(seed_of(7, "1.2/write"), seed_of(8, "1.2/write"));
/// ```
#[must_use]
pub fn seed_of(run: u64, what: &str) -> u64 {
    what.bytes().fold(0xcbf2_9ce4_8422_2325 ^ run, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_those_of_fnv() {
        // Of the test vectors by Fowler, Noll and Vo.
        assert_eq!(seed_of(0, "a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(seed_of(0, "foobar"), 0x8594_4171_f739_67e8);
    }
}
