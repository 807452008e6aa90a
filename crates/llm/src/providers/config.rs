//! The address of a provider, and the time limits of its calls.

use std::time::Duration;

use reqwest::Url;

use super::table::COMPATIBLE;
use super::{ApiKey, LearntAbilities, Provider, keys};
use crate::layers::Rates;
use crate::{ModelError, Notes};

/// The environment variable of the key for the main model, whoever provides it.
pub const KEY_VARIABLE: &str = "LLM_API_KEY";

/// Configuration of a [`Remote`](super::Remote) client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RemoteConfig {
    /// Who provides the model.
    pub provider: &'static Provider,
    /// The model's name at the provider.
    pub name: String,
    /// The address that the paths of the interface are added to, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The key that is sent, if any. Over `http` it is sent to this machine only.
    pub key: Option<ApiKey>,
    /// The variable that is named when the provider refuses the key; the provider's own unless set.
    pub key_variable: String,
    /// The limit for making a connection; 5 seconds unless set.
    pub connect_timeout: Duration,
    /// The limit for a whole answer that is not streamed; 600 seconds unless set.
    pub timeout: Duration,
    /// The longest silence of a stream; 120 seconds unless set.
    pub idle_timeout: Duration,
    /// The most tokens of input and output together, where known. Ollama is asked for a context of this size, and for one
    /// that the conversation fits into where it is not known.
    pub context: Option<u32>,
    /// Whether the model reads images; as the provider's models usually do unless set. A server of one's own does not say,
    /// so there it is off.
    pub images: bool,
    /// The use of the host, which is told what the headers of its answers say of limits.
    pub rates: Option<Rates>,
    /// What was learnt about the model in earlier runs, and where it is kept.
    pub learnt: Option<LearntAbilities>,
    /// The log of rejected features.
    pub notes: Notes,
}

impl RemoteConfig {
    /// A configuration for a provider at its own address, without a key. [`Keys`](super::Keys) decides which key belongs
    /// to the address.
    pub fn new(provider: &'static Provider, name: impl Into<String>) -> Self {
        Self {
            provider,
            name: name.into(),
            base_url: provider.base_url().unwrap_or_default().to_owned(),
            key: None,
            key_variable: provider.key_variable().to_owned(),
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(600),
            idle_timeout: Duration::from_secs(120),
            context: None,
            images: provider.peculiarities.images,
            rates: None,
            learnt: None,
            notes: Notes::default(),
        }
    }

    /// A configuration for any server with the OpenAI chat-completions interface, without a key.
    pub fn compatible(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self::new(&COMPATIBLE, name).at(base_url)
    }

    /// The same at another address.
    #[must_use]
    pub fn at(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// The base address, when the key may be sent there.
    pub(super) fn base(&self) -> Result<Url, ModelError> {
        let url = check_base_url(&self.base_url)?;
        if self.key.is_some() && !keys::cannot_be_read(&url) {
            return Err(keys::in_the_open(&self.key_variable, &url));
        }
        Ok(url)
    }
}

/// Reads a base address. The address must be `http` or `https`, without a user, a password, a query or a fragment.
///
/// # Errors
/// [`ModelError::Setup`] with what is wrong.
pub fn check_base_url(text: &str) -> Result<Url, ModelError> {
    let url = Url::parse(text).map_err(|error| wrong(text, &error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong(text, "it must begin with `http://` or `https://`"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let message = format!("the address of `{}` holds a user or password; set `{KEY_VARIABLE}` instead", host(&url));
        return Err(ModelError::Setup { message });
    }
    if url.query().is_some() || url.fragment().is_some() {
        let message = format!("the address of `{}` must not hold `?` or `#`", host(&url));
        return Err(ModelError::Setup { message });
    }
    Ok(url)
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

fn wrong(text: &str, why: &str) -> ModelError {
    ModelError::Setup { message: format!("`{}` is not a base address of a server: {why}", without_user(text)) }
}

/// An address, or the name of a model with an address, with the user, the password and the query hidden. A text without
/// user and password is cut at 200 characters.
pub fn without_user(text: &str) -> String {
    let shown: String = match (text.find("://"), text.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => format!("{}[hidden]{}", &text[..scheme + 3], &text[at..]),
        _ => text.chars().take(200).collect(),
    };
    // A query such as `?key=…` may hold a key.
    match shown.find('?') {
        Some(query) if shown[query..].contains('=') => format!("{}?[hidden]", &shown[..query]),
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        let endpoint = |base: &str| {
            let url = RemoteConfig::compatible("m", base).base()?;
            let place = COMPATIBLE.wire().protocol().place("m", false);
            Ok::<_, ModelError>(crate::providers::remote::address(&url, &place).to_string())
        };
        assert_eq!(endpoint("http://127.0.0.1:8080/v1").unwrap(), "http://127.0.0.1:8080/v1/chat/completions");
        assert_eq!(endpoint("https://h/api/v1/").unwrap(), "https://h/api/v1/chat/completions");
        assert_eq!(endpoint("http://h").unwrap(), "http://h/chat/completions");
        for (base, expected) in [
            ("127.0.0.1:8080/v1", "not a base address"),
            ("ftp://h/v1", "must begin with `http://`"),
            ("http://me:pw@h/v1", "set `LLM_API_KEY` instead"),
            ("http://h/v1?key=x", "must not hold `?`"),
            ("http://me:pw@:80/v1", "not a base address"),
        ] {
            let message = endpoint(base).unwrap_err().to_string();
            assert!(message.contains(expected), "{base}: {message}");
            assert!(!message.contains("pw") && !message.contains("key=x"), "{message}");
        }
    }

    #[test]
    fn what_an_address_may_hide_is_not_shown() {
        for (text, shown) in [
            ("compatible:m@https://h/v1?key=sk-secret", "compatible:m@https://h/v1?[hidden]"),
            ("compatible:m@https://me:pw@h/v1?a=b", "compatible:m@https://[hidden]@h/v1?[hidden]"),
            ("which model?", "which model?"),
        ] {
            assert_eq!(without_user(text), shown);
        }
    }

    #[test]
    fn a_key_never_goes_in_the_open() {
        let with_key = |base: &str| {
            let mut config = RemoteConfig::compatible("m", base);
            config.key = ApiKey::new("sk-secret");
            config.base().map(|_| ()).map_err(|error| error.to_string())
        };
        for base in ["https://h/v1", "http://127.0.0.1:1/v1", "http://localhost/v1", "http://[::1]/v1"] {
            assert_eq!(with_key(base), Ok(()), "{base}");
        }
        for base in ["http://h/v1", "http://10.0.0.1/v1", "http://localhost.h/v1", "http://[::ffff:10.0.0.1]/v1"] {
            let message = with_key(base).unwrap_err();
            assert!(message.contains("everybody on the way") && !message.contains("sk-"), "{message}");
        }
    }
}
