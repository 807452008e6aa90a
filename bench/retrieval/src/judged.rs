//! Questions with the documents that answer them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// A question of a collection.
#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    pub(crate) text: String,
    /// Documents with a grade above 0.
    pub(crate) relevant: BTreeMap<String, f64>,
    pub(crate) set: String,
    /// Documents that are no answer.
    pub(crate) without: Vec<String>,
    pub(crate) half: String,
}

pub(crate) fn read(path: &Path) -> Result<Vec<Question>, Box<dyn std::error::Error>> {
    std::fs::read_to_string(path)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// The names of the sets, each once.
pub(crate) fn sets(questions: &[Question]) -> Vec<String> {
    let mut sets: Vec<String> = questions.iter().map(|question| question.set.clone()).collect();
    sets.sort();
    sets.dedup();
    sets
}
