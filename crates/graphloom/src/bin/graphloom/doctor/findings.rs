//! What the doctor found.

use std::path::PathBuf;

use graphloom_llm::providers::Provider;
use serde::Serialize;

use super::LITTLE_ROOM;

/// Everything that was found. Names of keys, never their values.
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    /// The model that a run would use now.
    pub(crate) choice: Option<Choice>,
    /// Model servers on this machine.
    pub(crate) servers: Vec<Server>,
    /// Keys in the environment.
    pub(crate) keys: Vec<Key>,
    /// Which server a run would send which key.
    pub(crate) sent: Vec<KeyDestination>,
    /// What each model of a run said when it was asked for a word; empty when none was asked.
    pub(crate) words: Vec<ModelAnswer>,
    /// The built-in model.
    pub(crate) built_in: BuiltIn,
    /// The engines of the network.
    pub(crate) engines: Vec<Engine>,
    /// Where runs are kept.
    pub(crate) store: StoreState,
    /// Where models and indexes are kept, and room.
    pub(crate) data: Data,
    /// Indexes of corpora.
    pub(crate) indexes: Vec<Index>,
    /// What would make a run fail.
    pub(crate) problems: Vec<String>,
    /// What could be done next.
    pub(crate) suggestions: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Choice {
    pub(crate) model: String,
    pub(crate) because: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Server {
    pub(crate) kind: String,
    pub(crate) base_url: String,
    pub(crate) models: Vec<String>,
    /// What to write after `--model`, if a model can chat.
    pub(crate) usable: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Key {
    pub(crate) variable: String,
    pub(crate) set: bool,
    pub(crate) allows: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct KeyDestination {
    /// The role whose calls go there; `default` for all that have no model of their own.
    pub(crate) role: String,
    pub(crate) server: String,
    /// Which key, or why none; never the key itself.
    pub(crate) key: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct ModelAnswer {
    pub(crate) model: String,
    /// The first word of the answer, which may be empty.
    pub(crate) said: Option<String>,
    /// Why there was no answer.
    pub(crate) problem: Option<String>,
    /// Tokens that were read for the answer, and generated.
    pub(crate) tokens: Option<(u64, u64)>,
    /// From the question to the whole answer.
    pub(crate) milliseconds: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Engine {
    /// As it is written after `--search`.
    pub(crate) name: &'static str,
    /// Whether it could be asked now or, where it was asked, whether it answered.
    pub(crate) ready: bool,
    /// Whether a run without `--search` and `--corpus` asks it.
    pub(crate) unnamed: bool,
    /// `ready`, `answers`, or what is missing.
    pub(crate) state: String,
    /// Whether a question was sent to it.
    pub(crate) asked: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct StoreState {
    /// As it is written after `--store`.
    pub(crate) kind: &'static str,
    /// A file, or the name of a server without its password; none when that is not known.
    pub(crate) place: Option<String>,
    /// Stored runs; none where nothing was ever kept.
    pub(crate) runs: Option<usize>,
    pub(crate) problem: Option<String>,
    /// Whether the address of a PostgreSQL database is set, chosen or not.
    pub(crate) postgres_is_set: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct BuiltIn {
    pub(crate) model: String,
    pub(crate) bytes: u64,
    pub(crate) path: PathBuf,
    /// `ready`, `missing`, `not built`, or `damaged` with the reason.
    pub(crate) state: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Data {
    pub(crate) data: PathBuf,
    pub(crate) cache: PathBuf,
    pub(crate) free_bytes: Option<u64>,
    pub(crate) problem: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

impl Findings {
    /// Fills the suggestions from the rest.
    pub(crate) fn suggest(&mut self) {
        let mut suggestions = Vec::new();
        match self.servers.iter().find_map(|server| server.usable.as_ref()) {
            Some(spec) => suggestions.push(format!("use the model on this machine with `--model {spec}`")),
            None if self.servers.is_empty() => suggestions.push(
                "for results worth reading start a local model server (llama-server, Ollama, vLLM, LM Studio) or name one \
                 with `--model compatible:NAME@BASE_URL`, or a provider's with `--model anthropic:NAME` and the like"
                    .to_owned(),
            ),
            None => suggestions.push("the server on this machine has no model that can chat; load one".to_owned()),
        }
        let providers = Provider::all().filter(|provider| {
            self.keys.iter().any(|key| key.set && provider.key_variables().contains(&key.variable.as_str()))
        });
        let is_built_in = self.choice.as_ref().is_some_and(|choice| choice.model == "embedded");
        if let Some(provider) = providers.filter(|_| is_built_in).map(Provider::name).next() {
            suggestions.push(format!(
                "there is a key for `{provider}`: `graphloom model list --provider {provider}` lists its models, and \
                 `--model {provider}:NAME` uses one"
            ));
        }
        match self.built_in.state.as_str() {
            "ready" | "not built" => {}
            "missing" => suggestions.push(
                "`graphloom model fetch` fetches the built-in model now; otherwise the first run does it".to_owned(),
            ),
            _ => suggestions.push("`graphloom model fetch` replaces the damaged weights".to_owned()),
        }
        if let Some(free) = self.data.free_bytes.filter(|free| *free < LITTLE_ROOM) {
            suggestions.push(format!("only {} MB are free for runs and models; free some", free >> 20));
        }
        if self.indexes.is_empty() {
            suggestions.push("give an application documents to cite with `--corpus DIR`".to_owned());
        }
        self.suggestions = suggestions;
    }
}
