//! Parameters in layers: defaults, then the files `graphloom.toml` of the user and of the project, then the file of
//! `--config`, then `--set`, then options of their own.

mod address;
mod files;
mod nearest;
mod secret;
mod settings;

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use files::ConfigFiles;
pub use nearest::nearest;
pub use settings::{Setting, Settings};

use crate::{CliError, ParameterArgs};

/// The parameters of an application, each with the layer that set it.
///
/// The type `T` says which parameters there are: every field of its default value, by its serialised name, with fields of
/// inner structs after a dot.
///
/// ```
/// use graphloom_cli::config::Layers;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
/// struct Limits {
///     words: Option<u32>,
///     style: String,
/// }
///
/// # fn main() -> Result<(), graphloom_cli::CliError> {
/// let mut layers = Layers::new(&Limits::default())?;
/// layers.set("words=300")?;
/// layers.option("--style", "style", "plain")?;
/// assert_eq!(layers.build::<Limits>()?, Limits { words: Some(300), style: "plain".into() });
/// assert!(layers.set("word=1").unwrap_err().to_string().contains("did you mean `words`"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Layers {
    defaults: Value,
    value: Value,
    /// Who set which parameter last, by its dotted name.
    sources: Vec<(String, String)>,
}

impl Layers {
    /// The defaults.
    ///
    /// # Errors
    /// [`CliError::Usage`] when they cannot be represented as a table of parameters.
    pub fn new<T: Serialize>(defaults: &T) -> Result<Self, CliError> {
        match serde_json::to_value(defaults) {
            Ok(value @ Value::Object(_)) => Ok(Self { defaults: value.clone(), value, sources: Vec::new() }),
            Ok(_) => Err(CliError::usage("the parameters are not a table")),
            Err(error) => Err(CliError::usage(format!("the default parameters cannot be written: {error}"))),
        }
    }

    /// The defaults, then the files `graphloom.toml`, then `--config`, then `--set`.
    ///
    /// # Errors
    /// As [`file`](Self::file) and [`set`](Self::set).
    pub fn of<T: Serialize>(defaults: &T, files: &ConfigFiles, args: &ParameterArgs) -> Result<Self, CliError> {
        let mut layers = Self::new(defaults)?;
        for (source, value) in files.parameters() {
            layers.merge("", value.clone(), source)?;
        }
        if let Some(path) = &args.config {
            layers.file(path)?;
        }
        for set in &args.sets {
            layers.set(set)?;
        }
        Ok(layers)
    }

