//! The embedding model against what programs that others wrote compute of the same files: the tokens of the reference
//! tokenizer in Python, and the vectors of the Flax version of BERT, both of the package `transformers`.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use graphloom_llm::{Embedder, EmbeddingPurpose};
use serde_json::Value;

use super::MiniLm;
use super::windows::{WINDOW, Windows};
use crate::EmbeddedError;
use crate::weights::{self, ALL_MINILM_L6_V2, ALL_MINILM_L6_V2_TOKENIZER, FetchOptions};

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let dir = weights::default_dir().unwrap();
    weights::fetch(&ALL_MINILM_L6_V2, &dir, &FetchOptions::default(), |_| {}).unwrap();
    dir
});

static MODEL: LazyLock<MiniLm> = LazyLock::new(|| MiniLm::open(&FOLDER).unwrap());

fn reference() -> Value {
    serde_json::from_str(include_str!("../../tests/golden/embeddings.json")).unwrap()
}

fn texts() -> Vec<String> {
    serde_json::from_value(reference()["texts"].clone()).unwrap()
}

async fn vectors(texts: &[String]) -> Vec<Vec<f32>> {
    MODEL.embed(texts, EmbeddingPurpose::Passage).await.unwrap().vectors
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[test]
fn tokens_are_those_of_the_reference() {
    let windows = Windows::load(&weights::path(&ALL_MINILM_L6_V2_TOKENIZER, &FOLDER)).unwrap();
    let expected: Vec<Vec<u32>> = serde_json::from_value(reference()["ids"].clone()).unwrap();
    for (text, ids) in texts().iter().zip(expected) {
        assert_eq!(windows.of(text).unwrap(), [ids], "{text}");
    }
}

#[tokio::test]
async fn vectors_are_those_of_the_reference() {
    let made = vectors(&texts()).await;
    let similar: Vec<Vec<f64>> = serde_json::from_value(reference()["similarities"].clone()).unwrap();
    let first: Vec<Vec<f64>> = serde_json::from_value(reference()["first_numbers"].clone()).unwrap();
    for (row, (one, vector)) in made.iter().zip(&first).enumerate() {
        assert_eq!(one.len(), 384);
        for (number, expected) in one.iter().zip(vector) {
            assert!((f64::from(*number) - expected).abs() < 2e-5, "{row}: {number} {expected}");
        }
        for (column, other) in made.iter().enumerate() {
            let (found, expected) = (cosine(one, other), similar[row][column]);
            assert!((found - expected).abs() < 5e-5, "{row} {column}: {found} {expected}");
        }
    }
}

#[tokio::test]
async fn company_changes_no_vector() {
    let texts = texts();
    let together = vectors(&[texts.clone(), texts.clone()].concat()).await;
    for (place, text) in texts.iter().enumerate().take(4) {
        let alone = vectors(std::slice::from_ref(text)).await.remove(0);
        assert_eq!(alone, together[place], "{text}");
        assert_eq!(alone, together[place + texts.len()], "{text}");
    }
}

#[tokio::test]
async fn a_long_text_is_read_to_its_end() {
    let windows = Windows::load(&weights::path(&ALL_MINILM_L6_V2_TOKENIZER, &FOLDER)).unwrap();
    let long = format!("{} The keeper of the lighthouse trims the wick.", "Bread and butter. ".repeat(70));
    let cut = windows.of(&long).unwrap();
    assert!(cut.len() == 2 && cut[0].len() == WINDOW && cut[1].len() < WINDOW, "{cut:?}");
    assert_eq!(windows.of(&"word ".repeat(100_000)).unwrap().len(), 16);
    let bread = format!("{} Bread and butter.", "Bread and butter. ".repeat(72));
    let made = vectors(&[long, bread, "lighthouse keeper".to_owned()]).await;
    assert!(cosine(&made[0], &made[2]) > cosine(&made[1], &made[2]) + 0.05, "what stands behind the window counts");
}

#[test]
fn a_call_that_nobody_waits_for_ends() {
    let (made, tokens) = MODEL.vectors(&texts(), &AtomicBool::new(true)).unwrap();
    assert!(made.is_empty() && tokens == 0);
}

#[test]
fn files_that_are_no_model_are_told() {
    let place = tempfile::tempdir().unwrap();
    let [network, tokenizer] =
        [&ALL_MINILM_L6_V2, &ALL_MINILM_L6_V2_TOKENIZER].map(|file| weights::path(file, &FOLDER));
    let wrong = place.path().join("wrong");
    std::fs::write(&wrong, "{}").unwrap();
    for (network, tokenizer) in [(&wrong, &tokenizer), (&network, &wrong)] {
        let error = MiniLm::load(network, tokenizer).unwrap_err();
        assert!(matches!(&error, EmbeddedError::Network { path, .. } if *path == wrong), "{error}");
    }
    let absent = place.path().join("absent");
    assert!(matches!(MiniLm::load(&absent, &tokenizer).unwrap_err(), EmbeddedError::Io { .. }));
    let error = MiniLm::open(place.path()).unwrap_err().to_string();
    assert!(error.contains("run `graphloom model fetch all-minilm-l6-v2`"), "{error}");
}
