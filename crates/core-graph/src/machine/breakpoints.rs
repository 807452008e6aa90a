//! Breakpoints: where a run stops as if it were asked to drain.

use crate::machine::MachineCore;
use crate::machine::task::Phase;
use crate::tasks::Stop;

/// The nodes before and after which a run stops.
#[derive(Debug, Default)]
pub(crate) struct Breakpoints {
    pub(crate) before: Vec<u32>,
    pub(crate) after: Vec<u32>,
}

impl MachineCore {
    /// Sets the breakpoints of the run.
    pub(crate) fn set_breakpoints(&mut self, breakpoints: Breakpoints) {
        self.breakpoints = breakpoints;
    }

    /// Stops the run when a task is ready before which it is to stop. A task that it stopped at before is passed.
    pub(super) fn stop_before(&mut self) {
        if self.breakpoints.before.is_empty() || self.step_open {
            return;
        }
        let stops = |node: &u32| self.breakpoints.before.contains(node);
        let ready = self.frontier.iter().filter(|(_, task)| matches!(task.phase, Phase::Ready) && !task.passed);
        if ready.map(|(_, task)| task.node).any(|node| stops(&node)) {
            self.halt(Stop::Drained);
        }
    }

    /// Stops the run when one of the committed nodes is one after which it is to stop.
    pub(super) fn stop_after(&mut self, mut committed: impl Iterator<Item = u32>) {
        if committed.any(|node| self.breakpoints.after.contains(&node)) {
            self.halt(Stop::Drained);
        }
    }
}
