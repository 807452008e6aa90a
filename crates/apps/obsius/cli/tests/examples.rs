//! The two usage examples, on the embedded model and a vault of at least five hundred real documents.

use graphloom_vault::{LinkIndex, NotePath, Vault, VaultOptions};

use crate::support::{TestDir, result, text};

#[test]
fn the_simple_request_creates_the_note() {
    let (dir, count) = TestDir::of_documents();
    assert!(count >= 500, "{count} documents");
    let before = dir.bytes();
    let output =
        dir.run(&["run", "Create a note about AI", "--vault", "vault", "--model", "embedded", "--yes", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let run = result(&output);
    assert_eq!(run["complexity"], "simple", "{run:#}");
    assert_eq!(run["outcome"]["stop"]["by"], "simple_task", "{run:#}");
    let new: Vec<_> = dir.bytes().into_iter().filter(|(path, _)| !before.contains_key(path)).collect();
    let [(path, bytes)] = new.as_slice() else { panic!("{new:?}") };
    assert!(path.file_name().unwrap().to_string_lossy().contains("AI"), "{path:?}");
    assert!(bytes.len() > 40, "{}", text(bytes));
}

#[test]
fn the_complex_request_ends_with_an_index_that_is_applied_once_and_undone() {
    let (dir, count) = TestDir::of_documents();
    assert!(count >= 500, "{count} documents");
    // The usage example itself, and one of its form whose subject many documents have.
    for (run, request, at_least) in [
        ("ml", "Organize all my machine learning notes and create a comprehensive index", 1),
        ("errors", "Organize all my error handling notes and create a comprehensive index", 10),
    ] {
        let before = dir.bytes();
        // More documents fit the second one than are taken unless it is said how many.
        let all = format!("max_all_results={count}");
        let args = ["run", request, "--vault", "vault", "--model", "embedded", "--thread", run, "--set", &all];
        let output = dir.run(&args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("`ITERATION_TIMEOUT_MS` is raised"), "{said}");
        assert_eq!(dir.bytes(), before, "nothing is written before it is approved");

        let output = dir.run(&["apply", run, "--json"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let told = result(&output);
        assert_eq!(told["outcome"]["is_complete"], true, "{told:#}");
        let applied: Vec<String> = serde_json::from_value(told["applied"]["paths"].clone()).unwrap();
        let [index] = applied.as_slice() else { panic!("{applied:?}") };
        let vault = Vault::open(dir.vault(), VaultOptions::default()).unwrap();
        let links = LinkIndex::build(&vault);
        let listed = links.outgoing(&NotePath::parse(index).unwrap());
        assert!(listed.len() >= at_least, "{run}: {} links", listed.len());
        assert!(listed.iter().all(|link| link.to.is_sound()), "{listed:?}");

        let again = dir.run(&["apply", run]);
        assert_eq!(again.status.code(), Some(2), "it is applied once: {}", text(&again.stdout));
        let output = dir.run(&["undo", run]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(dir.bytes(), before, "undone to the same bytes");
    }
}
