//! Processes that drive runs and could not be reached.
//!
//! A process that died leaves all its tasks at the engine, which brings each of them to workers again and again. Were each asked for
//! in vain while it holds a place, those of one dead process would keep every place of every worker for minutes. So one task asks
//! for all of a process that could not be reached, and the others are given back without a place.

use std::time::Duration;

use dashmap::DashMap;
use tokio::time::Instant;

/// How long a process may take to take a message.
pub(super) const REACH: Duration = Duration::from_secs(5);
/// How long a process that could not be reached is not asked.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a process is remembered that nobody asks for any more.
const REMEMBERED: Duration = Duration::from_secs(60);

/// The processes that could not be reached, by their addresses.
#[derive(Debug, Default)]
pub(crate) struct Unreachable(DashMap<String, Silence>);

#[derive(Clone, Copy, Debug)]
struct Silence {
    since: Instant,
    /// When somebody asks again.
    again: Instant,
}

impl Unreachable {
    /// Since when a process could not be reached, unless it may be asked now.
    pub(super) fn since(&self, process: &str) -> Option<Instant> {
        let silence = self.0.get(process)?;
        (Instant::now() < silence.again).then_some(silence.since)
    }

    /// The same for somebody who asks the process now if it may be asked, and does so for all others.
    pub(super) fn asked(&self, process: &str) -> Option<Instant> {
        let mut silence = self.0.get_mut(process)?;
        let now = Instant::now();
        if now < silence.again {
            return Some(silence.since);
        }
        silence.again = now + REACH + PAUSE;
        None
    }

    /// A process was reached.
    pub(super) fn reached(&self, process: &str) {
        if !self.0.is_empty() {
            self.0.remove(process);
        }
    }

    /// A process could not be reached since then; since when it could not be in all.
    pub(super) fn lost(&self, process: &str, since: Instant) -> Instant {
        let now = Instant::now();
        self.0.retain(|_, silence| now < silence.again + REMEMBERED);
        let mut silence = self.0.entry(process.to_owned()).or_insert(Silence { since, again: now });
        silence.again = now + PAUSE;
        silence.since
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, advance};

    use super::{PAUSE, REACH, REMEMBERED, Unreachable};

    #[tokio::test(start_paused = true)]
    async fn one_asks_for_all_until_the_process_is_reached() {
        let unreachable = Unreachable::default();
        let began = Instant::now();
        assert_eq!(unreachable.since("one"), None, "nothing is known of it");
        advance(Duration::from_secs(3)).await;
        assert_eq!(unreachable.lost("one", began), began);
        assert_eq!((unreachable.since("one"), unreachable.asked("one")), (Some(began), Some(began)));
        assert_eq!(unreachable.asked("two"), None, "another one may be reached");
        advance(PAUSE).await;
        assert_eq!((unreachable.since("one"), unreachable.asked("one")), (None, None), "somebody asks");
        assert_eq!(
            (unreachable.since("one"), unreachable.asked("one")),
            (Some(began), Some(began)),
            "nobody else does"
        );
        advance(REACH).await;
        assert_eq!(unreachable.lost("one", Instant::now()), began, "it was never reached in between");
        unreachable.reached("one");
        assert_eq!(unreachable.since("one"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_asks_for_is_forgotten() {
        let unreachable = Unreachable::default();
        unreachable.lost("one", Instant::now());
        advance(PAUSE + REMEMBERED).await;
        unreachable.lost("two", Instant::now());
        assert_eq!(unreachable.0.len(), 1);
    }
}
