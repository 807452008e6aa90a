//! The files of a result.

use std::path::Path;

use crate::{CliError, private};

/// Makes the directory of a result, so that a run does not begin whose result cannot be written.
///
/// # Errors
/// [`CliError::Io`].
pub fn prepare(out: &Path) -> Result<(), CliError> {
    private::create_dir(out).map_err(CliError::io("make the directory", out))
}

/// Writes files into the directory of a result, each beside its place and then into it: a full disk or a kill leaves no
/// half file.
///
/// # Errors
/// [`CliError::Io`].
pub fn write<N: AsRef<str>>(out: &Path, files: impl IntoIterator<Item = (N, String)>) -> Result<(), CliError> {
    prepare(out)?;
    for (name, content) in files {
        let name = name.as_ref();
        let path = out.join(name);
        let part = out.join(format!(".{name}.part"));
        let written = private::write(&part, content).and_then(|()| std::fs::rename(&part, &path));
        written.map_err(CliError::io("write", &path))?;
    }
    Ok(())
}
