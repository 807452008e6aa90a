//! What a crate may be called.

use std::str::FromStr;

/// The longest name that registries take.
const LONGEST: usize = 64;

/// Words of Rust, which name no crate.
const WORDS: [&str; 53] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while",
    "yield",
];

/// Crates that come with Rust, folders that cargo makes beside programs, and what cargo calls a crate of tests.
const CARGOS: [&str; 9] = ["alloc", "build", "core", "deps", "examples", "incremental", "proc_macro", "std", "test"];

/// Crates that the templates use.
const USED: [&str; 6] = ["graphloom", "schemars", "serde", "serde_json", "tempfile", "tokio"];

/// The name of a crate, which is that of its folder, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CrateName(String);

impl CrateName {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as source text has it.
    pub(super) fn identifier(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl FromStr for CrateName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let identifier = text.replace('-', "_");
        let is_taken = |names: &[&str]| names.contains(&identifier.as_str());
        let why = if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            "it does not begin with a letter"
        } else if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            "it has other characters"
        } else if text.len() > LONGEST {
            "it is longer"
        } else if is_taken(&WORDS) {
            "it is a word of Rust"
        } else if is_taken(&CARGOS) {
            "cargo uses it itself"
        } else if is_taken(&USED) {
            "the new crate uses a crate of that name"
        } else {
            return Ok(Self(text.to_owned()));
        };
        Err(format!(
            "{why}; a crate has a name of at most {LONGEST} ASCII letters, digits, `-` and `_`, which begins with a letter and is taken by neither Rust, cargo nor a crate that is used"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates_are_told_from_others() {
        for name in ["a", "my-graph", "my_graph2", "Trip", &"x".repeat(64)] {
            assert_eq!(name.parse::<CrateName>().unwrap().as_str(), name);
        }
        assert_eq!("my-graph".parse::<CrateName>().unwrap().identifier(), "my_graph");
        for (name, why) in [
            ("", "begin with a letter"),
            ("2fast", "begin with a letter"),
            ("-a", "begin with a letter"),
            ("../a", "begin with a letter"),
            ("a/b", "other characters"),
            ("a b", "other characters"),
            ("größe", "other characters"),
            (&"x".repeat(65), "longer"),
            ("async", "a word of Rust"),
            ("proc-macro", "cargo uses it"),
            ("test", "cargo uses it"),
            ("serde-json", "a crate of that name"),
        ] {
            let error = name.parse::<CrateName>().unwrap_err();
            assert!(error.contains(why) && error.contains("at most 64 ASCII letters"), "{name}: {error}");
        }
    }
}
