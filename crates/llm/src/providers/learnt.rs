//! What was learnt about models, kept for later runs.
//!
//! A model rejects what its provider usually takes, and a list of models says what each can do. Both are kept in one small
//! file, for a month: then a model is asked anew, since providers change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::OfferedModel;
use super::features::Features;
use super::{Provider, RemoteConfig};
use crate::StructuredSupport;

/// The version of the form of the file. A file of another version is taken for an empty one.
const VERSION: u32 = 1;

/// How long something learnt holds.
const HOLDS: Duration = Duration::from_secs(30 * 86_400);

/// The most models that are kept; the ones that were learnt about first go first.
const MOST: usize = 2000;

/// The longest file that is read, in bytes.
const LONGEST_FILE: u64 = 8 << 20;

/// What was learnt about models. Clones share it.
#[derive(Clone, Debug)]
pub struct LearntAbilities {
    path: PathBuf,
    models: Arc<Mutex<BTreeMap<String, Entry>>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    version: u32,
    models: BTreeMap<String, Entry>,
}

/// What is known of one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Entry {
    /// When it was learnt, in seconds since 1970.
    at: u64,
    /// Features that differ from those of the provider.
    #[serde(skip_serializing_if = "Map::is_empty")]
    features: Map<String, Value>,
    /// What the provider's list says.
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<Listed>,
}

/// What a list of models says of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Listed {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) images: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) structured: Option<StructuredSupport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sampling: Option<bool>,
}

impl From<&OfferedModel> for Listed {
    fn from(model: &OfferedModel) -> Self {
        Self {
            context: model.context.map(|context| u32::try_from(context).unwrap_or(u32::MAX)),
            images: model.images,
            tools: model.tools,
            structured: model.structured,
            sampling: model.sampling,
        }
    }
}

impl LearntAbilities {
    /// Opens the file. One that is not there, or cannot be read, is taken for an empty one.
    pub fn open(path: &Path) -> Self {
        let models = Arc::new(Mutex::new(read(path, now())));
        Self { path: path.to_owned(), models }
    }

    /// Keeps what a provider's list says of its models.
    pub fn list(&self, provider: &Provider, base_url: &str, models: &[OfferedModel]) {
        let listed = models.iter().map(|model| (key(provider.name(), &model.name, base_url), Listed::from(model)));
        let listed: Vec<_> = listed.filter(|(_, listed)| *listed != Listed::default()).collect();
        self.change(|known, at| {
            for (key, listed) in listed {
                let entry = known.entry(key).or_default();
                (entry.at, entry.listed) = (at, Some(listed));
            }
        });
    }

    /// What a list said of a model.
    pub(super) fn listed(&self, config: &RemoteConfig) -> Listed {
        let known = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&key_of(config)).and_then(|entry| entry.listed).unwrap_or_default()
    }

    /// The features to begin with, less what the model rejected before.
    pub(super) fn features(&self, config: &RemoteConfig, usual: Features) -> Features {
        let known = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = known.get(&key_of(config)).filter(|entry| !entry.features.is_empty()) else { return usual };
        let Ok(Value::Object(mut members)) = serde_json::to_value(usual) else { return usual };
        for (name, value) in &entry.features {
            // A feature of another version of this program is not known here.
            if members.contains_key(name) {
                members.insert(name.clone(), value.clone());
            }
        }
        serde_json::from_value(Value::Object(members)).unwrap_or(usual)
    }

    /// Keeps the features that differ from the usual ones.
    pub(super) fn remember(&self, config: &RemoteConfig, usual: Features, features: Features) {
        let members = |features: Features| match serde_json::to_value(features) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        };
        let usual = members(usual);
        let lost = members(features).into_iter().filter(|(name, value)| usual.get(name) != Some(value)).collect();
        self.change(|known, at| {
            let entry = known.entry(key_of(config)).or_default();
            (entry.at, entry.features) = (at, lost);
        });
    }

    /// Changes what is known, here and in the file, which another process may have changed meanwhile.
    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Entry>, u64)) {
        let mut known = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now();
        let mut models = read(&self.path, now);
        change(&mut models, seconds(now));
        while models.len() > MOST {
            let oldest = models.iter().min_by_key(|(_, entry)| entry.at).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { break };
            models.remove(&oldest);
        }
        let file = File { version: VERSION, models };
        if let Err(error) = write(&self.path, &file) {
            tracing::debug!("what was learnt about models cannot be kept in `{}`: {error}", self.path.display());
        }
        *known = file.models;
    }
}

fn key_of(config: &RemoteConfig) -> String {
    key(config.provider.name(), &config.name, &config.base_url)
}

fn key(provider: &str, name: &str, base_url: &str) -> String {
    format!("{provider}:{name}@{}", base_url.trim_end_matches('/'))
}

fn read(path: &Path, now: SystemTime) -> BTreeMap<String, Entry> {
    let is_short = std::fs::metadata(path).is_ok_and(|file| file.len() <= LONGEST_FILE);
    let text = if is_short { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    let file: Option<File> = serde_json::from_str(&text).ok();
    let mut models = file.filter(|file| file.version == VERSION).map(|file| file.models).unwrap_or_default();
    let oldest = seconds(now).saturating_sub(HOLDS.as_secs());
    models.retain(|_, entry| entry.at >= oldest);
    models
}

/// Writes the file beside its place and moves it there, so that nobody reads half of it.
fn write(path: &Path, file: &File) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut text = serde_json::to_vec_pretty(file)?;
    text.push(b'\n');
    std::io::Write::write_all(&mut options.open(&beside)?, &text)?;
    std::fs::rename(&beside, path)
}

/// The time that ages are counted from.
fn now() -> SystemTime {
    SystemTime::now()
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learnt_is_there_for_the_next_run_and_for_a_month() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("below/abilities.json");
        let config = RemoteConfig::compatible("m", "http://127.0.0.1:9/v1/");
        let less = Features { sampling: false, structured: StructuredSupport::JsonObject, ..Features::ALL };
        let (one, other) = (LearntAbilities::open(&path), LearntAbilities::open(&path));
        one.remember(&config, Features::ALL, less);
        let mut listed = OfferedModel::default();
        (listed.name, listed.context, listed.tools) = ("m".to_owned(), Some(4096), Some(false));
        other.list(config.provider, "http://127.0.0.1:9/v1", &[listed]);
        let next = LearntAbilities::open(&path);
        assert_eq!(next.features(&config, Features::ALL), less);
        assert_eq!(next.listed(&config), Listed { context: Some(4096), tools: Some(false), ..Listed::default() });
        let elsewhere = RemoteConfig::compatible("m", "http://127.0.0.1:8/v1");
        assert_eq!(next.features(&elsewhere, Features::ALL), Features::ALL);
        // Only what differs is kept, so that another provider's usual features still count.
        let usual = Features { completion_tokens: true, ..Features::ALL };
        assert!(next.features(&config, usual).completion_tokens && !next.features(&config, usual).sampling);

        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"version\": 1") && !text.contains("strict_tools"), "{text}");
        let file: File = serde_json::from_str(&text).unwrap();
        let at = file.models.values().next().unwrap().at;
        for text in [
            text.replace(&format!("\"at\": {at}"), &format!("\"at\": {}", at - HOLDS.as_secs() - 5)),
            text.replace("\"version\": 1", "\"version\": 2"),
            "{".to_owned(),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(LearntAbilities::open(&path).features(&config, Features::ALL), Features::ALL);
        }
        assert_eq!(LearntAbilities::open(&dir.path().join("absent")).features(&config, Features::ALL), Features::ALL);
    }
}
