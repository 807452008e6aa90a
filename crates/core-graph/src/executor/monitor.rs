//! The monitor: a thread that looks after dispatches whose only worker may be held up.
//!
//! The tasks of a super-step begin with one worker, the driver, so that short tasks wake no second thread. A node that
//! computes for long, or that blocks until it meets another node of the step, holds this worker. The monitor adds workers
//! to what is still to be started after one to two [`TICK`]s; Go's scheduler takes work from held-up threads the same way
//! (its `sysmon`). The thread is started with the first dispatch of a process, and sleeps while there is none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, Thread};
use std::time::Duration;

use crate::lock::lock;

/// How often the monitor looks while there are dispatches.
const TICK: Duration = Duration::from_millis(1);

/// After this many ticks without a new dispatch the monitor sleeps until there is one.
const IDLE_TICKS: u32 = 50;

/// What the monitor looks after.
pub(crate) trait Watched: Send + Sync {
    /// Adds workers, if anything is left for them.
    fn widen(self: Arc<Self>);
}

struct Monitor {
    /// What came since the last tick. Whoever holds it may drop it at any time.
    new: Vec<Weak<dyn Watched>>,
    thread: Option<Thread>,
    sleeps: bool,
}

static MONITOR: Mutex<Monitor> = Mutex::new(Monitor { new: Vec::new(), thread: None, sleeps: false });

/// Looks after a dispatch from now on. Where no thread can be started it is widened at once.
pub(crate) fn watch<W: Watched + 'static>(watched: &Arc<W>) {
    let mut monitor = lock(&MONITOR);
    if monitor.thread.is_none() {
        let Ok(started) = thread::Builder::new().name("graphloom-monitor".to_owned()).spawn(run) else {
            drop(monitor);
            return Arc::clone(watched).widen();
        };
        monitor.thread = Some(started.thread().clone());
    }
    let watched: Arc<dyn Watched> = Arc::clone(watched) as Arc<dyn Watched>;
    monitor.new.push(Arc::downgrade(&watched));
    if std::mem::take(&mut monitor.sleeps)
        && let Some(thread) = &monitor.thread
    {
        thread.unpark();
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
        let mut monitor = lock(&MONITOR);
        std::mem::swap(&mut monitor.new, &mut new);
        idle = if new.is_empty() && old.is_empty() { idle + 1 } else { 0 };
        if idle == IDLE_TICKS {
            (monitor.sleeps, idle) = (true, 0);
            drop(monitor);
            thread::park();
        }
    }
}
