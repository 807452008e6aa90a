//! What fails behind the report for other reasons than a model: it is appended, and the report is delivered.

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_deepsearch::SearchContext;
use graphloom_deepsearch::graph::graph;
use graphloom_deepsearch::state::Request;

use crate::model::{Ended, Main, follow, loud, resources};
use crate::world::codes;

/// A run with one prompt that cannot be filled in.
async fn without(prompt: &str, vision: bool) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{prompt}.j2"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{# user #}\n{{ nobody_wrote_this() }}\n").unwrap();
    let mut config = loud();
    if vision {
        (config.vlm_chart_generator_enable, config.vlm_chart_generator_max_iterations) = (true, 0);
    }
    let mut resources = resources(&Main::quoting());
    resources.prompts = resources.prompts.override_from(folder.path()).unwrap();
    let graph = graph(config.execution_method.into()).unwrap();
    let runs = graph.with_context(resources).with_checkpointer(MemoryCheckpointer::new());
    let request = Request::new("How common are storks?", config);
    follow(runs.thread("test").run(SearchContext::update().request(request))).await
}

#[tokio::test(start_paused = true)]
async fn a_node_that_fails_behind_the_report_leaves_it() {
    for (prompt, vision, expected) in
        [("charts/places", true, "212411e"), ("trace/verify", false, "212106e"), ("trace/conclusion", false, "212300e")]
    {
        let ended = without(prompt, vision).await;
        let state = ended.state();
        assert_eq!(codes(&state.notices), [expected], "{prompt}");
        let told = state.result().exception_info;
        assert!(told.contains("nobody_wrote_this"), "{prompt}: {told}");
        let report = &state.final_result.response_content;
        assert!(
            report.contains("# 2. Beta") && report.contains("counted in every one of the twelve places"),
            "{prompt}: {report}"
        );
        assert!(!report.contains("[source_tracer_result]"), "{prompt}: marks of programs are not for readers");
        assert_eq!(report.contains("[checked_citation:"), prompt != "trace/verify", "{prompt}");
        let last: Vec<_> = ended.said.iter().rev().take(2).map(|message| message.content.as_str()).collect();
        assert_eq!(last[0], "ALL END");
        assert!(last[1].contains(report.lines().next().unwrap()), "the result is told");
    }
}
