//! Small models fall into loops; this notices.

/// An answer ends when its last so many tokens stood in it before.
const LOOP: usize = 8;

/// How many of the last tokens count as recent.
const RECENT: usize = 64;

/// The tokens of an answer so far.
#[derive(Debug, Default)]
pub(crate) struct Repetition {
    tokens: Vec<u32>,
}

impl Repetition {
    /// Adds a token.
    pub(crate) fn push(&mut self, token: u32) {
        self.tokens.push(token);
    }

    /// The last tokens, which a sampler should avoid.
    pub(crate) fn recent(&self) -> &[u32] {
        &self.tokens[self.tokens.len().saturating_sub(RECENT)..]
    }

    /// Whether the answer repeats itself.
    pub(crate) fn looping(&self) -> bool {
        let Some(start) = self.tokens.len().checked_sub(LOOP) else { return false };
        let last = &self.tokens[start..];
        self.tokens[..self.tokens.len() - 1].windows(LOOP).any(|window| window == last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looping(tokens: impl IntoIterator<Item = u32>) -> bool {
        let mut repetition = Repetition::default();
        tokens.into_iter().for_each(|token| repetition.push(token));
        repetition.looping()
    }

    #[test]
    fn a_loop_is_eight_tokens_twice() {
        assert!(!looping(0..100));
        assert!(!looping([1, 2, 3]));
        assert!(looping((0..8).chain([50]).chain(0..8)));
        assert!(!looping((0..8).chain([50]).chain(0..7)));
        assert!(looping([4; 9]), "overlapping repeats count");
        assert!(!looping([4; 8]));
    }

    #[test]
    fn recent_is_the_last_sixty_four() {
        let mut repetition = Repetition::default();
        (0..100).for_each(|token| repetition.push(token));
        assert_eq!(repetition.recent(), (36..100).collect::<Vec<_>>());
    }
}
