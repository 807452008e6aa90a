//! Vectors in one byte a number.

/// A vector of length one whose numbers are whole multiples of a scale of its own: the largest one is 127 of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Coded {
    pub(super) scale: f32,
    pub(super) codes: Vec<i8>,
}

impl Coded {
    /// Rounds a vector.
    pub(super) fn of(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0_f32, |largest, value| largest.max(value.abs()));
        let scale = largest / 127.0;
        let code = |value: &f32| if scale > 0.0 { (value / scale).round() as i8 } else { 0 };
        Self { scale, codes: vector.iter().map(code).collect() }
    }

    /// As it is stored: the scale, the codes, and a sum that tells damage.
    pub(super) fn to_bytes(&self, key: &[u8]) -> Vec<u8> {
        let mut bytes = self.scale.to_le_bytes().to_vec();
        bytes.extend(self.codes.iter().map(|code| code.to_le_bytes()[0]));
        bytes.extend(sum(key, &bytes));
        bytes
    }

    /// What was stored under `key`; `None` for what is damaged or has another number of codes.
    pub(super) fn read(key: &[u8], bytes: &[u8], dimension: usize) -> Option<Self> {
        let (body, told) = bytes.split_at_checked(dimension.checked_add(4)?)?;
        if told != sum(key, body) {
            return None;
        }
        let (scale, codes) = body.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        Some(Self { scale, codes: codes.iter().map(|byte| i8::from_le_bytes([*byte])).collect() })
    }
}

fn sum(key: &[u8], body: &[u8]) -> [u8; 4] {
    let mut hash = blake3::Hasher::new();
    hash.update(key).update(body);
    let mut sum = [0; 4];
    hash.finalize_xof().fill(&mut sum);
    sum
}

/// The scalar product of a vector and codes.
pub(super) fn product(vector: &[f32], codes: &[i8]) -> f32 {
    // Independent sums, which a processor adds at the same time.
    const LANES: usize = 16;
    let mut sums = [0_f32; LANES];
    let (heads, tail) = vector.as_chunks::<LANES>();
    let (code_heads, code_tail) = codes.as_chunks::<LANES>();
    for (values, codes) in heads.iter().zip(code_heads) {
        for ((sum, value), code) in sums.iter_mut().zip(values).zip(codes) {
            *sum += value * f32::from(*code);
        }
    }
    let rest: f32 = tail.iter().zip(code_tail).map(|(value, code)| value * f32::from(*code)).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn little_is_lost(values in proptest::collection::vec(-1_f32..1.0, 1..400), other in proptest::collection::vec(-1_f32..1.0, 400)) {
            let coded = Coded::of(&values);
            let exact: f32 = values.iter().zip(&other).map(|(a, b)| a * b).sum();
            let product = product(&other[..values.len()], &coded.codes) * coded.scale;
            // Each number is off by half of the scale at most.
            let most: f32 = other[..values.len()].iter().map(|value| value.abs() * coded.scale * 0.5).sum();
            prop_assert!((exact - product).abs() <= most + 1e-3, "{exact} {product} {most}");
        }

        #[test]
        fn damage_is_noticed(values in proptest::collection::vec(-1_f32..1.0, 8), at in 0_usize..16, bit in 0_u8..8) {
            let coded = Coded::of(&values);
            let mut bytes = coded.to_bytes(b"key");
            prop_assert_eq!(Coded::read(b"key", &bytes, 8), Some(coded));
            prop_assert_eq!(Coded::read(b"yek", &bytes, 8), None);
            prop_assert_eq!(Coded::read(b"key", &bytes, 9), None);
            prop_assert_eq!(Coded::read(b"key", &bytes, usize::MAX), None);
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(Coded::read(b"key", &bytes, 8), None);
        }
    }

    #[test]
    fn nothing_is_like_nothing() {
        let coded = Coded::of(&[0.0, 0.0]);
        assert_eq!((coded.scale, product(&[1.0, 1.0], &coded.codes)), (0.0, 0.0));
    }
}
