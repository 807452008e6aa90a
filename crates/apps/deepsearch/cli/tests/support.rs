//! Running the command in a directory of its own, with a scripted model or the embedded one.

use std::ops::Deref;

use graphloom_test_support::command::ProgramDir;
use graphloom_test_support::logs::{LOGGING, SYNCING};
use serde_json::{Value, json};

pub(crate) use graphloom_test_support::command::text;
pub(crate) use graphloom_test_support::logs::QUESTION;

/// A directory with a corpus, a script, a data directory and room for results.
pub(crate) struct TestDir(ProgramDir);

impl TestDir {
    pub(crate) fn new() -> Self {
        let dir = ProgramDir::new(env!("CARGO_BIN_EXE_deepsearch"));
        dir.write("corpus/logging.md", LOGGING);
        dir.write("corpus/syncing.md", &format!("# Syncing\n\n{SYNCING}"));
        dir.script("script.jsonl", &script());
        Self(dir)
    }

    /// Arguments of a small run on the scripted model.
    pub(crate) fn ask<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        let mut args = vec![QUESTION, "--corpus", "corpus", "--model", "scripted:script.jsonl"];
        args.extend(SMALL);
        args.extend(more);
        args
    }
}

impl Deref for TestDir {
    type Target = ProgramDir;

    fn deref(&self) -> &ProgramDir {
        &self.0
    }
}

/// The limits of small runs: two sections, one plan, one step, one loop, no charts.
pub(crate) const SMALL: [&str; 14] = [
    "--set",
    "outliner_max_section_num=2",
    "--set",
    "workflow_max_plan_executed_num=1",
    "--set",
    "planner_max_step_num=1",
    "--set",
    "info_collector_max_research_loops=1",
    "--set",
    "info_collector_initial_search_query_count=1",
    "--set",
    "visualization_enable=false",
    "--set",
    "source_tracer_infer_switch=false",
];

/// What a diligent model answers; everything else is an outage.
pub(crate) fn script() -> Vec<Value> {
    let section = |id: &str, title: &str, parents: &[&str]| {
        json!({
            "id": id, "title": title, "description": format!("what is known about {title}"), "is_core_section": true,
            "parent_ids": parents, "relationships": vec!["Basic Dependence"; parents.len()],
        })
    };
    let outline = json!({
        "language": "en", "thought": "so", "title": "Logs and power failures",
        "sections": [section("1", "The log", &[]), section("2", "The sync", &["1"])],
    });
    let step = |title: &str| {
        json!({
            "type": "info_collecting", "title": title, "description": "find it", "parent_ids": [], "relationships": [],
        })
    };
    let plan = |title: &str| {
        json!({
            "language": "en", "title": "plan", "thought": "so", "is_research_completed": false, "steps": [step(title)],
        })
    };
    let search = |query: &str| json!([{ "id": "1", "name": "local_search_tool", "arguments": { "query": query } }]);
    let quota = json!({ "error": "quota", "model": "scripted", "message": "nothing left" });
    vec![
        json!({ "when": "hand each one to a planner", "json": { "query_title": "Logs", "language": "en" } }),
        json!({ "when": "you may ask them exactly three questions", "reply": "1. Which log?\n2. Which disk?\n3. For whom?" }),
        json!({ "when": "You make outlines of research reports", "json": outline }),
        json!({ "when": "You change the outline", "json": outline }),
        json!({ "when": ["You plan what has to be found out", "The log"], "json": plan("how a log works") }),
        json!({ "when": "You plan what has to be found out", "json": plan("how a sync works") }),
        json!({ "when": ["You make search queries", "how a log works"], "json": { "description": "d", "queries": ["log power fails"] } }),
        json!({ "when": "You make search queries", "json": { "description": "d", "queries": ["full sync commit"] } }),
        json!({ "when": ["You search for documents", "log power fails"], "unless": "[result", "tool_calls": search("log power fails") }),
        json!({ "when": "You search for documents", "unless": "[result", "tool_calls": search("full sync commit") }),
        json!({ "when": "You search for documents", "reply": "done" }),
        json!({ "when": "You judge whether enough", "json": { "is_sufficient": true, "knowledge_gap": "", "next_queries": [] } }),
        json!({ "when": "You sum up what was found", "json": { "info_summary": "It is so.", "evaluation": "good" } }),
        json!({ "when": "You choose the documents", "json": { "chapter": "c", "documents": [1] } }),
        json!({ "when": ["You make the outline of one section", "The first line is `1"], "reply": "1 The log\n1.1 What it does" }),
        json!({ "when": "You make the outline of one section", "reply": "2 The sync\n2.1 What it does" }),
        json!({ "when": ["You write one section", "old pages"], "reply": "# The log\n\n## 1.1 What it does\n\nWhen the power fails, the database file still holds its old pages [citation:1]." }),
        json!({ "when": "You write one section", "reply": "# The sync\n\n## 2.1 What it does\n\nThe commit record counts only when it has reached the disk [citation:1]." }),
        json!({ "when": "You sum up one section", "reply": "What this section says." }),
        json!({ "when": "lead from one chapter", "reply": "After the log comes the sync." }),
        json!({ "when": "whether a passage supports", "json": { "judgements": ["neither"] } }),
        json!({ "when": "You write the abstract", "reply": "In short, it is safe." }),
        json!({ "when": "You write the conclusion", "reply": "So it is safe." }),
        json!({ "when": "", "error": quota }),
    ]
}

/// What every report must be: citations that resolve to stored evidence and carry a verdict.
pub(crate) fn assert_report(dir: &TestDir, out: &str) {
    let result = dir.json(&format!("{out}/final_result.json"));
    let report = result["response_content"].as_str().unwrap();
    let citations = result["citation_messages"]["data"].as_array().unwrap();
    assert!(!citations.is_empty(), "{report}\n{result:#}");
    let mut marked = 0;
    for part in report.split("[checked_citation:").skip(1) {
        let id: u64 = part[..part.find(']').unwrap()].parse().unwrap();
        let citation = citations.iter().find(|citation| citation["id"] == id);
        let citation = citation.unwrap_or_else(|| panic!("{id} is in no message"));
        assert!(["supported", "contradicted", "not_found", "not_checked"].iter().any(|v| citation["verdict"] == *v));
        assert!(!citation["evidence_id"].as_str().unwrap().is_empty());
        assert!(!citation["content"].as_str().unwrap().is_empty(), "{citation}");
        if citation["verdict"] == "supported" {
            assert!(citation["content"].as_str().unwrap().contains("<mark>"), "{citation}");
            assert!(citation["span"].is_array(), "{citation}");
        }
        marked += 1;
    }
    assert_eq!(marked, citations.len(), "every message has its mark");
    let text = dir.read(&format!("{out}/report.md"));
    assert!(!text.contains("[checked_citation"), "marks of programs are not for readers");
    let page = dir.read(&format!("{out}/report.html"));
    let seen = crate::page::read(&page);
    assert_eq!(seen.citations, marked, "every citation of the report is one of the page");
    let located = citations.iter().filter(|one| one["content"].as_str().is_some_and(|text| text.contains("<mark>")));
    assert_eq!(seen.marked, located.count(), "and opens its marked source");
    assert!(seen.marked > 0);
    assert_eq!(dir.json(&format!("{out}/run.json"))["status"], "done");
}
