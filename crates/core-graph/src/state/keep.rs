//! The reducers of `#[state(max)]` and `#[state(min)]`. Used by the derive; not for direct use.

use std::cmp::Ordering;

/// Keeps the greatest of two, or the least. One that does not compare with the other changes nothing.
pub fn in_value<T: PartialOrd, const GREATEST: bool>(held: &mut T, value: T) {
    let better = if GREATEST { Ordering::Greater } else { Ordering::Less };
    if value.partial_cmp(held) == Some(better) {
        *held = value;
    }
}

/// The same where there may be none yet.
pub fn in_some<T: PartialOrd, const GREATEST: bool>(held: &mut Option<T>, value: T) {
    match held {
        Some(held) => in_value::<T, GREATEST>(held, value),
        None => *held = Some(value),
    }
}
