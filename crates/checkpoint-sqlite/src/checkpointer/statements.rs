//! Statements that the commits of a transaction have in common, prepared once for all of them.

use rusqlite::{CachedStatement, Connection};

use crate::failure::Failure;

/// The statements that a transaction has come to so far.
#[derive(Default)]
pub(super) struct Statements<'c> {
    pub(super) move_head: Slot<'c>,
    pub(super) add_head: Slot<'c>,
    pub(super) add_checkpoint: Slot<'c>,
    pub(super) put_field: Slot<'c>,
    pub(super) put_record: Slot<'c>,
    pub(super) settle: Slot<'c>,
    pub(super) add_event: Slot<'c>,
}

/// A statement, once it is prepared.
#[derive(Default)]
pub(super) struct Slot<'c>(Option<CachedStatement<'c>>);

impl<'c> Slot<'c> {
    pub(super) fn prepared(
        &mut self,
        connection: &'c Connection,
        sql: &str,
    ) -> Result<&mut CachedStatement<'c>, Failure> {
        match &mut self.0 {
            Some(statement) => Ok(statement),
            slot => Ok(slot.insert(connection.prepare_cached(sql)?)),
        }
    }
}
