//! The keys and values of a conversation's tokens, which may be forked and shortened.

use candle_core::{DType, Device, Result, Tensor};

/// Room grows in steps of this many tokens.
const STEP: usize = 128;

/// The keys and values of the tokens read so far, one pair of tensors per layer.
///
/// The tensors have room for more tokens than there are and are written in place; a fork has tensors of its own. Their shape
/// is (tokens, heads, width), as a network's products have it, in floats of 16 bits.
#[derive(Debug)]
pub(crate) struct Cache {
    layers: Vec<(Tensor, Tensor)>,
    heads: usize,
    width: usize,
    room: usize,
    length: usize,
}

impl Cache {
    /// An empty cache for `layers` layers of `heads` key heads that are `width` wide.
    pub(crate) fn new(layers: usize, heads: usize, width: usize) -> Result<Self> {
        let empty = || Tensor::zeros((STEP, heads, width), DType::F16, &Device::Cpu);
        let layers = (0..layers).map(|_| Ok((empty()?, empty()?))).collect::<Result<_>>()?;
        Ok(Self { layers, heads, width, room: STEP, length: 0 })
    }

    /// Tokens in the cache.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Forgets all but the first `length` tokens.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// A cache of its own with the first `length` tokens of this one.
    pub(crate) fn fork(&self, length: usize) -> Result<Self> {
        let length = self.length.min(length);
        let room = (length + STEP).next_multiple_of(STEP);
        let layers =
            self.layers.iter().map(|(keys, values)| Ok((copy(keys, length, room)?, copy(values, length, room)?)));
        let layers = layers.collect::<Result<_>>()?;
        Ok(Self { layers, heads: self.heads, width: self.width, room, length })
    }

    /// Makes room for `count` more tokens.
    pub(crate) fn reserve(&mut self, count: usize) -> Result<()> {
        let needed = self.length + count;
        if needed > self.room {
            let room = needed.max(self.room * 3 / 2).next_multiple_of(STEP);
            // One tensor after the other, so that not all are in memory twice.
            for (keys, values) in &mut self.layers {
                *keys = copy(keys, self.length, room)?;
                *values = copy(values, self.length, room)?;
            }
            self.room = room;
        }
        Ok(())
    }

    /// The first `length` tokens of this cache, in the same memory. This cache may go on behind them; the one that is returned
    /// may only be forked.
    pub(crate) fn share(&self, length: usize) -> Self {
        let (heads, width, room) = (self.heads, self.width, self.room);
        Self { layers: self.layers.clone(), heads, width, room, length: self.length.min(length) }
    }

    /// Writes the keys and values of the next tokens of one layer, of shape (tokens, heads, width), and returns the keys and
    /// values of all tokens. The tokens count only after [`Cache::advance`].
    pub(crate) fn write(&self, layer: usize, keys: &Tensor, values: &Tensor) -> Result<(Tensor, Tensor)> {
        let Some((all_keys, all_values)) = self.layers.get(layer) else {
            candle_core::bail!("layer {layer} is not in the cache")
        };
        all_keys.slice_set(&keys.to_dtype(DType::F16)?, 0, self.length)?;
        all_values.slice_set(&values.to_dtype(DType::F16)?, 0, self.length)?;
        let length = self.length + keys.dim(0)?;
        Ok((all_keys.narrow(0, 0, length)?, all_values.narrow(0, 0, length)?))
    }

    /// Counts `count` tokens whose keys and values every layer has written.
    pub(crate) fn advance(&mut self, count: usize) {
        self.length += count;
    }
}

/// A tensor with room for `room` tokens and the first `length` of another.
fn copy(tensor: &Tensor, length: usize, room: usize) -> Result<Tensor> {
    let (_, heads, width) = tensor.dims3()?;
    let copy = Tensor::zeros((room, heads, width), DType::F16, &Device::Cpu)?;
    if length > 0 {
        copy.slice_set(&tensor.narrow(0, 0, length)?, 0, 0)?;
    }
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(first: f32, count: usize) -> Tensor {
        let values: Vec<f32> = (0..2 * count * 4).map(|index| first + index as f32).collect();
        Tensor::from_vec(values, (count, 2, 4), &Device::Cpu).unwrap()
    }

    fn all(cache: &Cache) -> Vec<Vec<Vec<f32>>> {
        cache.layers[0].0.narrow(0, 0, cache.len()).unwrap().to_dtype(DType::F32).unwrap().to_vec3().unwrap()
    }

    #[test]
    fn a_fork_does_not_see_what_comes_later() {
        let mut cache = Cache::new(1, 2, 4).unwrap();
        cache.write(0, &tokens(0.0, 3), &tokens(0.0, 3)).unwrap();
        cache.advance(3);
        let before = all(&cache);
        let mut fork = cache.fork(3).unwrap();
        fork.write(0, &tokens(100.0, 2), &tokens(100.0, 2)).unwrap();
        fork.advance(2);
        assert_eq!(all(&cache), before);
        assert_eq!(fork.len(), 5);
        assert_eq!(all(&fork)[..3], before[..]);

        let short = fork.fork(1).unwrap();
        assert_eq!(short.len(), 1);
        assert_eq!(all(&short)[0], before[0]);
    }

    #[test]
    fn what_is_shared_stays_while_the_other_goes_on() {
        let mut cache = Cache::new(1, 2, 4).unwrap();
        cache.write(0, &tokens(0.0, 3), &tokens(0.0, 3)).unwrap();
        cache.advance(3);
        let shared = cache.share(2);
        let before = all(&shared);
        cache.write(0, &tokens(100.0, 5), &tokens(100.0, 5)).unwrap();
        cache.advance(5);
        cache.reserve(1000).unwrap();
        assert_eq!(all(&shared), before);
        assert_eq!(all(&shared.fork(2).unwrap()), before);
    }

    #[test]
    fn growth_keeps_the_tokens() {
        let mut cache = Cache::new(1, 2, 4).unwrap();
        cache.write(0, &tokens(0.0, 3), &tokens(0.0, 3)).unwrap();
        cache.advance(3);
        let before = all(&cache);
        cache.reserve(1000).unwrap();
        assert!(cache.room >= 1003);
        assert_eq!(all(&cache), before);
        let (keys, values) = cache.write(0, &tokens(9.0, 1000), &tokens(9.0, 1000)).unwrap();
        assert_eq!((keys.dims(), values.dims()), (&[1003, 2, 4][..], &[1003, 2, 4][..]));
        cache.truncate(2);
        assert_eq!(cache.len(), 2);
    }
}
