//! Whose a thread is, and its row.

use graphloom_core_graph::checkpoint::{Checksum, Commit, Lease, ThreadRow};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use crate::failure::{Failure, Refusal};

/// Who holds a thread according to the file.
pub(super) struct Owner {
    id: i64,
    pub(super) epoch: u64,
    pub(super) owner: String,
}

/// The owner of a thread, `None` when there is no such thread.
pub(super) fn owner(connection: &Connection, thread: &str) -> Result<Option<Owner>, Failure> {
    let mut statement =
        connection.prepare_cached("SELECT id, epoch, holder, holder_sum FROM threads WHERE thread = ?1")?;
    let columns = |row: &Row<'_>| {
        Ok::<_, rusqlite::Error>((Owner { id: row.get(0)?, epoch: row.get(1)?, owner: row.get(2)? }, row.get(3)?))
    };
    let Some(row) = statement.query_row([thread], |row| Ok(columns(row))).optional()? else { return Ok(None) };
    match row {
        Ok((owner, sum)) if Checksum::of_holder(thread, owner.epoch, &owner.owner).fits(sum) => Ok(Some(owner)),
        _ => Err(Failure::damaged(format!("thread `{thread}`"), "its row")),
    }
}

/// Clears the owner of a lease that was given back, unless another has claimed the thread since.
pub(super) fn disown(connection: &Connection, lease: &Lease) -> Result<(), Failure> {
    let statement = "UPDATE threads SET holder = '', holder_sum = ?3 WHERE thread = ?1 AND holder = ?2";
    let sum = Checksum::of_holder(&lease.thread, lease.epoch, "").stored();
    connection.prepare_cached(statement)?.execute(params![lease.thread, lease.owner, sum])?;
    Ok(())
}

/// The thread's id, when nobody has claimed it since the lease was given.
pub(super) fn unclaimed(connection: &Connection, lease: &Lease) -> Result<i64, Failure> {
    match owner(connection, &lease.thread)? {
        None => Err(Refusal::UnknownThread { thread: lease.thread.to_string() }.into()),
        Some(row) if row.epoch + 1 == lease.epoch => Ok(row.id),
        Some(row) => Err(stale(lease, "", format!("the thread is at epoch {}", row.epoch))),
    }
}

/// Writes the row of a thread when the commit brings one, the row is known and the lease still holds it; whether it did.
pub(super) fn rewrite_thread(
    connection: &Connection,
    lease: &Lease,
    commit: &Commit,
    thread: i64,
) -> Result<bool, Failure> {
    match &commit.thread {
        Some(row) if thread != 0 => {
            let owner = if commit.release { "" } else { &*lease.owner };
            update_thread(connection, lease, row, owner, thread, (lease.epoch, &lease.owner))
        }
        _ => Ok(false),
    }
}

/// Checks owner and epoch, writes the thread's row as far as it changes, and answers its id.
pub(super) fn claim(connection: &Connection, lease: &Lease, commit: &Commit) -> Result<i64, Failure> {
    let stored = owner(connection, &lease.thread)?;
    let epoch = stored.as_ref().map_or(0, |stored| stored.epoch);
    let owned = stored.as_ref().is_some_and(|stored| stored.epoch == lease.epoch && *stored.owner == *lease.owner);
    if !owned && epoch + 1 != lease.epoch {
        return Err(stale(lease, &commit.ns, format!("the thread is at epoch {epoch}")));
    }
    let owner = if commit.release { "" } else { &*lease.owner };
    match (stored, &commit.thread) {
        (None, None) => Err(Refusal::UnknownThread { thread: lease.thread.to_string() }.into()),
        (None, Some(row)) => insert_thread(connection, &lease.thread, row, (lease.epoch, owner)),
        (Some(stored), Some(row)) => {
            update_thread(connection, lease, row, owner, stored.id, (stored.epoch, &stored.owner))?;
            Ok(stored.id)
        }
        (Some(stored), None) => {
            if !owned || commit.release {
                let statement = "UPDATE threads SET epoch = ?2, holder = ?3, holder_sum = ?4 WHERE id = ?1";
                let sum = Checksum::of_holder(&lease.thread, lease.epoch, owner).stored();
                connection.prepare_cached(statement)?.execute(params![stored.id, lease.epoch, owner, sum])?;
            }
            Ok(stored.id)
        }
    }
}

/// Adds the row of a thread that this owner holds; returns its number.
pub(super) fn insert_thread(
    connection: &Connection,
    thread: &str,
    row: &ThreadRow,
    (epoch, owner): (u64, &str),
) -> Result<i64, Failure> {
    let statement = "INSERT INTO threads
            (thread, graph, graph_version, status, detail, created, updated, epoch, holder, written, sum, holder_sum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, (SELECT coalesce(max(written), 0) + 1 FROM threads), ?10, ?11)";
    let ThreadRow { thread: _, graph, graph_version, status, detail, created, updated, epoch: _, owner: _ } = row;
    let status = word(status)?;
    let sum = Checksum::of_thread_row(thread, row, &status).stored();
    let holder_sum = Checksum::of_holder(thread, epoch, owner).stored();
    let values = params![thread, graph, graph_version, status, detail, created, updated, epoch, owner, sum, holder_sum];
    Ok(connection.prepare_cached(statement)?.insert(values)?)
}

/// Writes the row of a thread that is stored with this epoch and owner; whether there is one.
fn update_thread(
    connection: &Connection,
    lease: &Lease,
    row: &ThreadRow,
    owner: &str,
    id: i64,
    (stored_epoch, stored_owner): (u64, &str),
) -> Result<bool, Failure> {
    let statement = "UPDATE threads SET graph = ?4, graph_version = ?5, status = ?6, detail = ?7, created = ?8,
            updated = ?9, epoch = ?10, holder = ?11, written = (SELECT max(written) + 1 FROM threads), sum = ?12,
            holder_sum = ?13
        WHERE id = ?1 AND epoch = ?2 AND holder = ?3";
    let ThreadRow { thread: _, graph, graph_version, status, detail, created, updated, epoch: _, owner: _ } = row;
    let status = word(status)?;
    let values = params![
        id,
        stored_epoch,
        stored_owner,
        graph,
        graph_version,
        status,
        detail,
        created,
        updated,
        lease.epoch,
        owner,
        Checksum::of_thread_row(&lease.thread, row, &status).stored(),
        Checksum::of_holder(&lease.thread, lease.epoch, owner).stored(),
    ];
    Ok(connection.prepare_cached(statement)?.execute(values)? == 1)
}

/// The serialised name of a status, source or kind.
pub(super) fn word<T: Serialize>(variant: &T) -> Result<String, Failure> {
    match serde_json::to_value(variant).map_err(unwritable)? {
        serde_json::Value::String(word) => Ok(word),
        other => Err(unwritable(format!("`{other}` is not a name"))),
    }
}

fn unwritable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    std::io::Error::new(std::io::ErrorKind::InvalidData, error).into()
}

pub(super) fn stale(lease: &Lease, ns: &str, detail: String) -> Failure {
    let (thread, epoch) = (lease.thread.to_string(), lease.epoch);
    Refusal::Stale { thread, ns: ns.to_owned(), epoch, detail }.into()
}
