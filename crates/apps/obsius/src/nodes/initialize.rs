//! Node `initialize`: what the run begins with.

use graphloom_agents::{EntryKind, WorkingMemory};
use graphloom_core_graph::{Context, NodeError, Snapshot};
use graphloom_vault::Notes;

use super::visit::{Report, visit};
use crate::phase::{Decision, Phase};
use crate::resources::Resources;
use crate::state::{VaultContext, WorkflowState, WorkflowStateUpdate};

/// State in: session and configuration. State out: an empty working memory of the configured size and what is known of the
/// vault. It fails when the vault cannot be read.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn initialize(
    state: Snapshot<WorkflowState>,
    cx: Context<Resources>,
) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Initialize, state, cx, async |visit| {
        let context = vault_context(visit.resources());
        let config = &visit.state.session.config;
        let thought = visit.entry(
            EntryKind::Thought,
            format!("asked for: {}; the vault has {} notes", visit.state.session.original_request, context.notes),
        );
        let update = WorkflowState::update()
            .replace_working_memory(WorkingMemory::with_limit(config.max_working_memory_entries))
            .working_memory(vec![thought]);
        let message = format!("{} notes in `{}`", context.notes, context.vault_name);
        Ok(Report::new(Decision::Initialized, message).with(update.vault_context(context)))
    })
    .await
}

/// What is known of the vault before anything is searched.
pub(super) fn vault_context(resources: &Resources) -> VaultContext {
    let root = resources.vault.root();
    VaultContext {
        vault_name: root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        notes: resources.vault.paths().len(),
        skipped: resources.index.skipped(),
        ..VaultContext::default()
    }
}
