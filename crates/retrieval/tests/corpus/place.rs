//! A temporary folder of documents with its index.

use std::path::{Path, PathBuf};

use graphloom_retrieval::{Corpus, CorpusOptions, Hit, SearchOptions};

pub(crate) struct TestCorpus {
    dir: tempfile::TempDir,
}

impl TestCorpus {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir(place.docs()).unwrap();
        for (path, text) in files {
            place.write(path, text);
        }
        place
    }

    pub(crate) fn docs(&self) -> PathBuf {
        self.dir.path().join("docs")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.dir.path().join("index")
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.docs().join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.file(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }

    pub(crate) fn open(&self) -> Corpus {
        self.open_with(CorpusOptions::default())
    }

    pub(crate) fn open_with(&self, options: CorpusOptions) -> Corpus {
        Corpus::open(&self.index(), &[self.docs()], options).unwrap()
    }

    /// A corpus that was refreshed.
    pub(crate) fn ready(&self) -> Corpus {
        let corpus = self.open();
        corpus.refresh().unwrap();
        corpus
    }
}

pub(crate) fn search(corpus: &Corpus, query: &str) -> Vec<Hit> {
    corpus.search(query, &SearchOptions::default()).unwrap()
}

/// The paths of the hits, below the corpus folder.
pub(crate) fn paths(corpus: &Corpus, query: &str) -> Vec<String> {
    search(corpus, query).iter().map(path_of).collect()
}

pub(crate) fn path_of(hit: &Hit) -> String {
    let graphloom_retrieval::Source::Local { path, .. } = &hit.evidence.source else { panic!("not local") };
    path.clone()
}

pub(crate) fn ids(corpus: &Corpus, query: &str) -> Vec<String> {
    search(corpus, query).into_iter().map(|hit| hit.evidence.id).collect()
}

pub(crate) fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
