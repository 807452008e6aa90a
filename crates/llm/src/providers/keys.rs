//! Which key goes to which server.
//!
//! A key belongs to a host. [`Keys`] holds the user's keys and decides for every model by one rule, which
//! `docs/models.md` states for users:
//!
//! 1. `LLM_API_KEY_ROLE`, or a key of the role's own in a configuration, goes to the server that this role names.
//! 2. `LLM_API_KEY` goes to the hosts of `LLM_API_KEY_FOR`.
//! 3. A provider's own variable, such as `ANTHROPIC_API_KEY`, goes to the provider's own host, over `https`.
//! 4. `LLM_API_KEY` without `LLM_API_KEY_FOR` goes to the host of the main model.
//! 5. Over `http` a key goes to this machine only, and only when 1 or 2 asks for it.

use std::collections::BTreeMap;
use std::fmt;

use graphloom_http::is_loopback;
use reqwest::Url;

use super::config::check_base_url;
use super::{ApiKey, KEY_VARIABLE, Provider};
use crate::ModelError;

/// The environment variable of the hosts that the key of [`KEY_VARIABLE`] is for.
pub const HOSTS_VARIABLE: &str = "LLM_API_KEY_FOR";

/// The longest file that is read for a key, in bytes.
const LONGEST_FILE: u64 = 64 << 10;

/// The keys that a user has set, each with the servers it may go to. Neither [`Debug`] nor any message shows a key.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    shared: Option<SourcedKey>,
    /// The hosts that the shared key is for, where the user says so.
    hosts: Option<Vec<Host>>,
    own: BTreeMap<String, SourcedKey>,
    /// The keys of providers, each with the one host that it is for; the first of a host counts. A key that cannot be read
    /// is an error of those models only that need it.
    providers: Vec<(Host, Result<SourcedKey, ModelError>)>,
    /// The variables of keys that are set without their host, each with the variable that names the host.
    without_host: Vec<(&'static str, &'static str)>,
}

#[derive(Clone, Debug, PartialEq)]
struct SourcedKey {
    key: ApiKey,
    /// The variable or parameter that holds the key.
    source: String,
}

/// Whether a server gets a key, and why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyUse {
    /// The key is sent.
    Sent {
        /// The key.
        key: ApiKey,
        /// The variable or parameter that holds the key.
        source: String,
    },
    /// There is a key, but not for this server.
    Withheld {
        /// The variable that holds the key.
        source: String,
        /// Why the key is not sent, and what the user can set to send it.
        why: String,
    },
    /// There is no key.
    None,
}

/// A server's name and port: what a key belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host {
    name: String,
    port: u16,
}

impl Host {
    /// The host of a base address.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when `base_url` is no base address.
    pub fn of(base_url: &str) -> Result<Self, ModelError> {
        Ok(Self::of_url(&check_base_url(base_url)?))
    }

    /// The name, without the port.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn of_url(url: &Url) -> Self {
        let name = url.host_str().unwrap_or_default().to_owned();
        Self { name, port: url.port_or_known_default().unwrap_or_default() }
    }

    /// Reads `HOST`, which means port 443, `HOST:PORT`, or a base address.
    fn read(text: &str) -> Result<Self, ModelError> {
        let wrong = |_| ModelError::Setup {
            message: format!("`{HOSTS_VARIABLE}` must be `HOST` or `HOST:PORT`, or several with commas between"),
        };
        let address = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let url = check_base_url(&address).map_err(wrong)?;
        Ok(Self::of_url(&url))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            443 => f.write_str(&self.name),
            port => write!(f, "{}:{port}", self.name),
        }
    }
}

