//! Which engines are asked, where, and with which keys.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use graphloom_text::{LONGEST_ADDRESS, has_credentials};
use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::engines::{Brave, Exa, Serper, Tavily};
use crate::RetrievalError;
use crate::literature::{ApiKey, Contact, HostKey, HostKeyUse, Politeness};

/// An engine of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EngineName {
    /// Tavily, which gives excerpts made for models.
    Tavily,
    /// Google's pages through Serper.
    #[serde(alias = "serper")]
    Google,
    /// Brave Search, which has an index of its own.
    Brave,
    /// Exa, which searches by meaning and gives the text of pages.
    Exa,
    /// An instance of SearXNG, mostly one's own.
    Searxng,
    /// Wikipedia, which needs no key.
    Wikipedia,
}

impl EngineName {
    /// All engines.
    pub const ALL: [Self; 6] = [Self::Tavily, Self::Google, Self::Brave, Self::Exa, Self::Searxng, Self::Wikipedia];

    /// The name in lower case, as configurations write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tavily => "tavily",
            Self::Google => "google",
            Self::Brave => "brave",
            Self::Exa => "exa",
            Self::Searxng => "searxng",
            Self::Wikipedia => "wikipedia",
        }
    }

    /// What the variables of the environment begin with.
    const fn prefix(self) -> &'static str {
        match self {
            Self::Tavily => "TAVILY",
            Self::Google => "SERPER",
            Self::Brave => "BRAVE",
            Self::Exa => "EXA",
            Self::Searxng => "SEARXNG",
            Self::Wikipedia => "WIKIPEDIA",
        }
    }

    /// The variable that holds the key. With `_FILE` at its end it names a file that holds it.
    #[must_use]
    pub fn key_variable(self) -> String {
        format!("{}_API_KEY", self.prefix())
    }

    /// The address whose host the key of the engine is for; none for engines without keys.
    const fn own_address(self) -> Option<&'static str> {
        match self {
            Self::Tavily => Some(Tavily::ADDRESS),
            Self::Google => Some(Serper::ADDRESS),
            Self::Brave => Some(Brave::ADDRESS),
            Self::Exa => Some(Exa::ADDRESS),
            Self::Searxng | Self::Wikipedia => None,
        }
    }

    /// The variable that holds another address than the usual one.
    #[must_use]
    pub fn address_variable(self) -> String {
        format!("{}_URL", self.prefix())
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for EngineName {
    type Err = RetrievalError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name.trim().to_ascii_lowercase().as_str() {
            "tavily" => Ok(Self::Tavily),
            "google" | "serper" => Ok(Self::Google),
            "brave" => Ok(Self::Brave),
            "exa" => Ok(Self::Exa),
            "searxng" => Ok(Self::Searxng),
            "wikipedia" => Ok(Self::Wikipedia),
            _ => Err(RetrievalError::NoSuchEngine { name: name.to_owned() }),
        }
    }
}

/// One engine: where it is, with which key and with which manners it is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineOptions {
    /// Another address than the host that the engine serves. The path of the engine's interface is added to it.
    pub address: Option<String>,
    /// The key of an account, and the hosts that it is for.
    pub key: Option<HostKey>,
    /// Other manners than usual.
    pub politeness: Option<Politeness>,
}

/// What [`Web::open`](super::Web::open) needs to know.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WebOptions {
    /// The engines, as far as something is said of them.
    pub engines: BTreeMap<EngineName, EngineOptions>,
    /// The program, as the engines see it; `graphloom/VERSION` unless set.
    pub agent: String,
    /// Who runs the program; Wikipedia asks to be told.
    pub contact: Option<Contact>,
    /// The language of the pages, as a code of two letters; `en` unless set.
    pub language: String,
    /// The most searches in a second for all engines together; 0, which is no bound, unless set.
    pub per_second: f64,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self {
            engines: BTreeMap::new(),
            agent: concat!("graphloom/", env!("CARGO_PKG_VERSION")).to_owned(),
            contact: None,
            language: "en".to_owned(),
            per_second: 0.0,
        }
    }
}

