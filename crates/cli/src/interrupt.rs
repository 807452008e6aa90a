//! Signals that stop the program: Ctrl-C, or the system's request to terminate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use graphloom_core_graph::{Event, Outcome, Run, RunError, RunHandle};
use tokio::sync::watch;

use crate::{ExitStatus, Progress};

/// The signals that stop the program. Clones share one count of signals.
///
/// While a run is [`follow`]ed, the first signal drains the run, the second cancels the run, and the third ends the
/// program at once; committed work is safe in each case. Outside a run the first signal ends the program.
#[derive(Clone, Debug)]
pub struct Interrupt {
    count: watch::Receiver<u32>,
    subscribers: Arc<AtomicUsize>,
    /// Signals since the last [`subscribe`](Interrupt::subscribe).
    unhandled: Arc<AtomicU32>,
}

impl Interrupt {
    /// Listens to signals of this process from now on. Needs a running tokio runtime.
    pub fn listen() -> Self {
        let (sender, count) = watch::channel(0);
        let unhandled = Arc::<AtomicU32>::default();
        let counted = Arc::clone(&unhandled);
        tokio::spawn(async move {
            // Without signals the program is stopped by the system's own means.
            while signal().await.is_ok() {
                sender.send_modify(|count| *count += 1);
                if counted.fetch_add(1, Ordering::SeqCst) >= 2 {
                    std::process::exit(i32::from(ExitStatus::Interrupted as u8));
                }
            }
        });
        Self { count, subscribers: Arc::default(), unhandled }
    }

    /// An interrupt that comes when `count` is raised, for tests and for programs with signals of their own.
    pub fn from_watch(count: watch::Receiver<u32>) -> Self {
        Self { count, subscribers: Arc::default(), unhandled: Arc::default() }
    }

    /// Subscribes to signals. As long as a subscription lives, a first signal does not end the program. The subscription
    /// counts only later signals.
    #[must_use]
    pub fn subscribe(&self) -> SignalSubscription {
        let mut interrupt = self.clone();
        let before = *interrupt.count.borrow_and_update();
        interrupt.unhandled.store(0, Ordering::SeqCst);
        interrupt.subscribers.fetch_add(1, Ordering::SeqCst);
        let count_guard = SubscriberCount(Arc::clone(&interrupt.subscribers));
        SignalSubscription { interrupt, before, _count_guard: count_guard }
    }

    /// Waits for the next signal and returns how many there were.
    async fn next(&mut self) -> u32 {
        if self.count.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        *self.count.borrow_and_update()
    }

    /// Waits for a signal that comes while nobody is subscribed.
    pub(crate) async fn signal_without_subscriber(&mut self) {
        loop {
            self.next().await;
            if self.subscribers.load(Ordering::SeqCst) == 0 {
                return;
            }
        }
    }
}

#[cfg(unix)]
async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// A subscription to signals, see [`Interrupt::subscribe`].
#[derive(Debug)]
pub struct SignalSubscription {
    interrupt: Interrupt,
    before: u32,
    _count_guard: SubscriberCount,
}

impl SignalSubscription {
    /// Waits for the next signal and returns how many there were since [`Interrupt::subscribe`].
    pub async fn signal(&mut self) -> u32 {
        self.interrupt.next().await.saturating_sub(self.before)
    }
}

/// Counts a subscriber until it is dropped.
#[derive(Debug)]
struct SubscriberCount(Arc<AtomicUsize>);

impl Drop for SubscriberCount {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A run that is followed: one that the program drives itself, or one that the studio's server drives.
#[derive(Debug)]
pub struct FollowedRun<S>(By<S>);

#[derive(Debug)]
enum By<S> {
    Program(Run<S>),
    #[cfg(feature = "studio")]
    Server(graphloom_server::ProgramRun<S>),
}

impl<S> From<Run<S>> for FollowedRun<S> {
    fn from(run: Run<S>) -> Self {
        Self(By::Program(run))
    }
}

#[cfg(feature = "studio")]
impl<S> From<graphloom_server::ProgramRun<S>> for FollowedRun<S> {
    fn from(run: graphloom_server::ProgramRun<S>) -> Self {
        Self(By::Server(run))
    }
}

impl<S: Send + Sync + 'static> FollowedRun<S> {
    fn handle(&self) -> RunHandle {
        match &self.0 {
            By::Program(run) => run.handle(),
            #[cfg(feature = "studio")]
            By::Server(run) => run.handle(),
        }
    }

    async fn next(&mut self) -> Option<Event> {
        match &mut self.0 {
            By::Program(run) => run.next().await,
            #[cfg(feature = "studio")]
            By::Server(run) => run.next().await,
        }
    }

    async fn ended(self) -> Result<Outcome<S>, RunError> {
        match self.0 {
            By::Program(run) => run.await,
            #[cfg(feature = "studio")]
            By::Server(run) => run.ended().await,
        }
    }
}

/// Follows a run to its end. Events go to `progress` (for `--json`) and to `observe`; signals stop the run.
///
/// The outcome of a run that the user stopped is [`Outcome::Drained`] or [`Outcome::Cancelled`], unless it ended before.
///
/// # Errors
/// The run's own.
pub async fn follow<S: Send + Sync + 'static>(
    run: impl Into<FollowedRun<S>>,
    interrupt: &Interrupt,
    progress: &Progress,
    mut observe: impl FnMut(&Event),
) -> Result<Outcome<S>, RunError> {
    let mut run = run.into();
    // A signal that stopped an earlier run is not meant for this one.
    let mut subscription = interrupt.subscribe();
    let handle = run.handle();
    loop {
        tokio::select! {
            event = run.next() => match event {
                Some(event) => {
                    progress.event(&event);
                    observe(&event);
                }
                None => break,
            },
            count = subscription.signal() => {
                if count < 2 {
                    progress.note("stopping: what is in flight is finished and saved; once more stops at once");
                    handle.drain();
                } else {
                    handle.cancel();
                }
            }
        }
    }
    run.ended().await
}
