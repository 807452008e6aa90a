//! The options a run began with.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Failure, ModelArgs, ModelSet, OutputArgs, SearchEngine, Session, SourceArgs};

/// The options a run began with, as the run stores them. Resuming the run uses them again, unless the command line says
/// otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// The models, as `--model` names them.
    pub model: String,
    /// The folders of `--corpus`, as they were given.
    pub corpus: Vec<String>,
    /// The engines of `--search`.
    pub search: Vec<String>,
    /// Whether open full texts are read, as `--full-text` says.
    pub full_text: bool,
    /// The model of `--embeddings`; empty in runs of earlier versions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub embeddings: String,
    /// The working directory, from which the folders lead.
    pub directory: String,
    /// The directory of the results.
    pub out: String,
}

impl Origin {
    /// The options of a run with these models and sources.
    pub fn of(models: &ModelSet, sources: &SourceArgs, out: &Path) -> Self {
        Self {
            model: models.chosen.specs.to_string(),
            corpus: sources.corpus.iter().map(|folder| folder.display().to_string()).collect(),
            search: sources.search.iter().map(|engine| engine.name().to_owned()).collect(),
            full_text: sources.full_text,
            embeddings: sources.embeddings.as_ref().map(ToString::to_string).unwrap_or_default(),
            directory: absolute(Path::new(".")),
            out: absolute(out),
        }
    }

    /// Completes the model options of a resumed run. A warning tells of a model other than the stored one. Of the files
    /// `graphloom.toml` only the budget counts.
    ///
    /// # Errors
    /// A stored model that this version cannot name.
    pub fn complete_models(&self, models: &mut ModelArgs, session: &Session) -> Result<(), Failure> {
        session.files.fill_budget(models);
        match &models.model {
            _ if self.model.is_empty() => {}
            Some(given) if given.to_string() != self.model => {
                session.progress.warn(format!("the run began with `{}` and goes on with `{given}`", self.model));
            }
            Some(_) => {}
            None => models.model = Some(self.model.parse()?),
        }
        Ok(())
    }

    /// Completes the source options of a resumed run.
    pub fn complete_sources(&self, sources: &mut SourceArgs) {
        if sources.corpus.is_empty() {
            // Sources are named by their folder as it was given, so it stays in these words where that leads to it.
            let directory = Path::new(&self.directory);
            let here = std::env::current_dir().is_ok_and(|here| here == directory);
            let folder = |given: &String| if here { PathBuf::from(given) } else { directory.join(given) };
            sources.corpus = self.corpus.iter().map(folder).collect();
        }
        if sources.search.is_empty() {
            sources.search = SearchEngine::named(&self.search);
            // Engines that are named now may have no works.
            sources.full_text |= self.full_text;
        }
        if sources.embeddings.is_none() {
            sources.embeddings = self.embeddings.parse().ok();
        }
    }

    /// The directory of the results: that of `--out`, else the stored one.
    pub fn out(&self, output: &OutputArgs) -> PathBuf {
        output.out.clone().unwrap_or_else(|| PathBuf::from(&self.out))
    }
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_reading_full_texts() {
        let stored = serde_json::json!({ "search": ["openalex"], "full_text": true });
        let origin: Origin = serde_json::from_value(stored).unwrap();
        let mut sources = SourceArgs::default();
        origin.complete_sources(&mut sources);
        assert_eq!((&sources.search[..], sources.full_text), (&[SearchEngine::Openalex][..], true));
        let mut others = SourceArgs { search: vec![SearchEngine::Wikipedia], ..SourceArgs::default() };
        origin.complete_sources(&mut others);
        assert!(!others.full_text, "other engines were named");
        let older: Origin = serde_json::from_str(r#"{"search": ["openalex"]}"#).unwrap();
        let mut sources = SourceArgs::default();
        older.complete_sources(&mut sources);
        assert!(!sources.full_text);
    }

    #[test]
    fn a_resumed_run_has_its_embeddings_unless_others_are_named() {
        let completed = |stored: &str, given: Option<&str>| {
            let origin: Origin = serde_json::from_value(serde_json::json!({ "embeddings": stored })).unwrap();
            let embeddings = given.map(|given| given.parse().unwrap());
            let mut sources = SourceArgs { embeddings, ..SourceArgs::default() };
            origin.complete_sources(&mut sources);
            sources.embeddings.map(|spec| spec.to_string())
        };
        assert_eq!(completed("ollama:m", None).as_deref(), Some("ollama:m"));
        assert_eq!(completed("ollama:m", Some("off")).as_deref(), Some("off"));
        assert_eq!(completed("", None), None, "a run of an earlier version, or without the option");
    }
}
