//! Waiting for what must come. A wait has no limit of its own: the runner of the tests has one for each test, and a slow
//! machine is no fault. What is waited for is printed now and then, so that a test that hangs says at what.

#![expect(clippy::print_stderr, reason = "a test that waits for long says for what")]

use std::time::{Duration, Instant};

/// The time between two looks.
const LOOK: Duration = Duration::from_millis(5);
/// The time between two lines about a wait.
const LINE: Duration = Duration::from_secs(30);

/// A wait that prints what it waits for.
#[derive(Debug)]
pub struct Wait {
    what: String,
    begun: Instant,
    printed: Instant,
}

impl Wait {
    /// The beginning of a wait for something.
    pub fn new(what: impl Into<String>) -> Self {
        let now = Instant::now();
        Self { what: what.into(), begun: now, printed: now }
    }

    /// Prints what is waited for where that was not done for long; `more` says how things stand.
    pub fn goes_on(&mut self, more: impl FnOnce() -> String) {
        if self.printed.elapsed() >= LINE {
            self.printed = Instant::now();
            eprintln!("waits since {:?} for {}\n{}", self.begun.elapsed(), self.what, more());
        }
    }
}

/// Waits until something holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let mut wait = Wait::new(what);
    while !holds() {
        wait.goes_on(String::new);
        std::thread::sleep(LOOK);
    }
}

/// Waits until something holds, while the other tasks of the runtime go on. The clock of the runtime may
/// [stand](crate::clock::StandingClock): no time of it passes.
///
/// # Panics
/// Outside a runtime.
#[cfg(feature = "clock")]
pub async fn until_async(what: &str, mut holds: impl FnMut() -> bool) {
    let mut wait = Wait::new(what);
    while !holds() {
        wait.goes_on(String::new);
        // A clock that was paused stands while a thread of the runtime blocks.
        tokio::task::spawn_blocking(|| std::thread::sleep(LOOK)).await.expect("a thread sleeps");
    }
}
