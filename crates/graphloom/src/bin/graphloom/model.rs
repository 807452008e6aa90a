//! `graphloom model`: the weights of the built-in model, and the models that providers offer.

mod offered;
mod speed;

use std::path::PathBuf;

use clap::Subcommand;
use graphloom_cli::{
    CliError, DataDir, ExitStatus, Failure, Progress, fetch_options, fetch_weights, installed_weights,
};
use graphloom_llm_embedded::weights::{self, KnownModel};
use serde_json::{Value, json};

use speed::Speed;

#[derive(Subcommand, Debug)]
pub(crate) enum ModelCommand {
    /// Fetch the weights once, and check them
    Fetch {
        /// The model; `list` names them all
        name: Option<String>,
        /// Take the weights from this file instead of the network
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// List the models that can be fetched, or those that a provider offers
    List {
        /// Ask this provider for its models instead: `anthropic`, `openai`, `gemini`, `ollama` and others, at another
        /// address with `NAME@BASE_URL`
        #[arg(long, value_name = "PROVIDER")]
        provider: Option<String>,
    },
    /// Measure how fast a fetched model reads and writes on this machine; `list` tells it from then on
    Measure {
        /// The model; `list` names them all
        name: Option<String>,
    },
    /// Print where the weights are
    Path {
        /// The model; `list` names them all
        name: Option<String>,
    },
    /// Read the weights again and compare their sha256
    Verify {
        /// The model; `list` names them all
        name: Option<String>,
    },
}

pub(crate) async fn run(command: ModelCommand, dirs: DataDir, progress: &Progress) -> Result<ExitStatus, Failure> {
    if let ModelCommand::List { provider: Some(provider) } = &command {
        let (text, value) = offered::offered(provider, &dirs, progress).await?;
        progress.result(ExitStatus::Done, &text, &value)?;
        return Ok(ExitStatus::Done);
    }
    let told = progress.clone();
    // Fetching, hashing and loading block.
    let done = tokio::task::spawn_blocking(move || work(command, &dirs, &told)).await;
    let (text, value) = done.map_err(|error| Failure::new(ExitStatus::Failed, error))??;
    progress.result(ExitStatus::Done, &text, &value)?;
    Ok(ExitStatus::Done)
}

fn work(command: ModelCommand, dirs: &DataDir, progress: &Progress) -> Result<(String, Value), Failure> {
    match command {
        ModelCommand::Fetch { name, from } => {
            let model = known(name.as_deref())?;
            let may_ask = !progress.is_json() && std::io::IsTerminal::is_terminal(&std::io::stdin());
            let mut options = fetch_options(may_ask, progress);
            options.from = from;
            let path = fetch_weights(&model, dirs, &options, progress)?;
            Ok((path.display().to_string(), json!({"model": model.name, "path": path})))
        }
        ModelCommand::List { .. } => {
            let mut text = String::new();
            let mut list = Vec::new();
            for model in weights::list() {
                let (state, path) = state(model, dirs);
                let megabytes = model.size as f64 / 1e6;
                let speed = Speed::of(model, dirs);
                let here = speed.map(|speed| format!("; {speed} here")).unwrap_or_default();
                text.push_str(&format!(
                    "{}  {megabytes:.0} MB  {}  {state}\n    {}; on a machine with {} GB of memory{here}\n",
                    model.name, model.license, model.good_for, model.memory_gb
                ));
                list.push(json!({
                    "model": model.name, "bytes": model.size, "license": model.license, "sha256": model.sha256,
                    "url": model.url, "state": state, "path": path, "good_for": model.good_for,
                    "memory_gb": model.memory_gb, "speed": speed,
                }));
            }
            Ok((text, json!({"models": list})))
        }
        ModelCommand::Measure { name } => {
            let model = known(name.as_deref())?;
            tokio::runtime::Handle::current().block_on(speed::measure(&model, dirs, progress))
        }
        ModelCommand::Path { name } => {
            let model = known(name.as_deref())?;
            match installed_weights(&model, dirs)? {
                Some(path) => Ok((path.display().to_string(), json!({"model": model.name, "path": path}))),
                None => Err(missing(&model, dirs)),
            }
        }
        ModelCommand::Verify { name } => {
            let model = known(name.as_deref())?;
            let own = dirs.models();
            let dir = match dirs.shared_models() {
                Some(shared) if !weights::path(&model, &own).exists() && weights::path(&model, shared).exists() => {
                    shared.to_owned()
                }
                _ => own,
            };
            progress.phase(format!("reading `{}`", weights::path(&model, &dir).display()));
            let path = weights::verify(&model, &dir)?;
            let text = format!("`{}` is whole: its sha256 is `{}`", path.display(), model.sha256);
            Ok((text, json!({"model": model.name, "path": path, "sha256": model.sha256})))
        }
    }
}

fn known(name: Option<&str>) -> Result<KnownModel, CliError> {
    let Some(name) = name else { return Ok(weights::SMOLLM2_135M) };
    let by_name = || weights::list().find(|model| model.name == name).copied();
    weights::find(name).or_else(by_name).ok_or_else(|| {
        let names: Vec<String> = weights::list().map(|model| format!("`{}`", model.name)).collect();
        CliError::usage(format!("`{name}` is no model that can be fetched; there is {}", names.join(", ")))
    })
}

fn missing(model: &KnownModel, dirs: &DataDir) -> Failure {
    let error = graphloom_llm_embedded::EmbeddedError::Missing {
        model: model.name.to_owned(),
        path: weights::path(model, &dirs.models()),
    };
    error.into()
}

/// `ready`, `missing`, or what is wrong with the file; and where it is or will be.
pub(crate) fn state(model: &KnownModel, dirs: &DataDir) -> (String, PathBuf) {
    let own = weights::path(model, &dirs.models());
    match installed_weights(model, dirs) {
        Ok(Some(path)) => ("ready".to_owned(), path),
        Ok(None) => ("missing".to_owned(), own),
        Err(error) => (format!("damaged: {error}"), own),
    }
}
