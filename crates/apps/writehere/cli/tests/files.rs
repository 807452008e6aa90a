//! `graphloom.toml` of the user and of a project, in layers below the command line.

use std::fs;

use crate::support::{TestDir, text};

fn printed(dir: &TestDir, more: &[&str]) -> (String, String) {
    let output = dir.run(&[&["report", "x", "--print-config"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn layers_name_their_files() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("home")).unwrap();
    fs::write(dir.path("home/graphloom.toml"), "[writehere]\nlength = 100\nmax_depth = 2\nmax_nodes = 9\n").unwrap();
    fs::write(dir.path("graphloom.toml"), "[writehere]\nlength = 200\nmax_depth = 3\n[obsius]\nwhat = 1\n").unwrap();
    fs::write(dir.path("mine.toml"), "length = 300\n").unwrap();
    let line = |printed: &str, key: &str| {
        printed
            .lines()
            .find(|line| line.starts_with(&format!("{key} =")))
            .unwrap_or_else(|| panic!("{printed}"))
            .to_owned()
    };

    let (out, err) = printed(&dir, &[]);
    for (key, value, file) in [
        ("length", 200, "graphloom.toml [writehere]"),
        ("max_depth", 3, "graphloom.toml [writehere]"),
        ("max_nodes", 9, "home/graphloom.toml [writehere]"),
    ] {
        let line = line(&out, key);
        assert!(line.contains(&format!("= {value} ")) && line.contains(file), "{line}");
    }
    assert_eq!(err.matches("graphloom.toml").count(), 1, "the file of the project is told, once: {err}");
    assert!(err.contains("sets `length`, `max_depth`; `--no-config` leaves it out"), "{err}");

    let (out, _) = printed(&dir, &["--config", "mine.toml"]);
    assert!(line(&out, "length").contains("= 300 "), "{out}");
    let (out, _) = printed(&dir, &["--config", "mine.toml", "--set", "length=400"]);
    assert!(line(&out, "length").contains("= 400 "), "{out}");
    let (out, _) = printed(&dir, &["--config", "mine.toml", "--set", "length=400", "--length", "500"]);
    assert!(line(&out, "length").contains("= 500 "), "{out}");
    let (out, err) = printed(&dir, &["--no-config"]);
    assert!(!out.contains("graphloom.toml") && !err.contains("graphloom.toml"), "{out}{err}");
}

#[test]
fn options_of_a_project_are_those_of_a_run_and_mistakes_are_told() {
    let dir = TestDir::new();
    fs::write(dir.path("graphloom.toml"), "[shared]\ncorpus = 'corpus'\nmodel = 'scripted:answers.jsonl'\n").unwrap();
    let output = dir.run(&["report", "x"]);
    let said = text(&output.stderr);
    assert!(said.contains("answers.jsonl") && said.contains("sets `corpus`, `model`"), "{said}");
    assert!(!said.contains("no corpus is given"), "{said}");

    for (file, part) in [
        ("[writehere]\nlenght = 3\n", "[writehere]: there is no parameter `lenght`; did you mean `length`?"),
        ("[shared]\nmodel = 'compatible:m@https://evil.example/v1'\n", "`model` names a server"),
        ("[writehere]\nsettings.api_key = 'sk-1'\n", "`settings.api_key` names a secret"),
    ] {
        fs::write(dir.path("graphloom.toml"), file).unwrap();
        let output = dir.run(&["report", "x", "--print-config"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(part) && said.contains("graphloom.toml") && !said.contains("sk-1"), "{said}");
    }
}
