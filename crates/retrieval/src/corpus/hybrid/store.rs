//! The vectors of passages, in a file beside the index.
//!
//! A vector lies under the hash of the text that it was made of. So it belongs to the content, not to a place in the index:
//! a document that changes loses the vectors of the passages that changed, an index that is built anew keeps those of the
//! passages that did not, and whichever of the two was committed last before a crash, no passage gets the vector of another.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OptionalExtension};

use super::codes::Coded;
use crate::RetrievalError;

const FILE: &str = "vectors.sqlite";

/// Grows with every change of the tables or of the text that is embedded.
const FORMAT: u32 = 1;

/// The hash of an embedded text.
pub(super) type Key = [u8; 16];

/// An open file of vectors.
pub(super) struct VectorStore {
    path: PathBuf,
    connection: Connection,
}

/// The model whose vectors a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VectorModel {
    pub(super) name: String,
    pub(super) dimension: usize,
}

impl VectorStore {
    /// Opens the file in `dir`, which is made where it is not there. A file that is damaged or of another format is
    /// replaced by an empty one, since vectors can be made again.
    pub(super) fn open(dir: &Path) -> Result<Self, RetrievalError> {
        std::fs::create_dir_all(dir).map_err(|error| RetrievalError::index_file(dir, dir, error))?;
        let path = dir.join(FILE);
        match Self::at(&path) {
            Ok(store) => Ok(store),
            Err(error) if is_damage(&error) => {
                tracing::warn!(file = %path.display(), %error, "the vectors are made anew");
                std::fs::remove_file(&path).map_err(|error| RetrievalError::index_file(dir, &path, error))?;
                Self::at(&path).map_err(|error| failed(&path, &error))
            }
            Err(error) => Err(failed(&path, &error)),
        }
    }

    /// Opens the file in `dir` where there is one.
    pub(super) fn existing(dir: &Path) -> Result<Option<Self>, RetrievalError> {
        if dir.join(FILE).exists() { Self::open(dir).map(Some) } else { Ok(None) }
    }

    fn at(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        let format: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if format != FORMAT {
            connection.execute_batch(&format!(
                "BEGIN IMMEDIATE;
                 DROP TABLE IF EXISTS model;
                 DROP TABLE IF EXISTS vectors;
                 CREATE TABLE model (name TEXT NOT NULL, dimension INTEGER NOT NULL);
                 CREATE TABLE vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID;
                 PRAGMA user_version = {FORMAT};
                 COMMIT;"
            ))?;
        }
        Ok(Self { path: path.to_path_buf(), connection })
    }

    fn told<T>(&self, result: rusqlite::Result<T>) -> Result<T, RetrievalError> {
        result.map_err(|error| failed(&self.path, &error))
    }

    /// Whose vectors these are; nothing in a new file.
    pub(super) fn model(&self) -> Result<Option<VectorModel>, RetrievalError> {
        let row = self.connection.query_row("SELECT name, dimension FROM model", [], |row| {
            Ok(VectorModel { name: row.get(0)?, dimension: row.get(1)? })
        });
        self.told(row.optional())
    }

    /// Forgets every vector, and says whose the next ones are.
    pub(super) fn begin(&mut self, model: &VectorModel) -> Result<(), RetrievalError> {
        let mut begin = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction()?;
            transaction.execute_batch("DELETE FROM vectors; DELETE FROM model;")?;
            transaction.execute("INSERT INTO model VALUES (?1, ?2)", (&model.name, model.dimension))?;
            transaction.commit()
        };
        let begun = begin();
        self.told(begun)
    }

    /// Every sound vector.
    pub(super) fn each(&self, dimension: usize, mut take: impl FnMut(Key, Coded)) -> Result<(), RetrievalError> {
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare("SELECT key, vector FROM vectors")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (key, bytes) = (row.get_ref(0)?.as_blob()?, row.get_ref(1)?.as_blob()?);
                if let (Ok(name), Some(coded)) = (Key::try_from(key), Coded::read(key, bytes, dimension)) {
                    take(name, coded);
                }
            }
            Ok(())
        };
        let read = read();
        self.told(read)
    }

    /// Stores vectors, all or none.
    pub(super) fn add(&mut self, vectors: &[(Key, Coded)]) -> Result<(), RetrievalError> {
        let mut add = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction()?;
            {
                let mut statement = transaction.prepare("INSERT OR REPLACE INTO vectors VALUES (?1, ?2)")?;
                for (key, coded) in vectors {
                    statement.execute((key.as_slice(), coded.to_bytes(key)))?;
                }
            }
            transaction.commit()
        };
        let added = add();
        self.told(added)
    }

    /// Forgets the vectors of texts that are in no passage any more; how many there were.
    pub(super) fn keep(&mut self, wanted: &BTreeSet<Key>) -> Result<usize, RetrievalError> {
        let mut keep = || -> rusqlite::Result<usize> {
            let transaction = self.connection.transaction()?;
            let mut gone: Vec<Vec<u8>> = Vec::new();
            {
                let mut statement = transaction.prepare("SELECT key FROM vectors")?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    let key = row.get_ref(0)?.as_blob()?;
                    if !Key::try_from(key).is_ok_and(|key| wanted.contains(&key)) {
                        gone.push(key.to_vec());
                    }
                }
                let mut statement = transaction.prepare("DELETE FROM vectors WHERE key = ?1")?;
                for key in &gone {
                    statement.execute([key])?;
                }
            }
            transaction.commit()?;
            Ok(gone.len())
        };
        let kept = keep();
        self.told(kept)
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

fn failed(path: &Path, error: &rusqlite::Error) -> RetrievalError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => RetrievalError::DiskFull { index: path.to_path_buf() },
        _ => RetrievalError::Vectors { path: path.to_path_buf(), reason: error.to_string() },
    }
}
