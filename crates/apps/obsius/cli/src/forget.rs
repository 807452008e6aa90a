//! Removing backups.

use std::collections::BTreeSet;
use std::time::Duration;

use graphloom_cli::{ExitStatus, Failure, Session};
use graphloom_core_graph::{Clock, SystemClock};
use graphloom_obsius::transaction_name;
use graphloom_vault::transaction;

use crate::args::VaultArgs;
use crate::open::open_vault;

/// Removes what the vault keeps for undoing runs: those named, those of an age, or all.
pub(crate) fn forget(
    session: &Session,
    runs: &[String],
    older_than: Option<Duration>,
    all: bool,
    vault: &VaultArgs,
) -> Result<ExitStatus, Failure> {
    let vault = open_vault(&vault.or_here(), session)?;
    let records = transaction::runs(&vault)?;
    let chosen: BTreeSet<String> = match older_than {
        _ if !runs.is_empty() => runs.iter().map(|run| transaction_name(run)).collect(),
        Some(age) => {
            let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
            let before = SystemClock.now().saturating_sub(age);
            records.iter().filter(|record| record.at_ms < before).map(|record| record.run.clone()).collect()
        }
        None if all => records.iter().map(|record| record.run.clone()).collect(),
        None => return Err(Failure::usage("name the runs, or give `--older-than AGE` or `--all`")),
    };
    if let Some(unknown) = chosen.iter().find(|run| records.iter().all(|record| record.run != **run)) {
        let known: Vec<String> = records.iter().map(|record| format!("`{}`", record.run)).collect();
        let known = if known.is_empty() { "of none".to_owned() } else { format!("of {}", known.join(", ")) };
        let root = vault.root().display();
        return Err(Failure::usage(format!(
            "the vault `{root}` keeps nothing of run `{unknown}`; it keeps backups {known}"
        )));
    }
    let forgotten = transaction::forget(&vault, &chosen)?;
    let text = format!(
        "the backups of {} runs are removed, {} bytes; these runs can no longer be undone, and no note has changed",
        forgotten.runs.len(),
        forgotten.bytes
    );
    session.progress.result(ExitStatus::Done, &text, &forgotten)?;
    Ok(ExitStatus::Done)
}
