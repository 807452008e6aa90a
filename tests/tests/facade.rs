//! The crate `graphloom` offers every crate that is published, behind a feature of the name of its module.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// What a feature is called where the name of the crate does not say it: `None` for what is always there.
const OTHERWISE: [(&str, Option<&str>); 6] = [
    ("graphloom-core-graph", None),
    ("graphloom-core-graph-macros", None),
    ("graphloom-checkpoint-sqlite", Some("sqlite")),
    ("graphloom-checkpoint-postgres", Some("postgres")),
    ("graphloom-checkpoint-encrypted", Some("encrypted")),
    ("graphloom-llm-embedded", Some("embedded")),
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether a crate has a program and no library: those of the applications, which stand beside their libraries.
fn is_program(name: &str) -> bool {
    name.strip_prefix("graphloom-").and_then(|name| name.strip_suffix("-cli")).is_some()
}

/// The published crates apart from the facade, each with the feature that it is to be behind.
fn published() -> BTreeMap<String, Option<String>> {
    let workspace: Table = read("Cargo.toml").parse().expect("a manifest");
    let members = workspace["workspace"]["members"].as_array().expect("members").iter().filter_map(Value::as_str);
    let manifests = members.map(|member| read(&format!("{member}/Cargo.toml")).parse::<Table>().expect("a manifest"));
    manifests
        .filter(|manifest| manifest["package"].get("publish").is_none())
        .filter_map(|manifest| manifest["package"]["name"].as_str().map(str::to_owned))
        // The facade itself, and crates that have a program and no library.
        .filter(|name| name != "graphloom" && !is_program(name))
        .map(|name| {
            let otherwise = OTHERWISE.iter().find(|(crate_name, _)| *crate_name == name);
            let feature = match otherwise {
                Some((_, feature)) => feature.map(str::to_owned),
                None => Some(name.trim_start_matches("graphloom-").to_owned()),
            };
            (name, feature)
        })
        .collect()
}

#[test]
fn the_facade_offers_every_published_crate_and_says_so() {
    let facade: Table = read("crates/graphloom/Cargo.toml").parse().expect("a manifest");
    let (source, readme) = (read("crates/graphloom/src/lib.rs"), read("crates/graphloom/README.md"));
    let published = published();
    assert!(published.len() > 15, "{published:?}");
    for (name, feature) in published {
        let Some(feature) = feature else { continue };
        let turned_on = facade["features"].get(&feature).and_then(Value::as_array);
        let turned_on = turned_on.unwrap_or_else(|| panic!("the facade has no feature `{feature}` for `{name}`"));
        let dependency = format!("dep:{name}");
        assert!(
            turned_on.iter().any(|part| part.as_str() == Some(&dependency)),
            "`{feature}` does not turn on `{name}`"
        );
        let module = feature.replace('-', "_");
        let line = format!("#[cfg(feature = \"{feature}\")]\npub use {} as {module};", name.replace('-', "_"));
        assert!(source.contains(&line), "the facade has no module `{module}` for `{name}`");
    }
    // Each feature stands in the table of the crate and in the list of its README.
    for feature in facade["features"].as_table().expect("features").keys().filter(|feature| *feature != "default") {
        let told = format!("`{feature}`");
        let table = source.lines().filter(|line| line.starts_with("//! | "));
        assert!(table.clone().any(|line| line.contains(&told)), "{told} is not in the table of the facade's features");
        assert!(readme.contains(&told), "{told} is not in the facade's README");
    }
}
