//! Runs over a web of documents on this machine: engines that speak as Tavily and Serper do, and their pages,
//! with a chart of what the pages say.

use std::process::Output;

use graphloom_frozen_web::{Breakage, FrozenWeb, KEY};
use graphloom_retrieval::web::EngineName;
use graphloom_test_support::documents::pdf;
use serde_json::json;

use crate::support::{QUESTION, SMALL, TestDir, assert_report, text};

struct Online {
    dir: TestDir,
    runtime: tokio::runtime::Runtime,
    frozen: FrozenWeb,
}

impl Online {
    fn new() -> Self {
        let dir = TestDir::new();
        let page = dir.read("corpus/logging.md");
        let times = "In one test a commit took 12.5 ms in SQLite, 3.25 ms in PostgreSQL and 40 ms in Python.";
        std::fs::write(
            dir.path("corpus/logging.md"),
            page.replace("\n## Recovery", &format!("{times}\n\n## Recovery")),
        )
        .unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let frozen = runtime.block_on(FrozenWeb::of(&dir.path("corpus"), &dir.path("frozen-index")));
        let extension = json!({ "page_hosts": [frozen.host()] });
        let config = json!({ "web_search_engine_config": { "extension": extension } });
        std::fs::write(dir.path("web.json"), config.to_string()).unwrap();
        // The model searches the web, and is asked for charts.
        let record =
            |label: &str, value: f64| json!({ "label": label, "value": value, "unit": "ms", "documents": [1] });
        let chart = json!({
            "has_data": true, "kind": "bar", "title": "Time of a commit", "description": "How long a commit took",
            "label_title": "", "value_title": "Time",
            "records": [record("SQLite", 12.5), record("PostgreSQL", 3.25), record("Python", 40.0)],
        });
        let wish = json!({ "anchor": 1, "kind": "bar", "title": "Time of a commit", "shows": "milliseconds" });
        let mut script = vec![
            json!({ "when": ["decide where charts help", "old pages"], "json": { "charts": [wish] } }).to_string(),
            json!({ "when": "decide where charts help", "json": { "charts": [] } }).to_string(),
            json!({ "when": "collect the data for one chart", "json": chart }).to_string(),
        ];
        script.push(dir.read("script.jsonl").replace("local_search_tool", "web_search_tool"));
        std::fs::write(dir.path("script.jsonl"), script.join("\n")).unwrap();
        Self { dir, runtime, frozen }
    }

    fn run(&self, more: &[&str]) -> Output {
        let mut args =
            vec![QUESTION, "--model", "scripted:script.jsonl", "--config", "web.json", "--yes", "--out", "out"];
        args.extend(SMALL);
        // The script's outline has sections that build on one another.
        args.extend(["--set", "execution_method=dependency_driving"]);
        args.extend(more);
        let mut command = self.dir.command(&args);
        command.envs(self.frozen.environment());
        command.output().unwrap()
    }

    fn questions(&self) -> Vec<String> {
        self.runtime.block_on(self.frozen.questions())
    }
}

