//! A GGUF file: its metadata with types, and its tensors in a form that candle multiplies fast.

use std::fs::File;
use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};

use super::matrix::padded;
use crate::EmbeddedError;

/// The matrices whose rows are filled up to whole tiles.
///
/// The kernel for tiles quantises the activations in larger blocks. For these matrices that does not show (the likeliest tokens
/// of SmolLM2-135M in 8 bits stay within 0.11 of the reference on average, 0.10 without tiles); for the others it does (0.15).
const TILED: [&str; 3] = ["attn_output", "ffn_gate", "ffn_up"];

/// An opened GGUF file.
pub(crate) struct Gguf {
    path: PathBuf,
    content: Content,
}

impl Gguf {
    /// Reads the header and the metadata.
    pub(crate) fn open(path: &Path) -> Result<Self, EmbeddedError> {
        let file = File::open(path).map_err(EmbeddedError::io("open", path))?;
        let content = guarded(|| Content::read(&mut BufReader::new(file))).map_err(|message| {
            let path = path.to_owned();
            match unknown_type(&message) {
                Some(kind) => EmbeddedError::Unsupported { path, message: unreadable(&kind) },
                None => EmbeddedError::Gguf { path, message },
            }
        })?;
        Ok(Self { path: path.to_owned(), content })
    }

    /// A fault of the file.
    pub(crate) fn fault(&self, message: impl Into<String>) -> EmbeddedError {
        EmbeddedError::Gguf { path: self.path.clone(), message: message.into() }
    }

    /// A sound file that is not supported.
    pub(crate) fn unsupported(&self, message: impl Into<String>) -> EmbeddedError {
        EmbeddedError::Unsupported { path: self.path.clone(), message: message.into() }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.content.metadata.get(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn number(&self, key: &str) -> Option<usize> {
        match self.content.metadata.get(key)? {
            Value::U8(value) => Some(usize::from(*value)),
            Value::U16(value) => Some(usize::from(*value)),
            Value::U32(value) => usize::try_from(*value).ok(),
            Value::U64(value) => usize::try_from(*value).ok(),
            Value::I32(value) => usize::try_from(*value).ok(),
            Value::I64(value) => usize::try_from(*value).ok(),
            _ => None,
        }
    }

    pub(crate) fn need_number(&self, key: &str) -> Result<usize, EmbeddedError> {
        self.number(key).ok_or_else(|| self.fault(format!("the metadata has no whole number `{key}`")))
    }

    pub(crate) fn float(&self, key: &str) -> Option<f64> {
        match self.content.metadata.get(key)? {
            Value::F32(value) => Some(f64::from(*value)),
            Value::F64(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        match self.content.metadata.get(key)? {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The strings of an array.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<&str>, EmbeddedError> {
        let fault = || self.fault(format!("the metadata has no array of texts `{key}`"));
        let Some(Value::Array(values)) = self.content.metadata.get(key) else { return Err(fault()) };
        values
            .iter()
            .map(|value| match value {
                Value::String(text) => Some(text.as_str()),
                _ => None,
            })
            .collect::<Option<_>>()
            .ok_or_else(fault)
    }

    /// The whole numbers of an array, empty when there is none.
    pub(crate) fn numbers(&self, key: &str) -> Vec<i64> {
        let Some(Value::Array(values)) = self.content.metadata.get(key) else { return Vec::new() };
        values
            .iter()
            .map(|value| match value {
                Value::I32(value) => i64::from(*value),
                Value::U32(value) => i64::from(*value),
                Value::I8(value) => i64::from(*value),
                Value::U8(value) => i64::from(*value),
                _ => 0,
            })
            .collect()
    }

    /// The numbers with fractions of an array, empty when there is none.
    pub(crate) fn floats(&self, key: &str) -> Vec<f32> {
        let Some(Value::Array(values)) = self.content.metadata.get(key) else { return Vec::new() };
        values.iter().map(|value| if let Value::F32(value) = value { *value } else { 0.0 }).collect()
    }

    /// The names of all tensors, in order.
    pub(crate) fn tensor_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.content.tensor_infos.keys().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Reads all of `names`, on as many threads as the machine has, in their order. Each thread reads one tensor after the
    /// other, so that the file is never in memory as a whole beside what is made of it.
    pub(crate) fn tensors(&self, names: &[String]) -> Result<Vec<QTensor>, EmbeddedError> {
        let size = std::fs::metadata(&self.path).map_err(EmbeddedError::io("read", &self.path))?.len();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let results: Mutex<Vec<(usize, Result<QTensor, EmbeddedError>)>> = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for first in 0..threads {
                let results = &results;
                scope.spawn(move || {
                    for (index, name) in names.iter().enumerate().skip(first).step_by(threads) {
                        let tensor = self.tensor(name, size);
                        results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, tensor));
                    }
                });
            }
        });
        let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        results.sort_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, tensor)| tensor).collect()
    }

