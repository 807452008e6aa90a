//! What code that takes part in a race takes its primitives from.
//!
//! In a program these are the primitives of the standard library and of tokio, and nothing else. With `--cfg shuttle` they
//! are those of [shuttle](https://docs.rs/shuttle), whose scheduler draws which thread goes on at each of them: the tests
//! in the files `races.rs` then run this very code through thousands of interleavings. The channels, the async mutex and
//! `Notify` of tokio stay tokio's own in both: they need no runtime, and their authors test them under loom.
//!
//! Shuttle keeps all threads on one. So no lock of the standard library may be held where a primitive of this room is used:
//! another thread that asked for the lock would keep the one that holds it from ever going on.

#[cfg(shuttle)]
mod explored;

#[cfg(shuttle)]
pub use explored::explore;
#[cfg(shuttle)]
pub(crate) use explored::{
    Condvar, JoinHandle, JoinSet, Mutex, MutexGuard, Stopwatch, atomic, lock, spawn, start_background, thread,
    yield_now,
};

#[cfg(not(shuttle))]
mod real {
    use std::io;
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, atomic};
    pub(crate) use std::thread;
    use std::time::{Duration, Instant};

    pub(crate) use tokio::spawn;
    pub(crate) use tokio::task::{JoinHandle, JoinSet, yield_now};

    pub(crate) use crate::lock::lock;

    /// Starts a thread that ends with the process.
    pub(crate) fn start_background(name: &str, run: fn()) -> io::Result<()> {
        thread::Builder::new().name(name.to_owned()).spawn(run).map(drop)
    }

    /// Measures how long something takes.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Stopwatch(Instant);

    impl Stopwatch {
        #[inline]
        pub(crate) fn start() -> Self {
            Self(Instant::now())
        }

        #[inline]
        pub(crate) fn elapsed(self) -> Duration {
            self.0.elapsed()
        }
    }
}

#[cfg(not(shuttle))]
pub(crate) use real::{
    Condvar, JoinHandle, JoinSet, Mutex, MutexGuard, Stopwatch, atomic, lock, spawn, start_background, thread,
    yield_now,
};
