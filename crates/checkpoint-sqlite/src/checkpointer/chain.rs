//! The records that make a field's value.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{FieldPayload, FieldRecord, RecordKind};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::names::Names;
use super::{checksum, read};
use crate::failure::Failure;

/// A record that builds on one at most so many checkpoints before it is read on with it; a farther one is looked up, so
/// that what lies between is not read.
const NEAR: u64 = 16;

/// The columns of [`checksum::FIELD`], and the checksum.
const RECORDS: &str = "SELECT field, version, previous, whole, payload, blob, sum FROM fields
    WHERE head = ?1 AND version <= ?2 AND field = ?3 ORDER BY version DESC";

/// The chain of records behind a version, oldest first, without what a known version has.
pub(super) fn field(
    connection: &Connection,
    names: &Names,
    thread: &str,
    ns: &str,
    field: &str,
    version: u64,
    known: Option<u64>,
) -> Result<Vec<FieldRecord>, Failure> {
    // One view of the file for the whole chain.
    let _view = connection.unchecked_transaction()?;
    let name = &Arc::from(field);
    let Some(head) = read::head(connection, thread, ns)? else {
        return Err(Place { thread, ns, field: name }.corrupt("there is no such thread or namespace".to_owned()));
    };
    chain(connection, names, Place { thread, ns, field: name }, head.id, version, known)
}

/// Where a chain is.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) thread: &'p str,
    pub(super) ns: &'p str,
    pub(super) field: &'p Arc<str>,
}

impl Place<'_> {
    fn text(self) -> String {
        let Self { thread, ns, field } = self;
        format!("thread `{thread}`, namespace `{ns}`, field `{field}`")
    }

    fn corrupt(self, message: String) -> Failure {
        Failure::Corrupt { place: self.text(), message }
    }
}

/// The same in a view of the file and a namespace whose row is known.
pub(super) fn chain(
    connection: &Connection,
    names: &Names,
    place: Place<'_>,
    head: i64,
    version: u64,
    known: Option<u64>,
) -> Result<Vec<FieldRecord>, Failure> {
    let corrupt = |message: String| place.corrupt(message);
    let missing = |version: u64| corrupt(format!("there is no record of version {version}"));
    let number = names.number(connection, place.field)?.ok_or_else(|| missing(version))?;
    let mut statement = connection.prepare_cached(RECORDS)?;
    let mut chain = Vec::new();
    let mut next = Some(version).filter(|_| Some(version) != known);
    while let Some(first) = next {
        let from = i64::try_from(first).map_err(|_| missing(first))?;
        let mut rows = statement.query(params![head, from, number])?;
        loop {
            let wanted = next.unwrap_or_default();
            let row = rows.next()?.ok_or_else(|| missing(wanted))?;
            let version: u64 = row.get(1)?;
            if version > wanted {
                // Of a branch that this one is not on.
                continue;
            }
            if version < wanted {
                return Err(missing(wanted));
            }
            if !checksum::of_field(row, head).and_then(|sum| Ok(sum.fits(row.get(6)?))).unwrap_or(false) {
                return Err(Failure::damaged(place.text(), &format!("the record of version {version}")));
            }
            let (previous, whole): (Option<u64>, bool) = (row.get(2)?, row.get(3)?);
            let payload = payload(connection, row, version, &corrupt)?;
            let kind = if whole { RecordKind::Whole } else { RecordKind::Delta };
            chain.push(FieldRecord { field: Arc::clone(place.field), version, previous, kind, payload });
            next = previous.filter(|_| !whole && previous != known);
            match next {
                Some(previous) if previous >= version => {
                    return Err(corrupt(format!("version {version} does not build on an earlier one")));
                }
                Some(previous) if version - previous <= NEAR => {}
                _ => break,
            }
        }
    }
    chain.reverse();
    Ok(chain)
}

fn payload(
    connection: &Connection,
    row: &Row<'_>,
    version: u64,
    corrupt: &impl Fn(String) -> Failure,
) -> Result<FieldPayload, Failure> {
    let Some(hash) = row.get::<_, Option<String>>(5)? else {
        let bytes: Option<Arc<[u8]>> = row.get(4)?;
        return bytes
            .map(|bytes| FieldPayload::Inline(bytes.into()))
            .ok_or_else(|| corrupt(format!("version {version} has no bytes")));
    };
    let mut blob = connection.prepare_cached("SELECT bytes FROM blobs WHERE hash = ?1")?;
    let bytes: Option<Arc<[u8]>> = blob.query_row([&hash], |row| row.get(0)).optional()?;
    let bytes = bytes.filter(|bytes| blake3::hash(bytes).to_hex().as_str() == hash);
    bytes
        .map(|bytes| FieldPayload::Inline(bytes.into()))
        .ok_or_else(|| corrupt(format!("the bytes of version {version} are lost or changed")))
}
