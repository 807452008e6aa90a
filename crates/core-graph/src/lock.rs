//! Locks of what is never left half changed.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also when a thread panicked while it held the lock: no change under a lock of this crate is made in two
/// parts, and no code of a graph runs under one.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
