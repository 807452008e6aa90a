//! The rooms of a program import each other in one direction. A room is a file or a folder beside `lib.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The rooms that the code of a file names, tests and comments apart.
fn named(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

fn circles(program: &str) -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/apps").join(program).join("src");
    let mut all = Vec::new();
    files(&root, &mut all);
    let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in all {
        let inside = path.strip_prefix(&root).expect("a file of the program").to_string_lossy().replace('\\', "/");
        let room = inside.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        if room != "lib" {
            rooms.entry(room).or_default().extend(named(&fs::read_to_string(&path).expect("a source file")));
        }
    }
    let mut graph = DiGraphMap::<&str, ()>::new();
    for (room, others) in &rooms {
        for other in others.iter().filter(|other| *other != room && rooms.contains_key(*other)) {
            graph.add_edge(room.as_str(), other.as_str(), ());
        }
    }
    assert!(graph.node_count() > 5, "{program}: the rooms were not found");
    let circles = tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > 1);
    circles.map(|circle| circle.into_iter().map(str::to_owned).collect()).collect()
}

#[test]
fn rooms_import_each_other_in_one_direction() {
    for program in ["deepsearch", "obsius", "pocketflow", "writehere"] {
        assert_eq!(circles(program), Vec::<Vec<String>>::new(), "{program}: rooms import each other in a circle");
    }
}

/// Files in which a program asks how a model is worked with although they are no `mod.rs` of an action: the way to ask, and
/// actions whose two ways differ in a number or in whether a rule decides.
const ONE_FILE: &[&str] = &[
    "deepsearch/src/ask/mod.rs",
    "deepsearch/src/charts/make.rs",
    "deepsearch/src/charts/places.rs",
    "deepsearch/src/nodes/entry.rs",
    "deepsearch/src/nodes/outline.rs",
    "deepsearch/src/resources.rs",
    "deepsearch/src/trace/uncited.rs",
    "obsius/cli/src/open.rs",
    "obsius/src/nodes/search.rs",
    "pocketflow/src/nodes/router.rs",
    "writehere/src/stage/ask.rs",
    "writehere/src/stage/plan/shaped.rs",
];

#[test]
fn an_action_chooses_once_between_its_two_files() {
    let apps = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/apps");
    let mut all = Vec::new();
    for program in ["deepsearch", "obsius", "pocketflow", "writehere"] {
        for sources in ["src", "cli/src"] {
            files(&apps.join(program).join(sources), &mut all);
        }
    }
    let named = |path: &Path| path.strip_prefix(&apps).expect("a file below").to_string_lossy().replace('\\', "/");
    let all: BTreeMap<String, String> =
        all.iter().map(|path| (named(path), fs::read_to_string(path).expect("a source file"))).collect();
    let asks = |text: &str| text.contains("Strategy::Guided") || text.contains("Strategy::Free");
    let mut choosing: BTreeSet<&str> = all.iter().filter(|(_, text)| asks(text)).map(|(name, _)| &**name).collect();
    let mut actions = 0;
    for (name, _) in all.iter().filter(|(name, _)| name.ends_with("/free.rs") || name.ends_with("/guided.rs")) {
        let (folder, _) = name.rsplit_once('/').expect("a file in a folder");
        for other in ["mod.rs", "free.rs", "guided.rs"] {
            assert!(all.contains_key(&format!("{folder}/{other}")), "{folder} has no {other}");
        }
        assert!(!choosing.contains(&**name), "{name} chooses again");
        if choosing.remove(&*format!("{folder}/mod.rs")) {
            actions += 1;
        }
    }
    assert!(actions > 20, "the actions were not found: {actions}");
    assert_eq!(choosing.into_iter().collect::<Vec<_>>(), ONE_FILE, "a file that is no `mod.rs` of an action chooses");
}
