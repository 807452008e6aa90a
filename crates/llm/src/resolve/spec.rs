//! The names of models as users write them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ChainSpec;
use crate::RemoteConfig;
use crate::providers::{Provider, check_base_url, without_user as shown};

/// Which model to use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum ModelSpec {
    /// The small model inside this program: `embedded`.
    #[default]
    Embedded,
    /// A model of a provider: `PROVIDER:NAME`, or `PROVIDER:NAME@BASE_URL` at another address than the provider's own.
    Remote(RemoteSpec),
    /// Weights run inside this program: `embedded:FILE.gguf`, `gguf:PATH`, a path that ends in `.gguf`, or `embedded:NAME`
    /// with the name of a model that can be fetched.
    Gguf(PathBuf),
    /// Answers from a script, for tests of control flow: `scripted:FILE`.
    Scripted(PathBuf),
    /// A recording: `replay:FILE`.
    Replay(PathBuf),
    /// Several models in the place of one: `A|B`, `A||B`, `cheapest:A|B`.
    FirstOf(ChainSpec),
}

/// A model of a provider, as users name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteSpec {
    provider: &'static Provider,
    name: String,
    base_url: Option<String>,
}

impl RemoteSpec {
    /// A model behind any server with the OpenAI chat-completions interface: `compatible:NAME@BASE_URL`.
    pub fn compatible(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        let provider = Provider::compatible();
        Self { provider, name: name.into(), base_url: Some(base_url.into()) }
    }

    /// Reads what follows the provider's name and a colon.
    fn read(provider: &'static Provider, rest: &str) -> Result<Self, String> {
        // A name such as `@cf/model` begins with the sign that also separates name and address.
        let parts = rest.split_once('@').filter(|(name, _)| !name.is_empty()).or_else(|| rest.rsplit_once('@'));
        let (name, base_url) = match parts {
            Some((name, base_url)) => (name, Some(base_url)),
            None if provider.base_url().is_some() => (rest, None),
            None => return Err("`@BASE_URL` is missing".to_owned()),
        };
        if name.is_empty() {
            let place = if base_url.is_some() { "before `@`" } else { "after `:`" };
            return Err(format!("the model's name is missing {place}"));
        }
        if let Some(base_url) = base_url {
            check_base_url(base_url).map_err(|error| error.to_string())?;
        }
        Ok(Self { provider, name: name.to_owned(), base_url: base_url.map(str::to_owned) })
    }

    /// Who provides the model.
    pub fn provider(&self) -> &'static Provider {
        self.provider
    }

    /// The model's name at the provider.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address that was named, else the provider's own.
    pub fn base_url(&self) -> &str {
        self.base_url.as_deref().or(self.provider.base_url()).unwrap_or_default()
    }
}

impl From<&RemoteSpec> for RemoteConfig {
    fn from(spec: &RemoteSpec) -> Self {
        Self::new(spec.provider, &spec.name).at(spec.base_url())
    }
}

impl fmt::Display for RemoteSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider.name(), self.name)?;
        self.base_url.as_ref().map_or(Ok(()), |base_url| write!(f, "@{base_url}"))
    }
}

/// Why a model's name could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` names no model: {why}; write `embedded`, `compatible:NAME@BASE_URL` (such as `compatible:qwen3@http://127.0.0.1:8080/v1`), `PROVIDER:NAME` with one of {}, `embedded:FILE.gguf`, `scripted:FILE` or `replay:FILE`, or several with `|` between",
    providers()
)]
pub struct SpecError {
    /// The text that was written.
    pub text: String,
    /// What is wrong with the text.
    pub why: String,
}

/// The names of the providers, for messages.
fn providers() -> String {
    let names: Vec<String> = Provider::all()
        .filter(|provider| *provider != Provider::compatible())
        .map(|provider| format!("`{}`", provider.name()))
        .collect();
    names.join(", ")
}

impl ModelSpec {
    /// A model behind any server with the OpenAI chat-completions interface.
    pub fn compatible(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self::Remote(RemoteSpec::compatible(name, base_url))
    }

    /// The models that a call may go to: those of a chain, else this one.
    pub fn members(&self) -> Vec<&Self> {
        match self {
            Self::FirstOf(chain) => chain.models().map(|(_, spec)| spec).collect(),
            one => vec![one],
        }
    }