    fn tensor(&self, name: &str, size: u64) -> Result<QTensor, EmbeddedError> {
        let Some(info) = self.content.tensor_infos.get(name) else {
            return Err(self.fault(format!("there is no tensor `{name}`")));
        };
        // The shape comes from the file; its product must be checked before anything is allocated by it.
        let dims = info.shape.dims();
        let elements = dims.iter().try_fold(1_u64, |product, dim| product.checked_mul(*dim as u64));
        if elements.is_none_or(|elements| elements > size.saturating_mul(16)) {
            return Err(self.fault(format!("the tensor `{name}` has the impossible shape {dims:?}")));
        }
        let mut file = File::open(&self.path).map_err(EmbeddedError::io("open", &self.path))?;
        guarded(|| {
            let tensor = self.content.tensor(&mut file, name, &Device::Cpu)?;
            fast(tensor, TILED.iter().any(|part| name.contains(part)))
        })
        .map_err(|message| self.fault(format!("tensor `{name}`: {message}")))
    }
}

/// The tensor in a type with a vectorised product.
///
/// [`Matrix`](super::matrix::Matrix) multiplies weights of 4 bits, candle `Q8_0` and the K types with vector instructions, others
/// element by element; those are quantised anew to `Q8_0`, whose steps are finer than theirs.
fn fast(tensor: QTensor, tiles: bool) -> candle_core::Result<QTensor> {
    use GgmlDType::{BF16, F16, F32, Q5_0, Q5_1, Q8_1};
    let slow = matches!(tensor.dtype(), Q5_0 | Q5_1 | Q8_1 | F16 | BF16 | F32);
    let width = tensor.shape().dims().last().copied().unwrap_or(0);
    if tensor.rank() < 2 {
        return Ok(tensor);
    }
    if !slow || !width.is_multiple_of(GgmlDType::Q8_0.block_size()) {
        return if tiles { padded(tensor) } else { Ok(tensor) };
    }
    let weights: Tensor = tensor.dequantize(&Device::Cpu)?;
    let tensor = QTensor::quantize(&weights, GgmlDType::Q8_0)?;
    if tiles { padded(tensor) } else { Ok(tensor) }
}

/// The types of tensors that candle does not read, by their numbers in GGUF.
const UNREAD_TYPES: [(u32, &str); 15] = [
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (28, "F64"),
    (29, "IQ1_M"),
    (34, "TQ1_0"),
    (35, "TQ2_0"),
    (39, "MXFP4"),
    (40, "NVFP4"),
];

/// The type of a tensor that the reader refused, from its message.
fn unknown_type(message: &str) -> Option<String> {
    let number = message.strip_prefix("unknown dtype for tensor ")?.trim();
    let known = UNREAD_TYPES.iter().find(|(known, _)| known.to_string() == number);
    Some(known.map_or_else(|| format!("type {number}"), |(_, name)| (*name).to_owned()))
}

fn unreadable(kind: &str) -> String {
    format!(
        "it has tensors of the type `{kind}`; this engine reads F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 and Q2_K to \
         Q6_K, so take the model's file with `Q4_K_M` or `Q8_0` in its name"
    )
}

/// Runs a reader of foreign bytes. The reader checks its bounds; an arithmetic panic in it on a damaged file becomes an error.
fn guarded<T>(read: impl FnOnce() -> candle_core::Result<T>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(result) => result.map_err(|error| first_line(&error.to_string())),
        Err(_) => Err("a number in the file is out of range".to_owned()),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or("unknown fault").to_owned()
}
