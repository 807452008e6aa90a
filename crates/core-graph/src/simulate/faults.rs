//! What goes wrong in a simulation.

/// What goes wrong in a simulation, and how often. Each number says "one in so many", drawn from the seed; 0 is never,
/// which is the default of all.
///
/// ```
/// use graphloom_core_graph::simulate::Faults;
///
/// let faults = Faults::default().crash(4).refuse(10).delay(3);
/// assert_eq!(faults.lose_answer, 0, "what is not said does not go wrong");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Faults {
    /// Of so many commits, the process dies before or after one: what it was about to write is written whole or not
    /// at all, and nobody is told.
    pub crash: u64,
    /// Of so many times that the run is woken, the process dies at one, wherever its tasks and its store are.
    pub sudden: u64,
    /// Of so many calls, the store refuses one: nothing is written or read.
    pub refuse: u64,
    /// Of so many commits, the store writes one and says that it failed.
    pub lose_answer: u64,
    /// Of so many calls, one takes up to a second, before and after the store has done its work.
    pub delay: u64,
    /// Of so many commits, the store syncs one; a death forgets what was written after the last sync, or a part of it,
    /// as a loss of power does. What is not synced is not acknowledged. 0 syncs each.
    pub sync: u64,
    /// Of so many [`sudden`](Self::sudden) deaths, one is none: another process takes the thread, and this one goes on beside it and
    /// takes itself for the owner still. It does what it can, and the store must refuse it.
    pub linger: u64,
    /// With tasks that are [executed elsewhere](super::Simulator::elsewhere): of so many messages between the run and a worker,
    /// one is lost, and half of the times with it all that the worker says for longer than anybody waits for it.
    pub lose_message: u64,
    /// The same: of so many results of durable steps that a worker reports, one comes twice; of so many tasks, one is given to two
    /// workers.
    pub repeat_message: u64,
    /// The same: of so many times that a worker is woken, it ends at one.
    pub end_worker: u64,
}

impl Faults {
    /// The same faults with another number of [`crash`](Self::crash).
    #[must_use]
    pub fn crash(mut self, one_in: u64) -> Self {
        self.crash = one_in;
        self
    }

    /// The same faults with another number of [`sudden`](Self::sudden).
    #[must_use]
    pub fn sudden(mut self, one_in: u64) -> Self {
        self.sudden = one_in;
        self
    }

    /// The same faults with another number of [`refuse`](Self::refuse).
    #[must_use]
    pub fn refuse(mut self, one_in: u64) -> Self {
        self.refuse = one_in;
        self
    }

    /// The same faults with another number of [`lose_answer`](Self::lose_answer).
    #[must_use]
    pub fn lose_answer(mut self, one_in: u64) -> Self {
        self.lose_answer = one_in;
        self
    }

    /// The same faults with another number of [`delay`](Self::delay).
    #[must_use]
    pub fn delay(mut self, one_in: u64) -> Self {
        self.delay = one_in;
        self
    }

    /// The same faults with another number of [`sync`](Self::sync).
    #[must_use]
    pub fn sync(mut self, one_in: u64) -> Self {
        self.sync = one_in;
        self
    }

    /// The same faults with another number of [`linger`](Self::linger).
    #[must_use]
    pub fn linger(mut self, one_in: u64) -> Self {
        self.linger = one_in;
        self
    }

    /// The same faults with another number of [`lose_message`](Self::lose_message).
    #[must_use]
    pub fn lose_message(mut self, one_in: u64) -> Self {
        self.lose_message = one_in;
        self
    }

    /// The same faults with another number of [`repeat_message`](Self::repeat_message).
    #[must_use]
    pub fn repeat_message(mut self, one_in: u64) -> Self {
        self.repeat_message = one_in;
        self
    }

    /// The same faults with another number of [`end_worker`](Self::end_worker).
    #[must_use]
    pub fn end_worker(mut self, one_in: u64) -> Self {
        self.end_worker = one_in;
        self
    }
}