    /// The model of a provider, when it is one and alone.
    pub fn remote(&self) -> Option<&RemoteSpec> {
        match self {
            Self::Remote(spec) => Some(spec),
            _ => None,
        }
    }
}

impl FromStr for ModelSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        if let Some(chain) = ChainSpec::read(text) {
            return chain.map(Self::FirstOf);
        }
        let wrong = |why: String| SpecError { text: shown(text), why };
        let file = |path: &str| {
            if path.is_empty() { Err(wrong("the file is missing".to_owned())) } else { Ok(PathBuf::from(path)) }
        };
        // Servers name a model by the file of its weights, too.
        let of_provider = text.split_once(':').is_some_and(|(kind, _)| Provider::named(kind).is_some());
        match text.split_once(':') {
            None if text == "embedded" => Ok(Self::Embedded),
            Some(("gguf" | "embedded", path)) => file(path).map(Self::Gguf),
            Some(("scripted", path)) => file(path).map(Self::Scripted),
            Some(("replay", path)) => file(path).map(Self::Replay),
            _ if !of_provider && text.to_ascii_lowercase().ends_with(".gguf") => Ok(Self::Gguf(PathBuf::from(text))),
            _ if text.is_empty() => Err(wrong("it is empty".to_owned())),
            Some((kind, rest)) => match Provider::named(kind) {
                Some(provider) => RemoteSpec::read(provider, rest).map(Self::Remote).map_err(wrong),
                None => {
                    let nearest = Provider::nearest(kind).map(|name| format!(", `{name}` is")).unwrap_or_default();
                    Err(wrong(format!("`{}` is no kind of model{nearest}", shown(kind))))
                }
            },
            None => Err(wrong("it is neither a kind of model nor a weights file".to_owned())),
        }
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => f.write_str("embedded"),
            Self::Remote(spec) => spec.fmt(f),
            Self::Gguf(path) => write!(f, "gguf:{}", path.display()),
            Self::Scripted(path) => write!(f, "scripted:{}", path.display()),
            Self::Replay(path) => write!(f, "replay:{}", path.display()),
            Self::FirstOf(chain) => chain.fmt(f),
        }
    }
}

impl From<ModelSpec> for String {
    fn from(spec: ModelSpec) -> Self {
        spec.to_string()
    }
}

impl TryFrom<String> for ModelSpec {
    type Error = SpecError;

    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
    }
}

/// A model for each part of the work: one for all, and others for named roles.
///
/// Written as one model, as `role=model` parts with commas between, or as both: `embedded,write=compatible:m@http://h/v1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSpecs {
    /// The model of every role that has none of its own.
    pub default: ModelSpec,
    /// The models of roles such as `plan` and `write`.
    pub roles: BTreeMap<String, ModelSpec>,
}

impl ModelSpecs {
    /// The model of a role.
    pub fn role(&self, role: &str) -> &ModelSpec {
        self.roles.get(role).unwrap_or(&self.default)
    }

    /// Every different model; those of a chain each for itself.
    pub fn all(&self) -> Vec<&ModelSpec> {
        let mut all = Vec::new();
        for spec in [&self.default].into_iter().chain(self.roles.values()).flat_map(ModelSpec::members) {
            if !all.contains(&spec) {
                all.push(spec);
            }
        }
        all
    }
}

impl FromStr for ModelSpecs {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut default = None;
        let mut roles = BTreeMap::new();
        for part in text.split(',') {
            let part = part.trim();
            let twice = |why: String| SpecError { text: shown(part), why };
            let role = part.split_once('=').filter(|(name, _)| {
                let name = name.trim();
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
            });
            match role {
                Some((role, spec)) => {
                    let role = role.trim();
                    if roles.insert(role.to_owned(), spec.parse()?).is_some() {
                        return Err(twice(format!("the role `{role}` is given twice")));
                    }
                }
                None => {
                    if default.replace(part.parse()?).is_some() {
                        return Err(twice("a second model needs a role, as in `write=MODEL`".to_owned()));
                    }
                }
            }
        }
        Ok(Self { default: default.unwrap_or_default(), roles })
    }
}

