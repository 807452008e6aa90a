//! What each of the tokens that are read sees of the conversation.

use candle_core::{Device, Result, Tensor};

/// Which earlier tokens some tokens see: all, or those of a window that ends with the token itself.
pub(super) struct Mask {
    first: usize,
    visible: usize,
    tensor: Option<Tensor>,
}

impl Mask {
    /// The mask of `count` tokens after `start` others.
    pub(super) fn new(start: usize, count: usize, window: Option<usize>) -> Result<Self> {
        let total = start + count;
        // No token sees what the first of them does not, before the window of the first.
        let first = window.map_or(0, |window| (start + 1).saturating_sub(window));
        let visible = total - first;
        if count == 1 {
            return Ok(Self { first, visible, tensor: None });
        }
        let sees = |own: usize, other: usize| other <= own && window.is_none_or(|window| own - other < window);
        let values: Vec<f32> = (start..total)
            .flat_map(|own| (first..total).map(move |other| (own, other)))
            .map(|(own, other)| if sees(own, other) { 0.0 } else { f32::NEG_INFINITY })
            .collect();
        let tensor = Tensor::from_vec(values, (count, visible), &Device::Cpu)?;
        Ok(Self { first, visible, tensor: Some(tensor) })
    }

    /// The first token that any of them sees.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// How many tokens there are from the first one on.
    pub(super) fn visible(&self) -> usize {
        self.visible
    }

    /// Minus infinity where a token does not see another, of shape (tokens, visible); `None` where each sees all of these.
    pub(super) fn tensor(&self) -> Option<&Tensor> {
        self.tensor.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(start: usize, count: usize, window: Option<usize>) -> Vec<Vec<usize>> {
        let mask = Mask::new(start, count, window).unwrap();
        let rows = match mask.tensor() {
            Some(tensor) => tensor.to_vec2::<f32>().unwrap(),
            None => vec![vec![0.0; mask.visible()]; count],
        };
        let seen = |row: &Vec<f32>| (0..row.len()).filter(|at| row[*at] == 0.0).map(|at| at + mask.first()).collect();
        rows.iter().map(seen).collect()
    }

    #[test]
    fn a_token_sees_itself_and_what_was_before() {
        assert_eq!(seen(2, 2, None), [vec![0, 1, 2], vec![0, 1, 2, 3]]);
        assert_eq!(seen(3, 1, None), [vec![0, 1, 2, 3]]);
    }

    #[test]
    fn a_window_ends_with_the_token_itself() {
        assert_eq!(seen(3, 3, Some(2)), [vec![2, 3], vec![3, 4], vec![4, 5]]);
        assert_eq!(seen(0, 3, Some(8)), [vec![0], vec![0, 1], vec![0, 1, 2]]);
        assert_eq!(seen(9, 1, Some(4)), [vec![6, 7, 8, 9]]);
    }
}
