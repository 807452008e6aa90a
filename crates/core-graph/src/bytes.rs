//! Bytes of a record.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes of a record, in place when there are few: a clone never copies many.
///
/// ```
/// use graphloom_core_graph::checkpoint::RecordBytes;
///
/// let bytes = RecordBytes::from(vec![1, 2, 3]);
/// assert_eq!(&*bytes, [1, 2, 3]);
/// ```
#[derive(Clone)]
pub struct RecordBytes(BytesForm);

/// Most values and differences of a frontier are shorter.
const IN_PLACE: usize = 38;

#[derive(Clone)]
enum BytesForm {
    Short(u8, [u8; IN_PLACE]),
    Long(Arc<[u8]>),
}

impl RecordBytes {
    fn short(bytes: &[u8]) -> Option<Self> {
        let mut place = [0; IN_PLACE];
        place.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Self(BytesForm::Short(u8::try_from(bytes.len()).ok()?, place)))
    }
}

impl Deref for RecordBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            BytesForm::Short(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or(bytes),
            BytesForm::Long(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for RecordBytes {
    fn from(bytes: &[u8]) -> Self {
        Self::short(bytes).unwrap_or_else(|| Self(BytesForm::Long(bytes.into())))
    }
}

impl From<Vec<u8>> for RecordBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::short(&bytes).unwrap_or_else(|| Self(BytesForm::Long(bytes.into())))
    }
}

impl From<Arc<[u8]>> for RecordBytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::short(&bytes).unwrap_or(Self(BytesForm::Long(bytes)))
    }
}

impl From<RecordBytes> for Arc<[u8]> {
    fn from(bytes: RecordBytes) -> Self {
        match bytes.0 {
            BytesForm::Short(..) => (*bytes).into(),
            BytesForm::Long(bytes) => bytes,
        }
    }
}

impl AsRef<[u8]> for RecordBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Serialize for RecordBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self)
    }
}

impl<'de> Deserialize<'de> for RecordBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_bytes::ByteBuf::deserialize(deserializer).map(|bytes| bytes.into_vec().into())
    }
}

impl PartialEq for RecordBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for RecordBytes {}

impl fmt::Debug for RecordBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_any_length_come_back_whatever_they_were_made_of() {
        for length in [0, 1, IN_PLACE - 1, IN_PLACE, IN_PLACE + 1, 300] {
            let bytes: Vec<u8> = (0..length).map(|at| at.to_le_bytes()[0]).collect();
            let shared: Arc<[u8]> = bytes.as_slice().into();
            let all = [RecordBytes::from(&*bytes), RecordBytes::from(shared), RecordBytes::from(bytes.clone())];
            for made in all {
                assert_eq!(&*made.clone(), bytes, "{length} bytes");
                assert_eq!(made, RecordBytes::from(&*bytes));
            }
        }
        assert_eq!(size_of::<RecordBytes>(), 40);
    }
}
