//! What the file of a project must not set.
//!
//! A project may come from anywhere, so its file sets no secret and no address, and names no document outside of the
//! project: a key or a text could leave the machine that way. It may name engines of the network, which is told.

use std::path::Path;

use serde_json::Value;

use super::place::NAME;
use crate::CliError;
use crate::config::{address, secret};

/// Refuses what a file that came with a project must not set. Each option has a rule of its own for addresses.
pub(super) fn check_project_table(source: &str, table: &Value, options: bool) -> Result<(), CliError> {
    if let Some(key) = secret::named_in("", table) {
        return Err(project_refusal(source, &key, "a secret, which others of the project would read"));
    }
    if let Some(key) = address::named_in("", table).filter(|_| !options) {
        return Err(project_refusal(source, &key, "an address, to which your texts and keys could be sent"));
    }
    Ok(())
}

/// The error for what a project must not set.
pub(super) fn project_refusal(source: &str, key: &str, what: &str) -> CliError {
    CliError::usage(format!(
        "{source}: `{key}` names {what}; the file of a project must not set it. Write it into your own `{NAME}` or a file \
         of `--config`, or leave the project's file out with `--no-config`"
    ))
}

/// Whether a folder lies in another one. One that is not there is told later, and is outside.
pub(super) fn lies_in(folder: &Path, base: &Path) -> bool {
    let base = std::fs::canonicalize(if base.as_os_str().is_empty() { Path::new(".") } else { base });
    matches!((std::fs::canonicalize(folder), base), (Ok(folder), Ok(base)) if folder.starts_with(&base))
}
