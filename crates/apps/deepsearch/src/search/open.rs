//! From the configuration to the engines of the web.

use std::sync::Arc;

use graphloom_retrieval::literature::SourceName;
use graphloom_retrieval::web::{EngineName, LONGEST_ADDRESS, PageOptions, WebOptions};
use graphloom_retrieval::{NetworkOptions, RetrievalError, Search};

use crate::config::Config;
use crate::status::{Notice, StatusCode};

/// What the network is searched with.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct OpenedWeb {
    /// The engines; none when nothing was named.
    pub search: Option<Arc<dyn Search>>,
    /// Which keys are not sent, and why.
    pub withheld: Vec<String>,
}

impl std::fmt::Debug for OpenedWeb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let engines = self.search.as_ref().map(|search| search.engines());
        f.debug_struct("OpenedWeb").field("search", &engines).field("withheld", &self.withheld).finish()
    }
}

/// The engines of the web and the sources of literature that are named: by `names`, which is `--search`, else by
/// `web_search_engine_config.search_engine_name`, else those that have a key (or, for SearXNG, an address) in the
/// environment, which `variable` reads.
///
/// The key and the address of the configuration go before those of the environment, and are for one engine. A key belongs
/// to a host: that of the configuration to the address beside it, else to the engine's own; that of the environment to the
/// hosts that the environment names, else to the engine's own. Of
/// `web_search_engine_config.extension`, `fetch_pages` (`true` unless set) says whether pages are fetched, and
/// `page_hosts` names hosts with their ports that may be in a private network.
///
/// # Errors
/// 211300 when an engine is unknown or lacks something, 200021 for an address that is too long.
pub fn open_web(
    config: &Config,
    names: &[String],
    variable: impl Fn(&str) -> Option<String>,
) -> Result<OpenedWeb, Notice> {
    let mut named: Vec<String> = if names.is_empty() { configured_engines(config) } else { names.to_vec() };
    if named.is_empty() {
        let web = WebOptions::from_environment(&variable).map_err(|error| setup(&error))?;
        let with_key = EngineName::ALL.into_iter().filter(|name| *name != EngineName::Wikipedia && web.is_ready(*name));
        named = with_key.map(|name| name.to_string()).collect();
    }
    let network = network_options(config, &named, &variable)?;
    let names: Vec<&str> = named.iter().map(String::as_str).collect();
    let network = network.open(&names).map_err(|error| setup(&error))?;
    Ok(OpenedWeb { search: network.search(), withheld: network.withheld })
}

