//! The address of a compatible server, and the time limits of its calls.

use std::time::Duration;

use reqwest::Url;

use super::{ApiKey, keys};
use crate::{ModelError, Notes};

/// The environment variable of the key for `compatible:` models.
pub const KEY_VARIABLE: &str = "LLM_API_KEY";

/// Configuration of a [`Compatible`](super::Compatible) client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompatibleConfig {
    /// The model's name at the server.
    pub name: String,
    /// The address that `/chat/completions` is added to, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The key that is sent as a bearer token, if any. Over `http` it is sent to this machine only.
    pub key: Option<ApiKey>,
    /// The variable that is named when the server refuses the key; [`KEY_VARIABLE`] unless set.
    pub key_variable: String,
    /// The limit for making a connection; 5 seconds unless set.
    pub connect_timeout: Duration,
    /// The limit for a whole answer that is not streamed; 600 seconds unless set.
    pub timeout: Duration,
    /// The longest silence of a stream; 120 seconds unless set.
    pub idle_timeout: Duration,
    /// The most tokens of input and output together, where known.
    pub context: Option<u32>,
    /// Whether the model reads images; off unless set, because servers do not say.
    pub images: bool,
    /// The log of rejected features.
    pub notes: Notes,
}

impl CompatibleConfig {
    /// A configuration without a key. [`Keys`](super::Keys) decides which key belongs to the address.
    pub fn new(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            base_url: base_url.into(),
            key: None,
            key_variable: KEY_VARIABLE.to_owned(),
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(600),
            idle_timeout: Duration::from_secs(120),
            context: None,
            images: false,
            notes: Notes::default(),
        }
    }

    /// The address of chat completions.
    pub(super) fn endpoint(&self) -> Result<Url, ModelError> {
        let url = check_base_url(&self.base_url)?;
        if self.key.is_some() && !keys::cannot_be_read(&url) {
            return Err(keys::in_the_open(&self.key_variable, &url));
        }
        let joined = format!("{}/chat/completions", url.as_str().trim_end_matches('/'));
        Url::parse(&joined).map_err(|error| wrong(&self.base_url, &error.to_string()))
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

/// An address, or the name of a model with an address, with the user and the password hidden. A text without them is
/// cut at 200 characters.
pub fn without_user(text: &str) -> String {
    match (text.find("://"), text.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => format!("{}[hidden]{}", &text[..scheme + 3], &text[at..]),
        _ => text.chars().take(200).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        let endpoint = |base: &str| CompatibleConfig::new("m", base).endpoint().map(|url| url.to_string());
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
    fn a_key_never_goes_in_the_open() {
        let with_key = |base: &str| {
            let mut config = CompatibleConfig::new("m", base);
            config.key = ApiKey::new("sk-secret");
            config.endpoint().map(|_| ()).map_err(|error| error.to_string())
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
