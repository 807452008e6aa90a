//! What can be written to search.

use crate::support::{TestDir, result, text};

fn found(dir: &TestDir, query: &str) -> (Vec<String>, String) {
    let output = dir.run(&["search", query, "--vault", "vault", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let value = result(&output);
    let mut paths: Vec<String> =
        value["found"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect();
    paths.sort();
    (paths, value["corrected"].to_string())
}

#[test]
fn tags_paths_and_phrases_are_conditions_and_words_that_are_nowhere_are_searched_by_what_is_like_them() {
    let dir = TestDir::new();
    for (path, text) in [
        ("Old harbours/Lisbon.md", "---\ntags: [sea/atlantic]\n---\nA harbour where the\nmoon moves the tides.\n"),
        ("Old harbours/Basel.md", "A harbour on a river. The tides, moved by the moon, are far.\n"),
    ] {
        std::fs::create_dir_all(dir.vault().join("Old harbours")).unwrap();
        std::fs::write(dir.vault().join(path), text).unwrap();
    }
    let (lisbon, basel) = ("Old harbours/Lisbon.md", "Old harbours/Basel.md");
    for (query, expected) in [
        ("harbour", &[basel, lisbon][..]),
        ("tag:sea", &[lisbon, "Tides.md"]),
        ("tag:#sea harbour", &[lisbon]),
        ("path:\"old harbours\" moon", &[basel, lisbon]),
        ("path:harbours", &[basel, lisbon]),
        ("path:harbours tag:sea", &[lisbon]),
        ("\"the Moon moves the tides\"", &[lisbon]),
        ("\"moved by the moon\"", &[basel, "Tides.md"]),
        ("\"moon moved\"", &[]),
        ("tag:nothing", &[]),
    ] {
        let (paths, corrected) = found(&dir, query);
        let mut expected: Vec<&str> = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(
            (paths, corrected),
            (expected.iter().map(|path| (*path).to_owned()).collect(), "[]".to_owned()),
            "{query}"
        );
    }
    // Letters that change places, a letter that is missing, and a word that is like none.
    for (query, searched) in [("harbuor", "harbour"), ("rivr", "river")] {
        let (paths, corrected) = found(&dir, query);
        assert!(!paths.is_empty() && corrected.contains(searched), "{query}: {paths:?} {corrected}");
    }
    assert_eq!(found(&dir, "quetzal"), (Vec::new(), "[]".to_owned()));
    let said = text(&dir.run(&["search", "harbuor", "--vault", "vault"]).stdout);
    assert!(said.starts_with("`harbuor` is in no note; searched for `harbour`"), "{said}");
}
