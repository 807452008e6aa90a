//! The resume point of a subgraph call: the checkpoint that it goes on from, or the initial state.

use std::sync::Arc;

use crate::checkpoint::{CheckpointError, TaskRecord, TaskRecordKind};
use crate::error::RunError;
use crate::machine::Restored;
use crate::record::ReplayPoint;
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
    /// The checkpoint of an earlier call that it branches off from.
    pub(crate) replay: Option<Arc<ReplayPoint>>,
    /// The results of durable steps that the branch takes over.
    pub(crate) once: Vec<TaskRecord>,
}

impl ResumePoint {
    /// An initial state.
    pub(crate) fn initial() -> Self {
        Self { restored: None, after: None, is_open: false, dropped: Vec::new(), replay: None, once: Vec::new() }
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
        if let Some(attached) = &session.attached {
            if let Some(restored) = Box::pin(begun(attached, graph, session, call, again)).await? {
                return Ok(Self::open(restored));
            }
            if let Some(point) = session.replays.of(call) {
                return Self::of_replay(attached, graph, session, call, point).await;
            }
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
        let begin = || session.calls.begin(ns, call).map_err(|other| busy(ns, call, &other));
        let mut begun = begin()?;
        if begun.again {
            if let Some(attached) = &session.attached {
                attached.settle(ns, session.policy.durability).await?;
                let forget = again || session.forget_attempts;
                let found = load::restore(&*attached.store, graph, &session.thread, ns, None, forget, None).await?;
                if let Some(restored) = found.filter(|restored| restored.frontier.base(ns) == call) {
                    return Ok(Self::open(restored));
                }
            }
            // Nothing of it was committed, or nothing is stored.
            session.calls.forget(call);
            begun = begin()?;
        }
        if let (Some(attached), Some(point)) = (&session.attached, session.replays.of(call)) {
            attached.settle(ns, session.policy.durability).await?;
            return Self::of_replay(attached, graph, session, call, point).await;
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

    /// The checkpoint of an earlier call, for a call that a replay made. Subgraphs inside that are kept per thread stand
    /// where they stood there.
    async fn of_replay(
        attached: &CommitLog,
        graph: &dyn ReadStates,
        session: &Session,
        call: &Arc<str>,
        point: Arc<ReplayPoint>,
    ) -> Result<Self, RunError> {
        let mut restored = recorded(attached, graph, session, &point.ns, point.number).await?;
        for (ns, number) in restored.frontier.children() {
            session.calls.take_over(ns, call, number).map_err(|other| busy(ns, call, &other))?;
        }
        // Answers and writes belong to the branch that is left.
        let mut once = std::mem::take(&mut restored.records);
        once.retain(|record| point.reuse_once && record.kind == TaskRecordKind::Once);
        restored.forget_attempts = true;
        Ok(Self { restored: Some(restored), is_open: true, replay: Some(point), once, ..Self::initial() })
    }

    /// An initial state, after calls that the branch of the parent knows nothing of.
    async fn unrecorded(
        attached: &CommitLog,
        graph: &dyn ReadStates,
        session: &Session,
        ns: &Arc<str>,
    ) -> Result<Self, RunError> {
        let found = load::restore(&*attached.store, graph, &session.thread, ns, None, false, None).await?;
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

/// The error of a call whose subgraph another call has.
fn busy(ns: &str, call: &str, other: &str) -> RunError {
    RunError::SubgraphBusy { node: ns.to_owned(), call: call.to_owned(), other: other.to_owned() }
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
    load::restore(&*attached.store, graph, &session.thread, call, None, forget, None).await
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
    match load::restore(&*attached.store, graph, thread, ns, Some(number), false, None).await {
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
