//! `graphloom doctor`: what is there to work with, and what each part allows.

mod engines;
mod findings;
mod model_answer;
mod text;

use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};
use graphloom_cli::{
    Chosen, CliError, DataDir, ExitStatus, Failure, SearchEngine, Session, StoreKind, choose_models, find_servers,
    key_plan, usable_model,
};
use graphloom_core_graph::checkpoint::ThreadFilter;
use graphloom_llm::providers::{HOSTS_VARIABLE, KEY_VARIABLE, KeyUse, Provider, role_variable};
use graphloom_llm::resolve::{ModelSpec, ModelSpecs};

use findings::{BuiltIn, Choice, Data, Findings, Index, Key, KeyDestination, Server, StoreState};

/// How long each usual port of this machine is asked.
const PROBE: Duration = Duration::from_millis(500);

/// Less room than this is worth a word.
const LITTLE_ROOM: u64 = 500 << 20;

#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// The model to look at, as an application takes it
    #[arg(long, value_name = "SPEC", env = "GRAPHLOOM_MODEL")]
    model: Option<ModelSpecs>,
    /// Also send a plain word to these engines, and tell which answer
    #[arg(long, value_name = "ENGINES", value_delimiter = ',')]
    search: Vec<SearchEngine>,
    /// Send nothing to the model
    #[arg(long)]
    no_word: bool,
}

pub(crate) async fn run(args: DoctorArgs, dirs: &DataDir, session: &Session) -> Result<ExitStatus, Failure> {
    if args.search.iter().any(|engine| !engine.is_network()) {
        let network = SearchEngine::value_variants().iter().filter(|engine| engine.is_network());
        let names: Vec<String> = network.map(|engine| format!("`{engine}`")).collect();
        let names = names.join(", ");
        return Err(Failure::usage(format!(
            "`local`, `mcp` and `none` need no asking; `doctor --search` takes {names}"
        )));
    }
    let progress = &session.progress;
    progress.phase("looking for model servers on this machine");
    let named = session.files.model(args.model.as_ref());
    let findings = examine(&args, named.as_ref(), dirs, session).await;
    let status = if findings.problems.is_empty() { ExitStatus::Done } else { ExitStatus::Failed };
    progress.result(status, &findings.to_string(), &findings)?;
    Ok(status)
}

async fn examine(args: &DoctorArgs, named: Option<&ModelSpecs>, dirs: &DataDir, session: &Session) -> Findings {
    let mut findings = Findings {
        choice: None,
        servers: Vec::new(),
        keys: keys(named),
        built_in: built_in(dirs),
        words: Vec::new(),
        engines: engines::engines(&args.search).await,
        store: store(session).await,
        data: data(dirs),
        indexes: indexes(dirs),
        sent: Vec::new(),
        problems: Vec::new(),
        suggestions: Vec::new(),
    };
    match servers().await {
        Ok(servers) => findings.servers = servers,
        Err(error) => findings.problems.push(error.to_string()),
    }
    match choose_models(named).await {
        Ok(chosen) => {
            match sent(&chosen) {
                Ok(sent) => findings.sent = sent,
                Err(error) => findings.problems.push(error.to_string()),
            }
            for spec in chosen.specs.all() {
                findings.problems.extend(problem_of(spec, &findings));
            }
            let here = findings.built_in.state == "ready" || !chosen.specs.all().contains(&&ModelSpec::Embedded);
            if findings.problems.is_empty() && here && !args.no_word {
                match model_answer::model_answers(&chosen, dirs, session).await {
                    Ok(words) => findings.words = words,
                    Err(problem) => findings.problems.push(problem),
                }
            }
            let silent = |word: &findings::ModelAnswer| Some(format!("`{}`: {}", word.model, word.problem.as_ref()?));
            findings.problems.extend(findings.words.iter().filter_map(silent));
            findings.choice = Some(Choice {
                model: chosen.specs.to_string(),
                because: chosen.to_string().replacen("model: ", "", 1),
            });
        }
        Err(error) => findings.problems.push(error.to_string()),
    }
    let silent = findings.engines.iter().filter(|engine| engine.asked && !engine.ready);
    let silent: Vec<String> = silent.map(|engine| format!("`--search {}`: {}", engine.name, engine.state)).collect();
    findings.problems.extend(silent);
    findings.problems.extend(findings.store.problem.clone());
    findings.problems.extend(findings.data.problem.clone());
    findings.suggest();
    findings
}

/// Why a run with this model would fail at once.
fn problem_of(spec: &ModelSpec, findings: &Findings) -> Option<String> {
    let unreadable =
        |path: &Path| std::fs::File::open(path).err().map(|error| format!("`{spec}` cannot be used: {error}"));
    match spec {
        // A model of the list is fetched when it is used first.
        #[cfg(feature = "embedded")]
        ModelSpec::Gguf(path) if graphloom_cli::known_model(path).is_some() => None,
        ModelSpec::Gguf(path) | ModelSpec::Scripted(path) | ModelSpec::Replay(path) => unreadable(path),
        ModelSpec::Embedded if findings.built_in.state == "not built" => {
            Some(CliError::NotBuilt { feature: "embedded", option: "--model" }.to_string())
        }
        _ => None,
    }
}

async fn servers() -> Result<Vec<Server>, CliError> {
    let found = find_servers(PROBE).await?;
    let server = |server: graphloom_llm::resolve::LocalServer| Server {
        usable: usable_model(&server).map(|name| format!("compatible:{name}@{}", server.base_url)),
        kind: server.kind,
        base_url: server.base_url,
        models: server.models,
    };
    Ok(found.into_iter().map(server).collect())
}

