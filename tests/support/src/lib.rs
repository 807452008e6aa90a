//! What tests of several crates need of the machine they run on.
//!
//! - [`packages`] finds real documents: the ones that come with the packages this workspace is built of.
//! - [`permissions`] lets the permissions of files bind a test that runs as root.

pub mod packages;
pub mod permissions;
