//! Telling a file that was being written from one that somebody edited.

/// How many bytes a disk writes at once.
const BLOCK: usize = 512;

/// Whether a file can be what a crash left while its old bytes were written over by the new ones: every block is of the one
/// or the other, or new to some byte and old from there; or empty, where it had been made longer.
pub(super) fn is_between(now: &[u8], old: &[u8], new: &[u8]) -> bool {
    let (short, long) = (old.len().min(new.len()), old.len().max(new.len()));
    if now.len() < short || now.len() > long {
        return false;
    }
    now.chunks(BLOCK).enumerate().all(|(number, block)| {
        let start = number * BLOCK;
        let of = |text: &[u8]| text.get(start..).unwrap_or_default().to_vec();
        let (old_block, new_block) = (of(old), of(new));
        let done = block.iter().zip(&new_block).take_while(|(a, b)| a == b).count();
        let is_old = old_block.get(done..block.len()).is_some_and(|rest| *rest == block[done..]);
        let is_empty = start + block.len() > old.len() && block[done..].iter().all(|byte| *byte == 0);
        done == block.len() || is_old || is_empty
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::is_between;

    proptest! {
        #[test]
        fn wherever_writing_stops_it_is_seen_and_an_edit_is_not(
            old in "[a-c\n]{0,1400}",
            new in "[a-c\n]{0,1400}",
            cut in any::<proptest::sample::Index>(),
            edit in "[x-z]{1,3}",
        ) {
            let (old, new) = (old.as_bytes(), new.as_bytes());
            let at = cut.index(new.len() + 1);
            let mut now = new[..at].to_vec();
            now.extend(old.get(at..).unwrap_or_default());
            prop_assert!(is_between(&now, old, new));
            now.splice(at..at, edit.bytes());
            prop_assert!(!is_between(&now, old, new), "nobody wrote these letters");
        }
    }

    #[test]
    fn what_is_longer_shorter_or_of_neither_is_an_edit() {
        for now in ["", "on", "one\ntwo\nthree\n", "One\n", "one\nTwo"] {
            assert!(!is_between(now.as_bytes(), b"one\n", b"one\ntwo\n"), "{now:?}");
        }
        assert!(is_between(b"one\n\0\0", b"one\n", b"one\ntwo\n"), "made longer and not yet written");
    }
}
