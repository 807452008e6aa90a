//! The resume point of a subgraph call: the checkpoint that it goes on from, or the initial state.

use std::sync::Arc;

use crate::checkpoint::CheckpointError;
use crate::error::RunError;
use crate::machine::Restored;
use crate::recorder::commit_log::CommitLog;
use crate::recorder::load;
use crate::recorder::session::Session;
use crate::recorder::thread_scoped::CallStart;
use crate::topology::ReadStates;

/// Where a call of a subgraph begins.
pub(crate) struct ResumePoint {
    /// What it goes on from; nothing for an initial state.
    pub(crate) restored: Option<Restored>,
    /// The newest checkpoint and the head of a namespace that begins with an initial state again.
    pub(crate) after: Option<(u64, u64)>,
    /// Whether the call has begun before, so that its input is part of what it goes on from.
    pub(crate) is_open: bool,
    /// Tasks that an earlier call left undone.
    pub(crate) dropped: Vec<Arc<str>>,
}

impl ResumePoint {
    /// An initial state.
    pub(crate) fn initial() -> Self {
        Self { restored: None, after: None, is_open: false, dropped: Vec::new() }
    }

    fn open(restored: Restored) -> Self {
        Self { restored: Some(restored), is_open: true, ..Self::initial() }
    }

    /// Finds the resume point of a call with its own state.
    pub(crate) async fn of_call(
        graph: &dyn ReadStates,
        session: &Session,
        call: &Arc<str>,
        again: bool,
    ) -> Result<Self, RunError> {
        if let Some(attached) = &session.attached
            && let Some(restored) = Box::pin(begun(attached, graph, session, call, again)).await?
        {
            return Ok(Self::open(restored));
        }
        session.calls.forget(call);
        Ok(Self::initial())
    }

    /// Finds the resume point of a call of the subgraph that keeps the namespace for all of the thread.
    pub(crate) async fn of_thread(
        graph: &dyn ReadStates,
        session: &Session,
        ns: &Arc<str>,
        call: &Arc<str>,
        again: bool,
    ) -> Result<Self, RunError> {
        let begin = || {
            session.calls.begin(ns, call).map_err(|other| RunError::SubgraphBusy {
                node: ns.to_string(),
                call: call.to_string(),
                other: other.to_string(),
            })
        };
        let mut begun = begin()?;
        if begun.again {
            if let Some(attached) = &session.attached {
                attached.settle(ns, session.policy.durability).await?;
                let forget = again || session.forget_attempts;
                let found = load::restore(&*attached.store, graph, &session.thread, ns, None, forget).await?;
                if let Some(restored) = found.filter(|restored| restored.frontier.base(ns) == call) {
                    return Ok(Self::open(restored));
                }
            }
            // Nothing of it was committed, or nothing is stored.
            session.calls.forget(call);
            begun = begin()?;
        }
        let kept = begun.kept_by_run();
        let found = match (&session.attached, kept) {
            (_, Some(kept)) => Some(kept),
            (None, None) => None,
            (Some(attached), None) => {
                attached.settle(ns, session.policy.durability).await?;
                match begun.position.head {
                    Some(head) => Some(recorded(attached, graph, session, ns, head).await?),
                    None => return Self::unrecorded(attached, graph, session, ns).await,
                }
            }
        };
        Ok(found.map_or_else(Self::initial, |mut restored| {
            let dropped = restored.drop_unfinished(ns);
            Self { restored: Some(restored), dropped, ..Self::initial() }
        }))
    }

    /// An initial state, after calls that the branch of the parent knows nothing of.
    async fn unrecorded(
        attached: &CommitLog,
        graph: &dyn ReadStates,
        session: &Session,
        ns: &Arc<str>,
    ) -> Result<Self, RunError> {
        let found = load::restore(&*attached.store, graph, &session.thread, ns, None, false).await?;
        let after = found.as_ref().map(|found| (found.newest, found.head));
        let dropped = found.map(|mut found| found.drop_unfinished(ns)).unwrap_or_default();
        Ok(Self { after, dropped, ..Self::initial() })
    }
}

impl CallStart {
    /// The namespace as this run left it, if it did.
    fn kept_by_run(&self) -> Option<Restored> {
        let kept = Arc::clone(self.position.kept.as_ref()?).downcast::<Restored>().ok()?;
        (Some(kept.row.number) == self.position.head).then(|| Restored::clone(&kept))
    }
}

/// What the store has of a call that has begun before, in this run when it is tried `again`.
async fn begun(
    attached: &CommitLog,
    graph: &dyn ReadStates,
    session: &Session,
    call: &Arc<str>,
    again: bool,
) -> Result<Option<Restored>, RunError> {
    if again {
        attached.settle(call, session.policy.durability).await?;
    }
    let forget = again || session.forget_attempts;
    load::restore(&*attached.store, graph, &session.thread, call, None, forget).await
}

/// The checkpoint that the parent recorded.
async fn recorded(
    attached: &CommitLog,
    graph: &dyn ReadStates,
    session: &Session,
    ns: &Arc<str>,
    number: u64,
) -> Result<Restored, RunError> {
    let thread = &session.thread;
    match load::restore(&*attached.store, graph, thread, ns, Some(number), false).await {
        Ok(Some(restored)) => Ok(restored),
        Ok(None) | Err(RunError::UnknownCheckpoint { .. }) => {
            Err(RunError::Checkpoint(CheckpointError::UnknownCheckpoint {
                thread: thread.to_string(),
                ns: ns.to_string(),
                number,
            }))
        }
        Err(error) => Err(error),
    }
}
