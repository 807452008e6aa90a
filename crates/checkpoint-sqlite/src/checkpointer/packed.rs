//! Columns of a checkpoint in few bytes.

use graphloom_core_graph::checkpoint::CheckpointId;
use rusqlite::types::{Value, ValueRef};

/// Versions of fields: pairs of the name's number and of how many checkpoints before `number` it changed, in base 128
/// with the low digits first.
pub(super) fn versions<E>(number: u64, fields: impl Iterator<Item = Result<(i64, u64), E>>) -> Result<Vec<u8>, E> {
    let mut bytes = Vec::with_capacity(64);
    for field in fields {
        let (name, version) = field?;
        put(&mut bytes, name.cast_unsigned());
        put(&mut bytes, number.wrapping_sub(version));
    }
    Ok(bytes)
}

/// What [`versions`] wrote; `None` for other bytes.
pub(super) fn read_versions(number: u64, mut bytes: &[u8]) -> Option<Vec<(i64, u64)>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let name = take(&mut bytes)?.cast_signed();
        fields.push((name, number.wrapping_sub(take(&mut bytes)?)));
    }
    Some(fields)
}

/// The id of a checkpoint: the bytes of one in hexadecimal, any other as it is.
pub(super) fn id(id: &CheckpointId) -> Value {
    match id.hash() {
        Some(hash) => Value::Blob(hash.to_vec()),
        None => Value::Text(id.to_string()),
    }
}

/// What [`id`] wrote; `None` for other values.
pub(super) fn read_id(value: ValueRef<'_>) -> Option<CheckpointId> {
    match value {
        ValueRef::Blob(hash) => Some(u128::from_be_bytes(hash.try_into().ok()?).into()),
        ValueRef::Text(text) => Some(String::from_utf8(text.to_vec()).ok()?.into()),
        _ => None,
    }
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_any_size_come_back() {
        let fields = [(1, 7), (300, 6), (i64::MAX, 0), (2, u64::MAX), (0, 1_000_000)];
        let written = |number, fields: &[(i64, u64)]| {
            versions(number, fields.iter().map(|field| Ok::<_, std::convert::Infallible>(*field))).unwrap()
        };
        let bytes = written(7, &fields);
        assert_eq!(read_versions(7, &bytes).unwrap(), fields);
        assert_eq!(written(1_000_000, &[(1, 999_999), (2, 999_998)]).len(), 4);
        assert_eq!(read_versions(7, &bytes[..bytes.len() - 1]), None);
        assert_eq!(read_versions(7, &[0xff; 30]), None);
    }

    #[test]
    fn ids_of_any_form_come_back() {
        let hash = "00c2b1a0ffffffffffffffff00000000";
        for text in [hash, "00C2b1a0ffffffffffffffff00000000", "+0c2b1a0ffffffffffffffff00000000", "", "sealed"] {
            let stored = id(&text.into());
            assert_eq!(matches!(&stored, Value::Blob(bytes) if bytes.len() == 16), text == hash);
            assert_eq!(read_id((&stored).into()), Some(text.into()));
        }
        assert_eq!(read_id(ValueRef::Blob(&[1])), None);
        assert_eq!(read_id(ValueRef::Text(&[0xff; 16])), None);
        assert_eq!(read_id(ValueRef::Null), None);
    }
}
