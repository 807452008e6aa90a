//! Secrets that the environment has, itself or in a file.

use crate::CliError;

/// More than this is no secret.
const LONGEST: u64 = 64 << 10;

/// The value of a variable, or the text of the file that the variable with `_FILE` at its end names. None when both are
/// empty or missing.
pub(super) fn read(variable: &str) -> Result<Option<String>, CliError> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    if let Some(value) = set(variable) {
        return Ok(Some(value.trim().to_owned()));
    }
    let Some(path) = set(&format!("{variable}_FILE")) else { return Ok(None) };
    let fault = |why: String| CliError::usage(format!("the file `{path}` of `{variable}_FILE` {why}"));
    let file = std::fs::metadata(&path).map_err(|error| fault(format!("cannot be read: {error}")))?;
    if !file.is_file() || file.len() > LONGEST {
        return Err(fault("is no file of a secret".to_owned()));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| fault(format!("cannot be read: {error}")))?;
    match text.trim() {
        "" => Err(fault("is empty".to_owned())),
        text => Ok(Some(text.to_owned())),
    }
}
