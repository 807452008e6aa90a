//! What the writer takes its primitives from: the standard library, or with `--cfg shuttle` shuttle, whose scheduler draws
//! which thread goes on at each of them. No piece of work in a transaction uses them: all threads of shuttle are on one,
//! and one that waited for a database that another has locked would keep it from going on.

#[cfg(shuttle)]
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
#[cfg(shuttle)]
pub(crate) use shuttle::thread;
#[cfg(not(shuttle))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(shuttle))]
pub(crate) use std::thread;

/// Locks what no panic can leave half changed: a connection rolls back what was not committed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
