//! The tables, and what tells that a file is ours.

use rusqlite::{Connection, TransactionBehavior};

use crate::failure::Failure;

/// Marks files of this crate: the letters `Grlm`.
const APPLICATION: i32 = 0x4772_6c6d;
/// The format that this version writes, and the newest it reads.
const FORMAT: u32 = 3;
const TABLES: &str = include_str!("schema.sql");
/// What makes a file of format `n + 1` of one of format `n`, from 1 on. Rows that are there get no checksums.
const MIGRATIONS: [&str; 2] = [TO_FORMAT_2, TO_FORMAT_3];
const TO_FORMAT_2: &str = "ALTER TABLE checkpoints ADD COLUMN sum INTEGER;
    ALTER TABLE fields ADD COLUMN sum INTEGER;
    ALTER TABLE task_records ADD COLUMN sum INTEGER;
    CREATE INDEX open_records ON task_records (head) WHERE kind <> 'once';";
/// A program of an older version that has the file open would change rows and leave their checksums as they are. The new
/// name of a column that each of its commits names refuses it.
const TO_FORMAT_3: &str = "ALTER TABLE threads RENAME COLUMN owner TO holder;
    ALTER TABLE threads ADD COLUMN sum INTEGER;
    ALTER TABLE threads ADD COLUMN holder_sum INTEGER;
    ALTER TABLE heads ADD COLUMN sum INTEGER;
    ALTER TABLE names ADD COLUMN sum INTEGER;
    ALTER TABLE journal ADD COLUMN sum INTEGER;";

/// What is known of a file before it is used.
enum Found {
    /// Nothing is in it.
    New,
    /// It is ours, in this format.
    Ours(u32),
}

/// Checks the file's format and makes the tables of a new file.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    let found = look(connection)?;
    // Also for a file whose maker died between making the tables and this line.
    use_wal(connection)?;
    if let Found::Ours(FORMAT) = found {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have made or changed the tables meanwhile.
    match look(&transaction)? {
        Found::New => {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
        }
        Found::Ours(format) => {
            let missing = MIGRATIONS.iter().skip(format.saturating_sub(1) as usize);
            missing.into_iter().try_for_each(|migration| transaction.execute_batch(migration))?;
        }
    }
    transaction.pragma_update(None, "user_version", FORMAT)?;
    Ok(transaction.commit()?)
}

/// Returns what is known of a file, or an error for one that is not ours or of a newer format. Writes nothing.
fn look(connection: &Connection) -> Result<Found, Failure> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: u64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if application == APPLICATION {
        return match format {
            0..=FORMAT => Ok(Found::Ours(format)),
            newer => Err(Failure::NewerFormat { found: newer, known: FORMAT }),
        };
    }
    if application == 0 && tables == 0 {
        return Ok(Found::New);
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