impl Keys {
    /// Reads the keys from variables: `LLM_API_KEY` with `LLM_API_KEY_FOR`, `LLM_API_KEY_ROLE` for each of `roles`, and
    /// those of [providers](Provider::key_variables).
    /// A key can be in a file instead, which the variable with `_FILE` at its end names.
    ///
    /// # Errors
    /// [`ModelError::Setup`] for a file that cannot be read and for a text that is no host.
    pub fn from_variables<'r>(
        variable: impl Fn(&str) -> Option<String>,
        roles: impl IntoIterator<Item = &'r str>,
    ) -> Result<Self, ModelError> {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let hosts = match set(HOSTS_VARIABLE) {
            None => None,
            Some(list) => {
                let hosts = list.split(',').map(str::trim).filter(|host| !host.is_empty());
                Some(hosts.map(Host::read).collect::<Result<_, _>>()?)
            }
        };
        let mut keys = Self { shared: sourced_key(&set, KEY_VARIABLE)?, hosts, ..Self::default() };
        for provider in Provider::all() {
            let Some(host) = provider.key_host(set) else {
                if let Some(address) = provider.key_address_variable() {
                    for &name in provider.key_variables() {
                        if set(name).is_some() || set(&format!("{name}_FILE")).is_some() {
                            keys.without_host.push((name, address));
                        }
                    }
                }
                continue;
            };
            for name in provider.key_variables() {
                // Several providers of the table may share a host and its keys.
                let entry = sourced_key(&set, name).transpose().map(|key| (host.clone(), key));
                keys.providers.extend(entry.filter(|entry| !keys.providers.contains(entry)));
            }
        }
        for role in roles {
            if let Some(name) = role_variable(role)
                && let Some(own) = sourced_key(&set, &name)?
            {
                keys.own.insert(role.to_owned(), own);
            }
        }
        Ok(keys)
    }

    /// The keys of the environment, see [`Keys::from_variables`].
    ///
    /// # Errors
    /// Those of [`Keys::from_variables`].
    pub fn from_env<'r>(roles: impl IntoIterator<Item = &'r str>) -> Result<Self, ModelError> {
        Self::from_variables(|name| std::env::var(name).ok(), roles)
    }

    /// Gives a role a key of its own, which precedes the key of the role's variable. `source` names the place that
    /// holds the key.
    #[must_use]
    pub fn with_own(mut self, role: &str, key: ApiKey, source: &str) -> Self {
        self.own.insert(role.to_owned(), SourcedKey { key, source: source.to_owned() });
        self
    }

    /// Decides which key is sent to `base_url` with the calls of `role`. `main` is the address of the main model, where
    /// the user named that model and it has an address.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when a key that is asked for would go over `http` to another machine, and when `base_url`
    /// is no base address.
    pub fn of(&self, role: &str, base_url: &str, main: Option<&str>) -> Result<KeyUse, ModelError> {
        let url = check_base_url(base_url)?;
        let host = Host::of_url(&url);
        if let Some(SourcedKey { key, source }) = self.own.get(role) {
            return user_key(key, source, &url);
        }
        let listed = self.hosts.as_ref().is_some_and(|hosts| hosts.contains(&host));
        if let (Some(SourcedKey { key, source }), true) = (&self.shared, listed) {
            return user_key(key, source, &url);
        }
        // The host of a provider's key is reached over `https` only.
        let of_provider = self.providers.iter().find(|(own, _)| *own == host && url.scheme() == "https");
        if let Some((_, key)) = of_provider {
            let SourcedKey { key, source } = key.clone()?;
            return Ok(KeyUse::Sent { key, source });
        }
        let Some(SourcedKey { key, source }) = &self.shared else { return Ok(KeyUse::None) };
        let withheld = |why: String| Ok(KeyUse::Withheld { source: source.clone(), why });
        if let Some(hosts) = &self.hosts {
            let hosts = hosts.iter().map(|host| format!("`{host}`")).collect::<Vec<_>>().join(", ");
            return withheld(format!("`{HOSTS_VARIABLE}` says that it is for {hosts}"));
        }
        let is_main = main.is_some_and(|main| Host::of(main).is_ok_and(|main| main == host));
        if !is_main {
            let own = role_variable(role).map(|name| format!(", `{name}` is a key for this role")).unwrap_or_default();
            return withheld(format!(
                "it goes to the host of the main model only; `{HOSTS_VARIABLE}={host}` names another{own}"
            ));
        }
        if url.scheme() == "https" {
            return Ok(KeyUse::Sent { key: key.clone(), source: source.clone() });
        }
        if is_loopback(&url) {
            return withheld(format!("a server on this machine gets it only with `{HOSTS_VARIABLE}={host}`"));
        }
        withheld("over `http` everybody on the way could read it; use an `https` address".to_owned())
    }

    /// The key of a provider that is set and does not belong to the host that its model is at, and why it is not sent: for
    /// a server that [`Keys::of`] has no key for.
    pub fn elsewhere(&self, provider: &Provider) -> Option<KeyUse> {
        let withheld = |source: &str, why: String| Some(KeyUse::Withheld { source: source.to_owned(), why });
        if let Some(&(name, address)) =
            self.without_host.iter().find(|(name, _)| provider.key_variables().contains(name))
        {
            return withheld(name, format!("it is for the host of `{address}`, which names no `https` address"));
        }
        let own = |source: &str| provider.key_variables().contains(&source.strip_suffix("_FILE").unwrap_or(source));
        let (source, host) = self.of_providers().find(|&(source, _)| own(source))?;
        withheld(source, format!("it is for `{host}` only; `{KEY_VARIABLE}` with `{HOSTS_VARIABLE}` is for others"))
    }

    /// The keys of providers that are set: the variable, and the one host that it is for.
    pub fn of_providers(&self) -> impl Iterator<Item = (&str, &Host)> {
        self.providers.iter().filter_map(|(host, key)| Some((key.as_ref().ok()?.source.as_str(), host)))
    }

    /// All keys with their names, for a [`SecretGuard`](crate::cassette::SecretGuard).
    pub fn secrets(&self) -> impl Iterator<Item = (String, ApiKey)> + '_ {
        let providers = self.providers.iter().filter_map(|(_, key)| key.as_ref().ok());
        self.shared
            .iter()
            .chain(self.own.values())
            .chain(providers)
            .map(|named| (named.source.clone(), named.key.clone()))
    }
}

