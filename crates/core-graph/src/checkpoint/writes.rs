//! What a commit writes, as bytes in a row: the id of a checkpoint is made of them, and steps in compact form are handed over and kept as them.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::{FieldPayload, FieldRecord, RecordBytes, RecordKind, RecordRef};

/// The records that a commit writes. A field goes by its place.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    /// What else the id of the checkpoint is made of, and behind it the records.
    content: Vec<u8>,
    /// Where the records begin.
    start: usize,
    count: usize,
    /// Whether all payloads are kept, so that rows share them.
    keeps: bool,
    has_long: bool,
    /// Payloads with the places of their fields, in the order of the records: those that the content holds a hash of, and
    /// others that rows share.
    payloads: Vec<(usize, FieldPayload)>,
}

/// Longer payloads stand for themselves by a hash.
const SHORT: usize = 512;

/// The bytes of that.
const HASH: usize = 16;

impl Writes {
    /// Begins a commit of a namespace whose id is made of the numbers, too. `keeps` says that rows are to be made of it.
    pub(crate) fn begin(&mut self, numbers: [u128; 2], ns: &str, keeps: bool) {
        self.content.clear();
        self.content.extend_from_slice(numbers.map(u128::to_le_bytes).as_flattened());
        self.content.extend_from_slice(ns.as_bytes());
        self.start = self.content.len();
        (self.count, self.keeps, self.has_long) = (0, keeps, false);
        self.payloads.clear();
    }

    /// Adds the record of a field in commit `number`, which builds on a version or is a whole value.
    pub(crate) fn add(
        &mut self,
        number: u64,
        at: usize,
        previous: Option<u64>,
        bytes: impl AsRef<[u8]> + Into<RecordBytes> + Into<Arc<[u8]>>,
    ) {
        self.count += 1;
        let is_short = is_short(bytes.as_ref());
        if is_short && !self.keeps {
            return put(&mut self.content, number, at, previous, bytes.as_ref());
        }
        self.has_long |= !is_short;
        let payload = FieldPayload::new(bytes);
        match &payload {
            FieldPayload::Inline(bytes) => put(&mut self.content, number, at, previous, bytes),
            FieldPayload::Blob(blob) => put(&mut self.content, number, at, previous, blob.hash.as_bytes()),
        }
        self.payloads.push((at, payload));
    }

    /// How many records there are when all of them are short.
    pub(crate) fn all_short(&self) -> Option<usize> {
        (!self.has_long).then_some(self.count)
    }

    /// What the id of the checkpoint is made of.
    pub(crate) fn id(&self) -> u128 {
        xxh3_128(&self.content)
    }

    /// The records as bytes in a row.
    pub(crate) fn content(&self) -> &[u8] {
        self.content.get(self.start..).unwrap_or_default()
    }

    /// The records as rows, of fields of these names.
    pub(crate) fn records(&mut self, number: u64, names: &[Arc<str>]) -> Vec<FieldRecord> {
        let Self { content, start, count, payloads, .. } = self;
        let mut payloads = payloads.drain(..).peekable();
        let mut rows = Vec::with_capacity(*count);
        rows.extend(read_writes(number, content.get(*start..).unwrap_or_default()).filter_map(|write| {
            let kept = payloads.next_if(|(at, _)| *at == write.at).map(|(_, payload)| payload);
            let record = write.record(number, names)?;
            Some(record.with(kept.unwrap_or_else(|| FieldPayload::Inline(record.bytes.into()))))
        }));
        rows
    }
}

/// A record, read out of the bytes in a row: a long one with what stands for its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WriteRef<'c> {
    pub(crate) at: usize,
    pub(crate) previous: Option<u64>,
    pub(crate) payload: &'c [u8],
}

impl<'c> WriteRef<'c> {
    /// The record, of fields of these names.
    pub(crate) fn record(self, number: u64, names: &'c [Arc<str>]) -> Option<RecordRef<'c>> {
        let Self { at, previous, payload: bytes } = self;
        let (field, kind) = (names.get(at)?, RecordKind::after(previous));
        Some(RecordRef { field, version: number, previous, kind, bytes, blob: None })
    }
}

/// Adds a record of commit `number` to bytes in a row.
pub(crate) fn put(content: &mut Vec<u8>, number: u64, at: usize, previous: Option<u64>, payload: &[u8]) {
    put_number(content, at as u64);
    put_number(content, previous.map_or(0, |previous| number.saturating_sub(previous)));
    put_number(content, payload.len() as u64);
    if is_short(payload) {
        content.extend_from_slice(payload);
    } else {
        content.extend_from_slice(&xxh3_128(payload).to_le_bytes());
    }
}

/// Whether a payload stands in the bytes in a row itself.
pub(crate) fn is_short(payload: &[u8]) -> bool {
    payload.len() <= SHORT
}

/// The records of commit `number` from their bytes in a row.
pub(crate) fn read_writes(number: u64, mut content: &[u8]) -> impl Iterator<Item = WriteRef<'_>> {
    std::iter::from_fn(move || {
        let at = usize::try_from(take_number(&mut content)?).ok()?;
        let back = take_number(&mut content)?;
        let length = usize::try_from(take_number(&mut content)?).ok()?;
        let (payload, rest) = content.split_at_checked(if length > SHORT { HASH } else { length })?;
        content = rest;
        Some(WriteRef { at, previous: (back > 0).then(|| number.saturating_sub(back)), payload })
    })
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn put_number(content: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        content.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    content.push(number.to_le_bytes()[0]);
}

fn take_number(content: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = content.split_first()?;
        *content = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn records_come_back(
            number in 1..u64::MAX,
            all in prop::collection::vec((0..u64::MAX, prop::collection::vec(any::<u8>(), 0..SHORT * 2)), 0..6),
            large in 0..12_usize,
            keeps: bool,
        ) {
            let names: Vec<Arc<str>> = (0..all.len()).map(|at| at.to_string().into()).collect();
            let mut writes = Writes::default();
            writes.begin([1, 2], "what else", keeps);
            let mut expected = Vec::new();
            for (at, (back, mut bytes)) in all.into_iter().enumerate() {
                if at == large {
                    bytes = bytes.repeat(200);
                }
                let previous = (back > 0 && back < number).then(|| number - back);
                writes.add(number, at, previous, bytes.clone());
                let (field, kind) = (Arc::clone(&names[at]), RecordKind::after(previous));
                expected.push(FieldRecord { field, version: number, previous, kind, payload: FieldPayload::new(bytes) });
            }
            let short = expected.iter().all(|record| record.payload.bytes().len() <= SHORT);
            prop_assert_eq!(writes.all_short(), short.then_some(expected.len()));
            prop_assert_eq!(writes.records(number, &names), expected);
        }
    }

    #[test]
    fn what_differs_differs_in_the_bytes() {
        let content = |at, previous, payload: &[u8]| {
            let mut content = Vec::new();
            put(&mut content, 9, at, previous, payload);
            content
        };
        let long = [1; SHORT + 1];
        let mut other = long;
        other[SHORT] = 2;
        let all = [
            content(0, None, b"a"),
            content(1, None, b"a"),
            content(0, Some(8), b"a"),
            content(0, None, b"b"),
            content(0, None, &long),
            content(0, None, &other),
            content(0, None, &xxh3_128(&long).to_le_bytes()),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|before| before != one), "{one:?}");
        }
    }
}
