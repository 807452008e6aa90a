//! The guard against writing secrets.

use std::fmt;
use std::path::Path;

use crate::providers::{ApiKey, HOSTS_VARIABLE};

/// Values that must not be written.
#[derive(Clone, Default)]
pub struct SecretGuard {
    secrets: Vec<(String, Vec<String>)>,
}

/// The shortest guarded value, in bytes. A shorter value could be part of ordinary text.
const SHORTEST: usize = 8;

/// The longest file that is read for a secret, in bytes.
const LONGEST_FILE: u64 = 64 << 10;

/// The ends of the names of variables that hold secrets. With `_FILE` after it, a name is that of a variable that names
/// a file with a secret.
const ENDINGS: [&str; 6] = ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_CREDENTIALS"];

impl SecretGuard {
    /// Guards the values of the environment variables whose names are those of secrets, and the contents of the files
    /// that variables such as `TAVILY_API_KEY_FILE` name.
    pub fn from_env() -> Self {
        let texts =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self::from_variables(texts)
    }

    fn from_variables(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::new(variables.into_iter().filter_map(|(name, value)| {
            let upper = name.to_ascii_uppercase();
            if let Some(upper) = upper.strip_suffix("_FILE") {
                let text = is_secret(upper).then(|| read(Path::new(&value))).flatten()?;
                return Some((name, text));
            }
            is_secret(&upper).then_some((name, value))
        }))
    }

    /// Guards these keys as well, each after its name.
    #[must_use]
    pub fn and(mut self, keys: impl IntoIterator<Item = (String, ApiKey)>) -> Self {
        let keys = keys.into_iter().map(|(name, key)| (name, key.reveal().to_owned()));
        self.secrets.extend(Self::new(keys).secrets);
        self
    }

    /// Guards these values, each after the name that messages show in its place.
    pub fn new(secrets: impl IntoIterator<Item = (String, String)>) -> Self {
        let secrets = secrets.into_iter().filter_map(|(name, value)| {
            let value = value.trim().to_owned();
            if value.len() < SHORTEST {
                return None;
            }
            let escaped = serde_json::Value::String(value.clone()).to_string();
            let inner = escaped[1..escaped.len() - 1].to_owned();
            let forms = if inner == value { vec![value] } else { vec![value, inner] };
            Some((name, forms))
        });
        Self { secrets: secrets.collect() }
    }

    /// The name of a secret whose value stands in `text`.
    pub fn find(&self, text: &str) -> Option<&str> {
        let found = self.secrets.iter().find(|(_, forms)| forms.iter().any(|form| text.contains(form.as_str())));
        found.map(|(name, _)| name.as_str())
    }
}

/// Whether a variable holds a secret: its name in capitals has one of [`ENDINGS`], or is that of a role's key.
fn is_secret(upper: &str) -> bool {
    let of_role = upper.starts_with("LLM_API_KEY_") && upper != HOSTS_VARIABLE;
    of_role || ENDINGS.iter().any(|ending| upper.ends_with(ending) || upper == &ending[1..])
}

/// The text of a small file. A file that cannot be read is skipped, since the program cannot write its text either.
fn read(path: &Path) -> Option<String> {
    let small = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LONGEST_FILE);
    small.then(|| std::fs::read_to_string(path).ok()).flatten()
}

impl fmt::Debug for SecretGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.secrets.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_in_either_form_and_never_shown() {
        let guard = SecretGuard::new([
            ("A_KEY".to_owned(), "sk-123456".to_owned()),
            ("B_TOKEN".to_owned(), "with\"quote".to_owned()),
            ("C_KEY".to_owned(), "short".to_owned()),
        ]);
        assert_eq!(guard.find("{\"x\":\"Bearer sk-123456\"}"), Some("A_KEY"));
        assert_eq!(guard.find(r#"{"x":"with\"quote"}"#), Some("B_TOKEN"));
        assert_eq!(guard.find("a short text"), None);
        assert_eq!(format!("{guard:?}"), r#"["A_KEY", "B_TOKEN"]"#);
    }

    #[test]
    fn secrets_are_known_wherever_they_came_from() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("key");
        std::fs::write(&file, "from-a-file\n").unwrap();
        let variables = [
            ("TAVILY_API_KEY_FILE", file.to_str().unwrap()),
            ("SERPER_API_KEY_FILE", "/no/such/file"),
            ("LLM_API_KEY_WRITE", "of-a-role"),
            ("LLM_API_KEY_FOR", "host.example"),
            ("PROFILE", "no-secret-at-all"),
        ];
        let guard = SecretGuard::from_variables(variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let guard = guard.and([("the configuration".to_owned(), ApiKey::new("from-a-table").unwrap())]);
        assert_eq!(guard.find("x from-a-file"), Some("TAVILY_API_KEY_FILE"));
        assert_eq!(guard.find("x of-a-role"), Some("LLM_API_KEY_WRITE"));
        assert_eq!(guard.find("x from-a-table"), Some("the configuration"));
        assert_eq!(guard.find("host.example, no-secret-at-all, /no/such/file"), None);
    }
}
