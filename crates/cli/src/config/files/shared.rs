//! The table `[shared]`: options of every program that has them.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use graphloom_llm::layers::{Budget, CachePolicy, HedgeAfter, HostRateLimit};
use graphloom_llm::resolve::ModelSpecs;
use serde_json::{Map, Value};

use super::project::{lies_in, project_refusal};
use super::{Owner, unknown};
use crate::{CliError, SearchEngine, StoreKind};

/// The options of the table.
const OPTIONS: [&str; 9] = ["model", "search", "corpus", "budget", "prices", "rate", "cache", "hedge", "store"];

/// Options, where a file gives them.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    pub(super) model: Option<ModelSpecs>,
    pub(super) search: Vec<SearchEngine>,
    pub(super) corpus: Vec<PathBuf>,
    pub(super) budget: Option<Budget>,
    pub(super) prices: Option<PathBuf>,
    pub(super) rate: Vec<HostRateLimit>,
    pub(super) cache: Option<CachePolicy>,
    pub(super) hedge: Option<HedgeAfter>,
    pub(super) store: Option<StoreKind>,
}

impl Shared {
    /// Takes over what a file says. Folders are read from its directory.
    pub(super) fn take(
        &mut self,
        source: &str,
        path: &Path,
        fields: &Map<String, Value>,
        owner: Owner,
    ) -> Result<(), CliError> {
        let base = path.parent().unwrap_or(Path::new("."));
        for (key, value) in fields {
            let wrong = |message: String| CliError::WrongParameter {
                source_name: source.to_owned(),
                key: key.clone(),
                message,
            };
            let texts = texts(value).ok_or_else(|| wrong("write a text, or a list of texts".to_owned()))?;
            let one = || match texts.as_slice() {
                [one] => Ok(one.as_str()),
                _ => Err(wrong("write one text".to_owned())),
            };
            match key.as_str() {
                "model" => {
                    let specs: ModelSpecs = one()?.parse().map_err(|error| wrong(format!("{error}")))?;
                    if owner == Owner::Project && specs.all().into_iter().any(|spec| spec.remote().is_some()) {
                        return Err(project_refusal(source, key, "a server, which would get your texts and your key"));
                    }
                    self.model = Some(specs);
                }
                "search" => {
                    let names = texts.iter().flat_map(|text| text.split(',')).map(str::trim);
                    let engine = |name| {
                        SearchEngine::from_str(name, true).map_err(|_| {
                            let known: Vec<String> =
                                SearchEngine::value_variants().iter().map(|engine| format!("`{engine}`")).collect();
                            wrong(format!("`{name}` is no engine; there are {}", known.join(", ")))
                        })
                    };
                    self.search = names.map(engine).collect::<Result<_, _>>()?;
                }
                "corpus" => {
                    let folders: Vec<PathBuf> = texts.iter().map(|text| base.join(text)).collect();
                    if owner == Owner::Project && !folders.iter().all(|folder| lies_in(folder, base)) {
                        return Err(project_refusal(source, key, "a folder outside of the project"));
                    }
                    self.corpus = folders;
                }
                "budget" => {
                    self.budget = Some(one()?.parse().map_err(|error| wrong(format!("{error}")))?);
                }
                "prices" => {
                    let file = base.join(one()?);
                    if owner == Owner::Project && !lies_in(&file, base) {
                        return Err(project_refusal(source, key, "a file outside of the project"));
                    }
                    self.prices = Some(file);
                }
                "rate" => {
                    let limits = texts.iter().map(|text| text.parse().map_err(|error| wrong(format!("{error}"))));
                    self.rate = limits.collect::<Result<_, _>>()?;
                }
                "cache" => {
                    self.cache = Some(one()?.parse().map_err(|error| wrong(format!("{error}")))?);
                }
                "hedge" => {
                    self.hedge = Some(one()?.parse().map_err(|error| wrong(format!("{error}")))?);
                }
                "store" => {
                    if owner == Owner::Project {
                        return Err(project_refusal(source, key, "where your runs are kept"));
                    }
                    let kind = StoreKind::from_str(one()?, true);
                    let known = "there are `sqlite`, `encrypted`, `postgres`, `encrypted-postgres`";
                    self.store = Some(kind.map_err(|_| wrong(format!("this is no store; {known}")))?);
                }
                _ => return Err(unknown(source, key, &OPTIONS.map(str::to_owned))),
            }
        }
        Ok(())
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}
