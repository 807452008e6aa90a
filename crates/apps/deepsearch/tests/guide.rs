//! The guide and the page of tests are complete: each test is there, and every code, key, feature and node has its row.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use graphloom_deepsearch::{Config, StatusCode};

fn package() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn guide() -> String {
    std::fs::read_to_string(package().join("../../../docs/deepsearch.md")).expect("part of the test")
}

fn page_of_tests() -> String {
    std::fs::read_to_string(package().join("../../../docs/testing/deepsearch.md")).expect("part of the test")
}

/// The rows of the tables of a page, as their cells.
fn rows(page: &str) -> Vec<Vec<String>> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
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
fn every_test_that_the_page_of_tests_names_is_there() {
    let mut found = BTreeSet::new();
    for folder in [
        "src",
        "tests",
        "cli/src",
        "cli/tests",
        "../../charts/tests",
        "../../citations/tests",
        "../../retrieval/src",
        "../../retrieval/tests",
    ] {
        known(&package().join(folder), &mut found);
    }
    let page = page_of_tests();
    let named = tests(&page);
    let absent: Vec<_> =
        named.iter().filter(|(module, name)| !found.contains(&((*module).to_owned(), (*name).to_owned()))).collect();
    assert!(absent.is_empty(), "{absent:?}");
    assert!(named.len() > 150, "{}", named.len());
}

#[test]
fn every_code_is_explained_and_has_its_test() {
    let (explained, tested) = (rows(&guide()), rows(&page_of_tests()));
    let row = |rows: &[Vec<String>], code: StatusCode| {
        let row = rows.iter().find(|row| row[0] == code.to_string());
        row.unwrap_or_else(|| panic!("{code} has no row")).clone()
    };
    for &code in StatusCode::ALL {
        assert_eq!(row(&explained, code)[1], code.text(), "{code}");
        assert!(!tests(&row(&tested, code)[1]).is_empty(), "{code} has no test");
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
fn every_feature_and_every_node_has_a_test() {
    let page = page_of_tests();
    let features = page.split("\n## ").find(|section| section.starts_with("Features")).expect("a section");
    let features = &rows(features)[1..];
    assert!(features.len() > 30, "{}", features.len());
    for row in features {
        assert!(!tests(&row[1]).is_empty(), "`{}` has no test", row[0]);
    }
    let rows = rows(&page);
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
