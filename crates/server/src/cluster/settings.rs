//! How a process shares its stores with others.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::store::Signals;

/// How a server shares its stores with other processes ([`Server::cluster`](crate::Server::cluster)). All of them state the
/// same times.
#[derive(Clone)]
pub struct Cluster {
    pub(crate) signals: Option<Arc<dyn Signals>>,
    pub(crate) beat: Duration,
    pub(crate) lease: Duration,
}

impl Cluster {
    /// A heartbeat every second, a lease of five seconds, and no signals.
    pub fn new() -> Self {
        Self { signals: None, beat: Duration::from_secs(1), lease: Duration::from_secs(5) }
    }

    /// Tells the other processes at once what they would else find by looking.
    #[must_use]
    pub fn signals(mut self, signals: Arc<dyn Signals>) -> Self {
        self.signals = Some(signals);
        self
    }

    /// Tells every so often that this process lives, and takes over what another one did that was silent for the time of a
    /// lease: several heartbeats, and no less than the checkpointer leaves a silent program its threads.
    #[must_use]
    pub fn heartbeat(mut self, every: Duration, lease: Duration) -> Self {
        (self.beat, self.lease) = (every, lease.max(every * 2));
        self
    }

    /// How often is looked for what a signal would have told.
    pub(super) fn look(&self) -> Duration {
        if self.signals.is_some() { self.beat } else { self.beat / 10 }
    }
}

impl Default for Cluster {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { signals, beat, lease } = self;
        let has_signals = signals.is_some();
        f.debug_struct("Cluster").field("signals", &has_signals).field("beat", beat).field("lease", lease).finish()
    }
}
