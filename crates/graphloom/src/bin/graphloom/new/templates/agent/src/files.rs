//! Tools that look at the files of one folder.

use std::path::{Path, PathBuf};

use graphloom::agents::{Risk, ToolError, ToolOutput, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Lists the files of a folder.
pub struct ListFiles {
    pub folder: PathBuf,
}

/// Gives the text of a file of a folder.
pub struct ReadFile {
    pub folder: PathBuf,
}

/// A tool without arguments.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// The doc comments of arguments are what the model reads.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileName {
    /// The name of the file, as `list_files` gives it.
    file: String,
}

impl TypedTool for ListFiles {
    type Arguments = Nothing;
    const NAME: &'static str = "list_files";
    const DESCRIPTION: &'static str = "The names of the files in the folder.";
    const RISK: Risk = Risk::Read;

    async fn run(&self, _: Nothing) -> Result<ToolOutput, ToolError> {
        let names = names(&self.folder).map_err(|error| ToolError::refused(error.to_string()))?;
        Ok(ToolOutput::new(names.join("\n")).with_data(json!({ "count": names.len() })))
    }
}

impl TypedTool for ReadFile {
    type Arguments = FileName;
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "The text of a file in the folder.";
    const RISK: Risk = Risk::Read;

    /// A name that `list_files` does not give is refused, so nothing outside of the folder is read.
    async fn run(&self, FileName { file }: FileName) -> Result<ToolOutput, ToolError> {
        let known = names(&self.folder).map_err(|error| ToolError::refused(error.to_string()))?;
        if !known.contains(&file) {
            return Err(ToolError::refused(format!("there is no file `{file}`")));
        }
        let text = std::fs::read_to_string(self.folder.join(&file))
            .map_err(|error| ToolError::refused(format!("`{file}` cannot be read: {error}")))?;
        Ok(ToolOutput::new(text))
    }
}

fn names(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    Ok(names)
}
