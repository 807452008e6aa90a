//! `graphloom model` on files that are missing, damaged, incomplete or not the model.

use std::path::{Path, PathBuf};

use graphloom::embedded::weights::{self, SMOLLM2_135M};

use crate::{result, run};

/// A file of `size` bytes that is not the model's.
fn weights_of_size(path: &Path, size: u64) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::File::create(path).unwrap().set_len(size).unwrap();
}

fn installed(place: &Path) -> PathBuf {
    weights::path(&SMOLLM2_135M, &place.join("home/models"))
}

#[test]
fn what_is_there_is_listed() {
    let place = tempfile::tempdir().unwrap();
    let (status, stdout, _) = run(place.path(), &["model", "list"]);
    assert_eq!(status, 0);
    assert!(stdout.contains(SMOLLM2_135M.name) && stdout.contains("missing"), "{stdout}");

    for arguments in [["model", "path"], ["model", "verify"]] {
        let (status, stdout, stderr) = run(place.path(), &arguments);
        assert_eq!((status, stdout.as_str()), (1, ""));
        assert!(stderr.contains("run `graphloom model fetch`"), "{stderr}");
    }
    let (status, _, stderr) = run(place.path(), &["model", "path", "gpt-6"]);
    assert_eq!(status, 2);
    assert!(stderr.contains(SMOLLM2_135M.name), "{stderr}");
}

#[test]
fn damaged_and_incomplete_weights_are_told_apart() {
    let place = tempfile::tempdir().unwrap();
    let path = installed(place.path());
    for (size, expected) in [(1000, "is incomplete: 1000 of 98362432 bytes"), (SMOLLM2_135M.size, "is damaged")] {
        weights_of_size(&path, size);
        for command in ["verify", "path"] {
            let (status, stdout, stderr) = run(place.path(), &["model", command]);
            assert_eq!((status, stdout.as_str()), (1, ""));
            assert!(stderr.contains(expected) && stderr.contains("model fetch"), "{stderr}");
        }
        let (_, stdout, _) = run(place.path(), &["model", "list", "--json"]);
        let state = result(&stdout)["result"]["models"][0]["state"].as_str().unwrap().to_owned();
        assert!(state.starts_with("damaged: "), "{state}");
    }
}

#[test]
fn a_file_that_is_not_the_model_is_not_taken() {
    let place = tempfile::tempdir().unwrap();
    let given = place.path().join("given.gguf");
    weights_of_size(&given, 5);
    let (status, _, stderr) = run(place.path(), &["model", "fetch", "--from", "given.gguf"]);
    assert_eq!(status, 1);
    assert!(stderr.contains("given.gguf") && stderr.contains("5 of 98362432 bytes"), "{stderr}");
    assert!(!installed(place.path()).exists());

    let (status, _, stderr) = run(place.path(), &["model", "fetch", "--from", "absent.gguf"]);
    assert_eq!(status, 1);
    assert!(stderr.contains("absent.gguf"), "{stderr}");
}