impl fmt::Display for ModelSpecs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.default)?;
        for (role, spec) in &self.roles {
            write!(f, ",{role}={spec}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let compatible = |name: &str, base: &str| ModelSpec::compatible(name, base);
        let of = |provider: &str, name: &str, base: Option<&str>| {
            let provider = Provider::named(provider).unwrap();
            ModelSpec::Remote(RemoteSpec { provider, name: name.into(), base_url: base.map(str::to_owned) })
        };
        let cases = [
            ("embedded", ModelSpec::Embedded),
            ("compatible:qwen3:8b@http://127.0.0.1:11434/v1", compatible("qwen3:8b", "http://127.0.0.1:11434/v1")),
            ("compatible:@cf/m@https://h/v1", compatible("@cf/m", "https://h/v1")),
            ("anthropic:claude-opus-5-5", of("anthropic", "claude-opus-5-5", None)),
            ("ollama:qwen3:8b@http://127.0.0.1:11434", of("ollama", "qwen3:8b", Some("http://127.0.0.1:11434"))),
            ("openrouter:meta/llama:free", of("openrouter", "meta/llama:free", None)),
            (
                "azure:d@https://r.openai.azure.com/openai/v1",
                of("azure", "d", Some("https://r.openai.azure.com/openai/v1")),
            ),
            ("llamacpp:Qwen3-8B-Q4_K_M.gguf", of("llamacpp", "Qwen3-8B-Q4_K_M.gguf", None)),
            ("gguf:a/b.gguf", ModelSpec::Gguf("a/b.gguf".into())),
            ("scripted:s.jsonl", ModelSpec::Scripted("s.jsonl".into())),
            ("replay:r.jsonl", ModelSpec::Replay("r.jsonl".into())),
        ];
        for (text, spec) in cases {
            assert_eq!(text.parse::<ModelSpec>().unwrap(), spec, "{text}");
            assert_eq!(spec.to_string(), text);
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<ModelSpec>(&json).unwrap(), spec);
        }
        assert_eq!("embedded:a/b.gguf".parse::<ModelSpec>().unwrap(), ModelSpec::Gguf("a/b.gguf".into()));
        assert_eq!("./M.GGUF".parse::<ModelSpec>().unwrap(), ModelSpec::Gguf("./M.GGUF".into()));
    }

    #[test]
    fn wrong_names_tell_the_forms() {
        for (text, expected) in [
            ("", "it is empty"),
            ("gpt-6", "it is neither a kind of model nor a weights file"),
            ("antropic:claude", "`antropic` is no kind of model, `anthropic` is; write"),
            ("claude:opus", "`claude` is no kind of model; write"),
            ("anthropic:", "the model's name is missing after `:`"),
            ("azure:gpt", "`@BASE_URL` is missing"),
            ("ollama:qwen3@127.0.0.1:11434", "not a base address"),
            ("ollama:qwen3@http://me:secret@h", "LLM_API_KEY"),
            ("compatible:m", "`@BASE_URL` is missing"),
            ("compatible:@http://h", "the model's name is missing"),
            ("compatible:m@h:80/v1", "must begin with `http://`"),
            ("compatible:m@http://user:secret@h/v1", "LLM_API_KEY"),
            ("scripted:", "the file is missing"),
            ("embedded:", "the file is missing"),
        ] {
            let message = text.parse::<ModelSpec>().unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
            assert!(message.contains("write `embedded`, `compatible:NAME@BASE_URL`"), "{message}");
            assert!(!message.contains("secret"), "{message}");
        }
    }

    #[test]
    fn roles_have_models_of_their_own() {
        let specs: ModelSpecs = "embedded, write=compatible:m@http://h/v1,plan=scripted:s".parse().unwrap();
        assert_eq!(specs.role("search"), &ModelSpec::Embedded);
        assert_eq!(specs.role("plan"), &ModelSpec::Scripted("s".into()));
        assert_eq!(specs.all().len(), 3);
        assert_eq!(specs.to_string().parse::<ModelSpecs>().unwrap(), specs);
        assert_eq!("write=scripted:s".parse::<ModelSpecs>().unwrap().default, ModelSpec::Embedded);
        for (text, expected) in [
            ("embedded,embedded", "a second model needs a role"),
            ("a=embedded,a=embedded", "given twice"),
            ("plan=nope", "neither a kind"),
            ("embedded,", "it is empty"),
        ] {
            let message = text.parse::<ModelSpecs>().unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
