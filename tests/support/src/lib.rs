//! What tests of several crates need of the machine they run on.
//!
//! - [`described`] compares completions and manual pages of a program with its `--help`.
//! - [`options`] holds every option of a program to changing something.
//! - [`packages`] finds real documents: the ones that come with the packages this workspace is built of.
//! - [`permissions`] lets the permissions of files bind a test that runs as root.
//! - [`terminal`] runs a program on a terminal of its own.

pub mod described;
pub mod options;
pub mod packages;
pub mod permissions;
#[cfg(unix)]
pub mod terminal;
