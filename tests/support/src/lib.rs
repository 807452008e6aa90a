//! What tests of several crates need.
//!
//! - `clock` has a clock that stands until a test moves it; it is behind the feature `clock`.
//! - [`command`] runs a program in a folder of its own, kills it, and reads what it has left.
//! - [`described`] compares completions and manual pages of a program with its `--help`.
//! - [`options`] holds every option of a program to changing something.
//! - [`packages`] finds real documents: the ones that come with the packages this workspace is built of.
//! - [`documents`] makes documents of the kinds that are no text.
//! - [`logs`] has documents, and a question that they answer.
//! - [`mcp`] has MCP servers.
//! - `models` lets something happen before a model answers; it is behind the feature `models`.
//! - `ports` has ports of this machine; it is behind the feature `ports`.
//! - [`permissions`] lets the permissions of files bind a test that runs as root.
//! - `studio` asks a program with `--studio` for what a page does; it is behind the feature `studio`.
//! - [`terminal`] runs a program on a terminal of its own.
//! - [`thinking`] lets a scripted model think aloud.
//! - [`draws`] says how many cases a property draws.
//! - [`times`] says how often a test repeats what is drawn.
//! - [`wait`] waits for what must come.

#[cfg(feature = "clock")]
pub mod clock;
pub mod command;
pub mod described;
pub mod documents;
pub mod logs;
pub mod mcp;
#[cfg(feature = "models")]
pub mod models;
pub mod options;
pub mod packages;
pub mod permissions;
#[cfg(feature = "ports")]
pub mod ports;
#[cfg(feature = "studio")]
pub mod studio;
#[cfg(unix)]
pub mod terminal;
pub mod thinking;
pub mod wait;

/// How often a test kills what it tries, or asks it something drawn: `usual`, times what the variable `GRAPHLOOM_TIMES` says.
///
/// # Panics
///
/// Where the variable is no whole number above 0.
#[must_use]
pub fn times(usual: usize) -> usize {
    match std::env::var("GRAPHLOOM_TIMES") {
        Ok(times) => usual * times.parse::<std::num::NonZeroUsize>().expect("GRAPHLOOM_TIMES is a whole number").get(),
        Err(_) => usual,
    }
}

/// How many cases a property draws whose test has a name that begins with `drawn_`: 200, or what the variable `GRAPHLOOM_DRAWS`
/// says.
///
/// # Panics
///
/// Where the variable is no whole number.
#[must_use]
pub fn draws() -> u32 {
    std::env::var("GRAPHLOOM_DRAWS").map_or(200, |draws| draws.parse().expect("GRAPHLOOM_DRAWS is a whole number"))
}

/// Whether cargo was told to build for the whole workspace, not for single packages of it.
pub const WHOLE_WORKSPACE: bool = cfg!(feature = "workspace");
