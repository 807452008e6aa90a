//! Sound files that this engine does not run: what is not supported is named.

use candle_core::quantized::GgmlDType;

use super::files::{CONTEXT, Recipe, small_vocabulary};
use crate::EmbeddedError;
use crate::model::{Gguf, Network};

/// The error of a file in which `change` has changed the bytes.
fn refused(architecture: &'static str, change: impl FnOnce(&mut Vec<u8>)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.gguf");
    let (vocabulary, count) = small_vocabulary();
    Recipe { architecture, matrices: GgmlDType::Q8_0 }.write(&file, vocabulary, count);
    let mut bytes = std::fs::read(&file).unwrap();
    change(&mut bytes);
    std::fs::write(&file, bytes).unwrap();
    let Err(error) = Gguf::open(&file).and_then(|gguf| Network::load(&gguf, CONTEXT as usize)) else {
        panic!("the file was taken")
    };
    assert!(matches!(error, EmbeddedError::Unsupported { .. }), "{error:?}");
    error.to_string()
}

/// Where `text` ends, the last time that it stands in `bytes`.
fn end_of(bytes: &[u8], text: &str) -> usize {
    bytes.windows(text.len()).rposition(|window| window == text.as_bytes()).unwrap() + text.len()
}

#[test]
fn a_type_of_tensors_that_is_not_read_is_named() {
    let error = refused("llama", |bytes| {
        // After the name: how many dimensions, two of them, the type.
        let at = end_of(bytes, "blk.0.attn_q.weight") + 4 + 16;
        bytes[at..at + 4].copy_from_slice(&23_u32.to_le_bytes());
    });
    assert!(error.contains("`IQ4_XS`") && error.contains("`Q4_K_M` or `Q8_0`"), "{error}");
}

#[test]
fn a_tensor_without_a_place_is_named() {
    let error = refused("qwen2", |bytes| {
        let at = end_of(bytes, "blk.0.attn_q.bias");
        bytes[at - 4..at].copy_from_slice(b"gate");
    });
    assert!(error.contains("`blk.0.attn_q.gate`"), "{error}");
}

#[test]
fn positions_that_are_scaled_in_another_way_are_named() {
    let error = refused("gemma3", |bytes| {
        let at = end_of(bytes, "linear");
        bytes[at - 6..at].copy_from_slice(b"yarnyx");
    });
    assert!(error.contains("`yarnyx`") && error.contains("`longrope`"), "{error}");
}
