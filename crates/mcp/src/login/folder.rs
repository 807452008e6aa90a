//! Where logins are kept.

use std::fs::File;
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use reqwest::Url;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};

/// A folder with a private file for each server that somebody logged in to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginFolder {
    folder: PathBuf,
}

/// A login as its file has it.
#[derive(Serialize, Deserialize)]
struct StoredLogin {
    /// The address that it is for.
    server: String,
    /// The secret of the client, where it was given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    credentials: StoredCredentials,
}

/// The file of one server.
#[derive(Clone)]
pub(super) struct LoginFile {
    path: PathBuf,
    server: String,
    /// The secret of the client, to be kept with the tokens.
    pub(super) client_secret: Arc<Mutex<Option<String>>>,
}

impl LoginFolder {
    /// Keeps logins in a folder, which is made when the first one is.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Whether there is a login for an address.
    pub fn has(&self, server: &Url) -> bool {
        self.file(server).path.is_file()
    }

    /// Forgets the login for an address; false where there is none.
    ///
    /// # Errors
    /// The system's own.
    pub fn remove(&self, server: &Url) -> io::Result<bool> {
        let path = self.file(server).path;
        let _ = std::fs::remove_file(path.with_extension("lock"));
        match std::fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The file of an address: the whole of it counts, so that a token never goes to another service of the same host.
    pub(super) fn file(&self, server: &Url) -> LoginFile {
        let mut address = server.clone();
        address.set_fragment(None);
        let hash = blake3::hash(address.as_str().as_bytes()).to_hex();
        let host = server.host_str().unwrap_or_default();
        let host: String = host.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')).collect();
        let path = self.folder.join(format!("{host}-{}.json", &hash[..24]));
        LoginFile { path, server: address.to_string(), client_secret: Arc::default() }
    }
}

impl LoginFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What is kept; nothing where there is no file, or one of another address.
    pub(super) fn read(&self) -> Result<Option<StoredCredentials>, String> {
        let text = match std::fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        // Where it is damaged is not told: the words of the error could hold a piece of it.
        let stored: StoredLogin =
            serde_json::from_slice(&text).map_err(|_| "it is damaged; log in again".to_owned())?;
        if stored.server != self.server {
            return Ok(None);
        }
        *self.secret() = stored.client_secret;
        Ok(Some(stored.credentials))
    }

    fn write(&self, credentials: StoredCredentials) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let stored = StoredLogin { server: self.server.clone(), client_secret: self.secret().clone(), credentials };
        // It is made for this user alone, and takes its place whole.
        let mut file = tempfile::Builder::new().prefix(".login").tempfile_in(folder)?;
        file.write_all(&serde_json::to_vec(&stored).map_err(io::Error::other)?)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map(drop).map_err(|error| error.error)
    }

    fn secret(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.client_secret.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl CredentialStore for LoginFile {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read().map_err(AuthError::CredentialStoreError)
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.write(credentials).map_err(|error| AuthError::CredentialStoreError(error.to_string()))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(AuthError::CredentialStoreError(error.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Two processes do not exchange the same token at the same time: the second one would be refused, and some servers
    /// take that for theft and end the login.
    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let path = self.path.with_extension("lock");
        let locked = tokio::task::spawn_blocking(move || {
            let mut options = File::options();
            options.create(true).truncate(false).write(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = options.open(path)?;
            file.lock()?;
            Ok::<_, io::Error>(file)
        });
        let failed = |error: String| AuthError::CredentialStoreError(error);
        let file = locked.await.map_err(|error| failed(error.to_string()))?;
        Ok(Some(CredentialRefreshGuard::new(file.map_err(|error| failed(error.to_string()))?)))
    }
}