impl WebOptions {
    /// Keys and addresses from the environment, through `variable`: for each engine [`EngineName::key_variable`], or
    /// the file that the variable with `_FILE` at its end names, and [`EngineName::address_variable`]. The key is for the
    /// hosts of the variable with `_FOR` at its end; where that is not set, for the host of the address, if this is
    /// `https`, and without an address for the engine's own.
    ///
    /// # Errors
    /// [`RetrievalError::KeyFile`] when a key file cannot be read; [`RetrievalError::KeyHost`].
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, RetrievalError> {
        let mut options = Self::default();
        let set = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        for name in EngineName::ALL {
            let address = set(&name.address_variable());
            let secure = address.clone().filter(|address| address.starts_with("https://"));
            let key = HostKey::from_environment(&name.key_variable(), secure.as_deref(), &variable)?;
            if key.is_some() || address.is_some() {
                options.engines.insert(name, EngineOptions { address, key, politeness: None });
            }
        }
        Ok(options)
    }

    /// Uses a key for the engine's own host, and for no other. An empty one changes nothing.
    #[must_use]
    pub fn key(mut self, engine: EngineName, key: &str) -> Self {
        if let Some(key) = HostKey::new(key, &engine.key_variable()) {
            self.engines.entry(engine).or_default().key = Some(key);
        }
        self
    }

    /// Names the hosts that the key of an engine is for, as [`HostKey::for_hosts`] reads them.
    ///
    /// # Errors
    /// [`RetrievalError::KeyHost`] for what is no host.
    pub fn key_for(mut self, engine: EngineName, hosts: &str) -> Result<Self, RetrievalError> {
        let options = self.engines.entry(engine).or_default();
        options.key = options.key.take().map(|key| key.for_hosts(hosts)).transpose()?;
        Ok(self)
    }

    /// Which keys of these engines are not sent, and why: they are not for the address that the engine is asked at.
    ///
    /// # Errors
    /// As [`Web::open`](super::Web::open).
    pub fn withheld(&self, engines: &[EngineName]) -> Result<Vec<String>, RetrievalError> {
        let mut warnings = Vec::new();
        for engine in engines.iter().filter(|engine| engine.own_address().is_some()) {
            if let Some(why) = self.setup(*engine, engine.own_address(), "/search")?.withheld {
                warnings.push(format!("the key of `{}` is not sent: {why}", engine.key_variable()));
            }
        }
        Ok(warnings)
    }

    /// Asks an engine at another address.
    #[must_use]
    pub fn address(mut self, engine: EngineName, address: &str) -> Self {
        self.engines.entry(engine).or_default().address = Some(address.to_owned());
        self
    }

    /// Bounds the searches in a second; 0 is no bound.
    #[must_use]
    pub fn per_second(mut self, searches: f64) -> Self {
        self.per_second = searches;
        self
    }

    /// All engines at one address of one's own, without pauses: for tests on this machine. Each is asked at
    /// its name and the path of its interface, as Tavily at `/tavily/search` and Wikipedia at `/wikipedia/w/api.php`.
    #[must_use]
    pub fn all_at(mut self, address: &str) -> Self {
        let base = address.trim_end_matches('/');
        for name in EngineName::ALL {
            let options = self.engines.entry(name).or_default();
            options.address = Some(format!("{base}/{name}"));
            options.politeness = Some(Politeness::none());
        }
        self
    }

    /// Whether an engine has what it needs: SearXNG an address, Wikipedia nothing, the others a key or an address of one's own.
    #[must_use]
    pub fn is_ready(&self, engine: EngineName) -> bool {
        let options = self.engines.get(&engine);
        let (keyed, placed) =
            options.map_or((false, false), |options| (options.key.is_some(), options.address.is_some()));
        match engine {
            EngineName::Searxng => placed,
            EngineName::Wikipedia => true,
            _ => keyed || placed,
        }
    }

    /// What is needed to ask `engine`, whose interface is at `path` of the usual address.
    pub(super) fn setup(&self, engine: EngineName, usual: Option<&str>, path: &str) -> Result<Setup, RetrievalError> {
        let EngineOptions { address, key, politeness } = self.engines.get(&engine).cloned().unwrap_or_default();
        if engine.own_address().is_some() && key.is_none() && address.is_none() {
            return Err(RetrievalError::NoKey { name: engine.as_str(), variable: engine.key_variable() });
        }
        let Some(given) = address.as_deref().or(usual) else {
            return Err(RetrievalError::NoAddress { name: engine.as_str(), variable: engine.address_variable() });
        };
        let mut url = parse_address(engine, given)?;
        let base = url.path().trim_end_matches('/').to_owned();
        // An address that was copied with its route is as good as one without.
        if !base.ends_with(path) {
            url.set_path(&format!("{base}{path}"));
        }
        let used = match key.zip(engine.own_address()) {
            Some((key, own)) => Some(key.at(&url, own)?),
            None => None,
        };
        let (key, withheld) = match used {
            Some(HostKeyUse::Sent(key)) => (Some(key), None),
            Some(HostKeyUse::Withheld(why)) => (None, Some(why)),
            None => (None, None),
        };
        Ok(Setup { url, key, withheld, politeness })
    }
}

