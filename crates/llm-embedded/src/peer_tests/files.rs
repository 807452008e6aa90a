//! Small files with random weights, of each architecture.

use std::fs::File;
use std::path::Path;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};

const HEADS: usize = 4;
const KEY_HEADS: usize = 2;

/// The positions that a file is made for.
pub(super) const CONTEXT: u32 = 512;

/// What a file is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe {
    pub(super) architecture: &'static str,
    /// The type of its matrices.
    pub(super) matrices: GgmlDType,
}

impl Recipe {
    pub(super) fn name(self) -> String {
        format!("{}-{:?}", self.architecture, self.matrices)
    }

    /// Widths that no block fits into keep a matrix as it is: nothing is rounded then.
    pub(super) fn is_exact(self) -> bool {
        self.matrices == GgmlDType::F32
    }

    fn hidden(self) -> usize {
        if self.is_exact() { 240 } else { 256 }
    }

    fn feed(self) -> usize {
        if self.is_exact() { 500 } else { 512 }
    }

    fn head_width(self) -> usize {
        // Not all heads together are as wide as a token in these.
        match (self.architecture, self.is_exact()) {
            ("qwen3" | "gemma3", true) => 108,
            ("qwen3" | "gemma3", false) => 128,
            _ => self.hidden() / HEADS,
        }
    }

    /// How many values of a head are rotated.
    fn rotary(self) -> usize {
        if self.architecture == "phi3" { self.head_width() - 16 } else { self.head_width() }
    }

    fn layers(self) -> usize {
        if self.architecture == "gemma3" { 7 } else { 5 }
    }

    /// The sizes and peculiarities, with the vocabulary's metadata.
    fn metadata(self, vocabulary: Vec<(String, Value)>) -> Vec<(String, Value)> {
        let number = |name: &str, value: usize| (format!("{}.{name}", self.architecture), Value::U32(value as u32));
        let float = |name: &str, value: f32| (format!("{}.{name}", self.architecture), Value::F32(value));
        let mut metadata = vec![
            ("general.architecture".to_owned(), Value::String(self.architecture.to_owned())),
            ("general.name".to_owned(), Value::String("random".to_owned())),
            number("context_length", CONTEXT as usize),
            number("embedding_length", self.hidden()),
            number("feed_forward_length", self.feed()),
            number("block_count", self.layers()),
            number("attention.head_count", HEADS),
            number("attention.head_count_kv", KEY_HEADS),
            float("attention.layer_norm_rms_epsilon", 1e-5),
        ];
        if self.head_width() != self.hidden() / HEADS {
            metadata.push(number("attention.key_length", self.head_width()));
            metadata.push(number("attention.value_length", self.head_width()));
        }
        match self.architecture {
            "llama" => {
                metadata.extend([float("rope.freq_base", 50_000.0), number("rope.dimension_count", self.rotary())]);
            }
            "gemma3" => {
                metadata.extend([
                    number("attention.sliding_window", 16),
                    float("rope.freq_base", 1e6),
                    float("rope.scaling.factor", 8.0),
                    float("final_logit_softcapping", 30.0),
                ]);
                let linear = Value::String("linear".to_owned());
                metadata.push(("gemma3.rope.scaling.type".to_owned(), linear));
            }
            "phi3" => metadata.extend([
                number("rope.dimension_count", self.rotary()),
                number("rope.scaling.original_context_length", 64),
                float("rope.scaling.attn_factor", 1.19),
                number("attention.sliding_window", 0),
            ]),
            _ => metadata.push(float("rope.freq_base", 1e6)),
        }
        metadata.extend(vocabulary);
        metadata
    }

    /// The names and shapes of the tensors; a shape of one number is a vector.
    fn tensors(self, tokens: usize) -> Vec<(String, Vec<usize>)> {
        let (all, keys) = (HEADS * self.head_width(), KEY_HEADS * self.head_width());
        let mut tensors = vec![
            ("token_embd.weight".to_owned(), vec![tokens, self.hidden()]),
            ("output_norm.weight".to_owned(), vec![self.hidden()]),
        ];
        if matches!(self.architecture, "qwen2" | "phi3") {
            tensors.push(("output.weight".to_owned(), vec![tokens, self.hidden()]));
        }
        match self.architecture {
            "llama" => tensors.push(("rope_freqs.weight".to_owned(), vec![self.rotary() / 2])),
            "phi3" => {
                tensors.push(("rope_factors_long.weight".to_owned(), vec![self.rotary() / 2]));
                tensors.push(("rope_factors_short.weight".to_owned(), vec![self.rotary() / 2]));
            }
            _ => {}
        }
        for layer in 0..self.layers() {
            let mut add = |name: &str, shape: &[usize]| tensors.push((format!("blk.{layer}.{name}"), shape.to_vec()));
            add("attn_norm.weight", &[self.hidden()]);
            add("ffn_norm.weight", &[self.hidden()]);
            add("attn_output.weight", &[self.hidden(), all]);
            add("ffn_down.weight", &[self.hidden(), self.feed()]);
            if self.architecture == "phi3" {
                add("attn_qkv.weight", &[all + 2 * keys, self.hidden()]);
                add("ffn_up.weight", &[2 * self.feed(), self.hidden()]);
                continue;
            }
            for (name, rows) in [("attn_q", all), ("attn_k", keys), ("attn_v", keys)] {
                add(&format!("{name}.weight"), &[rows, self.hidden()]);
                if self.architecture == "qwen2" {
                    add(&format!("{name}.bias"), &[rows]);
                }
            }
            add("ffn_gate.weight", &[self.feed(), self.hidden()]);
            add("ffn_up.weight", &[self.feed(), self.hidden()]);
            if matches!(self.architecture, "qwen3" | "gemma3") {
                add("attn_q_norm.weight", &[self.head_width()]);
                add("attn_k_norm.weight", &[self.head_width()]);
            }
            if self.architecture == "gemma3" {
                add("post_attention_norm.weight", &[self.hidden()]);
                add("post_ffw_norm.weight", &[self.hidden()]);
            }
        }
        tensors
    }

