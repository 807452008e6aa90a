//! The overlay of a run and the tools over it.

use std::sync::Arc;

use graphloom_agents::{AgentError, Risk, ToolRegistry};
use graphloom_vault::{Changes, Diff, LinkIndex, NotePath, Overlay, VaultError, diff};

use crate::desk::Resources;
use crate::probe::{Finding, View};
use crate::state::{ExecutedAction, WorkflowState};
use crate::tools::{Bench, registry};
use crate::write::mend_links;

/// The notes as they are to be, and the tools that read and change them. Nothing here touches the disk.
pub(crate) struct Workbench {
    bench: Bench,
    tools: ToolRegistry,
}

impl Workbench {
    /// A bench with the changes of a run so far.
    pub(crate) fn new(resources: &Resources, changes: &Changes) -> Result<Self, AgentError> {
        let bench = Bench::new(Arc::clone(&resources.index), changes.clone());
        let tools = registry(&bench, Risk::Destructive)?;
        Ok(Self { bench, tools })
    }

    /// The tools.
    pub(crate) fn tools(&self) -> &ToolRegistry {
        &self.tools
    }

    /// The notes as they are to be now. Cheap: texts are shared.
    pub(crate) fn notes(&self) -> Overlay {
        self.bench.overlay()
    }

    /// The changes so far.
    pub(crate) fn changes(&self) -> Changes {
        self.bench.changes()
    }

    /// Goes back to these changes.
    pub(crate) fn reset(&self, changes: &Changes) {
        self.bench.reset(changes.clone());
    }

    /// Mends links that were written and lead nowhere.
    pub(crate) fn mend(&self) -> Result<Vec<String>, VaultError> {
        self.bench.edit(mend_links)
    }
}

/// The changes as a person reviews them.
pub(crate) fn diff_of(resources: &Resources, changes: &Changes) -> Diff {
    diff(&resources.vault, changes)
}

/// Looks up every criterion of the plan that can be looked up; the others come back as judged before, or as not held.
pub(crate) fn probe_all(
    state: &WorkflowState,
    notes: &Overlay,
    actions: &[ExecutedAction],
    answer: &str,
) -> Vec<Finding> {
    let Some(plan) = &state.task_plan else { return Vec::new() };
    let links = LinkIndex::build(notes);
    let changed: Vec<NotePath> = notes.changes().iter().map(|(path, _)| path.clone()).collect();
    let view = View { notes, links: &links, findings: &state.findings, actions, changed: &changed, answer };
    let mut findings = Vec::new();
    for task in &plan.decomposed_tasks {
        for criterion in &task.criteria {
            let (holds, evidence) = criterion.probe(&view).unwrap_or((false, "not judged yet".to_owned()));
            findings.push(Finding { subtask: task.id.clone(), criterion: criterion.clone(), holds, evidence });
        }
    }
    findings
}
