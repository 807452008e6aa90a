//! What a commit writes, as bytes in a row: the id of a checkpoint is made of them, and plain steps are kept as them.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::{FieldPayload, FieldRecord, RecordBytes, RecordKind};

/// A record of a field that a commit writes. The field goes by its place.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) at: usize,
    /// The version that it builds on; none for a whole value.
    pub(crate) previous: Option<u64>,
    pub(crate) payload: FieldPayload,
}

/// Longer payloads stand for themselves by a hash.
const SHORT: usize = 512;

impl Write {
    /// Whether the bytes in a row hold the payload itself.
    pub(crate) fn is_short(&self) -> bool {
        matches!(&self.payload, FieldPayload::Inline(bytes) if bytes.len() <= SHORT)
    }

    /// Adds it to the bytes of commit `number`.
    pub(crate) fn put(&self, number: u64, content: &mut Vec<u8>) {
        let Self { at, previous, payload } = self;
        match payload {
            FieldPayload::Inline(bytes) => put(content, number, *at, *previous, bytes),
            FieldPayload::Blob(blob) => put(content, number, *at, *previous, blob.hash.as_bytes()),
        }
    }

    /// The record, of fields of these names.
    pub(crate) fn record(self, number: u64, names: &[Arc<str>]) -> Option<FieldRecord> {
        let Self { at, previous, payload } = self;
        let kind = if previous.is_some() { RecordKind::Delta } else { RecordKind::Whole };
        Some(FieldRecord { field: Arc::clone(names.get(at)?), version: number, previous, kind, payload })
    }
}

/// Adds a record of commit `number` to bytes in a row.
pub(crate) fn put(content: &mut Vec<u8>, number: u64, at: usize, previous: Option<u64>, payload: &[u8]) {
    put_number(content, at as u64);
    put_number(content, previous.map_or(0, |previous| number.saturating_sub(previous)));
    put_number(content, payload.len() as u64);
    if payload.len() <= SHORT {
        content.extend_from_slice(payload);
    } else {
        content.extend_from_slice(&xxh3_128(payload).to_le_bytes());
    }
}

/// The short records of commit `number` from their bytes in a row.
pub(crate) fn writes(number: u64, mut content: &[u8]) -> impl Iterator<Item = Write> {
    std::iter::from_fn(move || {
        let at = take_number(&mut content)?;
        let back = take_number(&mut content)?;
        let length = usize::try_from(take_number(&mut content)?).ok()?;
        let (payload, rest) = content.split_at_checked(length)?;
        content = rest;
        let previous = (back > 0).then(|| number.saturating_sub(back));
        Some(Write {
            at: usize::try_from(at).ok()?,
            previous,
            payload: FieldPayload::Inline(RecordBytes::from(payload)),
        })
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
        fn short_records_come_back(
            number in 1..u64::MAX,
            all in prop::collection::vec((0..300_usize, 0..u64::MAX, prop::collection::vec(any::<u8>(), 0..SHORT)), 0..6),
        ) {
            let mut content = Vec::new();
            let all = all.into_iter().map(|(at, back, bytes)| {
                let previous = (back > 0 && back < number).then(|| number - back);
                Write { at, previous, payload: FieldPayload::new(bytes) }
            });
            let all: Vec<_> = all.collect();
            all.iter().for_each(|write| write.put(number, &mut content));
            let read: Vec<_> = writes(number, &content).collect();
            prop_assert_eq!(read.len(), all.len());
            for (read, write) in read.into_iter().zip(all) {
                prop_assert!(write.is_short());
                prop_assert_eq!((read.at, read.previous, read.payload), (write.at, write.previous, write.payload));
            }
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
