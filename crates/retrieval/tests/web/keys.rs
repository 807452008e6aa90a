//! A key goes to the host that it is for: every byte that arrives at a host is read.

use std::collections::BTreeMap;

use graphloom_frozen_web::Wire;
use graphloom_retrieval::RetrievalError;
use graphloom_retrieval::literature::{Literature, LiteratureOptions, Query, SourceName};
use graphloom_retrieval::web::{EngineName, Web, WebOptions};

use super::hosts::KEYED;

const KEY: &str = "key-of-an-account";

/// What arrives at a host that is asked with these variables, and what is told of keys.
async fn arrived(wire: &Wire, engine: EngineName, variables: &[(String, String)]) -> (String, Vec<String>) {
    let variables: BTreeMap<&str, &str> =
        variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let options = WebOptions::from_environment(|name| variables.get(name).map(|value| (*value).to_owned())).unwrap();
    let told = options.withheld(&[engine]).unwrap();
    Web::open(&[engine], &options).unwrap().ask("the log", 3).await;
    (wire.taken(), told)
}

#[tokio::test]
async fn a_key_of_the_environment_goes_to_named_hosts_only() {
    for engine in KEYED {
        let (wire, other) = (Wire::answering("200 OK", "", "{}"), Wire::answering("200 OK", "", "{}"));
        let (key, address) = (engine.key_variable(), engine.address_variable());
        let place = format!("http://{}", wire.host());
        for (named, sent) in [(None, false), (Some(other.host()), false), (Some(wire.host()), true)] {
            let mut variables = vec![(key.clone(), KEY.to_owned()), (address.clone(), place.clone())];
            variables.extend(named.map(|host| (format!("{key}_FOR"), host)));
            let (bytes, told) = arrived(&wire, engine, &variables).await;
            assert!(
                bytes.contains("the log") || bytes.contains("q=the+log"),
                "{engine}: the question arrives: {bytes}"
            );
            assert_eq!(bytes.contains(KEY), sent, "{engine}: {bytes}");
            assert_eq!(told.len(), usize::from(!sent), "{told:?}");
            assert!(told.iter().all(|line| line.contains(&key) && line.contains(&wire.host()) && !line.contains(KEY)));
        }
        assert!(other.taken().is_empty());
    }
}

#[tokio::test]
async fn a_redirect_takes_a_key_nowhere() {
    let elsewhere = Wire::answering("200 OK", "", "{}");
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let location = format!("location: http://{}/search?api_key={KEY}\r\n", elsewhere.host());
        let wire = Wire::answering(status, &location, "");
        for engine in KEYED {
            let options = WebOptions::default().address(engine, &format!("http://{}", wire.host()));
            let options = options.key(engine, KEY).key_for(engine, &wire.host()).unwrap();
            Web::open(&[engine], &options).unwrap().ask("the log", 3).await;
            assert!(wire.taken().contains(KEY));
        }
        let options =
            literature(&wire).key(SourceName::OpenAlex, KEY).key_for(SourceName::OpenAlex, &wire.host()).unwrap();
        Literature::open(options).unwrap().ask(&Query::parse("the log").unwrap()).await;
        assert!(wire.taken().contains(KEY));
    }
    assert_eq!(elsewhere.taken(), "", "nothing arrives there");
}

fn literature(wire: &Wire) -> LiteratureOptions {
    let mut options = LiteratureOptions::default().all_at(&format!("http://{}", wire.host()));
    (options.arxiv.off, options.crossref.off) = (true, true);
    options
}

#[tokio::test]
async fn the_key_of_openalex_in_an_address_goes_to_its_host_only() {
    let wire = Wire::answering("200 OK", "", "{}");
    for (hosts, sent) in [("", false), ("api.openalex.org", false), (wire.host().as_str(), true)] {
        let options = literature(&wire).keys_from(|name| match name {
            "OPENALEX_API_KEY" => Some(KEY.to_owned()),
            "OPENALEX_API_KEY_FOR" => Some(hosts.to_owned()),
            _ => None,
        });
        let options = options.unwrap();
        assert_eq!(options.withheld().unwrap().is_empty(), sent);
        Literature::open(options).unwrap().ask(&Query::parse("the log").unwrap()).await;
        let bytes = wire.taken();
        assert!(bytes.contains("/works?") && bytes.contains(KEY) == sent, "{hosts}: {bytes}");
    }
}

#[test]
fn a_key_that_anybody_on_the_way_could_read_is_refused_before_anything_is_sent() {
    // Addresses for documentation, which nobody has.
    for engine in KEYED {
        let options = WebOptions::default().key(engine, KEY).address(engine, "http://192.0.2.1/search");
        assert!(Web::open(&[engine], &options).is_ok(), "without a key the engine can be asked");
        let named = options.key_for(engine, "192.0.2.1:80").unwrap();
        let error = Web::open(&[engine], &named).unwrap_err();
        assert!(matches!(error, RetrievalError::OpenKey { .. }) && !error.to_string().contains(KEY), "{error}");
    }
    let mut options = LiteratureOptions::default()
        .key(SourceName::OpenAlex, KEY)
        .key_for(SourceName::OpenAlex, "192.0.2.1:80")
        .unwrap();
    options.openalex.address = Some("http://192.0.2.1".into());
    assert!(matches!(Literature::open(options), Err(RetrievalError::OpenKey { .. })));
}
