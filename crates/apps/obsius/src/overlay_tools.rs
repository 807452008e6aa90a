//! The pending changes of a run, and the tools that read and change notes through them.

use std::cell::OnceCell;
use std::sync::Arc;

use graphloom_agents::{AgentError, Risk, ToolRegistry};
use graphloom_vault::{Changes, Diff, Link, Note, NotePath, Overlay, VaultError, diff};

use crate::probe::View;
use crate::resources::Resources;
use crate::state::{ExecutedAction, Finding, WorkflowState};
use crate::tools::{Workspace, registry};
use crate::write::{MissingNotes, is_written, repair_links};

/// The overlay of a run with its tools. Nothing here touches the disk.
pub(crate) struct OverlayTools {
    workspace: Workspace,
    tools: ToolRegistry,
}

impl OverlayTools {
    /// An overlay with the changes of a run so far.
    pub(crate) fn new(resources: &Resources, changes: &Changes) -> Result<Self, AgentError> {
        let workspace = Workspace::new(Arc::clone(&resources.index), changes.clone());
        let own = registry(&workspace, Risk::Destructive)?;
        let own_names: Vec<String> = own.names().map(str::to_owned).collect();
        let all = resources.sources.iter().fold(own, |tools, source| tools.with_source(Arc::clone(source)));
        let all = all.current().into_owned();
        // What is not a tool of the vault may only read, whatever its source says.
        let usable = |name: &str| {
            own_names.iter().any(|own| own == name)
                || (all.risk(name) == Some(Risk::Read) && !all.must_ask(name).unwrap_or(true))
        };
        let names: Vec<String> = all.names().filter(|name| usable(name)).map(str::to_owned).collect();
        let tools = all.only(names)?;
        Ok(Self { workspace, tools })
    }

    /// The tools.
    pub(crate) fn tools(&self) -> &ToolRegistry {
        &self.tools
    }

    /// The notes as they are to be now. Cheap: texts are shared.
    pub(crate) fn notes(&self) -> Overlay {
        self.workspace.overlay()
    }

    /// The changes so far.
    pub(crate) fn changes(&self) -> Changes {
        self.workspace.changes()
    }

    /// Replaces the changes.
    pub(crate) fn reset(&self, changes: &Changes) {
        self.workspace.reset(changes.clone());
    }

    /// Repairs links of this run that lead nowhere, and returns a line on each repair that the notes do not have yet.
    pub(crate) fn repair_links(&self, state: &WorkflowState) -> Result<Vec<String>, VaultError> {
        let style = self.workspace.index().settings().links;
        let mut repairs =
            self.workspace.edit(|overlay| repair_links(overlay, &state.session.original_request, style))?;
        repairs.retain(|line| !state.notes.iter().any(|known| known == line));
        Ok(repairs)
    }
}

/// The changes as a person reviews them.
pub(crate) fn diff_of(resources: &Resources, changes: &Changes) -> Diff {
    diff(&resources.vault, changes)
}

/// Evaluates every criterion of the plan that a program can evaluate; the others count as not met.
pub(crate) fn probe_all(
    state: &WorkflowState,
    notes: &Overlay,
    actions: &[ExecutedAction],
    answer: &str,
) -> Vec<Finding> {
    let Some(plan) = &state.task_plan else { return Vec::new() };
    let links = notes.links();
    let changed: Vec<NotePath> = notes.changes().iter().map(|(path, _)| path.clone()).collect();
    let missing_notes = OnceCell::new();
    let is_own = |note: &Note, link: &Link| {
        !is_written(notes, note.path(), link)
            || missing_notes.get_or_init(|| MissingNotes::new(notes, &state.session.original_request)).is_one(link)
    };
    let view =
        View { notes, links: &links, findings: &state.findings, actions, changed: &changed, answer, is_own: &is_own };
    let mut findings = Vec::new();
    for task in &plan.decomposed_tasks {
        for criterion in &task.criteria {
            let (holds, evidence) = criterion.probe(&view).unwrap_or((false, "not judged yet".to_owned()));
            findings.push(Finding { subtask: task.id.clone(), criterion: criterion.clone(), holds, evidence });
        }
    }
    findings
}
