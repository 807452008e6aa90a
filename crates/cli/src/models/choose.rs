//! Which model is used when: the one that was named, else one that is there.

use std::fmt;
use std::time::Duration;

use graphloom_llm::providers::check_base_url;
use graphloom_llm::resolve::{LocalServer, ModelSpec, ModelSpecs, probe_local, probe_ports};

use crate::CliError;

/// How long each usual port of this machine is asked.
const PROBE: Duration = Duration::from_millis(300);

/// The models of a run, and why these.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chosen {
    /// The models.
    pub specs: ModelSpecs,
    /// Why these.
    pub reason: Reason,
}

/// Why a model was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// `--model` or `GRAPHLOOM_MODEL` names it.
    Named,
    /// `LLM_BASE_URL` and `LLM_MODEL` name it.
    Variables,
    /// A model server runs on this machine.
    LocalServer {
        /// What usually listens on its port.
        kind: String,
    },
    /// No other model was found.
    NothingElse,
}

/// Chooses the models of a run: what was named, else `LLM_BASE_URL` with `LLM_MODEL`, else a model server on this
/// machine ([`find_servers`]), else the built-in model.
///
/// # Errors
/// [`CliError::Usage`] when the variables make no sense.
pub async fn choose_models(named: Option<&ModelSpecs>) -> Result<Chosen, CliError> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    if let Some(chosen) = without_probing(named, variable)? {
        return Ok(chosen);
    }
    Ok(of_servers(&find_servers(PROBE).await?))
}

/// The model servers of this machine, asked on the loopback only: on the usual ports, on those that `LLM_PROBE` names with
/// commas between, or none with `LLM_PROBE=0`.
///
/// # Errors
/// [`CliError::Usage`] when `LLM_PROBE` names no ports.
pub async fn find_servers(timeout: Duration) -> Result<Vec<LocalServer>, CliError> {
    let asked = std::env::var("LLM_PROBE").unwrap_or_default();
    match asked.trim() {
        "" => Ok(probe_local(timeout).await),
        "0" => Ok(Vec::new()),
        ports => {
            let ports: Result<Vec<u16>, _> = ports.split(',').map(|port| port.trim().parse()).collect();
            let wrong = |_| CliError::usage("`LLM_PROBE` must be `0`, or ports of this machine with commas between");
            Ok(probe_ports(&ports.map_err(wrong)?, timeout).await)
        }
    }
}

