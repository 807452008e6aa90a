//! The names of embedding models as users write them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{ModelSpec, RemoteSpec, SpecError};

/// Which model makes vectors of passages, if any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum EmbedderSpec {
    /// None: passages are found by their words alone. Written `off`.
    #[default]
    Off,
    /// The small model inside this program: `embedded`.
    Embedded,
    /// A model of a provider: `PROVIDER:NAME`, or `PROVIDER:NAME@BASE_URL` at another address than the provider's own.
    Remote(RemoteSpec),
}

impl FromStr for EmbedderSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if text.trim() == "off" {
            return Ok(Self::Off);
        }
        match text.parse()? {
            ModelSpec::Embedded => Ok(Self::Embedded),
            ModelSpec::Remote(spec) if spec.provider().offers_embeddings() => Ok(Self::Remote(spec)),
            ModelSpec::Remote(spec) => {
                let why = format!("`{}` offers no embeddings", spec.provider().name());
                Err(SpecError { text: spec.to_string(), why })
            }
            other => {
                let why = "it makes no embeddings; `off`, `embedded` and models of providers can be named".to_owned();
                Err(SpecError { text: other.to_string(), why })
            }
        }
    }
}

impl fmt::Display for EmbedderSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Embedded => f.write_str("embedded"),
            Self::Remote(spec) => spec.fmt(f),
        }
    }
}

impl From<EmbedderSpec> for String {
    fn from(spec: EmbedderSpec) -> Self {
        spec.to_string()
    }
}

impl TryFrom<String> for EmbedderSpec {
    type Error = SpecError;

    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for text in ["off", "embedded", "ollama:nomic-embed-text", "compatible:m@http://127.0.0.1:8080/v1"] {
            let spec: EmbedderSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<EmbedderSpec>(&json).unwrap(), spec);
        }
        for (text, told) in [
            ("anthropic:claude", "`anthropic` offers no embeddings"),
            ("scripted:a.jsonl", "it makes no embeddings"),
            ("model.gguf", "it makes no embeddings"),
            ("openia:m", "`openai` is"),
        ] {
            let error = text.parse::<EmbedderSpec>().unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
