//! How graphs are called at the engine.

use std::fmt::Write;

use graphloom_core_graph::remote::GraphVersion;

use crate::error::EngineError;

/// The handler that performs a task.
pub(crate) const PERFORM: &str = "perform";
/// The handler that drives a run of a thread.
pub(crate) const RUN: &str = "run";
/// The handler that tells how a thread stands.
pub(crate) const STATE: &str = "state";

/// The service of an application that performs tasks of a graph in its version, such as `graphloom.trip.2.1`. No two versions have the same: what is
/// no letter, digit, point or hyphen in the name of a graph is written as its number, an underscore as two.
pub(crate) fn service_name(application: &str, graph: &GraphVersion) -> String {
    let GraphVersion { graph, version, state_version, .. } = graph;
    format!("{application}.{}.{version}.{state_version}", plain(graph))
}

/// A name in the characters that the engine takes.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => plain.push(character),
            '_' => plain.push_str("__"),
            // A string takes all that is written to it.
            other => drop(write!(plain, "_{:x}-", u32::from(other))),
        }
    }
    plain
}

/// A name that the engine takes.
///
/// # Errors
/// What is no such name.
pub(crate) fn checked_name(name: String) -> Result<String, EngineError> {
    if is_name(&name) {
        return Ok(name);
    }
    Err(EngineError::Setting(format!(
        "the engine takes no service of the name `{name}`: it is of letters, digits, `.`, `_` and `-`, and begins with a letter"
    )))
}

/// Whether the engine takes a name of a service: its rule is `^([a-zA-Z]|_[a-zA-Z0-9])[a-zA-Z0-9._-]*$`.
fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    let begins = match characters.next() {
        Some('_') => characters.next().is_some_and(|second| second.is_ascii_alphanumeric()),
        first => first.is_some_and(|first| first.is_ascii_alphabetic()),
    };
    begins && characters.all(|other| other.is_ascii_alphanumeric() || matches!(other, '.' | '_' | '-'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{is_name, plain};

    #[test]
    fn no_two_names_are_written_alike() {
        let names =
            ["trip", "tr ip", "tr_20-ip", "tr_ip", "tr__ip", "trip.1", "trip-1", "Trip", "", "รถไฟ", "a/b", "a_2f-b"];
        let written: BTreeSet<String> = names.iter().map(|name| plain(name)).collect();
        assert_eq!(written.len(), names.len());
        assert!(written.iter().all(|name| is_name(&format!("graphloom.{name}.1.1"))), "{written:?}");
    }

    #[test]
    fn a_name_that_the_engine_does_not_take_is_told() {
        assert!(["Trips", "_1", "trips.of-Ada_2"].iter().all(|name| is_name(name)));
        assert!(!["", "_", "__", "1", "a b", "ä"].iter().any(|name| is_name(name)));
    }
}
