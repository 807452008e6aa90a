//! The id of a frame names its place in the log.

use std::fmt;
use std::str::FromStr;

/// The id of a frame: `<ms>-<n>`, the time of the entry that gave it, and a number made of the number of the entry and the place
/// of the frame among those of the entry. It is the same whatever modes are asked for, and greater than those of all frames
/// before it in the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FrameId {
    /// The number of the entry.
    pub(crate) seq: u64,
    pub(crate) place: u64,
    /// Milliseconds since 1970.
    time: u64,
}

/// The bits of a place. Frames of one entry that are more than fit have one id.
const PLACE_BITS: u32 = 12;
const LAST_PLACE: u64 = (1 << PLACE_BITS) - 1;

/// A text that is no id of a frame.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no id of an event: send the id of the last event that was received, or `-1` for all")]
pub(crate) struct BadFrameId(String);

impl FrameId {
    /// Before the first frame.
    pub(crate) const START: Self = Self { seq: 0, place: 0, time: 0 };

    pub(super) fn new(seq: u64, place: u64, time: u64) -> Self {
        Self { seq, place: place.min(LAST_PLACE), time }
    }

    /// After all frames of an entry.
    pub(super) fn after_entry(seq: u64) -> Self {
        Self { seq, place: LAST_PLACE, time: u64::MAX }
    }

    /// Whether the frame comes after another.
    pub(super) fn is_after(self, other: Self) -> bool {
        (self.seq, self.place) > (other.seq, other.place)
    }
}

impl fmt::Display for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.time, self.seq << PLACE_BITS | self.place)
    }
}

impl FromStr for FrameId {
    type Err = BadFrameId;

    fn from_str(text: &str) -> Result<Self, BadFrameId> {
        let text = text.trim();
        // Clients of runs ask for all with `-1`, those of threads with `-`.
        if matches!(text, "-1" | "-" | "0") {
            return Ok(Self::START);
        }
        let bad = || BadFrameId(text.chars().take(64).collect());
        let (time, number) = text.split_once('-').ok_or_else(bad)?;
        let (time, number): (u64, u64) = (time.parse().map_err(|_| bad())?, number.parse().map_err(|_| bad())?);
        Ok(Self { seq: number >> PLACE_BITS, place: number & LAST_PLACE, time })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_id_is_read_back_and_sorts_as_its_place(
            one in (0_u64..1 << 40, 0_u64..1 << PLACE_BITS), other in (0_u64..1 << 40, 0_u64..1 << PLACE_BITS), time: u64,
        ) {
            let (first, second) = (FrameId::new(one.0, one.1, time), FrameId::new(other.0, other.1, time));
            prop_assert_eq!(first.to_string().parse::<FrameId>().unwrap(), first);
            let number = |id: FrameId| id.to_string().split_once('-').unwrap().1.parse::<u64>().unwrap();
            prop_assert_eq!(number(first).cmp(&number(second)), one.cmp(&other));
            prop_assert_eq!(first.is_after(second), one > other);
        }
    }

    #[test]
    fn the_beginning_has_several_names_and_other_texts_are_refused() {
        for all in ["-1", "-", "0", " -1 "] {
            assert_eq!(all.parse::<FrameId>().unwrap(), FrameId::START, "{all}");
        }
        for bad in ["", "x", "1", "1-x", "-1-2", "99999999999999999999-1"] {
            assert!(bad.parse::<FrameId>().is_err(), "{bad}");
        }
    }
}