    /// Writes the file. The same recipe gives the same weights.
    pub(super) fn write(self, path: &Path, vocabulary: Vec<(String, Value)>, tokens: usize) {
        self.write_as(path, vocabulary, tokens, None);
    }

    /// Writes the file with the same values, in matrices of the type F32: what comes of it is free of the rounding of products.
    pub(super) fn write_exact(self, path: &Path, vocabulary: Vec<(String, Value)>, tokens: usize) {
        self.write_as(path, vocabulary, tokens, Some(GgmlDType::F32));
    }

    fn write_as(self, path: &Path, vocabulary: Vec<(String, Value)>, tokens: usize, kind: Option<GgmlDType>) {
        let mut random = Random(self.architecture.bytes().fold(7, |seed, byte| seed * 31 + u64::from(byte)));
        let tensors: Vec<(String, QTensor)> = self
            .tensors(tokens)
            .into_iter()
            .map(|(name, shape)| {
                let mut tensor = self.tensor(&name, &shape, &mut random);
                if let Some(kind) = kind {
                    let values = tensor.dequantize(&Device::Cpu).unwrap();
                    tensor = QTensor::quantize(&values, kind).unwrap();
                }
                (name, tensor)
            })
            .collect();
        let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
        let metadata = self.metadata(vocabulary);
        let metadata: Vec<(&str, &Value)> = metadata.iter().map(|(name, value)| (name.as_str(), value)).collect();
        gguf_file::write(&mut File::create(path).unwrap(), &metadata, &tensors).unwrap();
    }

    fn tensor(self, name: &str, shape: &[usize], random: &mut Random) -> QTensor {
        let count = shape.iter().product();
        let mut values =
            |middle: f32, reach: f32| -> Vec<f32> { (0..count).map(|_| middle + reach * random.next()).collect() };
        let (values, kind) = match *shape {
            [_] if name.starts_with("rope_") => (values(3.0, 2.0), GgmlDType::F32),
            [_] if name.ends_with("bias") => (values(0.0, 0.5), GgmlDType::F32),
            [_] => (values(1.0, 0.3), GgmlDType::F32),
            [_, width] if name.starts_with("token_embd") || name.starts_with("output") => (
                values(0.0, 6.0 / (width as f32).sqrt()),
                if self.is_exact() { GgmlDType::F32 } else { GgmlDType::Q8_0 },
            ),
            [_, width] => (values(0.0, 2.0 / (width as f32).sqrt()), self.matrices),
            _ => panic!("{name} has the shape {shape:?}"),
        };
        QTensor::quantize(&Tensor::from_vec(values, shape, &Device::Cpu).unwrap(), kind).unwrap()
    }
}

/// Random numbers from -1 to 1 (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }
}

/// A vocabulary of the byte-level kind: every byte, one merge, and the end of a message.
pub(super) fn small_vocabulary() -> (Vec<(String, Value)>, usize) {
    let mut tokens: Vec<String> = crate::tokenizer::byte_characters().into_iter().map(String::from).collect();
    tokens.push("ab".to_owned());
    tokens.push("<|im_end|>".to_owned());
    tokens.push("<|im_start|>".to_owned());
    let count = tokens.len();
    let types = (0..count).map(|id| Value::I32(if id >= count - 2 { 3 } else { 1 })).collect();
    let text = |text: &str| Value::String(text.to_owned());
    let metadata = vec![
        ("tokenizer.ggml.model".to_owned(), text("gpt2")),
        ("tokenizer.ggml.pre".to_owned(), text("smollm")),
        ("tokenizer.ggml.tokens".to_owned(), Value::Array(tokens.into_iter().map(Value::String).collect())),
        ("tokenizer.ggml.token_type".to_owned(), Value::Array(types)),
        ("tokenizer.ggml.merges".to_owned(), Value::Array(vec![text("a b")])),
        ("tokenizer.ggml.eos_token_id".to_owned(), Value::U32(count as u32 - 2)),
        ("tokenizer.ggml.bos_token_id".to_owned(), Value::U32(count as u32 - 1)),
        ("tokenizer.ggml.add_bos_token".to_owned(), Value::Bool(false)),
    ];
    (metadata, count)
}
