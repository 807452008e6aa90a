//! The files of labelled claims: where they come from, what they are byte for byte, and which part of each was seen.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::Failure;

/// Who has read a set before or while rules were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// Rules were written with it at hand; its figures say how well they fit.
    Seen,
    /// Measured before and after, never read: its figures count.
    HeldBack,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A line of JSON with `claim`, `evidence` and `label`.
    Pairs,
    /// The same with `page`; pages are seen or held back by the first bit of the hash of their title.
    Pages,
    /// A table with the columns `claim`, `evidence` and `label`.
    Table,
    /// A line of JSON for each claim with several evidences, each with an article and a label of its own.
    Climate,
    /// A line of JSON with a claim and a list of sentences.
    Lists,
    /// Claims of science whose abstracts are in `corpus_candidate.jsonl`.
    Abstracts,
    /// Pairs of paragraphs in `corpus_antonym.jsonl`, of which one has one word made its opposite.
    Antonyms,
}

/// A file of labelled claims.
pub(crate) struct File {
    pub(crate) set: &'static str,
    pub(crate) name: &'static str,
    pub(crate) part: Part,
    pub(crate) form: Form,
    sha256: &'static str,
}

const fn file(set: &'static str, name: &'static str, part: Part, form: Form, sha256: &'static str) -> File {
    File { set, name, part, form, sha256 }
}

/// All files; `docs/testing/citations.md` names their repositories and commits.
pub(crate) const FILES: [File; 8] = [
    file(
        "fever-symmetric",
        "fever_symmetric_dev.jsonl",
        Part::Seen,
        Form::Pairs,
        "1d43d016da9264de2139cd10edd459ffbeac84f1fd85d60b70ab6ef63d283f81",
    ),
    file(
        "healthver",
        "healthver_dev.csv",
        Part::Seen,
        Form::Table,
        "6f8ea31cbcf2ea5a2d3c82d65587d66e96de4f70e72642bbf7f61fec6ef8a93a",
    ),
    file(
        "scifact",
        "queries.jsonl",
        Part::Seen,
        Form::Abstracts,
        "8ff84a7c903f722981cd8d595c022660140c51867b27608a6d4910db86080313",
    ),
    file(
        "fever-symmetric",
        "fever_symmetric_test.jsonl",
        Part::HeldBack,
        Form::Pairs,
        "b2ff560615bd3337c858bc5b09256d04f39aaa034aaae2351bb2d6345c110f83",
    ),
    file(
        "healthver",
        "healthver_test.csv",
        Part::HeldBack,
        Form::Table,
        "cf457d2dcddd7a736408082d0037527884f7ca3bda06729e1da5ec9e3b135819",
    ),
    // Half of its pages are seen.
    file(
        "vitaminc",
        "vitaminc_real_test.jsonl",
        Part::HeldBack,
        Form::Pages,
        "4d9a916d430ac4a6507671f7414f7b3ac8bdb7636008b5a5dd85be65d1b8d86f",
    ),
    file(
        "climate-fever",
        "climate-fever.jsonl",
        Part::HeldBack,
        Form::Climate,
        "8a4b9032d861be482ffb49dddfd283ffa6089e654f1e968040011882c5eb6e0b",
    ),
    file(
        "covid-fact",
        "COVIDFACT_dataset.jsonl",
        Part::HeldBack,
        Form::Lists,
        "9d4974209ffc872566111ce7ed2fbd422245c3dba2a5ec30de61af38f061c7e3",
    ),
];

/// The file of reversed sentences.
pub(crate) const REVERSED: File = file(
    "antonyms",
    "queries_antonym.jsonl",
    Part::Seen,
    Form::Antonyms,
    "38164fd16dc38496b2bac1d859ee0aa11c932993d4ac519776bda05bf77d27e8",
);

/// Files that others refer to, with their hashes.
const BESIDE: [(&str, &str); 2] = [
    ("corpus_candidate.jsonl", "3b1452489e963e2bb77e2a8e35a3c43b834a6ec38f4e44664d0662ce53681938"),
    ("corpus_antonym.jsonl", "c6f4fc37b896adb390318c627fe406d78431293134146063aedfed4b4c51ce26"),
];

/// The words of `WordNet` by part of speech, with their hashes. Its nouns have few opposites and are not used.
const WORDNET: [(char, &str, &str); 3] = [
    ('a', "data.adj", "ca1033bf627eb95f6cbb2864f8990be8e6a01a3c182e7d7c7094ccf8ead242cc"),
    ('r', "data.adv", "aea301f39ac1b24be9a880dbc6cc6331bc5391f58c7525a1b298a13c922f2ed3"),
    ('v', "data.verb", "eb1cf196dab6e1b815a1c86fa20c909fb7413b2f34250d7fe60a0fb35ef59e03"),
];

#[cfg(test)]
impl File {
    /// A file of some form, for what is read without a folder.
    pub(crate) fn of(set: &'static str, form: Form) -> Self {
        file(set, "a file", Part::HeldBack, form, "")
    }
}

impl File {
    /// The text of the file in `folder`; none where the folder does not have it.
    pub(crate) fn text(&self, folder: &Path) -> Result<Option<String>, Failure> {
        pinned(&folder.join(self.name), self.sha256)
    }
}

/// The text of a file that another one refers to.
pub(crate) fn beside(folder: &Path, name: &str) -> Result<String, Failure> {
    let hash = BESIDE.iter().find(|(other, _)| *other == name).map_or("", |(_, hash)| hash);
    pinned(&folder.join(name), hash)?.ok_or_else(|| format!("`{}` has no `{name}`", folder.display()).into())
}

/// The files of `WordNet` that `folder` has, each with the letter of its part of speech.
pub(crate) fn wordnet(folder: &Path) -> Result<Vec<(char, String)>, Failure> {
    let mut found = Vec::new();
    for (letter, name, hash) in WORDNET {
        found.extend(pinned(&folder.join(name), hash)?.map(|text| (letter, text)));
    }
    Ok(found)
}

/// A file whose bytes are known: figures of other bytes would be figures of other data.
fn pinned(path: &Path, sha256: &str) -> Result<Option<String>, Failure> {
    if !path.exists() {
        return Ok(None);
    }
    let bytes = fs::read(path).map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
    let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if found != sha256 {
        return Err(format!("`{}` is another version: its SHA-256 is {found}, not {sha256}", path.display()).into());
    }
    Ok(Some(String::from_utf8(bytes).map_err(|error| format!("`{}` is no UTF-8: {error}", path.display()))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_left_out_and_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(FILES.iter().all(|file| file.text(folder.path()).unwrap().is_none()));
        assert!(wordnet(folder.path()).unwrap().is_empty());
        assert!(beside(folder.path(), "corpus_antonym.jsonl").unwrap_err().to_string().contains("has no"));
        fs::write(folder.path().join(FILES[0].name), "{}").unwrap();
        let refused = FILES[0].text(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("is another version") && refused.contains(FILES[0].name), "{refused}");
    }
}
