//! `graphloom new`: what is made, what is refused, and that each template compiles, passes its own tests and runs.

mod compiled;
mod workspace;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{graphloom, result, run};

/// The templates, as `--list` names them.
fn templates(place: &Path) -> Vec<String> {
    let (status, stdout, stderr) = run(place, &["new", "--list", "--json"]);
    assert_eq!(status, 0, "{stderr}");
    let listed = result(&stdout)["result"]["templates"].clone();
    listed.as_array().unwrap().iter().map(|row| row["template"].as_str().unwrap().to_owned()).collect()
}

/// Every file below a folder, by its path from there.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

#[test]
fn every_template_is_listed_named_in_the_help_and_made() {
    let place = tempfile::tempdir().unwrap();
    let templates = templates(place.path());
    assert_eq!(templates, ["minimal", "ask", "agent", "report"]);
    let (_, help, _) = run(place.path(), &["new", "--help"]);
    for template in &templates {
        assert!(help.contains(&format!("- {template}:")), "{help}");
        let name = format!("my-{template}");
        let (status, stdout, stderr) = run(place.path(), &["new", &name, "--template", template]);
        assert_eq!(status, 0, "{stderr}");
        for next in [format!("cd {name}\n"), "cargo run".to_owned(), "cargo test\n".to_owned()] {
            assert!(stdout.contains(&next), "{stdout}");
        }
        let folder = place.path().join(&name);
        let made = files(&folder);
        for file in [
            ".github/workflows/ci.yml",
            ".gitignore",
            "Cargo.toml",
            "README.md",
            "src/lib.rs",
            "src/main.rs",
            "tests/graph.rs",
        ] {
            assert!(made.contains(file), "{template}: {made:?}");
        }
        for file in &made {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            for left in ["new-crate", "new_crate", "0.0.0"] {
                assert!(!text.contains(left), "{template}: `{file}` still has `{left}`");
            }
        }
        let manifest: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some(name.as_str()));
        assert_eq!(manifest["package"]["rust-version"].as_str(), Some(env!("CARGO_PKG_RUST_VERSION")));
        assert_eq!(
            manifest["dependencies"]["graphloom"]["version"].as_str(),
            Some(env!("CARGO_PKG_VERSION")),
            "outside of a checkout the registry's version is used"
        );
    }
}

