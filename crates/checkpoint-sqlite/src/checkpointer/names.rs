//! Names of fields by number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rusqlite::{Connection, OptionalExtension, params};

use super::checksum;
use crate::database::lock;
use crate::failure::Failure;

/// Names that the file has, with their numbers. Neither is ever changed or removed, so what was read once stays true.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<NameNumbers>);

#[derive(Debug, Default)]
struct NameNumbers {
    numbers: HashMap<Arc<str>, i64>,
    names: HashMap<i64, Arc<str>>,
}

/// Names that the commits of a lease have asked for. They ask for the same ones over and over, in the same order.
#[derive(Debug, Default)]
pub(super) struct RequestedNames {
    names: Vec<(Arc<str>, i64)>,
    /// Where the next one is expected.
    next: usize,
    /// How many of them are known to be committed.
    committed: usize,
}

/// Names of one lease are known by their place in memory; who gives them another each time is not to fill it.
const MOST: usize = 1024;

impl RequestedNames {
    /// Forgets what was not committed: the transaction is undone.
    pub(super) fn undo(&mut self) {
        self.names.truncate(self.committed);
        self.next = 0;
    }

    /// Of a name that was asked for before.
    fn number(&mut self, name: &Arc<str>) -> Option<i64> {
        let (before, after) = self.names.split_at_checked(self.next)?;
        let same = |(known, _): &(Arc<str>, i64)| Arc::ptr_eq(known, name);
        let at = match after.iter().position(same) {
            Some(at) => self.next + at,
            None => before.iter().position(same)?,
        };
        self.next = at + 1;
        self.names.get(at).map(|(_, number)| *number)
    }
}

impl Names {
    /// The name of a number, `None` when the file has none.
    pub(super) fn name(&self, connection: &Connection, number: i64) -> Result<Option<Arc<str>>, Failure> {
        if let Some(name) = lock(&self.0).names.get(&number) {
            return Ok(Some(Arc::clone(name)));
        }
        let statement = "SELECT name, sum FROM names WHERE id = ?1";
        let row = connection.prepare_cached(statement)?.query_row([number], |row| Ok((row.get(0)?, row.get(1)?)));
        let Some((name, sum)): Option<(Arc<str>, Option<i32>)> = row.optional()? else { return Ok(None) };
        check(&name, number, sum)?;
        lock(&self.0).insert(Arc::clone(&name), number);
        Ok(Some(name))
    }

    /// The number of a name, `None` when the file has none.
    pub(super) fn number(&self, connection: &Connection, name: &str) -> Result<Option<i64>, Failure> {
        match self.known(name) {
            Some(number) => Ok(Some(number)),
            None => stored(connection, name),
        }
    }

    /// The number of a name, in a transaction that may give it one.
    pub(super) fn made(
        &self,
        connection: &Connection,
        name: &Arc<str>,
        asked: &mut RequestedNames,
    ) -> Result<i64, Failure> {
        if let Some(number) = asked.number(name) {
            return Ok(number);
        }
        let number = match self.number(connection, name)? {
            Some(number) => number,
            None => add(connection, name)?,
        };
        asked.names.push((Arc::clone(name), number));
        asked.next = asked.names.len();
        Ok(number)
    }

    /// Keeps what a lease has asked for, once it is committed.
    pub(super) fn learn(&self, asked: &mut RequestedNames) {
        let fresh = asked.names.get(asked.committed..).unwrap_or_default();
        if !fresh.is_empty() {
            let mut both = lock(&self.0);
            fresh.iter().for_each(|(name, number)| both.insert(Arc::clone(name), *number));
        }
        if asked.names.len() > MOST {
            *asked = RequestedNames::default();
        }
        asked.committed = asked.names.len();
    }

    fn known(&self, name: &str) -> Option<i64> {
        lock(&self.0).numbers.get(name).copied()
    }
}

impl NameNumbers {
    fn insert(&mut self, name: Arc<str>, number: i64) {
        self.names.insert(number, Arc::clone(&name));
        self.numbers.insert(name, number);
    }
}

fn stored(connection: &Connection, name: &str) -> Result<Option<i64>, Failure> {
    let mut statement = connection.prepare_cached("SELECT id, sum FROM names WHERE name = ?1")?;
    let row = statement.query_row([name], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    row.map(|(number, sum)| check(name, number, sum).map(|()| number)).transpose()
}

/// Gives a new name a number, which its checksum is made of.
fn add(connection: &Connection, name: &str) -> Result<i64, Failure> {
    let number = connection.prepare_cached("INSERT INTO names (name) VALUES (?1)")?.insert([name])?;
    let sum = checksum::name(number, name).stored();
    connection.prepare_cached("UPDATE names SET sum = ?2 WHERE id = ?1")?.execute(params![number, sum])?;
    Ok(number)
}

fn check(name: &str, number: i64, sum: Option<i32>) -> Result<(), Failure> {
    if checksum::name(number, name).fits(sum) {
        return Ok(());
    }
    Err(Failure::damaged(format!("name {number} of a field, `{}`", name.escape_debug()), "it"))
}
