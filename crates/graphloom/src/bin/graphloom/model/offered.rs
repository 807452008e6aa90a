//! The models that a provider offers, as it lists them.

use graphloom_cli::{CliError, DataDir, Failure, Progress};
use graphloom_llm::providers::{
    KeyUse, Keys, LearntAbilities, OfferedModel, Provider, Remote, RemoteConfig, check_base_url,
};
use serde_json::{Value, json};

/// Asks a provider, written as `NAME` or `NAME@BASE_URL`, for its models. The key that belongs to its host is sent.
pub(super) async fn offered(named: &str, dirs: &DataDir, progress: &Progress) -> Result<(String, Value), Failure> {
    let (name, base_url) = named.split_once('@').map_or((named, None), |(name, base_url)| (name, Some(base_url)));
    let provider = Provider::named(name).ok_or_else(|| unknown(name))?;
    let Some(base_url) = base_url.or(provider.base_url()) else {
        let message = format!("`{name}` has no address of its own; write `--provider {name}@BASE_URL`");
        return Err(Failure::usage(message));
    };
    check_base_url(base_url).map_err(|error| CliError::usage(error.to_string()))?;
    let mut config = RemoteConfig::new(provider, "any").at(base_url);
    match Keys::from_env([])?.of("default", base_url, Some(base_url))? {
        KeyUse::Sent { key, source } => (config.key, config.key_variable) = (Some(key), source),
        KeyUse::Withheld { source, why } => progress.note(format!("`{source}` is not sent to `{base_url}`: {why}")),
        KeyUse::None => {}
    }
    progress.phase(format!("asking `{base_url}` for its models"));
    let models = Remote::new(config)?.list().await?;
    // What the list says of a model is known to the runs that come.
    LearntAbilities::open(&dirs.abilities()).list(provider, base_url, &models);
    let text =
        if models.is_empty() { format!("`{base_url}` lists no models\n") } else { models.iter().map(line).collect() };
    Ok((text, json!({"provider": name, "base_url": base_url, "models": models})))
}

fn line(model: &OfferedModel) -> String {
    let mut line = model.name.clone();
    if let Some(context) = model.context {
        line.push_str(&format!("  reads {context} tokens"));
    }
    if let Some(output) = model.output {
        line.push_str(&format!("  generates {output}"));
    }
    let can = |ability: Option<bool>, what| ability.filter(|can| *can).map(|_| what);
    let abilities: Vec<&str> = [can(model.images, "images"), can(model.tools, "tools")].into_iter().flatten().collect();
    if !abilities.is_empty() {
        line.push_str(&format!("  {}", abilities.join(", ")));
    }
    if let Some(title) = &model.title {
        line.push_str(&format!("  {title}"));
    }
    line.push('\n');
    line
}

fn unknown(name: &str) -> Failure {
    let nearest = Provider::nearest(name).map(|nearest| format!(", `{nearest}` is")).unwrap_or_default();
    let known: Vec<String> = Provider::all().map(|provider| format!("`{}`", provider.name())).collect();
    Failure::usage(format!("`{name}` is no provider{nearest}; there are {}", known.join(", ")))
}