/// What is needed to ask an engine.
pub(super) struct Setup {
    pub(super) url: Url,
    pub(super) key: Option<ApiKey>,
    /// Why a key is not sent, when there is one.
    pub(super) withheld: Option<String>,
    pub(super) politeness: Option<Politeness>,
}

fn parse_address(engine: EngineName, given: &str) -> Result<Url, RetrievalError> {
    let refused = |reason: &str| RetrievalError::SourceAddress {
        name: engine.as_str().to_owned(),
        given: crate::literature::text::shortened(given, 80),
        reason: reason.to_owned(),
    };
    if given.len() > LONGEST_ADDRESS {
        return Err(refused("it is too long"));
    }
    let url = Url::parse(given).map_err(|error| refused(&error.to_string()))?;
    if has_credentials(&url) {
        // The address is not repeated, because it holds a password.
        return Err(RetrievalError::SourceAddress {
            name: engine.as_str().to_owned(),
            given: format!("{}://…", url.scheme()),
            reason: "a name and a password do not belong in it".to_owned(),
        });
    }
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(refused("it is not of the web"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_from_variables_and_files_and_are_never_shown() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("key");
        std::fs::write(&file, "secret-of-serper\n").unwrap();
        let variable = |name: &str| match name {
            "TAVILY_API_KEY" => Some(" secret-of-tavily ".to_owned()),
            "SERPER_API_KEY_FILE" => Some(file.display().to_string()),
            "BRAVE_API_KEY" => Some("secret-of-brave".to_owned()),
            "EXA_API_KEY" => Some("secret-of-exa".to_owned()),
            "SEARXNG_URL" => Some("http://127.0.0.1:8888".to_owned()),
            _ => None,
        };
        let options = WebOptions::from_environment(variable).unwrap();
        assert_eq!(options.engines[&EngineName::Tavily].key, HostKey::new("secret-of-tavily", "TAVILY_API_KEY"));
        assert_eq!(options.engines[&EngineName::Google].key, HostKey::new("secret-of-serper", "SERPER_API_KEY"));
        assert!(EngineName::ALL.iter().all(|name| options.is_ready(*name)));
        assert!(!format!("{options:?}").contains("secret"));
        let gone = |name: &str| (name == "TAVILY_API_KEY_FILE").then(|| "/no/such/file".to_owned());
        let error = WebOptions::from_environment(gone).unwrap_err();
        assert!(matches!(error, RetrievalError::KeyFile { .. }), "{error}");
    }

    #[test]
    fn what_an_engine_lacks_is_named() {
        let none = WebOptions::default();
        let setup =
            |options: &WebOptions, name| options.setup(name, None, "/search").map(|setup| setup.url.to_string());
        assert!(
            matches!(setup(&none, EngineName::Tavily), Err(RetrievalError::NoKey { variable, .. }) if variable == "TAVILY_API_KEY")
        );
        assert!(
            matches!(setup(&none, EngineName::Searxng), Err(RetrievalError::NoAddress { variable, .. }) if variable == "SEARXNG_URL")
        );
        for (given, url) in [
            ("http://127.0.0.1:1/x/", Some("http://127.0.0.1:1/x/search")),
            ("http://127.0.0.1:1/search", Some("http://127.0.0.1:1/search")),
            ("ftp://example.org", None),
            ("http://me:password@example.org", None),
            ("nonsense", None),
        ] {
            let made = setup(&WebOptions::default().address(EngineName::Searxng, given), EngineName::Searxng);
            assert_eq!(made.as_deref().ok(), url, "{given}");
            assert!(!made.is_err_and(|error| error.to_string().contains("password@")));
        }
        assert!("altavista".parse::<EngineName>().unwrap_err().to_string().contains("wikipedia"));
    }
}