/// The names of `web_search_engine_config.search_engine_name`.
pub fn configured_engines(config: &Config) -> Vec<String> {
    let names = config.web_search_engine_config.search_engine_name.split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// How the engines of these names are asked under this configuration; see [`open_web`].
///
/// # Errors
/// As [`open_web`].
pub fn network_options(
    config: &Config,
    names: &[String],
    variable: impl Fn(&str) -> Option<String>,
) -> Result<NetworkOptions, Notice> {
    let web_config = &config.web_search_engine_config;
    let mut network = NetworkOptions::from_environment(&variable).map_err(|error| setup(&error))?;
    let mut options = network.web;
    options.per_second = config.web_search_max_qps;
    let engines = names.iter().filter(|name| name.parse::<SourceName>().is_err());
    let engines = engines.map(|name| name.parse::<EngineName>()).collect::<Result<Vec<_>, _>>();
    let engines = engines.map_err(|error| setup(&error))?;
    if let [engine] = engines[..] {
        if web_config.search_url.len() >= LONGEST_ADDRESS {
            let message = "`web_search_engine_config.search_url` is longer than 8192 characters";
            return Err(Notice::fatal(StatusCode::UrlTooLong, message));
        }
        options = options.key(engine, web_config.search_api_key.reveal());
        if !web_config.search_url.is_empty() {
            options = options.address(engine, &web_config.search_url);
            if !web_config.search_api_key.is_empty() {
                options = options.key_for(engine, &web_config.search_url).map_err(|error| setup(&error))?;
            }
        }
    } else if engines.len() > 1 && (!web_config.search_url.is_empty() || !web_config.search_api_key.is_empty()) {
        let message = "`web_search_engine_config.search_url` and `search_api_key` are for one engine; with several, set \
                       the key of each in the environment";
        return Err(Notice::fatal(StatusCode::SearchSetup, message));
    }
    (network.web, network.pages) = (options, page_options(config));
    Ok(network)
}

fn setup(error: &RetrievalError) -> Notice {
    Notice::fatal(StatusCode::SearchSetup, error.to_string())
}

/// How pages are fetched; nothing when they are not.
fn page_options(config: &Config) -> Option<PageOptions> {
    let extension = &config.web_search_engine_config.extension;
    if extension.get("fetch_pages").is_some_and(|value| value.as_bool() == Some(false)) {
        return None;
    }
    let mut options = PageOptions::default();
    let hosts = extension.get("page_hosts").and_then(serde_json::Value::as_array);
    for host in hosts.into_iter().flatten().filter_map(serde_json::Value::as_str) {
        options = options.exempt(host);
    }
    Some(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines(config: &Config, names: &[&str], keys: &[&str]) -> Result<Vec<String>, u32> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let variable = |name: &str| keys.contains(&name).then(|| "http://127.0.0.1:9".to_owned());
        match open_web(config, &names, variable) {
            Ok(opened) => Ok(opened.search.map(|search| search.engines()).unwrap_or_default()),
            Err(notice) => Err(notice.code.code()),
        }
    }

    #[test]
    fn engines_by_what_was_said() {
        let with = |change: fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            config
        };
        let plain = Config::default();
        let two = with(|config| config.web_search_engine_config.search_engine_name = "tavily, wikipedia".into());
        let keyed = with(|config| {
            config.web_search_engine_config.search_engine_name = "google".into();
            config.web_search_engine_config.search_api_key = crate::config::Secret::new("key");
        });
        let both = with(|config| {
            config.web_search_engine_config.search_engine_name = "tavily,google".into();
            config.web_search_engine_config.search_api_key = crate::config::Secret::new("key");
        });
        let long = with(|config| {
            config.web_search_engine_config.search_engine_name = "searxng".into();
            config.web_search_engine_config.search_url = format!("http://a.example/{}", "x".repeat(8192));
        });
        for (config, names, keys, expected) in [
            (&plain, &[][..], &[][..], Ok(vec![])),
            (&plain, &[], &["TAVILY_API_KEY", "SEARXNG_URL"], Ok(vec!["tavily", "searxng"])),
            (&plain, &["serper"], &["SERPER_API_KEY"], Ok(vec!["google"])),
            (&plain, &["wikipedia", "arxiv", "crossref"], &[], Ok(vec!["wikipedia", "arxiv", "crossref"])),
            (&two, &[], &["TAVILY_API_KEY"], Ok(vec!["tavily", "wikipedia"])),
            (&two, &["wikipedia"], &[], Ok(vec!["wikipedia"])),
            (&keyed, &[], &[], Ok(vec!["google"])),
            (&two, &[], &[], Err(211_300)),
            (&plain, &["searxng"], &[], Err(211_300)),
            (&plain, &["xunfei"], &[], Err(211_300)),
            (&both, &[], &["TAVILY_API_KEY", "SERPER_API_KEY"], Err(211_300)),
            (&long, &[], &[], Err(200_021)),
        ] {
            let expected = expected.map(|names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(engines(config, names, keys), expected, "{names:?} {keys:?}");
        }
    }

    #[test]
    fn pages_are_fetched_unless_turned_off() {
        let mut config = Config::default();
        assert_eq!(page_options(&config), Some(PageOptions::default()));
        config.web_search_engine_config.extension = serde_json::json!({ "page_hosts": ["127.0.0.1:8080", 7] });
        assert_eq!(page_options(&config).unwrap().exempt, ["127.0.0.1:8080"]);
        config.web_search_engine_config.extension = serde_json::json!({ "fetch_pages": false });
        assert_eq!(page_options(&config), None);
    }
}
