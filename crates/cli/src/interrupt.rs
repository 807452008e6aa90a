//! Stopping by the user: Ctrl-C, or a request of the system to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use graphloom_core_graph::{Event, Outcome, Run, RunError};
use tokio::sync::watch;

use crate::{ExitStatus, Progress};

/// Tells that the user wants the program to stop. Clones tell the same.
///
/// The first signal lets a run that is [`follow`]ed finish what is in flight, the second cancels that, the third ends the
/// program at once; what was committed is safe in each case. Outside a run the first signal ends the program.
#[derive(Clone, Debug)]
pub struct Interrupt {
    count: watch::Receiver<u32>,
    followers: Arc<AtomicUsize>,
    /// Signals since somebody last began to deal with them.
    unheeded: Arc<AtomicU32>,
}

impl Interrupt {
    /// Listens to signals of this process from now on. Needs a running tokio runtime.
    pub fn listen() -> Self {
        let (sender, count) = watch::channel(0);
        let unheeded = Arc::<AtomicU32>::default();
        let listening = Arc::clone(&unheeded);
        tokio::spawn(async move {
            // Without signals the program is stopped by the system's own means.
            while signal().await.is_ok() {
                sender.send_modify(|count| *count += 1);
                if listening.fetch_add(1, Ordering::SeqCst) >= 2 {
                    std::process::exit(i32::from(ExitStatus::Interrupted as u8));
                }
            }
        });
        Self { count, followers: Arc::default(), unheeded }
    }

    /// An interrupt that comes when `count` is raised, for tests and for programs with signals of their own.
    pub fn from_watch(count: watch::Receiver<u32>) -> Self {
        Self { count, followers: Arc::default(), unheeded: Arc::default() }
    }

    /// From now on signals are told to who asks for them, and end the program no longer, until this is dropped. Signals of
    /// before are not told.
    #[must_use]
    pub fn attend(&self) -> Attention {
        let mut interrupt = self.clone();
        let before = *interrupt.count.borrow_and_update();
        interrupt.unheeded.store(0, Ordering::SeqCst);
        interrupt.followers.fetch_add(1, Ordering::SeqCst);
        let following = Following(Arc::clone(&interrupt.followers));
        Attention { interrupt, before, _following: following }
    }

    /// Waits for the next signal and tells how many there were.
    async fn next(&mut self) -> u32 {
        if self.count.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        *self.count.borrow_and_update()
    }

    /// Waits for a signal while no run is followed.
    pub(crate) async fn unattended(&mut self) {
        loop {
            self.next().await;
            if self.followers.load(Ordering::SeqCst) == 0 {
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

/// Someone who deals with signals, see [`Interrupt::attend`].
#[derive(Debug)]
pub struct Attention {
    interrupt: Interrupt,
    before: u32,
    _following: Following,
}

impl Attention {
    /// Waits for the next signal and tells how many there were since [`Interrupt::attend`].
    pub async fn signal(&mut self) -> u32 {
        self.interrupt.next().await.saturating_sub(self.before)
    }
}

/// Counts a followed run for as long as it lasts.
#[derive(Debug)]
struct Following(Arc<AtomicUsize>);

impl Drop for Following {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Drives a run to its end: events go to `progress` (for `--json`) and to `seen`, signals stop the run.
///
/// The outcome of a run that the user stopped is [`Outcome::Drained`] or [`Outcome::Cancelled`], unless it ended before.
///
/// # Errors
/// The run's own.
pub async fn follow<S: Send + Sync + 'static>(
    mut run: Run<S>,
    interrupt: &Interrupt,
    progress: &Progress,
    mut seen: impl FnMut(&Event),
) -> Result<Outcome<S>, RunError> {
    // A signal that stopped an earlier run is not meant for this one.
    let mut attention = interrupt.attend();
    let handle = run.handle();
    loop {
        tokio::select! {
            event = run.next() => match event {
                Some(event) => {
                    progress.event(&event);
                    seen(&event);
                }
                None => break,
            },
            count = attention.signal() => {
                if count < 2 {
                    progress.note("stopping: what is in flight is finished and saved; once more stops at once");
                    handle.drain();
                } else {
                    handle.cancel();
                }
            }
        }
    }
    run.await
}
