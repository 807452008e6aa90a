//! The tables, and what tells that a file is ours.

use rusqlite::{Connection, TransactionBehavior};

use crate::failure::Failure;

/// Marks files of this crate: the letters `Grlm`.
const APPLICATION: i32 = 0x4772_6c6d;
/// The format that this version writes, and the newest it reads.
const FORMAT: u32 = 1;
const TABLES: &str = include_str!("schema.sql");

/// Checks the file's format and makes the tables of a new file.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    if is_ready(connection)? {
        // Also for a file whose maker died between making the tables and this line.
        return use_wal(connection);
    }
    use_wal(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have made the tables meanwhile.
    if !is_ready(&transaction)? {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    Ok(transaction.commit()?)
}

/// Whether the tables are there; an error for a file that is not ours. Writes nothing.
fn is_ready(connection: &Connection) -> Result<bool, Failure> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: u64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if application == APPLICATION {
        return if format > FORMAT { Err(Failure::NewerFormat { found: format, known: FORMAT }) } else { Ok(true) };
    }
    if application == 0 && tables == 0 {
        return Ok(false);
    }
    let place = connection.path().map_or_else(|| "the file".to_owned(), |path| format!("`{path}`"));
    let message = "this database belongs to another program; choose another file".to_owned();
    Err(Failure::Corrupt { place, message })
}

fn use_wal(connection: &Connection) -> Result<(), Failure> {
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    let message =
        format!("the file system allows only the journal mode `{mode}`, and `wal` is needed; use a local disk");
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, message).into())
}
