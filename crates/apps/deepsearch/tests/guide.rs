//! The guide is complete: its tests are there, every code, key, feature and node has its row.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use graphloom_deepsearch::{Config, StatusCode};

fn package() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn guide() -> String {
    std::fs::read_to_string(package().join("../../../docs/deepsearch.md")).expect("part of the test")
}

/// The rows of the guide's tables, as their cells.
fn rows(guide: &str) -> Vec<Vec<String>> {
    let rows = guide.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    rows.map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The names of tests in a text, as module and function.
fn tests(text: &str) -> Vec<(&str, &str)> {
    let is_name = |part: &str| part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let names = text.split('`').filter_map(|code| code.split_once("::"));
    names.filter(|(module, name)| is_name(module) && is_name(name) && name.contains('_')).collect()
}

/// Every test of a folder, as module and function: the module is the file or its folder.
fn known(folder: &Path, into: &mut BTreeSet<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("part of the test") {
        let path = entry.expect("part of the test").path();
        if path.is_dir() {
            known(&path, into);
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("part of the test");
        let module = path.file_stem().expect("a file").to_string_lossy().into_owned();
        // Tests follow an attribute; those of proptest stand in its macro.
        let is_test = |before: &str| {
            before.trim_end().ends_with(']') && before.rfind("#[").is_some_and(|at| before[at..].contains("test"))
        };
        for (at, _) in text.match_indices("fn ") {
            let before = text[..at].trim_end().trim_end_matches("async").trim_end();
            if is_test(before) {
                let name: String = text[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                into.insert((module.clone(), name));
            }
        }
    }
}

#[test]
fn every_test_that_the_guide_names_is_there() {
    let mut found = BTreeSet::new();
    for folder in
        ["src", "tests", "../../charts/tests", "../../citations/tests", "../../retrieval/src", "../../retrieval/tests"]
    {
        known(&package().join(folder), &mut found);
    }
    let guide = guide();
    let named = tests(&guide);
    let absent: Vec<_> =
        named.iter().filter(|(module, name)| !found.contains(&((*module).to_owned(), (*name).to_owned()))).collect();
    assert!(absent.is_empty(), "{absent:?}");
    assert!(named.len() > 150, "{}", named.len());
}

#[test]
fn every_code_has_a_row_with_its_test() {
    let rows = rows(&guide());
    for code in StatusCode::ALL {
        let row = rows.iter().find(|row| row[0] == code.to_string()).unwrap_or_else(|| panic!("{code} has no row"));
        assert_eq!(row[1], code.text(), "{code}");
        assert!(!tests(&row[3]).is_empty(), "{code} has no test");
    }
}

#[test]
fn every_key_has_a_row_with_its_default() {
    let rows = rows(&guide());
    let config = serde_json::to_value(Config::default()).expect("plain data");
    for (key, default) in config.as_object().expect("a table") {
        let row = rows.iter().find(|row| row[0] == format!("`{key}`")).unwrap_or_else(|| panic!("{key} has no row"));
        let shown = match default.as_str() {
            Some(word) if !word.is_empty() => format!("`{word}`"),
            _ => format!("`{default}`"),
        };
        assert!(default.is_object() || row[1] == shown, "{key}: {} is not {shown}", row[1]);
    }
}

#[test]
fn every_feature_and_every_node_has_a_row_with_its_test() {
    let guide = guide();
    let rows = rows(&guide);
    for number in (1..=36).chain([38, 40]).filter(|number| *number != 30) {
        let feature = format!("F{number}");
        let row = rows.iter().find(|row| row[0] == feature).unwrap_or_else(|| panic!("{feature} has no row"));
        assert!(number == 32 || !tests(&row[2]).is_empty(), "{feature} has no test");
    }
    for node in [
        "StartNode",
        "EntryNode",
        "GenerateQuestionsNode",
        "FeedbackHandlerNode",
        "OutlineNode",
        "DependencyOutlineNode",
        "OutlineInteractionNode",
        "DependencyOutlineInteractionNode",
        "EditorTeamNode",
        "DependencyEditorTeamNode",
        "ReporterNode",
        "VLMChartGeneratorNode",
        "SourceTracerNode",
        "UserFeedbackProcessorNode",
        "SourceTracerInferNode",
        "EndNode",
        "SectionStartNode",
        "ResearchPlanReasoningNode",
        "InfoCollectorNode",
        "SubReporterNode",
        "SubSourceTracerNode",
        "SectionEndNode",
        "GenerateQueryNode",
        "InfoRetrievalNode",
        "SupervisorNode",
        "SummaryNode",
        "GraphEndNode",
        "SectionReasoningStartNode",
        "DependencyPlanReasoningNode",
        "DependencyInfoCollectorNode",
        "SectionReasoningEndNode",
        "SectionWritingStartNode",
    ] {
        let holds = |row: &&Vec<String>| row[0].split([',', ' ', ':']).any(|word| word == node);
        let row = rows.iter().find(holds).unwrap_or_else(|| panic!("{node} has no row"));
        assert!(!tests(&row[2]).is_empty(), "{node} has no test");
    }
}
