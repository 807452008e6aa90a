//! The vault: what a run would change, taking changes back, searching.

use std::sync::Arc;

use graphloom_cli::{ExitStatus, Failure, Session};
use graphloom_obsius::index::SearchQuery;
use graphloom_vault::{Changes, Overlay, Vault, VaultOptions, diff as differences};
use serde_json::json;

use crate::args::VaultArgs;
use crate::open::{open_index, open_vault, runs};
use crate::review;

/// Shows what a run would change.
pub(crate) async fn diff(session: &Session, id: &str, vault: &VaultArgs) -> Result<ExitStatus, Failure> {
    let (_, before) = runs(session).find(id).await?;
    let state = &before.state;
    if let Some(applied) = &state.applied {
        let text = format!("the changes are written already: {}", applied.paths.join(", "));
        session.progress.result(ExitStatus::Done, &text, applied)?;
        return Ok(ExitStatus::Done);
    }
    if let Some(request) = review::pending(&before.questions) {
        session.progress.result(ExitStatus::Done, &review::shown(&request), &request)?;
        return Ok(ExitStatus::Done);
    }
    let vault = Vault::open(vault.or_of(state), VaultOptions::default())?;
    let shown = differences(&vault, &state.changes);
    let text = if state.changes.is_empty() { "nothing would change".to_owned() } else { shown.to_string() };
    session.progress.result(ExitStatus::Done, &text, &shown)?;
    Ok(ExitStatus::Done)
}

/// Searches the notes.
pub(crate) fn search(session: &Session, query: &str, limit: usize, vault: &VaultArgs) -> Result<ExitStatus, Failure> {
    let dirs = session.dirs()?;
    let vault = open_vault(&vault.or_here(), session)?;
    let index = open_index(&vault, &dirs, session)?;
    let overlay = Overlay::new(Arc::clone(&vault), Changes::default());
    let page = index.page(&overlay, &SearchQuery::parse(query, limit))?;
    let found = &page.found;
    let lines: Vec<String> =
        found.iter().map(|found| format!("{}  {}\n    {}", found.path, found.title, found.snippet)).collect();
    let mut text = if lines.is_empty() { "no note was found".to_owned() } else { lines.join("\n") };
    if page.more {
        text.push_str(&format!("\nmore notes fit than these {}; `--limit` shows more", found.len()));
    }
    if !page.corrected.is_empty() {
        text = format!("{}\n{text}", page.corrected_in_words());
    }
    session.progress.result(
        ExitStatus::Done,
        &text,
        &json!({ "query": query, "found": found, "more": page.more, "corrected": page.corrected,
                 "excluded": index.excluded().len(), "skipped": index.skipped() }),
    )?;
    Ok(ExitStatus::Done)
}
