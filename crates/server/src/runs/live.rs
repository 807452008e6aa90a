//! A run whose end can be awaited: this process executes it or holds it in a queue, or another process does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use graphloom_core_graph::RunHandle;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use uuid::Uuid;

use crate::graph::Fields;
use crate::log::Interrupt;
use crate::records::{RunFailure, RunStatus, ThreadStatus};
use crate::usage::{ModelCall, RunUsage};

/// How a run ended.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    pub(crate) status: RunStatus,
    /// How the thread stands after it.
    pub(crate) stands: ThreadStatus,
    /// The state of the thread; none where it has none.
    pub(crate) values: Option<Fields>,
    /// What the thread waits for.
    pub(crate) interrupts: Vec<Interrupt>,
    pub(crate) failure: Option<RunFailure>,
    /// Whether the thread could not be read: what is recorded of it stays.
    pub(crate) is_unread: bool,
}

/// What becomes of a run that is cancelled.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) enum Cancel {
    /// What it committed stays.
    Interrupt,
    /// The run and what it committed are taken back.
    Rollback,
}

/// A run that this process executes or holds in a queue, or another one does. Its end can be awaited.
#[derive(Debug)]
pub(crate) struct LiveRun {
    pub(crate) run: Uuid,
    /// The number of the newest entry of the log before the run.
    pub(super) before: u64,
    state: Mutex<State>,
    stage: watch::Sender<Stage>,
}

#[derive(Debug, Default)]
struct State {
    handle: Option<RunHandle>,
    cancel: Option<Cancel>,
    /// The process stops: the run is left where it can be taken up again.
    is_drained: bool,
    /// How it ended is decided, and is being recorded.
    is_closed: bool,
    /// The calls of models that it made so far, of a run that this process executes.
    usage: RunUsage,
}

#[derive(Clone, Debug)]
enum Stage {
    Live,
    Ended(Arc<Ending>),
    /// It is left for the next process.
    Left,
}

impl LiveRun {
    pub(super) fn new(run: Uuid, before: u64) -> Arc<Self> {
        Arc::new(Self { run, before, state: Mutex::default(), stage: watch::Sender::new(Stage::Live) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the run to stop; false where how it ended is decided already. The first who asks decides what becomes of it.
    pub(super) fn cancel(&self, cancel: Cancel) -> bool {
        let mut state = self.lock();
        if state.is_closed {
            return false;
        }
        state.cancel.get_or_insert(cancel);
        if let Some(handle) = &state.handle {
            handle.cancel();
        }
        true
    }

    /// Stops the run where it can be taken up again.
    pub(super) fn drain(&self) {
        let mut state = self.lock();
        state.is_drained = true;
        if let Some(handle) = &state.handle {
            handle.drain();
        }
    }

    /// Takes the handle of the run when it begins; a run that was asked to stop before is stopped at once.
    pub(super) fn begin(&self, handle: RunHandle) {
        let mut state = self.lock();
        if state.cancel.is_some() {
            handle.cancel();
        } else if state.is_drained {
            handle.drain();
        }
        state.handle = Some(handle);
    }

    /// Counts a call of a model.
    pub(super) fn count(&self, call: &ModelCall) {
        self.lock().usage.add(call);
    }

    /// Begins with the calls that an earlier process made, which died.
    pub(super) fn go_on_from(&self, usage: RunUsage) {
        self.lock().usage = usage;
    }

    /// The calls of models that it made so far.
    pub(crate) fn usage(&self) -> RunUsage {
        self.lock().usage.clone()
    }

    /// Decides what becomes of the run: nobody can cancel it any more. Returns what was asked for until now.
    pub(super) fn close(&self) -> Option<Cancel> {
        let mut state = self.lock();
        state.is_closed = true;
        state.cancel
    }

    pub(super) fn is_drained(&self) -> bool {
        self.lock().is_drained
    }

    pub(super) fn end(&self, ending: Ending) {
        self.stage.send_replace(Stage::Ended(Arc::new(ending)));
    }

    pub(super) fn leave(&self) {
        self.stage.send_replace(Stage::Left);
    }

    /// Whether it has neither ended nor been left.
    pub(super) fn is_live(&self) -> bool {
        matches!(*self.stage.borrow(), Stage::Live)
    }

    /// How the run ended, when it has; none when it is left for another process.
    pub(crate) async fn ended(&self) -> Option<Arc<Ending>> {
        let mut stage = self.stage.subscribe();
        let found = stage.wait_for(|stage| !matches!(stage, Stage::Live)).await;
        match found.as_deref() {
            Ok(Stage::Ended(ending)) => Some(Arc::clone(ending)),
            _ => None,
        }
    }
}
