//! The manners that a host asks for.

use std::time::Duration;

/// How a host is asked. The default suits a host that says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Politeness {
    /// The least time from the start of one request to the start of the next; 1 s unless set.
    pub interval: Duration,
    /// The most requests under way at once; 1 unless set.
    pub at_once: usize,
    /// Tries of one request in all; 4 unless set.
    pub tries: u32,
    /// The pause after the first failed try, doubled after each further one; 1 s unless set.
    pub first_pause: Duration,
    /// The longest pause of our own; 30 s unless set.
    pub longest_pause: Duration,
    /// The longest pause that a host can ask for and be waited for; after a request for more, the host is left alone
    /// until then, and the question fails at once. 30 s unless set.
    pub patience: Duration,
    /// How long a host is left alone after three questions in a row to which it was down; 60 s unless set.
    pub rest: Duration,
    /// The longest wait for a whole answer; 30 s unless set.
    pub longest_answer: Duration,
    /// The most bytes of a body that are read; 16 MiB unless set.
    pub longest_body: usize,
    /// How long an answer is remembered; a day unless set, zero to remember none.
    pub remembered: Duration,
    /// Whether an answer is used again as RFC 9111 allows, and asked for anew with its `ETag` or the date of its last change,
    /// so that a host need not send what it sent before; so unless set.
    pub revalidated: bool,
    /// Whether the pace is one for all gateways of the process to the host; so unless set.
    pub shared: bool,
}

impl Default for Politeness {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(1),
            at_once: 1,
            tries: 4,
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(30),
            patience: Duration::from_secs(30),
            rest: Duration::from_secs(60),
            longest_answer: Duration::from_secs(30),
            longest_body: 16 * 1024 * 1024,
            remembered: Duration::from_secs(24 * 3600),
            revalidated: true,
            shared: true,
        }
    }
}

impl Politeness {
    /// Other than usual: requests `interval` apart, and at most `at_once` of them under way.
    #[must_use]
    pub fn paced(interval: Duration, at_once: usize) -> Self {
        Self { interval, at_once, ..Self::default() }
    }

    /// The same, remembering answers for so long.
    #[must_use]
    pub fn remembering(mut self, remembered: Duration) -> Self {
        self.remembered = remembered;
        self
    }

    /// The same with so many tries of one request in all.
    #[must_use]
    pub fn trying(mut self, tries: u32) -> Self {
        self.tries = tries;
        self
    }

    /// For a server of one's own, such as one on this machine in a test: no pauses, nothing remembered or shared, and no
    /// wait for a server that asks for one.
    #[must_use]
    pub fn none() -> Self {
        Self {
            interval: Duration::ZERO,
            at_once: 64,
            first_pause: Duration::ZERO,
            longest_pause: Duration::ZERO,
            patience: Duration::ZERO,
            rest: Duration::ZERO,
            remembered: Duration::ZERO,
            revalidated: false,
            shared: false,
            ..Self::default()
        }
    }
}