/// The variable of a role's own key; `None` for a role whose variable would have another meaning.
pub fn role_variable(role: &str) -> Option<String> {
    let role = role.to_ascii_uppercase().replace('-', "_");
    let means_else = role.is_empty() || role == "FOR" || role == "FILE" || role.ends_with("_FILE");
    (!means_else).then(|| format!("{KEY_VARIABLE}_{role}"))
}

/// Whether traffic to a base address is private: the address is `https`, or on this machine.
pub fn is_private(base_url: &str) -> bool {
    check_base_url(base_url).is_ok_and(|url| cannot_be_read(&url))
}

pub(super) fn cannot_be_read(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback(url)
}

/// Sends a key that the user has set for this very server, unless others could read the key on the way.
fn user_key(key: &ApiKey, source: &str, url: &Url) -> Result<KeyUse, ModelError> {
    if cannot_be_read(url) {
        return Ok(KeyUse::Sent { key: key.clone(), source: source.to_owned() });
    }
    Err(in_the_open(source, url))
}

/// The error for a key that others could read on the way.
pub(super) fn in_the_open(source: &str, url: &Url) -> ModelError {
    ModelError::Setup {
        message: format!(
            "the key of `{source}` would go to `{}` over `http`, where everybody on the way can read it; use an `https` \
             address, or take the key away",
            Host::of_url(url)
        ),
    }
}

/// The key of a variable, or of the file that its `_FILE` variable names.
fn sourced_key(set: &impl Fn(&str) -> Option<String>, variable: &str) -> Result<Option<SourcedKey>, ModelError> {
    if let Some(key) = set(variable) {
        return one_line(key, variable.to_owned());
    }
    let variable = format!("{variable}_FILE");
    let Some(path) = set(&variable) else { return Ok(None) };
    let fault = |why: &str| ModelError::Setup { message: format!("the key file `{path}` of `{variable}` {why}") };
    let file = std::fs::metadata(&path).map_err(|error| fault(&format!("cannot be read: {error}")))?;
    if !file.is_file() || file.len() > LONGEST_FILE {
        return Err(fault("holds no key"));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| fault(&format!("cannot be read: {error}")))?;
    match one_line(text, variable.clone())? {
        None => Err(fault("is empty")),
        named => Ok(named),
    }
}

