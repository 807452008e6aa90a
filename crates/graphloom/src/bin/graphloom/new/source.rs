//! Where a new crate takes `graphloom` from, and whether it lies inside of a workspace.

use std::fs;
use std::path::{Path, PathBuf};

use graphloom_cli::CliError;
use serde::Serialize;

/// The crate's folder in a checkout.
const CRATE: &str = "crates/graphloom";

/// Where `graphloom` is taken from.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// The registry, in the version of this command.
    Version(&'static str),
    /// A folder of this machine.
    Path(PathBuf),
}

impl Source {
    /// The named checkout, else the one around a folder, else the registry.
    ///
    /// # Errors
    /// A named folder that is no checkout.
    pub(super) fn choose(checkout: Option<&Path>, around: &Path) -> Result<Self, CliError> {
        let Some(named) = checkout else {
            let found = around.ancestors().find(|folder| is_checkout(folder)).map(|folder| folder.join(CRATE));
            return Ok(found.map_or(Self::Version(env!("CARGO_PKG_VERSION")), Self::Path));
        };
        let folder = around.join(named);
        if is_checkout(&folder) {
            return Ok(Self::Path(folder.join(CRATE)));
        }
        let shown = named.display();
        Err(CliError::usage(format!(
            "`--path {shown}`: there is no crate `graphloom` in `{shown}/{CRATE}`; name a folder with a checkout of Graphloom"
        )))
    }

    /// The keys of a dependency in a manifest.
    pub(super) fn keys(&self) -> String {
        match self {
            Self::Version(version) => format!("version = \"{version}\""),
            Self::Path(path) => format!("path = {}", toml::Value::from(path.display().to_string())),
        }
    }

    /// For people.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Version(version) => {
                format!("it uses `graphloom` {version} of the registry (`--path` takes a checkout)")
            }
            Self::Path(path) => format!("it uses `graphloom` in `{}`", path.display()),
        }
    }
}

fn is_checkout(folder: &Path) -> bool {
    manifest(&folder.join(CRATE)).is_some_and(|manifest| {
        manifest.get("package").and_then(|package| package.get("name")?.as_str()) == Some("graphloom")
    })
}

/// Whether cargo would take a crate in this folder for a part of a workspace.
pub(super) fn is_in_a_workspace(folder: &Path) -> bool {
    folder.ancestors().any(|folder| manifest(folder).is_some_and(|manifest| manifest.contains_key("workspace")))
}

/// What a folder's manifest says, where there is one that can be read.
fn manifest(folder: &Path) -> Option<toml::Table> {
    fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_named_found_around_or_absent() {
        let place = tempfile::tempdir().unwrap();
        let (checkout, inside) = (place.path().join("checkout"), place.path().join("checkout/mine/deep"));
        for folder in [&inside, &checkout.join(CRATE)] {
            fs::create_dir_all(folder).unwrap();
        }
        let package = |name: &str| {
            fs::write(checkout.join(CRATE).join("Cargo.toml"), format!("[package]\nname = \"{name}\"\n")).unwrap();
        };
        let registry = Source::Version(env!("CARGO_PKG_VERSION"));
        package("another");
        assert_eq!(Source::choose(None, &inside).unwrap(), registry);
        package("graphloom");
        let path = Source::Path(checkout.join(CRATE));
        assert_eq!(Source::choose(None, &inside).unwrap(), path);
        assert_eq!(Source::choose(None, place.path()).unwrap(), registry);
        assert_eq!(Source::choose(Some(Path::new("checkout")), place.path()).unwrap(), path);
        let error = Source::choose(Some(Path::new("elsewhere")), place.path()).unwrap_err().to_string();
        assert!(error.contains("`elsewhere/crates/graphloom`") && error.contains("checkout of Graphloom"), "{error}");
    }

    #[test]
    fn a_path_is_a_string_of_toml_whatever_is_in_it() {
        let path = r#"/a "b"\c"#;
        let keys: toml::Table = Source::Path(path.into()).keys().parse().unwrap();
        assert_eq!(keys["path"].as_str(), Some(path));
    }

    #[test]
    fn a_workspace_counts_from_wherever_it_is_around() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        assert!(!is_in_a_workspace(&deep));
        fs::write(place.path().join("a/Cargo.toml"), "[package]\nname = \"a\"\n").unwrap();
        assert!(!is_in_a_workspace(&deep));
        fs::write(place.path().join("Cargo.toml"), "[workspace]\nmembers = [\"a\"]\n").unwrap();
        assert!(is_in_a_workspace(&deep));
    }
}
