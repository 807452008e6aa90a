//! MessagePack, as far as a frontier and the event of a commit need it. Every commit writes both, and a serializer takes
//! ten times as many instructions for the same bytes.

/// Bytes that are being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pack(Vec<u8>);

impl Pack {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// What is written, and the room with it.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Begins again, in the same room.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds what is written already.
    pub(crate) fn written<const N: usize>(&mut self, bytes: [u8; N]) {
        self.0.extend_from_slice(&bytes);
    }

    pub(crate) fn nil(&mut self) {
        self.0.push(0xc0);
    }

    pub(crate) fn uint(&mut self, value: u64) {
        match value {
            0..0x80 => self.0.push(value.to_le_bytes()[0]),
            0x80..0x1_0000 => {
                let [.., high, low] = value.to_be_bytes();
                if high == 0 { self.written([0xcc, low]) } else { self.written([0xcd, high, low]) }
            }
            0x1_0000..0x1_0000_0000 => {
                let [.., a, b, c, d] = value.to_be_bytes();
                self.written([0xce, a, b, c, d]);
            }
            _ => self.marked(0xcf, &value.to_be_bytes()),
        }
    }

    pub(crate) fn array(&mut self, length: usize) {
        if length < 0x10 {
            return self.0.push(0x90 | length.to_le_bytes()[0]);
        }
        match u32::try_from(length).unwrap_or(u32::MAX) {
            length @ 0x10..0x1_0000 => self.marked(0xdc, &length.to_be_bytes()[2..]),
            length => self.marked(0xdd, &length.to_be_bytes()),
        }
    }

    pub(crate) fn map(&mut self, length: usize) {
        match u32::try_from(length).unwrap_or(u32::MAX) {
            length @ 0..0x10 => self.0.push(0x80 | length.to_le_bytes()[0]),
            length @ 0x10..0x1_0000 => self.marked(0xde, &length.to_be_bytes()[2..]),
            length => self.marked(0xdf, &length.to_be_bytes()),
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        match u32::try_from(text.len()).unwrap_or(u32::MAX) {
            length @ 0..0x20 => self.0.push(0xa0 | length.to_le_bytes()[0]),
            length @ 0x20..0x100 => self.marked(0xd9, &length.to_be_bytes()[3..]),
            length @ 0x100..0x1_0000 => self.marked(0xda, &length.to_be_bytes()[2..]),
            length => self.marked(0xdb, &length.to_be_bytes()),
        }
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn binary(&mut self, bytes: &[u8]) {
        match u32::try_from(bytes.len()).unwrap_or(u32::MAX) {
            length @ 0..0x100 => self.marked(0xc4, &length.to_be_bytes()[3..]),
            length @ 0x100..0x1_0000 => self.marked(0xc5, &length.to_be_bytes()[2..]),
            length => self.marked(0xc6, &length.to_be_bytes()),
        }
        self.0.extend_from_slice(bytes);
    }

    fn marked(&mut self, marker: u8, rest: &[u8]) {
        self.0.push(marker);
        self.0.extend_from_slice(rest);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_serializer_writes_the_same(
            numbers in prop::collection::vec(prop_oneof![0..300_u64, any::<u32>().prop_map(u64::from), any::<u64>()], 0..20),
            text in "[a-zé]{0,40}",
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            map in prop::collection::btree_map("[a-z]{0,4}", any::<u64>(), 0..20),
        ) {
            let mut pack = Pack::default();
            pack.array(5);
            pack.array(numbers.len());
            numbers.iter().for_each(|number| pack.uint(*number));
            pack.text(&text);
            pack.binary(&bytes);
            pack.nil();
            pack.map(map.len());
            for (key, value) in &map {
                pack.text(key);
                pack.uint(*value);
            }
            let same = rmp_serde::to_vec(&(&numbers, &text, serde_bytes::Bytes::new(&bytes), (), &map)).unwrap();
            prop_assert_eq!(pack.bytes(), same);
        }

        #[test]
        fn lengths_of_every_size_are_read_back(length in prop_oneof![0..70_000_usize, 65_530..65_540_usize]) {
            let mut pack = Pack::default();
            pack.array(3);
            pack.text(&"x".repeat(length));
            pack.binary(&vec![7; length]);
            pack.array(length);
            (0..length).for_each(|_| pack.uint(1));
            let (text, bytes, array): (String, serde_bytes::ByteBuf, Vec<u8>) =
                rmp_serde::from_slice(pack.bytes()).unwrap();
            prop_assert_eq!((text.len(), bytes.len(), array.len()), (length, length, length));
        }
    }
}
