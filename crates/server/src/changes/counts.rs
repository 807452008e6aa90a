//! How often each kind changed, and who waits for the next change.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::kind::Kind;

/// Between two times that a listener is told of records that changed.
const GAP: Duration = Duration::from_millis(100);
/// Between two times that it is told of runs that only went on.
const PROGRESS: Duration = Duration::from_secs(1);

/// Counts what changes. A clone is another handle to the same.
#[derive(Clone, Debug)]
pub(crate) struct Changes(watch::Sender<Counts>);

type PerKind = [u64; Kind::ALL.len()];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Changes that this process made.
    own: PerKind,
    /// Changes that other processes told of.
    others: PerKind,
    /// Steps of runs, which change no record.
    progress: u64,
}

impl Changes {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Counts::default()))
    }

    /// Notes that this process changed a record of a kind.
    pub(crate) fn note(&self, kind: Kind) {
        self.0.send_modify(|counts| counts.own[kind as usize] += 1);
    }

    /// Notes that another process did, or may have.
    pub(crate) fn hear(&self, kind: Kind) {
        self.0.send_modify(|counts| counts.others[kind as usize] += 1);
    }

    /// Notes that a run went on: what it did and used so far is more.
    pub(crate) fn note_progress(&self) {
        self.0.send_modify(|counts| counts.progress += 1);
    }

    /// Listens from here on.
    pub(crate) fn listen(&self) -> Listener {
        let counts = self.0.subscribe();
        let seen = *counts.borrow();
        Listener { counts, seen, last: Instant::now() - PROGRESS }
    }
}

/// Waits for changes.
pub(crate) struct Listener {
    counts: watch::Receiver<Counts>,
    seen: Counts,
    /// When it was told last.
    last: Instant,
}

impl Listener {
    /// The kinds that changed since the last time, as soon as some have and the last time is long enough ago; none when nothing
    /// will change any more.
    pub(crate) async fn changed(&mut self) -> Option<Vec<Kind>> {
        loop {
            let now = *self.counts.borrow_and_update();
            let (records, progress) = (self.differing(&now), now.progress != self.seen.progress);
            let due = match (records.is_empty(), progress) {
                (true, false) => {
                    self.counts.changed().await.ok()?;
                    continue;
                }
                (true, true) => self.last + PROGRESS,
                (false, _) => self.last + GAP,
            };
            if Instant::now() >= due {
                (self.seen, self.last) = (now, Instant::now());
                return Some(if records.is_empty() { vec![Kind::Runs] } else { records });
            }
            tokio::select! {
                () = sleep_until(due) => {}
                changed = self.counts.changed() => changed.ok()?,
            }
        }
    }

    /// The kinds of which this process changed records since the last time. Changes of others are passed over.
    pub(crate) async fn changed_here(&mut self) -> Option<Vec<Kind>> {
        let own = self.counts.wait_for(|counts| counts.own != self.seen.own).await.ok()?.own;
        let kinds = Kind::ALL.into_iter().filter(|kind| own[*kind as usize] != self.seen.own[*kind as usize]);
        let kinds = kinds.collect();
        self.seen.own = own;
        Some(kinds)
    }

    fn differing(&self, now: &Counts) -> Vec<Kind> {
        let differs = |kind: &Kind| {
            let at = *kind as usize;
            now.own[at] != self.seen.own[at] || now.others[at] != self.seen.others[at]
        };
        Kind::ALL.into_iter().filter(differs).collect()
    }
}
