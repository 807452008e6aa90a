//! What sets the known architectures apart from each other, and the sizes that a file states.

use super::Gguf;
use crate::EmbeddedError;

/// Which values of a head are rotated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Each with the one beside it.
    Neighbours,
    /// Each of the first half with its like in the second.
    Halves,
}

/// The function of the gate in the feed-forward part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activation {
    /// `x · sigmoid(x)`.
    Silu,
    /// GELU in its approximation by the hyperbolic tangent.
    Gelu,
}

/// What the name of an architecture stands for. Whatever else differs shows in the tensors that a file has: biases, norms of
/// queries and keys, norms after a part, matrices that are stored as one, an output matrix of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Architecture {
    /// The name in `general.architecture`, which begins the names of the metadata.
    pub(super) name: &'static str,
    pub(super) pairs: Pairs,
    pub(super) activation: Activation,
    /// Embeddings are multiplied by the square root of their width.
    pub(super) scaled_embeddings: bool,
    /// Of so many layers the last one knows no positions.
    pub(super) unrotated_every: Option<usize>,
    /// Of so many layers the last one sees the whole conversation, the others a window.
    pub(super) whole_every: Option<usize>,
    /// Query and key have norms per head.
    pub(super) head_norms: bool,
}

const LLAMA: Architecture = Architecture {
    name: "llama",
    pairs: Pairs::Neighbours,
    activation: Activation::Silu,
    scaled_embeddings: false,
    unrotated_every: None,
    whole_every: None,
    head_norms: false,
};

const QWEN2: Architecture = Architecture { name: "qwen2", pairs: Pairs::Halves, ..LLAMA };

const KNOWN: [Architecture; 6] = [
    LLAMA,
    QWEN2,
    Architecture { name: "qwen3", head_norms: true, ..QWEN2 },
    Architecture {
        name: "gemma3",
        activation: Activation::Gelu,
        scaled_embeddings: true,
        whole_every: Some(6),
        head_norms: true,
        ..QWEN2
    },
    Architecture { name: "phi3", ..QWEN2 },
    Architecture { name: "smollm3", unrotated_every: Some(4), ..LLAMA },
];

/// More layers than any model that fits on one machine.
const MOST_LAYERS: usize = 512;

impl Architecture {
    /// The architecture of a file.
    pub(super) fn of(gguf: &Gguf) -> Result<Self, EmbeddedError> {
        let name = gguf.text("general.architecture").unwrap_or("unknown");
        KNOWN.into_iter().find(|known| known.name == name).ok_or_else(|| {
            let known: Vec<String> = KNOWN.iter().map(|known| format!("`{}`", known.name)).collect();
            gguf.unsupported(format!("its architecture is `{name}`, this engine runs {}", known.join(", ")))
        })
    }

    /// Whether a layer sees only a window.
    pub(super) fn has_window(&self, layer: usize) -> bool {
        self.whole_every.is_some_and(|every| layer % every != every - 1)
    }

    /// Whether a layer knows positions.
    pub(super) fn is_rotated(&self, layer: usize) -> bool {
        self.unrotated_every.is_none_or(|every| layer % every != every - 1)
    }
}

/// The sizes of a model, from its metadata.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) layers: usize,
    /// The width of a token between layers.
    pub(super) hidden: usize,
    /// The width of the feed-forward part.
    pub(super) feed: usize,
    pub(super) heads: usize,
    pub(super) key_heads: usize,
    pub(super) head_width: usize,
    /// How many values of a head are rotated.
    pub(super) rotary: usize,
    /// Added to the mean square in norms.
    pub(super) epsilon: f32,
    /// What the products of queries and keys are multiplied by.
    pub(super) score_scale: f64,
    /// How many tokens a layer with a window sees, its own among them.
    pub(super) window: Option<usize>,
    /// Logits are pressed between this and its negative.
    pub(super) logit_cap: Option<f64>,
    /// The most tokens that the model was made for.
    pub(super) trained: usize,
}

impl Sizes {
    /// Reads the sizes, and refuses those that no network can have.
    pub(super) fn of(gguf: &Gguf, architecture: &Architecture) -> Result<Self, EmbeddedError> {
        let key = |name: &str| format!("{}.{name}", architecture.name);
        let need = |name: &str| gguf.need_number(&key(name));
        let (layers, hidden, feed) = (need("block_count")?, need("embedding_length")?, need("feed_forward_length")?);
        let (heads, trained) = (need("attention.head_count")?, need("context_length")?);
        let key_heads = gguf.number(&key("attention.head_count_kv")).unwrap_or(heads);
        if heads == 0 || key_heads == 0 || heads % key_heads != 0 || hidden == 0 || feed == 0 {
            let message = format!("{hidden} values cannot be split over {heads} heads and {key_heads} key heads");
            return Err(gguf.fault(message));
        }
        if layers == 0 || layers > MOST_LAYERS || trained == 0 {
            return Err(gguf.fault(format!("it has {layers} layers and a context of {trained} tokens")));
        }
        let head_width = match gguf.number(&key("attention.key_length")) {
            Some(width) => width,
            None if hidden % heads == 0 => hidden / heads,
            None => return Err(gguf.fault(format!("{hidden} values cannot be split over {heads} heads"))),
        };
        if gguf.number(&key("attention.value_length")).is_some_and(|width| width != head_width) {
            return Err(gguf.unsupported("its keys and values are not equally wide"));
        }
        let rotary = gguf.number(&key("rope.dimension_count")).unwrap_or(head_width);
        if head_width == 0 || rotary == 0 || rotary > head_width || !rotary.is_multiple_of(2) {
            return Err(gguf.fault(format!("{rotary} of the {head_width} values of a head are rotated")));
        }
        if gguf.number(&key("expert_count")).is_some_and(|experts| experts > 0) {
            return Err(gguf.unsupported("it is a mixture of experts"));
        }
        // The largest of the Gemma 3 models, which has 62 layers, takes another width than that of its heads.
        let scaled_width = if architecture.whole_every.is_some() && layers == 62 { hidden / heads } else { head_width };
        let window = gguf.number(&key("attention.sliding_window")).filter(|window| *window > 0);
        Ok(Self {
            layers,
            hidden,
            feed,
            heads,
            key_heads,
            head_width,
            rotary,
            epsilon: gguf.float(&key("attention.layer_norm_rms_epsilon")).unwrap_or(1e-5) as f32,
            score_scale: match gguf.float(&key("attention.scale")) {
                Some(scale) if scale != 0.0 => scale,
                _ => 1.0 / (scaled_width as f64).sqrt(),
            },
            window: architecture.whole_every.and(window),
            logit_cap: gguf.float(&key("final_logit_softcapping")).filter(|cap| *cap > 0.0),
            trained,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Architecture {
        KNOWN.into_iter().find(|known| known.name == name).unwrap()
    }

    #[test]
    fn layers_of_other_kinds_come_in_turn() {
        let windows: Vec<bool> = (0..12).map(|layer| named("gemma3").has_window(layer)).collect();
        assert_eq!(windows, [[true; 5].as_slice(), &[false], &[true; 5], &[false]].concat());
        let rotated: Vec<bool> = (0..8).map(|layer| named("smollm3").is_rotated(layer)).collect();
        assert_eq!(rotated, [true, true, true, false, true, true, true, false]);
        assert!((0..12).all(|layer| !named("llama").has_window(layer) && named("llama").is_rotated(layer)));
    }
}
