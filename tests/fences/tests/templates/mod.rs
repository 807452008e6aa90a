//! Every variable of every prompt file is fenced, or stands in the list of the program's own with a reason.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod own;

use std::path::Path;

use graphloom_fences::{Files, look_through};
use own::Own;

fn files(folder: &str) -> Files {
    Files::below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates").join(folder).join("prompts")).unwrap()
}

/// Looks through the templates in a folder, and through the list for it.
fn check(folder: &str, own: &[Own]) {
    let (files, shared) = (files(folder), files("agents"));
    assert!(files.templates().count() > 3, "`{folder}` has prompt files");
    let found = look_through(&files, &shared).unwrap();
    let unlisted: Vec<String> =
        found.shown.iter().filter(|shown| !own.iter().any(|own| own.covers(shown))).map(ToString::to_string).collect();
    assert!(
        unlisted.is_empty(),
        "`{folder}`: put text from outside through the filter `fenced`; list what is the program's own in `tests/fences/tests/templates/own.rs`:\n{}",
        unlisted.join("\n")
    );
    let idle: Vec<&Own> = own.iter().filter(|own| !found.shown.iter().any(|shown| own.covers(shown))).collect();
    assert!(idle.is_empty(), "`{folder}`: nothing shows what the list has: {idle:?}");
    assert!(own.iter().all(|own| own.why.len() > 8), "each has its reason");
    assert!(found.unused_parts.is_empty(), "`{folder}`: no prompt includes {:?}", found.unused_parts);
}

#[test]
fn what_agents_show_is_fenced() {
    check("agents", own::AGENTS);
}

#[test]
fn what_writehere_shows_is_fenced() {
    check("apps/writehere", own::WRITEHERE);
}

#[test]
fn what_obsius_shows_is_fenced() {
    check("apps/obsius", own::OBSIUS);
}

#[test]
fn what_pocketflow_shows_is_fenced() {
    check("apps/pocketflow", own::POCKETFLOW);
}

#[test]
fn what_deepsearch_shows_is_fenced() {
    check("apps/deepsearch", own::DEEPSEARCH);
}

#[test]
fn there_are_no_other_prompt_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates");
    let mut with_prompts = Vec::new();
    for folder in [crates.clone(), crates.join("apps")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.join("prompts").is_dir() {
                with_prompts.push(path.strip_prefix(&crates).unwrap().to_string_lossy().replace('\\', "/"));
            }
        }
    }
    with_prompts.sort();
    assert_eq!(with_prompts, ["agents", "apps/deepsearch", "apps/obsius", "apps/pocketflow", "apps/writehere"]);
}
