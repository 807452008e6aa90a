//! How many runs keep the backups that undo them.

use std::collections::BTreeSet;

use graphloom_vault::transaction::{self, RunRecord};
use graphloom_vault::{Vault, VaultError};

/// Removes the backups of all but the newest `keep` runs and returns a note on what was removed; 0 keeps all.
///
/// # Errors
/// Those of the journal.
pub(crate) fn prune_backups(vault: &Vault, keep: usize) -> Result<Option<String>, VaultError> {
    let old = too_old(transaction::runs(vault)?, keep);
    if old.is_empty() {
        return Ok(None);
    }
    let forgotten = transaction::forget(vault, &old)?;
    let named: Vec<String> = forgotten.runs.iter().map(|run| format!("`{run}`")).collect();
    Ok((!named.is_empty()).then(|| {
        format!(
            "the backups of the newest {keep} runs are kept (`keep_backups`); {} can no longer be undone",
            named.join(", ")
        )
    }))
}

/// All runs but the newest `keep`.
fn too_old(mut records: Vec<RunRecord>, keep: usize) -> BTreeSet<String> {
    // Those of the same millisecond stay in the order in which they were first applied.
    records.sort_by_key(|record| record.at_ms);
    let surplus = if keep == 0 { 0 } else { records.len().saturating_sub(keep) };
    records.into_iter().take(surplus).map(|record| record.run).collect()
}
