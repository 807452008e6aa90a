//! What fails behind the report for other reasons than a model: it is appended, and the report is delivered.

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Answers, Outcome, Thread};
use graphloom_deepsearch::feedback::USER_FEEDBACK;
use graphloom_deepsearch::graph::graph;
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::{Config, Resources, SearchContext};
use serde_json::json;

use super::model::{Main, RunResult, follow, loud, resources};
use super::world::codes;

/// A thread with one prompt that cannot be filled in.
fn thread(prompt: &str, config: &Config) -> Thread<SearchContext, Resources> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{prompt}.j2"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{# user #}\n{{ nobody_wrote_this() }}\n").unwrap();
    let mut resources = resources(&Main::quoting());
    resources.prompts = resources.prompts.override_from(folder.path()).unwrap();
    let graph = graph(config.execution_method.into());
    graph.with_context(resources).with_checkpointer(MemoryCheckpointer::new()).thread("test")
}

async fn without(prompt: &str, vision: bool) -> RunResult {
    let mut config = loud();
    if vision {
        (config.vlm_chart_generator_enable, config.vlm_chart_generator_max_iterations) = (true, 0);
    }
    let thread = thread(prompt, &config);
    let request = Request::new("How common are storks?", config);
    follow(thread.run(SearchContext::update().request(request))).await
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

#[tokio::test(start_paused = true)]
async fn a_section_that_cannot_be_traced_stands_as_it_was_written() {
    let ended = without("trace/recognise", false).await;
    let state = ended.state();
    assert_eq!(codes(&state.notices), ["212100e", "212100e"]);
    let report = &state.final_result.response_content;
    assert!(report.contains("[[1]](https://north.example/first-of-1)"), "the writer's citations are links: {report}");
}

#[tokio::test(start_paused = true)]
async fn a_change_that_fails_counts_and_the_next_one_is_heard() {
    let mut config = loud();
    config.user_feedback_processor_enable = true;
    let thread = thread("feedback/expand", &config);
    let request = Request::new("How common are storks?", config);
    let ended = follow(thread.run(SearchContext::update().request(request))).await;
    let Ok(Outcome::Waiting(questions)) = &ended.outcome else { panic!("{:?}", ended.outcome) };
    let before = questions.iter().next().unwrap().payload["response_content"].clone();
    let title = json!({ "action": "expand", "selected_text": "All", "start_offset": 2, "end_offset": 5 });
    let ended = follow(thread.resume(Answers::new().and(USER_FEEDBACK, title).unwrap())).await;
    let Ok(Outcome::Waiting(questions)) = &ended.outcome else { panic!("{:?}", ended.outcome) };
    let question = &questions.iter().next().unwrap().payload;
    assert_eq!((&question["response_content"], &question["feedback_interaction_count"]), (&before, &json!(1)));
    let finish = json!({ "action": "finish" });
    let ended = follow(thread.resume(Answers::new().and(USER_FEEDBACK, finish).unwrap())).await;
    assert_eq!(codes(&ended.state().notices), ["212405e"]);
    assert_eq!(ended.state().final_result.response_content, before);
}
