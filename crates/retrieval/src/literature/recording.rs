//! Recordings of the sources' answers in a file, so that a run can be repeated without a network.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Fault, Found, Query, Source};
use crate::RetrievalError;

/// The form of the file.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct File {
    format: u32,
    answers: Vec<Answer>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Answer {
    source: String,
    query: Query,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Found(Found),
    Failed(Fault),
}

type Answers = BTreeMap<(String, String), Answer>;

fn key(source: &str, query: &Query) -> (String, String) {
    (source.to_owned(), format!("{query} limit {}", query.limit))
}

/// A file of JSON that receives answers. It is written anew after each of them, and holds neither contact nor key.
#[derive(Clone)]
pub struct Recording {
    path: PathBuf,
    answers: Arc<Mutex<Answers>>,
}

impl Recording {
    /// Starts a file, or goes on with the one that is there. A question that is asked again replaces its answer.
    ///
    /// # Errors
    /// [`RetrievalError::RecordingFile`] when it cannot be written, [`RetrievalError::RecordingForm`] when it holds
    /// something else.
    pub fn create(path: &Path) -> Result<Self, RetrievalError> {
        let answers = if path.exists() { load(path)? } else { Answers::new() };
        let recording = Self { path: path.to_path_buf(), answers: Arc::new(Mutex::new(answers)) };
        recording.write(None).map_err(|source| file_error(path, source))?;
        Ok(recording)
    }

    /// A source that answers as `source` does and records the answers.
    #[must_use]
    pub fn record(&self, source: Arc<dyn Source>) -> Arc<dyn Source> {
        Arc::new(RecordingSource { source, recording: self.clone() })
    }

    fn write(&self, answer: Option<Answer>) -> std::io::Result<()> {
        // The lock is held while writing, so that two answers do not write the file at once.
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = answer {
            answers.insert(key(&answer.source, &answer.query), answer);
        }
        let file = File { format: FORMAT, answers: answers.values().cloned().collect() };
        let mut text = serde_json::to_string_pretty(&file)?;
        text.push('\n');
        let mut partial = self.path.clone().into_os_string();
        partial.push(".partial");
        std::fs::write(&partial, text)?;
        std::fs::rename(&partial, &self.path)
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A source whose answers are recorded.
struct RecordingSource {
    source: Arc<dyn Source>,
    recording: Recording,
}

#[async_trait]
impl Source for RecordingSource {
    fn name(&self) -> &str {
        self.source.name()
    }

    async fn search(&self, query: &Query) -> Result<Found, Fault> {
        let mut answer = self.source.search(query).await;
        let outcome = match &answer {
            Ok(found) => Outcome::Found(found.clone()),
            Err(fault) => Outcome::Failed(fault.clone()),
        };
        let entry = Answer { source: self.name().to_owned(), query: query.clone(), outcome };
        let recording = self.recording.clone();
        let written = tokio::task::spawn_blocking(move || recording.write(Some(entry))).await;
        let problem = match written {
            Ok(Ok(())) => return answer,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        let note = format!("the answer could not be recorded in `{}`: {problem}", self.recording.path.display());
        tracing::warn!("{note}");
        if let Ok(found) = &mut answer {
            found.notes.push(note);
        }
        answer
    }
}

/// A source that answers from a recording, faults included. Every other question gets [`Fault::Unrecorded`].
#[derive(Clone)]
pub struct Recorded {
    name: String,
    answers: Arc<Answers>,
}

impl Recorded {
    /// The sources of a recording, in the order of their names.
    ///
    /// # Errors
    /// [`RetrievalError::RecordingFile`] when the file cannot be read, [`RetrievalError::RecordingForm`] when it is no
    /// recording.
    pub fn load(path: &Path) -> Result<Vec<Arc<dyn Source>>, RetrievalError> {
        let answers = Arc::new(load(path)?);
        let mut names: Vec<String> = answers.keys().map(|(source, _)| source.clone()).collect();
        names.dedup();
        if names.is_empty() {
            return Err(form_error(path, "it has no answers"));
        }
        let source = |name| Arc::new(Self { name, answers: Arc::clone(&answers) }) as Arc<dyn Source>;
        Ok(names.into_iter().map(source).collect())
    }
}

impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded").field("name", &self.name).finish_non_exhaustive()
    }
}

#[async_trait]
impl Source for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    async fn search(&self, query: &Query) -> Result<Found, Fault> {
        match self.answers.get(&key(&self.name, query)).map(|answer| &answer.outcome) {
            Some(Outcome::Found(found)) => Ok(found.clone()),
            Some(Outcome::Failed(fault)) => Err(fault.clone()),
            None => Err(Fault::Unrecorded),
        }
    }
}

fn load(path: &Path) -> Result<Answers, RetrievalError> {
    let text = std::fs::read_to_string(path).map_err(|source| file_error(path, source))?;
    let file: serde_json::Value = serde_json::from_str(&text).map_err(|error| form_error(path, &error.to_string()))?;
    match file.get("format").and_then(serde_json::Value::as_u64) {
        Some(format) if format == u64::from(FORMAT) => {}
        Some(format) => return Err(form_error(path, &format!("its format is {format}, this version reads {FORMAT}"))),
        None => return Err(form_error(path, "it names no format")),
    }
    let file: File = serde_json::from_value(file).map_err(|error| form_error(path, &error.to_string()))?;
    Ok(file.answers.into_iter().map(|answer| (key(&answer.source, &answer.query), answer)).collect())
}

fn file_error(path: &Path, source: std::io::Error) -> RetrievalError {
    RetrievalError::RecordingFile { path: path.to_path_buf(), source: Arc::new(source) }
}

fn form_error(path: &Path, reason: &str) -> RetrievalError {
    RetrievalError::RecordingForm { path: path.to_path_buf(), reason: reason.to_owned() }
}
