//! The providers that a model's name can begin with, one row each.

use reqwest::Url;

use super::features::Features;
use super::{Host, KEY_VARIABLE, Wire};

/// A provider of models, as users name it before the colon: `anthropic:NAME`.
pub struct Provider {
    name: &'static str,
    title: &'static str,
    base_url: Option<&'static str>,
    keys: &'static [&'static str],
    /// The variable whose address the keys belong to, for a provider that gives each customer an address.
    key_address: Option<&'static str>,
    wire: Wire,
    pub(super) peculiarities: Peculiarities,
}

/// How a provider departs from its wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peculiarities {
    /// The header that carries the key.
    pub(super) auth: Auth,
    /// The features that are tried first.
    pub(super) features: Features,
    /// How reasoning is asked for in chat completions.
    pub(super) reasoning: ReasoningForm,
    /// How reasoning goes back in chat completions.
    pub(super) echo: Echo,
    /// Whether models usually read images, and documents.
    pub(super) images: bool,
    pub(super) documents: bool,
}

/// The header that carries the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Auth {
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// A header of its own.
    Header(&'static str),
}

/// How reasoning is asked for in chat completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReasoningForm {
    /// `reasoning_effort`.
    Effort,
    /// `reasoning: {effort}` or `{max_tokens}`, as `OpenRouter` has it.
    Object,
    /// `thinking: {type}` beside `reasoning_effort`, as `DeepSeek` has it.
    Thinking,
}

/// How reasoning goes back in chat completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Echo {
    /// Not at all.
    Nothing,
    /// `reasoning_content`, with the tool calls that followed it.
    Content,
    /// `reasoning_details`, as they came.
    Details,
}

const CHAT: Peculiarities = Peculiarities {
    auth: Auth::Bearer,
    features: Features::ALL,
    reasoning: ReasoningForm::Effort,
    echo: Echo::Nothing,
    images: false,
    documents: false,
};

/// A server of one's own, or one that is not in the table.
const OWN: Peculiarities = Peculiarities { echo: Echo::Content, ..CHAT };

const MODERN: Peculiarities = Peculiarities {
    features: Features { completion_tokens: true, ..Features::ALL },
    images: true,
    documents: true,
    ..CHAT
};

const fn row(
    name: &'static str,
    title: &'static str,
    base_url: &'static str,
    key: &'static [&'static str],
    wire: Wire,
    peculiarities: Peculiarities,
) -> Provider {
    Provider { name, title, base_url: Some(base_url), keys: key, key_address: None, wire, peculiarities }
}

/// A server with the OpenAI chat-completions interface that the table does not know.
pub(super) static COMPATIBLE: Provider = Provider {
    name: "compatible",
    title: "any server with the OpenAI chat-completions interface",
    base_url: None,
    keys: &[],
    key_address: None,
    wire: Wire::OpenAiChat,
    peculiarities: OWN,
};

