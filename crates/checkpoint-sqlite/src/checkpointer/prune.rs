//! A pruning as statements of a transaction.

use std::collections::BTreeSet;

use graphloom_core_graph::checkpoint::{Commit, Cut, Lease, Pruning};
use rusqlite::{Connection, params};

use super::claim::{claim, stale};
use super::commit::set_head;
use super::read::{self, Head};
use crate::failure::Failure;

/// Removes what a pruning names; on an error, what was removed before it is to be undone.
pub(super) fn apply(connection: &Connection, lease: &Lease, pruning: &Pruning) -> Result<(), Failure> {
    let thread = claim(connection, lease, &Commit { thread: pruning.thread.clone(), ..Commit::default() })?;
    let mut blobs = BTreeSet::new();
    for cut in &pruning.cuts {
        match read::head(connection, &lease.thread, &cut.ns)? {
            None => {}
            Some(head) if cut.whole => drop_namespace(connection, head.id, &mut blobs)?,
            Some(head) => drop_parts(connection, lease, &head, cut, &mut blobs)?,
        }
    }
    let journal = "DELETE FROM journal WHERE thread = ?1 AND seq < ?2
        AND seq < (SELECT max(seq) FROM journal WHERE thread = ?1)";
    let before = i64::try_from(pruning.journal_before).unwrap_or(i64::MAX);
    connection.prepare_cached(journal)?.execute(params![thread, before])?;
    drop_unused(connection, &blobs)
}

/// Removes large values that no record holds any more.
pub(super) fn drop_unused(connection: &Connection, blobs: &BTreeSet<String>) -> Result<(), Failure> {
    let mut delete = connection
        .prepare_cached("DELETE FROM blobs WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM fields WHERE blob = ?1)")?;
    for blob in blobs {
        delete.execute([blob])?;
    }
    Ok(())
}

fn drop_namespace(connection: &Connection, head: i64, blobs: &mut BTreeSet<String>) -> Result<(), Failure> {
    let mut delete = connection.prepare_cached("DELETE FROM fields WHERE head = ?1 RETURNING blob")?;
    collect(&mut delete.query([head])?, blobs)?;
    for table in ["checkpoints", "task_records"] {
        connection.prepare_cached(&format!("DELETE FROM {table} WHERE head = ?1"))?.execute([head])?;
    }
    connection.prepare_cached("DELETE FROM heads WHERE id = ?1")?.execute([head])?;
    Ok(())
}

fn drop_parts(
    connection: &Connection,
    lease: &Lease,
    &Head { id: head, number }: &Head,
    cut: &Cut,
    blobs: &mut BTreeSet<String>,
) -> Result<(), Failure> {
    let mut delete = connection.prepare_cached("DELETE FROM checkpoints WHERE head = ?1 AND number = ?2")?;
    for number in &cut.checkpoints {
        delete.execute(params![head, number])?;
    }
    if let Some(number) = cut.head.or(number) {
        let exists = "SELECT 1 FROM checkpoints WHERE head = ?1 AND number = ?2";
        if !connection.prepare_cached(exists)?.exists(params![head, number])? {
            let detail = format!("checkpoint {number} of namespace `{}` is the head, and would be gone", cut.ns);
            return Err(stale(lease, &cut.ns, detail));
        }
        set_head(connection, &lease.thread, &cut.ns, head, number)?;
    }
    let record = "DELETE FROM fields WHERE head = ?1 AND version = ?3
        AND field = (SELECT id FROM names WHERE name = ?2) RETURNING blob";
    let mut delete = connection.prepare_cached(record)?;
    for (field, version) in &cut.records {
        collect(&mut delete.query(params![head, field, version])?, blobs)?;
    }
    let mut delete = connection.prepare_cached("DELETE FROM task_records WHERE head = ?1 AND task = ?2")?;
    for task in &cut.tasks {
        delete.execute(params![head, task])?;
    }
    Ok(())
}

fn collect(rows: &mut rusqlite::Rows<'_>, blobs: &mut BTreeSet<String>) -> Result<(), Failure> {
    while let Some(row) = rows.next()? {
        blobs.extend(row.get::<_, Option<String>>(0)?);
    }
    Ok(())
}
