//! The keys of clients, and what each may do.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::problem::Problem;
use super::security::SecurityError;

/// What a request does, and therefore what its key must allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Looks: reads, searches, counts, histories, streams of what runs.
    Read,
    /// Starts or changes runs and threads.
    Run,
    /// Deletes assistants, sets crons, prunes threads, reads the figures of the server.
    Admin,
}

impl Scope {
    /// Its name in a file of keys.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Run => "run",
            Self::Admin => "admin",
        }
    }
}

/// Keys of clients, of which only hashes are held.
///
/// # The file
/// One key a line, three words apart by blanks: a name for the log, the scopes with commas between them (or `all`), the
/// key. Lines that begin with `#` and empty ones do not count. A scope does not contain another: `run,read` is needed to
/// start runs and to read them.
///
/// ```text
/// # name   scopes     key
/// studio   read,run   v4ZbmJ1kQ0yT7uXc
/// ops      all        blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262
/// ```
///
/// A key is given as it is, in at least 16 characters, or as `blake3:` and the 64 hexadecimal digits of its hash. Then the
/// file gives nobody a key, if the key is drawn at random and not a word.
#[derive(Clone, Default)]
pub struct Keys(Vec<Key>);

#[derive(Clone)]
struct Key {
    name: Arc<str>,
    scopes: Vec<Scope>,
    hash: blake3::Hash,
}

/// Fewer characters can be guessed.
const SHORTEST_KEY: usize = 16;

impl Keys {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`SecurityError::KeyFile`] when it cannot be read or holds no key, [`SecurityError::KeyLine`] with the number of a
    /// line that is wrong. No error repeats a key.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, SecurityError> {
        let path = path.as_ref();
        let problem = |reason: String| SecurityError::KeyFile { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
        let keys = Self::from_text(&text)?;
        warn_of_readers(path);
        if keys.is_empty() {
            return Err(problem("it holds no key; a line is `<name> <scopes> <key>`".to_owned()));
        }
        Ok(keys)
    }

    /// Reads the lines of such a file.
    ///
    /// # Errors
    /// [`SecurityError::KeyLine`] with the number of the line that is wrong.
    pub fn from_text(text: &str) -> Result<Self, SecurityError> {
        let mut keys = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let key = Key::from_line(line).map_err(|reason| SecurityError::KeyLine { line: index + 1, reason })?;
            if keys.0.iter().any(|known| known.name == key.name || known.hash == key.hash) {
                let reason = format!("the name `{}` or its key is given twice", key.name);
                return Err(SecurityError::KeyLine { line: index + 1, reason });
            }
            keys.0.push(key);
        }
        Ok(keys)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whose key it is. All keys are looked at, and each comparison takes the same time wherever it differs.
    fn find(&self, presented: &str) -> Option<&Key> {
        let hash = blake3::hash(presented.as_bytes());
        self.0.iter().fold(None, |found, key| if key.hash == hash { Some(key) } else { found })
    }

    /// Who sends these headers: the key is in `x-api-key`, or in `Authorization` after `Bearer`.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Presented {
        let Some(presented) = presented_key(headers) else { return Presented::Nothing };
        match self.find(presented) {
            Some(key) => Presented::Known(Caller { name: Arc::clone(&key.name), scopes: key.scopes.clone() }),
            None => Presented::Unknown,
        }
    }
}

/// A file of secrets is its owner's alone.
#[cfg(unix)]
fn warn_of_readers(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let others = std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0);
    if others {
        tracing::warn!(path = %path.display(), "others on this machine may read the file of keys: `chmod 600` it");
    }
}

#[cfg(not(unix))]
fn warn_of_readers(_path: &Path) {}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|key| (&key.name, &key.scopes))).finish()
    }
}