/// Every provider but [`COMPATIBLE`].
static TABLE: [Provider; 16] = [
    row(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com",
        &["ANTHROPIC_API_KEY"],
        Wire::Anthropic,
        Peculiarities {
            auth: Auth::Header("x-api-key"),
            // The version of the interface that is asked for refuses sampling parameters, and has no seed.
            features: Features {
                sampling: false,
                seed: false,
                json_object: false,
                reasoning_tokens: true,
                ..Features::ALL
            },
            images: true,
            documents: true,
            ..CHAT
        },
    ),
    row(
        "openai",
        "OpenAI, by its responses interface",
        "https://api.openai.com/v1",
        &["OPENAI_API_KEY"],
        Wire::OpenAiResponses,
        // The interface has no seed and no stop texts.
        Peculiarities { features: Features { seed: false, ..Features::ALL }, images: true, documents: true, ..CHAT },
    ),
    row(
        "openai-chat",
        "OpenAI, by chat completions",
        "https://api.openai.com/v1",
        &["OPENAI_API_KEY"],
        Wire::OpenAiChat,
        MODERN,
    ),
    row(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        Wire::Gemini,
        Peculiarities {
            auth: Auth::Header("x-goog-api-key"),
            features: Features { reasoning_tokens: true, ..Features::ALL },
            images: true,
            documents: true,
            ..CHAT
        },
    ),
    row(
        "ollama",
        "Ollama, on this machine unless an address is named",
        "http://127.0.0.1:11434",
        &[],
        Wire::Ollama,
        Peculiarities { images: true, ..CHAT },
    ),
    row(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
        Wire::OpenAiChat,
        Peculiarities {
            features: Features { reasoning_tokens: true, ..Features::ALL },
            reasoning: ReasoningForm::Object,
            echo: Echo::Details,
            images: true,
            documents: true,
            ..CHAT
        },
    ),
    row(
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com",
        &["DEEPSEEK_API_KEY"],
        Wire::OpenAiChat,
        Peculiarities {
            // A JSON object is promised, a schema is not taken.
            features: Features { structured: crate::StructuredSupport::JsonObject, ..Features::ALL },
            reasoning: ReasoningForm::Thinking,
            echo: Echo::Content,
            ..CHAT
        },
    ),
    row(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        &["MISTRAL_API_KEY"],
        Wire::OpenAiChat,
        Peculiarities { features: Features { seed_is_random_seed: true, ..Features::ALL }, images: true, ..CHAT },
    ),
    row(
        "groq",
        "Groq",
        "https://api.groq.com/openai/v1",
        &["GROQ_API_KEY"],
        Wire::OpenAiChat,
        Peculiarities { features: Features { completion_tokens: true, ..Features::ALL }, ..CHAT },
    ),
    row("xai", "xAI", "https://api.x.ai/v1", &["XAI_API_KEY"], Wire::OpenAiChat, WITH_IMAGES),
    row("together", "Together", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"], Wire::OpenAiChat, CHAT),
    Provider {
        name: "azure",
        title: "Azure OpenAI, at the address of your resource",
        base_url: None,
        keys: &["AZURE_OPENAI_API_KEY"],
        key_address: Some("AZURE_OPENAI_ENDPOINT"),
        wire: Wire::OpenAiChat,
        peculiarities: Peculiarities { auth: Auth::Header("api-key"), ..MODERN },
    },
    row("vllm", "vLLM on this machine", "http://127.0.0.1:8000/v1", &[], Wire::OpenAiChat, OWN),
    row("llamacpp", "llama.cpp's server on this machine", "http://127.0.0.1:8080/v1", &[], Wire::OpenAiChat, OWN),
    row("lmstudio", "LM Studio on this machine", "http://127.0.0.1:1234/v1", &[], Wire::OpenAiChat, OWN),
    row(
        "ollama-cloud",
        "Ollama's own servers",
        "https://ollama.com",
        &["OLLAMA_API_KEY"],
        Wire::Ollama,
        Peculiarities { images: true, ..CHAT },
    ),
];

const WITH_IMAGES: Peculiarities = Peculiarities { images: true, ..CHAT };

impl Provider {
    /// The provider of a name. `compatible` is one, too.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().find(|provider| provider.name == name)
    }

    /// Any server with the OpenAI chat-completions interface, at the address that is named.
    pub fn compatible() -> &'static Self {
        &COMPATIBLE
    }

    /// Every provider, the servers that the table does not know last.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        TABLE.iter().chain([&COMPATIBLE])
    }

    /// The name before the colon.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Who it is, for people.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Where the provider is, unless another address is named; `None` when one must be named.
    pub fn base_url(&self) -> Option<&'static str> {
        self.base_url
    }

    /// The environment variables of its key; the first one that is set counts.
    pub fn key_variables(&self) -> &'static [&'static str] {
        self.keys
    }

    /// The variable whose address the key belongs to, for a provider that gives each customer an address.
    pub fn key_address_variable(&self) -> Option<&'static str> {
        self.key_address
    }

    /// How requests and answers are written.
    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// Whether the provider has a wire for embeddings. Which of its models make them is for the provider to say.
    pub fn offers_embeddings(&self) -> bool {
        self.wire.embeddings().is_some()
    }

    /// The variable that a user would set for this provider.
    pub(super) fn key_variable(&self) -> &'static str {
        self.keys.first().copied().unwrap_or(KEY_VARIABLE)
    }

    /// The host that the provider's keys belong to: its own, never one that was named in its place. `variable` reads the
    /// environment.
    pub(super) fn key_host(&self, variable: impl Fn(&str) -> Option<String>) -> Option<Host> {
        let address = match self.key_address {
            Some(name) => variable(name)?,
            None => self.base_url?.to_owned(),
        };
        let url = Url::parse(address.trim()).ok()?;
        (url.scheme() == "https").then(|| Host::of_url(&url))
    }

    /// The name in the table that is nearest to a word, if one is near.
    pub fn nearest(word: &str) -> Option<&'static str> {
        let word = word.to_ascii_lowercase();
        let far = word.chars().count().max(3) / 2;
        let near = Self::all().map(|provider| (strsim::levenshtein(&word, provider.name), provider.name));
        near.min().filter(|(steps, _)| *steps <= far).map(|(_, name)| name)
    }
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Provider").field(&self.name).finish()
    }
}

impl PartialEq for Provider {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Provider {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::providers::check_base_url;

    #[test]
    fn the_table_holds_together() {
        let mut names = BTreeSet::new();
        for provider in Provider::all() {
            assert!(names.insert(provider.name()), "`{}` is there twice", provider.name());
            assert!(!provider.title().is_empty());
            if let Some(base) = provider.base_url() {
                let url = check_base_url(base).unwrap();
                let is_local = url.scheme() == "http";
                assert_eq!(is_local, url.host_str() == Some("127.0.0.1"), "{base}");
                // What is on this machine has no key that would be sent without being asked for.
                assert_eq!(is_local, provider.key_variables().is_empty(), "{base}");
            }
        }
        assert_eq!(Provider::named("compatible").unwrap().base_url(), None);
        assert_eq!(Provider::named("Anthropic"), None);
    }

    #[test]
    fn keys_belong_to_the_provider_s_own_host() {
        let none = |_: &str| None;
        let host = |name: &str| Provider::named(name).unwrap().key_host(none).map(|host| host.to_string());
        assert_eq!(host("anthropic").as_deref(), Some("api.anthropic.com"));
        assert_eq!((host("ollama"), host("azure"), host("compatible")), (None, None, None));
        let azure = Provider::named("azure").unwrap();
        let of = |address: &'static str| azure.key_host(move |_| Some(address.to_owned())).map(|host| host.to_string());
        assert_eq!(of("https://mine.openai.azure.com/").as_deref(), Some("mine.openai.azure.com"));
        assert_eq!((of("http://mine.openai.azure.com/"), of("mine")), (None, None));
    }

    #[test]
    fn a_slip_of_the_pen_has_a_nearest_name() {
        for (word, nearest) in [
            ("antropic", Some("anthropic")),
            ("Claude", None),
            ("openia", Some("openai")),
            ("olama", Some("ollama")),
            ("gemni", Some("gemini")),
            ("deep-seek", Some("deepseek")),
            ("x", None),
        ] {
            assert_eq!(Provider::nearest(word), nearest, "{word}");
        }
    }
}
