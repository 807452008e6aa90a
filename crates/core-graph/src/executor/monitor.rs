//! The monitor: a thread that looks after dispatches whose only worker may be held up.
//!
//! The tasks of a super-step begin with one worker, the driver, so that short tasks wake no second thread. A node that
//! computes for long, or that blocks until it meets another node of the step, holds this worker. The monitor adds workers
//! to what is still to be started after one to two [`TICK`]s; Go's scheduler takes work from held-up threads the same way
//! (its `sysmon`). The thread is started with the first dispatch of a process, and sleeps while there is none.
//!
//! Invariants:
//!
//! 1. Every dispatch that is [watched](watch) and not dropped is widened once: it waits in `new` until a tick, and in the
//!    list `old` of the thread until the next.
//! 2. The monitor falls asleep under its lock, and only when it has nothing to look after. Who brings something finds it
//!    asleep under the same lock and wakes it: no dispatch waits for a monitor that sleeps.
//! 3. Nothing of a dispatch runs or is dropped under the lock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use crate::sync::{Condvar, Mutex, lock, start_background, thread};

/// How often the monitor looks while there are dispatches.
const TICK: Duration = Duration::from_millis(1);

/// After this many ticks without a new dispatch the monitor sleeps until there is one.
const IDLE_TICKS: u32 = if cfg!(shuttle) { 2 } else { 50 };

/// What the monitor looks after.
pub(crate) trait Watched: Send + Sync {
    /// Adds workers, if anything is left for them.
    fn widen(self: Arc<Self>);
}

struct Monitor {
    state: Mutex<MonitorState>,
    /// Wakes the thread.
    woken: Condvar,
}

struct MonitorState {
    /// What came since the last tick. Whoever holds it may drop it at any time.
    new: Vec<Weak<dyn Watched>>,
    started: bool,
    sleeps: bool,
}

impl Monitor {
    const fn new() -> Self {
        let state = MonitorState { new: Vec::new(), started: false, sleeps: false };
        Self { state: Mutex::new(state), woken: Condvar::new() }
    }
}

#[cfg(not(shuttle))]
static MONITOR: Monitor = Monitor::new();

#[cfg(shuttle)]
shuttle::lazy_static! {
    /// Another one for each interleaving that is drawn.
    static ref MONITOR: Monitor = Monitor::new();
}

/// Looks after a dispatch from now on. Where no thread can be started it is widened at once.
pub(crate) fn watch<W: Watched + 'static>(watched: &Arc<W>) {
    let mut monitor = lock(&MONITOR.state);
    if !monitor.started {
        if start_background("graphloom-monitor", run).is_err() {
            drop(monitor);
            return Arc::clone(watched).widen();
        }
        monitor.started = true;
    }
    let watched: Arc<dyn Watched> = Arc::clone(watched) as Arc<dyn Watched>;
    monitor.new.push(Arc::downgrade(&watched));
    // See invariant 2.
    if std::mem::take(&mut monitor.sleeps) {
        drop(monitor);
        MONITOR.woken.notify_one();
    }
}

fn run() {
    let (mut new, mut old, mut idle) = (Vec::new(), Vec::<Weak<dyn Watched>>::new(), 0);
    loop {
        thread::sleep(TICK);
        for watched in old.drain(..).filter_map(|watched| watched.upgrade()) {
            // It may be dropped here, and with it what belongs to a program.
            let _ = catch_unwind(AssertUnwindSafe(|| watched.widen()));
        }
        std::mem::swap(&mut old, &mut new);
        let mut monitor = lock(&MONITOR.state);
        std::mem::swap(&mut monitor.new, &mut new);
        idle = if new.is_empty() && old.is_empty() { idle + 1 } else { 0 };
        if idle == IDLE_TICKS {
            (monitor.sleeps, idle) = (true, 0);
            let sleeps = |monitor: &mut MonitorState| monitor.sleeps;
            drop(MONITOR.woken.wait_while(monitor, sleeps).unwrap_or_else(PoisonError::into_inner));
        }
    }
}
