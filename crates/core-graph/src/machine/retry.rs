//! Whether a failed attempt is repeated, and when: the one place where that is decided.
//!
//! The policies of a node are asked in their order, and the first whose condition accepts the error decides. It allows so
//! many attempts in all, and says how long to wait: as long as the error asks for, or longer from attempt to attempt.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::error::NodeError;
use crate::error_row::RemoteCause;
use crate::machine::MachineCore;
use crate::machine::triggers::guarded;
use crate::tasks::TaskId;
use crate::topology::Retry;

impl MachineCore {
    /// Returns the milliseconds until the next attempt of a task of `node` that has failed `failed` times, the last time
    /// with `error`; `None` when the task is not tried again. Called for each attempt that ends with an error.
    ///
    /// # Errors
    /// The condition of a policy panicked.
    pub(super) fn retry_delay(
        &self,
        id: TaskId,
        node: u32,
        failed: u32,
        error: &NodeError,
    ) -> Result<Option<u64>, NodeError> {
        if !error.is_retryable() {
            return Ok(None);
        }
        let policies = &self.outline.node(node).retry;
        let Some(retry) = accepting(policies, error)?.and_then(|at| policies.get(at)) else { return Ok(None) };
        let delay = if failed < retry.attempts {
            retry.delay(failed, self.variation(id, failed), error.retry_after())
        } else {
            None
        };
        Ok(delay.map(|delay| u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Returns the number by which a wait varies: the same whenever the same attempt of the same task of the same thread
    /// fails, and another for every other.
    fn variation(&self, id: TaskId, failed: u32) -> u64 {
        let seed = self.thread_seed.wrapping_add(failed.into());
        xxh3_64_with_seed(self.task_path(id).as_bytes(), seed)
    }
}

/// The place of the first policy whose condition accepts an error; none where none does. An error that comes from another
/// process has been judged there, where the type of its cause was known.
///
/// # Errors
/// The condition of a policy panicked.
pub(crate) fn accepting(policies: &[Retry], error: &NodeError) -> Result<Option<usize>, NodeError> {
    if let Some(judged) = error.downcast_ref::<RemoteCause>().and_then(|cause| cause.judged) {
        return Ok(judged.policy.map(|at| at as usize));
    }
    for (at, retry) in policies.iter().enumerate() {
        if guarded("retry condition", || (retry.when)(error))? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}
