//! What `--print-config` prints.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// One parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Setting {
    /// Its name, with dots between tables.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// What it is by default.
    pub default: Value,
    /// `default`, the file, `--set`, or the option that set it.
    pub source: String,
}

/// All parameters. [`Display`](fmt::Display) writes them as lines of TOML with a comment each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings(pub Vec<Setting>);

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<(String, &Setting)> = self.0.iter().map(|setting| (line(setting), setting)).collect();
        let width = lines.iter().map(|(line, _)| line.chars().count()).filter(|width| *width <= 60).max().unwrap_or(0);
        for (line, Setting { default, source, .. }) in lines {
            let default = if default.is_null() { "none".to_owned() } else { default.to_string() };
            match source.as_str() {
                "default" => writeln!(f, "{line:width$}  # default")?,
                source => writeln!(f, "{line:width$}  # from {source}; default {default}")?,
            }
        }
        Ok(())
    }
}

fn line(setting: &Setting) -> String {
    let Setting { key, value, .. } = setting;
    if value.is_null() {
        // TOML has no null: the parameter is left out.
        return format!("# {key} =");
    }
    match toml::Value::try_from(value) {
        Ok(value) => format!("{key} = {value}"),
        Err(_) => format!("{key} = {value}"),
    }
}