#[test]
fn what_was_made_is_told_to_programs_too() {
    let place = tempfile::tempdir().unwrap();
    let (status, stdout, stderr) = run(place.path(), &["new", "ideas", "--json"]);
    assert_eq!(status, 0, "{stderr}");
    let told = &result(&stdout)["result"];
    assert_eq!((&told["crate"], &told["template"]), (&"ideas".into(), &"minimal".into()));
    let told_files: BTreeSet<String> =
        told["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap().to_owned()).collect();
    assert_eq!(told_files, files(&place.path().join("ideas")));
    assert_eq!(told["graphloom"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn bad_names_unknown_templates_and_folders_that_are_no_checkouts_are_refused() {
    let place = tempfile::tempdir().unwrap();
    for (arguments, parts) in [
        (&["new", "2fast"][..], &["`2fast`", "begins with a letter"][..]),
        (&["new", "../up"], &["`../up`", "ASCII letters"]),
        (&["new", "async"], &["`async`", "a word of Rust"]),
        (&["new", "tokio"], &["`tokio`", "a crate of that name"]),
        (&["new", "ideas", "--template", "blog"], &["blog", "minimal", "ask", "agent", "report"]),
        (&["new", "ideas", "--path", "nowhere"], &["`--path nowhere`", "`nowhere/crates/graphloom`", "checkout"]),
        (&["new"], &["<NAME>"]),
        (&["new", "ideas", "--list"], &["--list"]),
    ] {
        let (status, stdout, stderr) = run(place.path(), arguments);
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        for part in parts {
            // clap puts what is wrong in other quotes than the house does.
            assert!(stderr.replace('\'', "`").contains(part), "{arguments:?}: no {part} in {stderr}");
        }
    }
    assert!(files(place.path()).iter().all(|file| file.starts_with("home/") || file.starts_with("user/")));
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("full")).unwrap();
    fs::write(place.path().join("full/mine.txt"), "mine").unwrap();
    fs::write(place.path().join("file"), "mine").unwrap();
    for name in ["full", "file"] {
        let (status, stdout, stderr) = run(place.path(), &["new", name]);
        assert_eq!((status, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains("is there already") && stderr.contains("choose another name"), "{stderr}");
    }
    assert_eq!(files(&place.path().join("full")), ["mine.txt".to_owned()].into());
    assert_eq!(fs::read_to_string(place.path().join("file")).unwrap(), "mine");

    fs::create_dir(place.path().join("empty")).unwrap();
    let (status, _, stderr) = run(place.path(), &["new", "empty"]);
    assert_eq!(status, 0, "an empty folder is taken: {stderr}");
    assert!(place.path().join("empty/Cargo.toml").exists());
}

#[test]
fn where_nothing_can_be_written_nothing_half_made_stays() {
    let place = tempfile::tempdir().unwrap();
    // No file may get any bytes, which is told to the program and does not end it.
    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" new ideas";
    let program = graphloom(place.path(), &[]);
    let mut command = Command::new("sh");
    command.args(["-c", limited]).arg(program.get_program()).env_clear().current_dir(place.path());
    let (status, stdout, stderr) = crate::told(command.env("PATH", std::env::var("PATH").unwrap()).output().unwrap());
    assert_eq!((status, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("cannot write `") && stderr.contains("too large"), "{stderr}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn inside_of_a_checkout_its_own_crate_is_used_and_cargo_takes_the_new_one() {
    let place = tempfile::tempdir().unwrap();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir_all(place.path().join("crates/graphloom/src")).unwrap();
    fs::write(place.path().join("Cargo.toml"), "[workspace]\nresolver = \"3\"\nmembers = [\"crates/graphloom\"]\n")
        .unwrap();
    let manifest = "[package]\nname = \"graphloom\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(place.path().join("crates/graphloom/Cargo.toml"), manifest).unwrap();
    fs::write(place.path().join("crates/graphloom/src/lib.rs"), "").unwrap();
    let inside = place.path().join("mine");
    fs::create_dir(&inside).unwrap();
    let mut command = graphloom(place.path(), &["new", "ideas"]);
    let (status, stdout, stderr) = crate::told(command.current_dir(&inside).output().unwrap());
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.contains("crates/graphloom`"), "{stdout}");

    // The workspace around does not know the crate, which is a workspace of its own.
    let mut cargo = Command::new(workspace::cargo());
    cargo.args(["metadata", "--offline", "--no-deps", "--format-version", "1"]).current_dir(inside.join("ideas"));
    let (status, metadata, stderr) = crate::told(cargo.output().unwrap());
    assert_eq!(status, 0, "{stderr}");
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    let package = &metadata["packages"][0];
    assert_eq!(package["name"], "ideas");
    let dependencies = package["dependencies"].as_array().unwrap();
    let graphloom = dependencies.iter().find(|one| one["name"] == "graphloom").unwrap();
    let path = fs::canonicalize(graphloom["path"].as_str().unwrap()).unwrap();
    assert_eq!(path, fs::canonicalize(place.path().join("crates/graphloom")).unwrap());

    // A checkout can be named from elsewhere, this one included.
    let elsewhere = tempfile::tempdir().unwrap();
    let checkout = repository.join("../..");
    let (status, _, stderr) = run(elsewhere.path(), &["new", "ideas", "--path", checkout.to_str().unwrap()]);
    assert_eq!(status, 0, "{stderr}");
    let manifest = fs::read_to_string(elsewhere.path().join("ideas/Cargo.toml")).unwrap();
    assert!(!manifest.contains("[workspace]"), "nothing is around: {manifest}");
    let manifest: toml::Table = manifest.parse().unwrap();
    let path = Path::new(manifest["dependencies"]["graphloom"]["path"].as_str().unwrap());
    assert_eq!(fs::canonicalize(path).unwrap(), fs::canonicalize(repository).unwrap());
}