#[test]
fn a_report_rests_on_pages_of_the_web_and_has_a_chart_of_them() {
    let online = Online::new();
    let output = online.run(&["--search", "tavily,google", "--set", "visualization_enable=true"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&online.dir, "out");
    let result = online.dir.json("out/final_result.json");
    let citations = result["citation_messages"]["data"].as_array().unwrap();
    let pages = format!("{}/pages/", online.frozen.address());
    assert!(citations.iter().all(|citation| citation["url"].as_str().unwrap().starts_with(&pages)), "{citations:#?}");
    assert!(citations.iter().all(|citation| citation["from"] == "web"));
    let questions = online.questions();
    assert!(questions.contains(&format!("tavily: {QUESTION}")), "the request itself is searched for: {questions:?}");
    assert!(questions.iter().any(|question| question.starts_with("google: ") && !question.contains(QUESTION)));
    assert!(!online.runtime.block_on(online.frozen.fetched()).is_empty());

    let charts = result["chart_messages"].as_array().unwrap();
    assert_eq!(charts.len(), 1, "{}", result["exception_info"]);
    assert_eq!(charts[0]["chart_id"], "chart_1_1");
    let report = result["response_content"].as_str().unwrap();
    assert!(report.contains("(#insertChart:chart_1_1)"), "{report}");
    let page = online.dir.read("out/report.html");
    assert_eq!(page.matches("<figcaption><strong>Time of a commit</strong>").count(), 1, "{page}");
    let data = charts[0]["data"].as_array().unwrap();
    let of_chart = citations.iter().filter(|one| {
        data.iter().any(|datum| {
            one["chunk"].as_str().unwrap().starts_with(datum["label"].as_str().unwrap())
                && one["span"][0] == datum["sources"][0]["span"][0]
        })
    });
    assert!(of_chart.clone().count() >= data.len() && data.len() >= 3, "each datum has its citation: {citations:#?}");
    assert!(of_chart.clone().all(|one| one["verdict"] == "supported"));
    assert!(
        !report.contains("<font") && !report.contains("|  *("),
        "captions are no HTML, data have no remarks: {report}"
    );
    assert_eq!(crate::page::read(&page).drawings, 1, "charts stand in the page");
    assert!(!page.contains("#insertChart"), "places of charts are not for readers");
}

#[test]
fn no_file_of_a_run_holds_a_key() {
    let online = Online::new();
    let output = online.run(&["--search", "tavily,google", "-v", "--log", "log.txt"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = [text(&output.stdout), text(&output.stderr)].concat();
    assert!(!told.contains(KEY));
    let mut folders = vec![online.dir.root().to_path_buf()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()), "{}", path.display());
            files += 1;
        }
    }
    assert!(files > 5);
}

#[test]
fn pages_that_cannot_be_read_are_told_and_the_excerpts_carry_the_report() {
    let online = Online::new();
    online.runtime.block_on(online.frozen.pages_as_pdf("%PDF-1.7\n%%EOF\n"));
    // Serper gives excerpts only.
    let output = online.run(&["--search", "google"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&online.dir, "out");
    let notes = online.dir.json("out/run.json")["notes"].to_string();
    assert!(notes.contains("only the excerpt of the engine is used: the page has no text that can be read"), "{notes}");
}

#[test]
fn pages_that_are_pdf_are_read() {
    let online = Online::new();
    // Longer than the excerpts, which they would not replace otherwise.
    let lines: Vec<String> = (1..=20).map(|frame| format!("Frame {frame} of the log is kept for a reader.")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    online.runtime.block_on(online.frozen.pages_as_pdf(pdf(&[&lines])));
    let output = online.run(&["--search", "google"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let notes = online.dir.json("out/run.json")["notes"].to_string();
    assert!(!notes.contains("only the excerpt"), "{notes}");
    let found = online.dir.json("out/final_result.json").to_string();
    assert!(found.contains("of the log is kept for a reader"), "{found}");
}

#[test]
fn a_dead_engine_is_told_and_the_other_one_carries_the_report() {
    let online = Online::new();
    online.runtime.block_on(online.frozen.break_engine(EngineName::Tavily, Breakage::Html));
    let output = online.run(&["--search", "tavily,google"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&online.dir, "out");
    let told =
        [text(&output.stderr), online.dir.read("out/run.json"), online.dir.read("out/final_result.json")].concat();
    assert!(told.contains("Tavily") && told.contains("web page instead of data"), "{told}");
}

#[test]
fn an_engine_that_lacks_its_key_is_a_usage_error_before_anything_is_asked() {
    let online = Online::new();
    let args = [QUESTION, "--model", "scripted:script.jsonl", "--yes", "--out", "out", "--search", "tavily"];
    let output = online.dir.run(&args);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("TAVILY_API_KEY"), "{}", text(&output.stderr));
    assert!(online.questions().is_empty());
}
