//! The primitives whose interleavings shuttle draws.

use std::future::Future;
use std::io;
use std::sync::PoisonError;
use std::time::Duration;

pub(crate) use shuttle::future::{JoinHandle, spawn, yield_now};
use shuttle::rand::{Rng, thread_rng};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard, atomic};
pub(crate) use shuttle::thread;
use shuttle::{Config, Runner};
use tokio::runtime::Handle;

/// Starts a thread that does not keep a test from ending.
pub(crate) fn start_background(_: &str, run: fn()) -> io::Result<()> {
    drop(spawn(async move { run() }));
    Ok(())
}

/// As [`crate::lock::lock`].
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Time is drawn: what decides by it is to be right whatever it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(());

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(())
    }

    /// Nothing, what is worth another worker, or longer than any turn.
    pub(crate) fn elapsed(self) -> Duration {
        let durations = [Duration::ZERO, Duration::from_millis(1), Duration::from_secs(1)];
        durations[thread_rng().gen_range(0..durations.len())]
    }
}

/// As [`tokio::task::JoinSet`]. The runtime in whose place shuttle is says how many threads there are.
#[derive(Debug)]
pub(crate) struct JoinSet<T>(Vec<JoinHandle<T>>);

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> JoinSet<T> {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn spawn_on(&mut self, work: impl Future<Output = T> + Send + 'static, _: &Handle)
    where
        T: Send + 'static,
    {
        self.0.push(spawn(work));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn try_join_next(&mut self) -> Option<()> {
        let at = self.0.iter().position(JoinHandle::is_finished)?;
        drop(self.0.swap_remove(at));
        Some(())
    }

    pub(crate) fn abort_all(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }

    pub(crate) async fn shutdown(&mut self) {
        self.abort_all();
        for task in self.0.drain(..) {
            let _ = task.await;
        }
    }
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        self.abort_all();
    }
}

/// Runs a test under so many interleavings of its threads, times what the variable `GRAPHLOOM_INTERLEAVINGS` says: half of
/// them drawn step by step, half by priorities that change a few times, which finds what needs a long delay of one thread
/// ([PCT](https://doi.org/10.1145/1736020.1736040)). They are the same at each run, unless the variable
/// `SHUTTLE_RANDOM_SEED` has another seed. Threads that wait for each other for ever fail the test.
///
/// The code under test finds a runtime of tokio with three threads, to which nothing is given.
pub fn explore(interleavings: usize, test: impl Fn() + Send + Sync + 'static) {
    const SEED: u64 = 18;
    /// How often priorities change.
    const CHANGES: usize = 3;
    let times = std::env::var("GRAPHLOOM_INTERLEAVINGS").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let half = (interleavings * times / 2).max(1);
    #[expect(clippy::expect_used, reason = "without a runtime there is no test")]
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build().expect("a runtime");
    let _entered = runtime.enter();
    let test = std::sync::Arc::new(test);
    let run = |scheduler: Box<dyn Scheduler + Send>| {
        let (mut config, test) = (Config::new(), std::sync::Arc::clone(&test));
        config.stack_size = 1 << 20;
        Runner::new(scheduler, config).run(move || test());
    };
    run(Box::new(RandomScheduler::new_from_seed(SEED, half)));
    run(Box::new(PctScheduler::new_from_seed(SEED, CHANGES, half)));
}
