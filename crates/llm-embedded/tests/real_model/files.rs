//! Files that are not what they should be.

use std::fs;
use std::path::Path;

use graphloom_llm::ModelError;
use graphloom_llm_embedded::{Embedded, EmbeddedError, LoadOptions, weights};

fn load(path: &Path) -> EmbeddedError {
    match Embedded::load(path, &LoadOptions::default()) {
        Ok(_) => panic!("`{}` was loaded", path.display()),
        Err(error) => error,
    }
}

/// The first bytes of the real file.
fn real_bytes(count: usize) -> Vec<u8> {
    use std::io::Read;
    crate::model();
    let path = weights::path(&weights::SMOLLM2_135M, &weights::default_dir().unwrap());
    let mut bytes = vec![0; count];
    fs::File::open(path).unwrap().read_exact(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_missing_model_names_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let error = Embedded::open(&weights::SMOLLM2_135M, dir.path(), &LoadOptions::default()).unwrap_err();
    assert!(matches!(error, EmbeddedError::Missing { .. }), "{error:?}");
    let error = ModelError::from(error);
    assert!(error.to_string().contains("graphloom model fetch"), "{error}");
}

#[test]
fn a_known_file_that_was_cut_or_changed_is_not_opened() {
    let dir = tempfile::tempdir().unwrap();
    let path = weights::path(&weights::SMOLLM2_135M, dir.path());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, real_bytes(100_000)).unwrap();
    let open = || Embedded::open(&weights::SMOLLM2_135M, dir.path(), &LoadOptions::default()).unwrap_err();
    assert!(matches!(open(), EmbeddedError::Truncated { actual: 100_000, .. }));
    fs::File::options().write(true).open(&path).unwrap().set_len(weights::SMOLLM2_135M.size).unwrap();
    assert!(matches!(open(), EmbeddedError::Corrupt { .. }));
}

#[test]
fn any_damage_is_an_error_and_not_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("damaged.gguf");
    let whole = real_bytes(3_000_000);
    let mut cases: Vec<Vec<u8>> = vec![Vec::new(), b"GGUF".to_vec(), b"not a model at all".to_vec()];
    cases.extend([5, 24, 60, 500, 100_000, 2_000_000].map(|length| whole[..length].to_vec()));
    // Wrong counts, lengths and types in the header.
    for at in [4, 8, 15, 16, 23, 24, 31, 60, 64, 100, 200, 300] {
        let mut changed = whole.clone();
        changed[at] ^= 0xFF;
        cases.push(changed);
    }
    for bytes in cases {
        fs::write(&path, &bytes).unwrap();
        let error = load(&path);
        let known = matches!(error, EmbeddedError::Gguf { .. } | EmbeddedError::Unsupported { .. });
        assert!(known && error.to_string().contains("damaged.gguf"), "{error:?}");
    }
}

#[test]
fn another_architecture_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other.gguf");
    let mut bytes = real_bytes(3_000_000);
    let at = bytes.windows(5).position(|window| window == b"llama").unwrap();
    bytes[at..at + 5].copy_from_slice(b"qwen9");
    fs::write(&path, bytes).unwrap();
    let error = load(&path).to_string();
    assert!(error.contains("`qwen9`") && error.contains("`llama`") && error.contains("Ollama"), "{error}");
}