fn one_line(key: String, source: String) -> Result<Option<SourcedKey>, ModelError> {
    if !key.trim().chars().all(|c| c.is_ascii_graphic()) {
        let message =
            format!("the key of `{source}` has characters that no key has, such as a space or an end of line");
        return Err(ModelError::Setup { message });
    }
    Ok(ApiKey::new(key).map(|key| SourcedKey { key, source }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: Option<&str> = Some("https://main.example/v1");

    fn keys(variables: &[(&str, &str)]) -> Result<Keys, ModelError> {
        let find =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Keys::from_variables(find, ["write", "for", "key_file"])
    }

    fn used(keys: &Keys, role: &str, base_url: &str, main: Option<&str>) -> String {
        match keys.of(role, base_url, main) {
            Ok(KeyUse::Sent { key, .. }) => key.reveal().to_owned(),
            Ok(KeyUse::Withheld { why, .. }) => format!("withheld: {why}"),
            Ok(KeyUse::None) => "none".to_owned(),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn a_key_goes_to_its_host_and_to_no_other() {
        let plain = [("LLM_API_KEY", "sk-shared")];
        let for_b = [("LLM_API_KEY", "sk-shared"), ("LLM_API_KEY_FOR", "B.example, c.example:8443")];
        let for_here = [("LLM_API_KEY", "sk-shared"), ("LLM_API_KEY_FOR", "127.0.0.1:8080")];
        let for_lan = [("LLM_API_KEY", "sk-shared"), ("LLM_API_KEY_FOR", "lan.example:80")];
        let own = [("LLM_API_KEY", "sk-shared"), ("LLM_API_KEY_WRITE", "sk-own")];
        let here = "http://127.0.0.1:8080/v1";
        let cases: [(&[(&str, &str)], &str, &str, Option<&str>, &str); 20] = [
            (&[], "write", "https://main.example/v1", MAIN, "none"),
            (&plain, "default", "https://main.example/v1", MAIN, "sk-shared"),
            (&plain, "write", "https://main.example/v2", MAIN, "sk-shared"),
            (&plain, "write", "https://main.example:8443/v1", MAIN, "withheld: it goes to the host of the main model"),
            (&plain, "write", "https://b.example/v1", MAIN, "withheld: it goes to the host of the main model"),
            (&plain, "write", "https://main.example.b.example/v1", MAIN, "withheld"),
            (&plain, "write", "http://main.example:443/v1", MAIN, "withheld: over `http`"),
            (&plain, "default", "http://main.example/v1", Some("http://main.example/v1"), "withheld: over `http`"),
            (&plain, "default", here, Some(here), "withheld: a server on this machine gets it only with"),
            (&plain, "default", here, None, "withheld: it goes to the host of the main model"),
            (&for_b, "default", "https://main.example/v1", MAIN, "withheld: `LLM_API_KEY_FOR` says that it is for `b."),
            (&for_b, "write", "https://b.example/v1", MAIN, "sk-shared"),
            (&for_b, "write", "https://b.example:8443/v1", MAIN, "withheld"),
            (&for_b, "write", "https://c.example:8443/v1", None, "sk-shared"),
            (&for_here, "default", here, Some(here), "sk-shared"),
            (&for_here, "default", "http://127.0.0.1:8081/v1", Some(here), "withheld"),
            (&for_lan, "default", "http://lan.example/v1", None, "error: the key of `LLM_API_KEY` would go"),
            (&own, "write", "https://b.example/v1", MAIN, "sk-own"),
            (&own, "write", here, MAIN, "sk-own"),
            (&own, "write", "http://b.example/v1", MAIN, "error: the key of `LLM_API_KEY_WRITE` would go"),
        ];
        for (variables, role, base_url, main, expected) in cases {
            let found = used(&keys(variables).unwrap(), role, base_url, main);
            assert!(found.starts_with(expected), "{variables:?} {role} {base_url}: {found}");
            assert!(found == expected || !found.contains("sk-"), "a message shows a key: {found}");
        }
    }

    #[test]
    fn a_provider_s_key_goes_to_its_own_host_however_the_model_is_spelled() {
        let set = [
            ("ANTHROPIC_API_KEY", "sk-ant"),
            ("GEMINI_API_KEY", "sk-gem"),
            ("GOOGLE_API_KEY", "sk-goo"),
            ("AZURE_OPENAI_API_KEY", "sk-az"),
            ("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com/"),
        ];
        let with_shared = [&set[..], &[("LLM_API_KEY", "sk-shared")]].concat();
        let with_hosts = [&with_shared[..], &[("LLM_API_KEY_FOR", "api.anthropic.com")]].concat();
        let gemini = "https://generativelanguage.googleapis.com/v1beta";
        let anthropic = Some("https://api.anthropic.com");
        let cases: [(&[(&str, &str)], &str, Option<&str>, &str); 13] = [
            (&set, "https://api.anthropic.com", anthropic, "sk-ant"),
            (&set, "https://api.anthropic.com/v1", None, "sk-ant"),
            (&set, "https://api.anthropic.com.evil.example", None, "none"),
            (&set, "https://api.anthropic.com:8443", None, "none"),
            (&set, "http://api.anthropic.com", None, "none"),
            (&set, "http://api.anthropic.com:443", None, "none"),
            (&set, "http://127.0.0.1:8080", None, "none"),
            (&set, gemini, None, "sk-gem"),
            (&set, "https://mine.openai.azure.com/openai/v1", None, "sk-az"),
            (&set, "https://yours.openai.azure.com/openai/v1", None, "none"),
            (&with_shared, "https://api.anthropic.com", anthropic, "sk-ant"),
            (&with_shared, gemini, anthropic, "sk-gem"),
            (&with_hosts, "https://api.anthropic.com", anthropic, "sk-shared"),
        ];
        for (variables, base_url, main, expected) in cases {
            assert_eq!(used(&keys(variables).unwrap(), "default", base_url, main), expected, "{base_url}");
        }
        assert_eq!(keys(&set).unwrap().secrets().count(), 4);
        assert!(!format!("{:?}", keys(&set).unwrap()).contains("sk-"));
        // A key that cannot be read is in the way of its own provider only.
        let broken = [&set[1..], &[("ANTHROPIC_API_KEY_FILE", "/no/such/file")]].concat();
        assert!(used(&keys(&broken).unwrap(), "default", "https://api.anthropic.com", None).contains("cannot be read"));
        assert_eq!(used(&keys(&broken).unwrap(), "default", gemini, None), "sk-gem");
        // Without the address of one's own resource nobody gets the key.
        let nowhere = keys(&[("AZURE_OPENAI_API_KEY", "sk-az")]).unwrap();
        assert_eq!(used(&nowhere, "default", "https://mine.openai.azure.com/openai/v1", None), "none");
    }

    #[test]
    fn a_key_can_be_in_a_file() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("key").display().to_string();
        std::fs::write(&file, "sk-filed\n").unwrap();
        let filed = keys(&[("LLM_API_KEY_FILE", &file), ("LLM_API_KEY_WRITE_FILE", &file)]).unwrap();
        assert_eq!(used(&filed, "default", "https://main.example", MAIN), "sk-filed");
        assert_eq!(used(&filed, "write", "https://b.example", MAIN), "sk-filed");
        assert_eq!(filed.secrets().count(), 2);
        assert!(!format!("{filed:?}").contains("sk-filed"));
        std::fs::write(&file, "two\nlines").unwrap();
        assert!(keys(&[("LLM_API_KEY_FILE", &file)]).unwrap_err().to_string().contains("characters that no key has"));
        std::fs::write(&file, " \n").unwrap();
        assert!(keys(&[("LLM_API_KEY_FILE", &file)]).unwrap_err().to_string().contains("is empty"));
        for (path, expected) in [("/no/such/file", "cannot be read"), ("/", "holds no key")] {
            let error = keys(&[("LLM_API_KEY_FILE", path)]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn names_that_mean_something_else_are_no_roles() {
        let variables =
            [("LLM_API_KEY", "sk-shared"), ("LLM_API_KEY_FOR", "b.example"), ("LLM_API_KEY_KEY_FILE", "/x")];
        let keys = keys(&variables).unwrap();
        assert!(used(&keys, "for", "https://main.example", MAIN).starts_with("withheld"));
        assert_eq!(role_variable("info-collecting").as_deref(), Some("LLM_API_KEY_INFO_COLLECTING"));
        assert_eq!(role_variable("key_file"), None);
        for hosts in ["https://me:pw@h", "a b", "h?x", "ftp://h"] {
            let error = super::Keys::from_variables(|name| (name == HOSTS_VARIABLE).then(|| hosts.to_owned()), []);
            let error = error.unwrap_err().to_string();
            assert!(error.contains("must be `HOST`") && !error.contains("pw"), "{hosts}: {error}");
        }
    }
}