    /// Takes over what a file says: JSON when its name ends in `.json`, else TOML.
    ///
    /// # Errors
    /// [`CliError::Io`], [`CliError::ConfigFile`], and [`CliError::UnknownParameter`].
    pub fn file(&mut self, path: &Path) -> Result<(), CliError> {
        let text = std::fs::read_to_string(path).map_err(CliError::io("read the parameters in", path))?;
        let wrong = |message: String| CliError::ConfigFile { path: path.to_owned(), message };
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let value: Value = if is_json {
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?
        } else {
            toml::from_str(&text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?
        };
        if !value.is_object() {
            return Err(wrong("it holds no table".to_owned()));
        }
        self.merge("", value, &format!("`{}`", path.display()))
    }

    /// Sets one parameter as written after `--set`: `key=value`, where the value is JSON or, failing that, a text. A secret is
    /// refused: other programs of the machine see command lines, and shells keep them.
    ///
    /// # Errors
    /// [`CliError::Usage`] without `=` and for a secret, and [`CliError::UnknownParameter`].
    pub fn set(&mut self, text: &str) -> Result<(), CliError> {
        let Some((key, value)) = text.split_once('=') else {
            return Err(CliError::usage(format!("`--set {text}` has no `=`; write `--set key=value`")));
        };
        let (key, value) = (key.trim(), value.trim());
        // A parameter that is a text by default takes what is written as it is.
        let is_text = self.defaults.pointer(&pointer(key)).is_some_and(Value::is_string) && !value.starts_with('"');
        let value = match serde_json::from_str(value) {
            Ok(parsed) if !is_text => parsed,
            _ => Value::String(value.to_owned()),
        };
        if let Some(name) = secret::named_in(key, &value) {
            return Err(CliError::usage(format!(
                "`--set {name}=…` would show a secret to the other programs of this machine and to the shell's history; \
                 write it into the file of `--config`, and let only yourself read that"
            )));
        }
        self.merge(key, value, "`--set`")
    }

    /// Sets one parameter by an option of its own.
    ///
    /// # Errors
    /// [`CliError::UnknownParameter`], and [`CliError::WrongParameter`] for a value without a JSON form.
    pub fn option(&mut self, option: &str, key: &str, value: impl Serialize) -> Result<(), CliError> {
        let source_name = format!("`{option}`");
        let value = serde_json::to_value(value).map_err(|error| CliError::WrongParameter {
            source_name: source_name.clone(),
            key: key.to_owned(),
            message: error.to_string(),
        })?;
        self.merge(key, value, &source_name)
    }

    /// The parameters as their type.
    ///
    /// # Errors
    /// [`CliError::WrongParameter`] that names the parameter and who set it.
    pub fn build<T: DeserializeOwned>(&self) -> Result<T, CliError> {
        match read(&self.value) {
            Ok(parameters) => Ok(parameters),
            Err((key, message)) => {
                // `--set name=7` for an optional text: the default tells no type, so the text is tried before it is refused.
                if let Some(parameters) = self.with_text(&key).and_then(|value| read(&value).ok()) {
                    return Ok(parameters);
                }
                let set_by = |(name, _): &&(String, String)| key == *name || key.starts_with(&format!("{name}."));
                let source_name = self.sources.iter().rev().find(set_by).map(|(_, source)| source.clone());
                let source_name = source_name.unwrap_or_else(|| "the parameters".to_owned());
                Err(CliError::WrongParameter { source_name, key, message })
            }
        }
    }

    /// Every parameter with its value, default and source.
    pub fn settings(&self) -> Settings {
        let mut settings = Vec::new();
        self.collect(&mut settings, "", &self.value, Some(&self.defaults));
        Settings(settings)
    }

    fn collect(&self, settings: &mut Vec<Setting>, key: &str, value: &Value, default: Option<&Value>) {
        match (value, default) {
            (Value::Object(inner), Some(Value::Object(defaults))) if !defaults.is_empty() => {
                for (name, value) in inner {
                    self.collect(settings, &dotted(key, name), value, defaults.get(name));
                }
            }
            _ => {
                let source = self.sources.iter().rev().find(|(name, _)| name == key);
                settings.push(Setting {
                    key: key.to_owned(),
                    value: value.clone(),
                    default: default.cloned().unwrap_or_default(),
                    source: source.map_or_else(|| "default".to_owned(), |(_, source)| source.replace('`', "")),
                });
            }
        }
    }

    /// The same parameters with the text form of one that `--set` gave as a number or the like.
    fn with_text(&self, key: &str) -> Option<Value> {
        let given = |(name, source): &(String, String)| name == key && source == "`--set`";
        if !self.sources.iter().any(given) {
            return None;
        }
        let mut value = self.value.clone();
        let place = value.pointer_mut(&pointer(key))?;
        if place.is_object() || place.is_array() || place.is_string() {
            return None;
        }
        *place = Value::String(place.to_string());
        Some(value)
    }

    /// Takes over `value` at `key`, table by table.
    fn merge(&mut self, key: &str, value: Value, source: &str) -> Result<(), CliError> {
        let default = if key.is_empty() { Some(&self.defaults) } else { self.known(key, source)? };
        match (value, default) {
            // A table that is empty by default takes any keys, so it is set as a whole.
            (Value::Object(inner), Some(Value::Object(defaults))) if !defaults.is_empty() => {
                for (name, value) in inner {
                    self.merge(&dotted(key, &name), value, source)?;
                }
            }
            (value, _) => {
                *reach(&mut self.value, key) = value;
                self.sources.push((key.to_owned(), source.to_owned()));
            }
        }
        Ok(())
    }

    /// The default of a parameter; none below a parameter that may hold anything.
    fn known(&self, key: &str, source: &str) -> Result<Option<&Value>, CliError> {
        let mut at = &self.defaults;
        for part in key.split('.') {
            match at {
                Value::Object(fields) if !fields.is_empty() => match fields.get(part) {
                    Some(field) => at = field,
                    None => {
                        let known: Vec<String> = fields.keys().cloned().collect();
                        return Err(CliError::UnknownParameter {
                            source_name: source.to_owned(),
                            key: key.to_owned(),
                            nearest: nearest(part, known.iter().map(String::as_str)).map(str::to_owned),
                            known,
                        });
                    }
                },
                Value::Object(_) | Value::Null => return Ok(None),
                _ => {
                    return Err(CliError::WrongParameter {
                        source_name: source.to_owned(),
                        key: key.to_owned(),
                        message: format!("`{part}` would be inside a value that is no table"),
                    });
                }
            }
        }
        Ok(Some(at))
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, (String, String)> {
    serde_path_to_error::deserialize(value).map_err(|error| (error.path().to_string(), error.inner().to_string()))
}

fn dotted(key: &str, name: &str) -> String {
    if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") }
}

fn pointer(key: &str) -> String {
    key.split('.').map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1"))).collect()
}

/// The place of a parameter; tables on the way are made.
fn reach<'v>(value: &'v mut Value, key: &str) -> &'v mut Value {
    let mut at = value;
    for part in key.split('.') {
        if !at.is_object() {
            *at = Value::Object(serde_json::Map::new());
        }
        at = &mut at[part];
    }
    at
}
