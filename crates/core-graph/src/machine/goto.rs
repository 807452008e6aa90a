//! `go_to`: an update that says what runs next.

use smallvec::SmallVec;

use crate::checkpoint::Source;
use crate::machine::commit::Folded;
use crate::machine::{Committed, Fault, Machine, Sent, Triggered};
use crate::state::State;

impl<S: State> Machine<S> {
    /// Folds an update that no node made, and makes a task of each of these nodes and sends. No edge is followed. Nothing is pending
    /// before.
    ///
    /// # Errors
    /// The state cannot take the update.
    pub(crate) fn go_to(
        &mut self,
        nodes: &[u32],
        sends: Vec<Sent>,
        update: S::Update,
        now: u64,
    ) -> Result<Committed, Fault> {
        let number = self.newest + 1;
        let mut folded = Folded::default();
        self.reset_ephemeral(std::iter::once(&update), &mut folded);
        self.fold_update(update, &mut folded)?;
        let coalesced = self.trigger(number, &mut Triggered::of(nodes, sends), &[]);
        self.seal(number, Source::Update, folded, SmallVec::new(), coalesced, now)
    }
}
