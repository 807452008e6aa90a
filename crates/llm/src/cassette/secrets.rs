//! The guard against writing secrets.

use std::fmt;

/// Values that must not be written.
#[derive(Clone, Default)]
pub struct SecretGuard {
    secrets: Vec<(String, Vec<String>)>,
}

/// Shorter values are too common to be told apart from other text.
const SHORTEST: usize = 8;

/// Ends of the names of variables that hold secrets.
const ENDINGS: [&str; 6] = ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_CREDENTIALS"];

impl SecretGuard {
    /// Guards the values of the environment variables whose names end as those of secrets do.
    pub fn from_env() -> Self {
        let named = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            let upper = name.to_ascii_uppercase();
            let secret = ENDINGS.iter().any(|ending| upper.ends_with(ending) || upper == ending[1..]);
            secret.then_some((name, value.into_string().ok()?))
        });
        Self::new(named)
    }

    /// Guards these values, each with the name that is told in its place.
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
}