impl Key {
    fn from_line(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, scopes, key] = words.as_slice() else {
            return Err(format!("it has {} words, and `<name> <scopes> <key>` are three", words.len()));
        };
        let scopes = scopes_of(scopes)?;
        let hash = match key.strip_prefix("blake3:") {
            Some(hex) => blake3::Hash::from_hex(hex)
                .map_err(|_| "after `blake3:` there must be 64 hexadecimal digits".to_owned())?,
            None if key.chars().count() < SHORTEST_KEY => {
                return Err(format!("a key has at least {SHORTEST_KEY} characters"));
            }
            None => blake3::hash(key.as_bytes()),
        };
        Ok(Self { name: Arc::from(*name), scopes, hash })
    }
}

fn scopes_of(text: &str) -> Result<Vec<Scope>, String> {
    const ALL: [Scope; 3] = [Scope::Read, Scope::Run, Scope::Admin];
    if text == "all" {
        return Ok(ALL.to_vec());
    }
    // A key that stands in the wrong place must not be repeated.
    let unknown =
        || "the second word must be of `read`, `run` and `admin`, with commas between them, or `all`".to_owned();
    text.split(',').map(|word| ALL.into_iter().find(|scope| scope.as_str() == word).ok_or_else(unknown)).collect()
}

fn presented_key(headers: &HeaderMap) -> Option<&str> {
    if let Some(key) = headers.get("x-api-key") {
        return key.to_str().ok();
    }
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// What a request shows of a key.
pub(crate) enum Presented {
    /// None.
    Nothing,
    /// One that is in no list.
    Unknown,
    /// One that is known.
    Known(Caller),
}

/// Who a request comes from, for handlers and for the log: every request that passed the guard carries one.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The name of the key; `local` where none is asked for.
    pub(crate) name: Arc<str>,
    scopes: Vec<Scope>,
}

impl Caller {
    /// Whoever can reach a server that asks for no key.
    pub(crate) fn local() -> Self {
        Self { name: Arc::from("local"), scopes: vec![Scope::Read, Scope::Run, Scope::Admin] }
    }

    /// Whoever calls a route that asks for no key, without one.
    pub(crate) fn nobody() -> Self {
        Self { name: Arc::from("nobody"), scopes: Vec::new() }
    }

    /// Whether the key allows it.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_else(Self::nobody))
    }
}

#[cfg(test)]
mod tests {
    use super::{Keys, Scope};

    const KEY: &str = "a-key-of-many-characters";

    #[test]
    fn a_line_is_a_name_scopes_and_a_key() {
        let hash = blake3::hash(b"another-key-entirely").to_hex();
        let keys = Keys::from_text(&format!("# ours\n\n  studio\tread,run {KEY}\nops all blake3:{hash}\n")).unwrap();
        let studio = keys.find(KEY).expect("the first key");
        assert_eq!((&*studio.name, studio.scopes.as_slice()), ("studio", [Scope::Read, Scope::Run].as_slice()));
        assert_eq!(&*keys.find("another-key-entirely").expect("the second key").name, "ops");
        assert!(keys.find(&hash).is_none(), "a hash is no key");
        let shown = format!("{keys:?}");
        assert_eq!(shown, r#"{"studio": [Read, Run], "ops": [Read, Run, Admin]}"#);
    }

    #[test]
    fn a_wrong_line_is_named_and_its_key_is_not_repeated() {
        let cases = [
            (format!("studio {KEY}"), "line 1", "three"),
            (format!("#\nstudio {KEY} read"), "line 2", "`all`"),
            (format!("studio read,write {KEY}"), "line 1", "`admin`"),
            ("studio read short".to_owned(), "line 1", "16 characters"),
            ("studio read blake3:12".to_owned(), "line 1", "64 hexadecimal"),
            (format!("a read {KEY}\nb read {KEY}"), "line 2", "twice"),
        ];
        for (text, line, reason) in cases {
            let error = Keys::from_text(&text).expect_err(&text).to_string();
            assert!(error.contains(line) && error.contains(reason), "{error}");
            assert!(!error.contains(KEY), "{error}");
        }
    }
}