/// Which server would get which key, in words.
fn sent(chosen: &Chosen) -> Result<Vec<KeyDestination>, graphloom_llm::ModelError> {
    let told = |(role, server, used): (String, String, KeyUse)| {
        let key = match used {
            KeyUse::Sent { source, .. } => format!("gets the key of `{source}`"),
            KeyUse::Withheld { source, why } => format!("gets no key; `{source}` is not sent, for {why}"),
            KeyUse::None => "gets no key; none is set".to_owned(),
        };
        KeyDestination { role, server, key }
    };
    Ok(key_plan(chosen)?.into_iter().map(told).collect())
}

/// Names and whether they are set; a value never leaves this function.
fn keys(named: Option<&ModelSpecs>) -> Vec<Key> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let file = |name: &str| format!("{name}_FILE");
    let mut keys = vec![Key {
        variable: KEY_VARIABLE.to_owned(),
        set: is_set(KEY_VARIABLE) || is_set(&file(KEY_VARIABLE)),
        allows: format!(
            "the key of the main `compatible:NAME@BASE_URL` model, sent to its host over `https`, or to the hosts of \
             `{HOSTS_VARIABLE}`; local servers need none"
        ),
    }];
    let own =
        named.into_iter().flat_map(|specs| specs.roles.keys()).filter_map(|role| Some((role, role_variable(role)?)));
    keys.extend(own.filter(|(_, name)| is_set(name) || is_set(&file(name))).map(|(role, name)| Key {
        variable: name,
        set: true,
        allows: format!("the key of the server that the role `{role}` names, and of no other"),
    }));
    for (variable, allows) in keys_of_providers() {
        if is_set(&variable) || is_set(&file(&variable)) {
            keys.push(Key { variable, set: true, allows });
        }
    }
    keys
}

/// The variable of every provider's key, and the one host that it is for.
fn keys_of_providers() -> Vec<(String, String)> {
    let mut keys: Vec<(String, String)> = Vec::new();
    for provider in Provider::all() {
        let host = match provider.key_address_variable() {
            Some(address) => format!("the host that `{address}` names"),
            None => provider.base_url().map(|base_url| format!("`{base_url}`")).unwrap_or_default(),
        };
        for (position, variable) in provider.key_variables().iter().enumerate() {
            if keys.iter().any(|(known, _)| known == variable) {
                continue;
            }
            let unless = match position {
                0 => String::new(),
                _ => format!(", unless `{}` is set", provider.key_variables()[0]),
            };
            let name = provider.name();
            keys.push((
                (*variable).to_owned(),
                format!("the key of `{name}:NAME`, sent to {host} and to no other{unless}"),
            ));
        }
    }
    keys
}

#[cfg(feature = "embedded")]
fn built_in(dirs: &DataDir) -> BuiltIn {
    let model = graphloom_llm_embedded::weights::SMOLLM2_135M;
    let (state, path) = crate::model::state(&model, dirs);
    BuiltIn { model: model.name.to_owned(), bytes: model.size, path, state }
}

#[cfg(not(feature = "embedded"))]
fn built_in(_: &DataDir) -> BuiltIn {
    BuiltIn { model: "embedded".to_owned(), bytes: 0, path: Path::new("").to_owned(), state: "not built".to_owned() }
}

fn data(dirs: &DataDir) -> Data {
    let unwritable = |dir: &Path| {
        let error = try_to_write(existing(dir)).err()?;
        let dir = dir.display();
        Some(format!("`{dir}` cannot be written: {error}; name another directory with `--data-dir`"))
    };
    Data {
        data: dirs.data().to_owned(),
        cache: dirs.cache().to_owned(),
        free_bytes: fs4::available_space(existing(dirs.data())).ok(),
        problem: unwritable(dirs.cache()).or_else(|| unwritable(dirs.data())),
    }
}

/// Where runs are kept. A server is asked; a file is not made.
async fn store(session: &Session) -> StoreState {
    let kind: StoreKind = session.store_kind();
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let (runs, problem) = match runs(session).await {
        Ok(runs) => (runs, None),
        Err(failure) => (None, Some(failure.to_string())),
    };
    StoreState {
        kind: kind.name(),
        place: session.store_place().ok(),
        runs,
        problem,
        postgres_is_set: is_set("GRAPHLOOM_POSTGRES_URL") || is_set("GRAPHLOOM_POSTGRES_URL_FILE"),
    }
}

/// How many runs there are; `None` without a database.
async fn runs(session: &Session) -> Result<Option<usize>, Failure> {
    match session.existing_store().await? {
        // A server was reached, and nobody has kept anything there.
        None if session.store_kind().is_shared() => Ok(Some(0)),
        None => Ok(None),
        Some(store) => Ok(Some(store.checkpointer().threads(&ThreadFilter::default()).await?.len())),
    }
}

/// The directory itself, or the nearest one above it that exists: it would be made there.
fn existing(dir: &Path) -> &Path {
    dir.ancestors().find(|dir| dir.exists() && !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn try_to_write(dir: &Path) -> std::io::Result<()> {
    let probe = dir.join(format!(".graphloom-doctor-{}", std::process::id()));
    std::fs::File::create_new(&probe)?;
    std::fs::remove_file(probe)
}

fn indexes(dirs: &DataDir) -> Vec<Index> {
    let Ok(entries) = std::fs::read_dir(dirs.indexes()) else { return Vec::new() };
    let mut indexes: Vec<Index> = entries
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| Index { name: entry.file_name().to_string_lossy().into_owned(), path: entry.path() })
        .collect();
    indexes.sort_by(|a, b| a.name.cmp(&b.name));
    indexes
}
