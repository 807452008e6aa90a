//! The templates, whose files are part of this program.

use clap::ValueEnum;

use super::crate_name::CrateName;
use super::source::Source;

/// The name of the crate in the files of a template, as text and as an identifier.
const NAME: [&str; 2] = ["new-crate", "new_crate"];
/// What stands in a template's manifest for where `graphloom` is taken from.
const SOURCE: &str = "version = \"0.0.0\"";

/// What a new crate begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Template {
    /// A state, two nodes and an edge that depends on the state
    Minimal,
    /// A question to a person, which another process answers
    Ask,
    /// A model that uses tools until it can answer
    Agent,
    /// Search in a folder, quoted sentences, and a check of every citation
    Report,
}

/// A file of a new crate.
#[derive(Debug)]
pub(super) struct NewFile {
    pub(super) path: &'static str,
    pub(super) text: String,
}

/// The files of a template, by the folder that they are in.
macro_rules! files {
    ($folder:literal: $($path:literal),+) => {
        &[$(($path, include_str!(concat!("templates/", $folder, "/", $path)))),+]
    };
}

const SHARED: &[(&str, &str)] = &[
    (".github/workflows/ci.yml", include_str!("templates/ci.yml")),
    (".gitignore", include_str!("templates/gitignore")),
];

impl Template {
    /// The name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Ask => "ask",
            Self::Agent => "agent",
            Self::Report => "report",
        }
    }

    /// What the crate begins with, in one line.
    pub(super) fn about(self) -> String {
        let value = self.to_possible_value();
        value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
    }

    /// What a first `cargo run` is told, where the program needs to be told something.
    pub(super) fn first_words(self) -> &'static str {
        if self == Self::Ask { " -- start Ada" } else { "" }
    }

    /// The files of a new crate.
    pub(super) fn files(self, name: &CrateName, source: &Source) -> Vec<NewFile> {
        let own: &[(&str, &str)] = match self {
            Self::Minimal => {
                files!("minimal": "README.md", "manifest.toml", "src/lib.rs", "src/main.rs", "tests/graph.rs")
            }
            Self::Ask => files!("ask": "README.md", "manifest.toml", "src/lib.rs", "src/main.rs", "tests/graph.rs"),
            Self::Agent => files!(
                "agent": "README.md", "manifest.toml", "src/files.rs", "src/lib.rs", "src/main.rs", "src/script.rs", "tests/graph.rs"
            ),
            Self::Report => files!(
                "report": "README.md", "manifest.toml", "notes/crashes.md", "notes/steps.md", "src/lib.rs", "src/main.rs", "tests/graph.rs"
            ),
        };
        let (text_name, identifier) = (name.as_str(), name.identifier());
        let fill = |&(path, text): &(&'static str, &'static str)| {
            let text = text.replace(NAME[0], text_name).replace(NAME[1], &identifier);
            // A file of the name `Cargo.toml` would be a package of its own, which no package may hold.
            let (path, text) = match path {
                "manifest.toml" => ("Cargo.toml", text.replace(SOURCE, &source.keys())),
                path => (path, text),
            };
            NewFile { path, text }
        };
        SHARED.iter().chain(own).map(fill).collect()
    }
}
