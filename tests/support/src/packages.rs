//! Documents that come with packages: the ones that this workspace is built of on this machine.
//!
//! Only packages for the platform at hand count. Cargo fetches no others for a build, so a cargo home that only ever built
//! this workspace has exactly these.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A package from outside the workspace, with its sources.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Package {
    /// Its name, such as `serde`.
    pub name: String,
    /// Its version, such as `1.0.219`.
    pub version: String,
    /// The folder of its sources.
    pub root: PathBuf,
}

/// The packages that the workspace at `workspace` is built of on this machine, its own members left out, in cargo's order.
///
/// # Errors
/// When cargo or rustc cannot be run, or when sources are missing: then the error says how to fetch them.
pub fn packages(workspace: &Path) -> io::Result<Vec<Package>> {
    let manifest = workspace.join("Cargo.toml");
    let asked = Command::new(program("CARGO", "cargo"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", &host()?])
        .arg("--manifest-path")
        .arg(&manifest)
        .output()?;
    if !asked.status.success() {
        let reason = String::from_utf8_lossy(&asked.stderr);
        return Err(io::Error::other(format!(
            "the sources of this workspace's packages are not all there; `cargo fetch --manifest-path {}` gets them: {reason}",
            manifest.display()
        )));
    }
    let metadata: Value = serde_json::from_slice(&asked.stdout)?;
    let all = metadata["packages"].as_array().into_iter().flatten();
    // A package without a source is a member of the workspace.
    Ok(all.filter(|package| !package["source"].is_null()).filter_map(package).collect())
}

fn package(entry: &Value) -> Option<Package> {
    let text = |key: &str| entry[key].as_str().map(str::to_owned);
    let root = Path::new(entry["manifest_path"].as_str()?).parent()?.to_owned();
    Some(Package { name: text("name")?, version: text("version")?, root })
}

/// The platform at hand, as rustc spells it.
fn host() -> io::Result<String> {
    let told = Command::new(program("RUSTC", "rustc")).arg("-vV").output()?;
    let told = String::from_utf8_lossy(&told.stdout);
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("`rustc -vV` names no host"))
}

/// The program that cargo names for its tests, or else the one on the path.
fn program(variable: &str, otherwise: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| PathBuf::from(otherwise), PathBuf::from)
}

/// A document that a package comes with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Document {
    /// The package.
    pub package: Package,
    /// Where it is in the package.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// The Markdown files of those packages of the workspace at `workspace` that are wanted, what is no text left out, in
/// cargo's order.
///
/// # Errors
/// As [`packages`], and when a folder cannot be read.
pub fn documents(workspace: &Path, wanted: impl Fn(&Package) -> bool) -> io::Result<Vec<Document>> {
    let mut documents = Vec::new();
    for package in packages(workspace)?.into_iter().filter(wanted) {
        for file in markdown(&package.root)? {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let path = file.strip_prefix(&package.root).unwrap_or(&file).to_owned();
            documents.push(Document { package: package.clone(), path, text });
        }
    }
    Ok(documents)
}

/// The Markdown files below `root`, hidden files and folders left out, in the order of their paths.
fn markdown(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md")) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