fn without_probing(
    named: Option<&ModelSpecs>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Chosen>, CliError> {
    if let Some(specs) = named {
        return Ok(Some(Chosen { specs: specs.clone(), reason: Reason::Named }));
    }
    let Some(base_url) = variable("LLM_BASE_URL") else { return Ok(None) };
    let Some(name) = variable("LLM_MODEL") else {
        return Err(CliError::usage(
            "`LLM_BASE_URL` is set, but `LLM_MODEL` is not; set it to the name of a model at that server, or give `--model`",
        ));
    };
    let (name, base_url) = (name.trim().to_owned(), base_url.trim().to_owned());
    check_base_url(&base_url).map_err(|error| CliError::usage(format!("`LLM_BASE_URL`: {error}")))?;
    if !can_be_named(&name, &base_url) {
        return Err(CliError::usage("`LLM_MODEL` is not the name of a model that can be written after `--model`"));
    }
    Ok(Some(Chosen { specs: one(ModelSpec::compatible(name, base_url)), reason: Reason::Variables }))
}

fn of_servers(servers: &[LocalServer]) -> Chosen {
    let found = servers.iter().find_map(|server| Some((server, usable_model(server)?)));
    match found {
        Some((server, name)) => {
            let spec = ModelSpec::compatible(name, server.base_url.as_str());
            Chosen { specs: one(spec), reason: Reason::LocalServer { kind: server.kind.clone() } }
        }
        None => Chosen { specs: ModelSpecs::default(), reason: Reason::NothingElse },
    }
}

/// The first model of a server that can chat, judged by its name: models that only embed or rank texts are passed over, and
/// names that would be read as something else when they are written down with the run.
pub fn usable_model(server: &LocalServer) -> Option<&str> {
    const NO_CHAT: [&str; 5] = ["embed", "minilm", "bge-", "rerank", "whisper"];
    let chats = |name: &&String| {
        let name = name.to_lowercase();
        !NO_CHAT.iter().any(|word| name.contains(word))
    };
    server.models.iter().filter(|name| can_be_named(name, &server.base_url)).find(chats).map(String::as_str)
}

/// Whether a model's name means the same model after it was written and read again. A name such as
/// `m@https://elsewhere/v1,plan=compatible:m` would send a run that goes on to another server.
fn can_be_named(name: &str, base_url: &str) -> bool {
    let specs = one(ModelSpec::compatible(name, base_url));
    !name.chars().any(char::is_control) && specs.to_string().parse::<ModelSpecs>().is_ok_and(|read| read == specs)
}

fn one(default: ModelSpec) -> ModelSpecs {
    ModelSpecs { default, ..ModelSpecs::default() }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model: `{}`", self.specs)?;
        match &self.reason {
            Reason::Named => Ok(()),
            Reason::Variables => f.write_str(" (from `LLM_BASE_URL` and `LLM_MODEL`)"),
            Reason::LocalServer { kind } => {
                write!(
                    f,
                    " ({kind} was found on this machine: the text of this run goes there, and no key; `--model` names \
                     another, `LLM_PROBE=0` looks for none)"
                )
            }
            Reason::NothingElse => f.write_str(" (nothing else was found)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: fn(&str) -> Option<String> = |_| None;

    #[test]
    fn what_was_named_comes_first_then_the_variables() {
        let set = |name: &str| match name {
            "LLM_BASE_URL" => Some("http://127.0.0.1:9/v1".to_owned()),
            "LLM_MODEL" => Some("m".to_owned()),
            _ => None,
        };
        let named: ModelSpecs = "scripted:s".parse().unwrap();
        assert_eq!(without_probing(Some(&named), set).unwrap().unwrap().reason, Reason::Named);
        let chosen = without_probing(None, set).unwrap().unwrap();
        assert_eq!(chosen.specs.to_string(), "compatible:m@http://127.0.0.1:9/v1");
        assert_eq!(chosen.reason, Reason::Variables);
        assert_eq!(without_probing(None, NONE).unwrap(), None);

        let lone = |name: &str| (name == "LLM_BASE_URL").then(|| "http://h".to_owned());
        assert!(without_probing(None, lone).unwrap_err().to_string().contains("`LLM_MODEL` is not"));
        let wrong = |name: &str| Some(if name == "LLM_BASE_URL" { "h:80".to_owned() } else { "m".to_owned() });
        assert!(without_probing(None, wrong).unwrap_err().to_string().contains("must begin with `http://`"));
    }

    #[test]
    fn a_found_name_cannot_lead_elsewhere() {
        let server = |models: &[&str]| {
            LocalServer::new("x", "http://127.0.0.1:1/v1", models.iter().map(|name| (*name).to_owned()).collect())
        };
        for name in [
            "m@https://elsewhere.example/v1,plan=compatible:m",
            "m,plan=compatible:m@https://elsewhere.example/v1",
            "m@http://elsewhere.example/v1",
            "m\u{1b}]52;c;eA==\u{7}",
            "",
        ] {
            assert_eq!(usable_model(&server(&[name])), None, "{name:?}");
            assert_eq!(usable_model(&server(&[name, "qwen3:8b"])), Some("qwen3:8b"), "{name:?}");
        }
        assert_eq!(usable_model(&server(&["@cf/meta/m-1"])), Some("@cf/meta/m-1"));
    }

    #[tokio::test]
    async fn nothing_found_is_the_built_in_model() {
        let chosen = of_servers(&[]);
        assert_eq!((chosen.specs.to_string().as_str(), &chosen.reason), ("embedded", &Reason::NothingElse));
    }
}
