//! Rotary positions: what a token's place does to its queries and keys.

use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::rotary_emb::{rope, rope_i};

use super::Gguf;
use super::architecture::{Architecture, Pairs, Sizes};
use super::tensors::Tensors;
use crate::EmbeddedError;

/// The base of the angles of layers with a window, in models of the Gemma 3 family.
const WINDOW_BASE: f64 = 10_000.0;

/// The rotations of all positions, for layers of one kind.
pub(super) struct Rotation {
    pairs: Pairs,
    width: usize,
    /// Of shape (positions, half of the width), as are the sines.
    cosines: Tensor,
    sines: Tensor,
}

/// The angles of a kind of layers: `position · base^(-2i/width) · scale / factor[i]`.
struct Angles {
    base: f64,
    scale: f64,
    factors: Vec<f32>,
    /// What the rotated values are multiplied by.
    magnitude: f64,
}

/// The rotations of a network.
pub(super) struct Rotations {
    whole: Rotation,
    window: Option<Rotation>,
}

impl Rotations {
    /// Reads how positions are scaled and computes the rotations of `context` of them.
    pub(super) fn load(
        gguf: &Gguf,
        tensors: &mut Tensors<'_>,
        architecture: &Architecture,
        sizes: &Sizes,
        context: usize,
    ) -> std::result::Result<Self, EmbeddedError> {
        let key = |name: &str| format!("{}.rope.{name}", architecture.name);
        let kind = gguf.text(&key("scaling.type")).unwrap_or("none");
        let factor = gguf.float(&key("scaling.factor")).or_else(|| gguf.float(&key("scale_linear")));
        let scale = match kind {
            "linear" => 1.0 / factor.filter(|factor| *factor > 0.0).unwrap_or(1.0),
            "none" | "longrope" => 1.0,
            other => {
                let message =
                    format!("its positions are scaled in the way `{other}`; this engine knows `linear` and `longrope`");
                return Err(gguf.unsupported(message));
            }
        };
        let half = sizes.rotary / 2;
        let own = tensors.optional_values("rope_freqs.weight", half)?;
        let long = tensors.optional_values("rope_factors_long.weight", half)?;
        let short = tensors.optional_values("rope_factors_short.weight", half)?;
        let original = gguf.number(&key("scaling.original_context_length")).unwrap_or(sizes.trained);
        let factors = own.or(if context > original { long } else { short }).unwrap_or_else(|| vec![1.0; half]);
        if factors.iter().any(|factor| !factor.is_normal()) {
            return Err(gguf.fault("a factor of its rotations is not a number that can be divided by"));
        }
        let whole = Angles {
            base: gguf.float(&key("freq_base")).unwrap_or(10_000.0),
            scale,
            factors,
            magnitude: gguf.float(&key("scaling.attn_factor")).filter(|factor| *factor != 0.0).unwrap_or(1.0),
        };
        let window = sizes.window.map(|_| Angles {
            base: gguf.float(&key("freq_base_swa")).unwrap_or(WINDOW_BASE),
            scale: 1.0,
            factors: vec![1.0; half],
            magnitude: 1.0,
        });
        let rotation = |angles: Angles| {
            Rotation::new(architecture.pairs, context, &angles).map_err(|error| gguf.fault(error.to_string()))
        };
        Ok(Self { whole: rotation(whole)?, window: window.map(rotation).transpose()? })
    }

    /// The rotation of layers that see a window, or of the others.
    pub(super) fn of(&self, has_window: bool) -> &Rotation {
        self.window.as_ref().filter(|_| has_window).unwrap_or(&self.whole)
    }
}

impl Rotation {
    fn new(pairs: Pairs, positions: usize, angles: &Angles) -> Result<Self> {
        let half = angles.factors.len();
        let frequency = |(index, factor): (usize, &f32)| {
            (angles.base.powf(-(index as f64) / half as f64) * angles.scale / f64::from(*factor)) as f32
        };
        let frequencies: Vec<f32> = angles.factors.iter().enumerate().map(frequency).collect();
        let frequencies = Tensor::from_vec(frequencies, (1, half), &Device::Cpu)?;
        let positions =
            Tensor::arange(0, positions as u32, &Device::Cpu)?.to_dtype(DType::F32)?.unsqueeze(D::Minus1)?;
        let turned = positions.matmul(&frequencies)?;
        let cosines = (turned.cos()? * angles.magnitude)?;
        let sines = (turned.sin()? * angles.magnitude)?;
        Ok(Self { pairs, width: 2 * half, cosines, sines })
    }

    /// Rotates values of shape (1, heads, tokens, width of a head), whose first token stands at `start`.
    pub(super) fn apply(&self, x: &Tensor, start: usize) -> Result<Tensor> {
        let (count, width) = (x.dim(2)?, x.dim(3)?);
        let cosines = self.cosines.narrow(0, start, count)?;
        let sines = self.sines.narrow(0, start, count)?;
        let rotate = |x: &Tensor| match self.pairs {
            Pairs::Neighbours => rope_i(x, &cosines, &sines),
            Pairs::Halves => rope(x, &cosines, &sines),
        };
        if self.width == width {
            return rotate(x);
        }
        let rotated = rotate(&x.narrow(D::Minus1, 0, self.width)?.contiguous()?)?;
        Tensor::cat(&[&rotated, &x.narrow(D::Minus1, self.width, width - self.width)?.contiguous()?], D::Minus1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotated(pairs: Pairs, values: &[f32], half: usize, angles: &Angles) -> Vec<f32> {
        assert_eq!(angles.factors.len(), half);
        let x = Tensor::from_slice(values, (1, 1, 1, values.len()), &Device::Cpu).unwrap();
        let rotation = Rotation::new(pairs, 8, angles).unwrap();
        rotation.apply(&x, 3).unwrap().flatten_all().unwrap().to_vec1().unwrap()
    }

    fn angles(factors: &[f32]) -> Angles {
        Angles { base: 100.0, scale: 0.5, factors: factors.to_vec(), magnitude: 2.0 }
    }

    /// Position 3 turns the first pair by 3 · 0.5 / 2 and the second by 3 · 0.1 · 0.5 / 4.
    #[test]
    fn pairs_are_turned_by_the_angles_of_their_place() {
        let (first, second) = (0.75_f32, 0.0375_f32);
        let turn = |a: f32, b: f32, angle: f32| {
            (2.0 * (a * angle.cos() - b * angle.sin()), 2.0 * (a * angle.sin() + b * angle.cos()))
        };
        let near = |found: Vec<f32>, wanted: [f32; 4]| {
            assert!(
                found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-5),
                "{found:?} {wanted:?}"
            );
        };
        let ((a, b), (c, d)) = (turn(1.0, 2.0, first), turn(3.0, 4.0, second));
        near(rotated(Pairs::Neighbours, &[1.0, 2.0, 3.0, 4.0], 2, &angles(&[2.0, 4.0])), [a, b, c, d]);
        let ((a, c), (b, d)) = (turn(1.0, 3.0, first), turn(2.0, 4.0, second));
        near(rotated(Pairs::Halves, &[1.0, 2.0, 3.0, 4.0], 2, &angles(&[2.0, 4.0])), [a, b, c, d]);
    }

    #[test]
    fn what_is_not_rotated_stays() {
        let found = rotated(Pairs::Halves, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, &angles(&[2.0, 4.0]));
        assert_eq!(found[4..], [5.0, 6.0]);
        assert!((found[0] - 1.0).abs() > 0.1);
    }
}
