//! Stage 1: a section's citations become sources.

use std::sync::Arc;

use graphloom_deepsearch::config::Config;
use graphloom_deepsearch::state::SubReportContent;
use graphloom_deepsearch::trace::{SectionTrace, trace_marks, trace_section};
use graphloom_llm::ChatModel;

use super::setup::{in_node, model, outage, source};

fn content() -> SubReportContent {
    let mut content = SubReportContent::default();
    content.classified_content = vec![
        source("log", "The log is written before the pages. A checkpoint starts at 1000 pages."),
        source("sync [2]", "FULL survives a loss of power, as it waits for the disk."),
    ];
    content.text =
        "## Logs\n\nThe log comes first [citation:1]. FULL waits for the disk and survives a loss of power. \
        It is unknown [citation:9]. Opinions differ.\n\n## References\n\n1. log\n"
            .to_owned();
    content
}

async fn traced(model: Arc<dyn ChatModel>, config: Config) -> SectionTrace {
    in_node(model, move |cx| {
        let config = config.clone();
        Box::pin(async move { trace_section(&cx, &content(), &config).await })
    })
    .await
}

#[tokio::test]
async fn statements_are_recognised_and_matched() {
    let scripted = model(|prompt| {
        if prompt.contains("You find the sentences") {
            r#"{"sentences":["FULL waits for the disk and survives a loss of power.","This stands nowhere at all."]}"#
                .into()
        } else {
            assert!(prompt.contains("1. FULL waits") && !prompt.contains("2. "), "{prompt}");
            r#"{"results":[{"sentence":1,"sources":[2,2,7]},{"sentence":5,"sources":[1]}]}"#.into()
        }
    });
    let found = traced(scripted, Config::default()).await;
    let expected = "## Logs\n\nThe log comes first [source_tracer_result][log](https://log.example/page). FULL waits for the disk and \
        survives a loss of power.[source_tracer_result][sync (2)](https://sync%20%5B2%5D.example/page) It is unknown. Opinions differ.";
    assert_eq!(found.content.text, expected);
    let trace: Vec<(&str, bool, &str)> =
        found.content.trace.iter().map(|one| (one.title.as_str(), one.traced, one.chunk.as_str())).collect();
    assert_eq!(
        trace,
        [
            ("log", false, "The log comes first."),
            ("sync [2]", true, "FULL waits for the disk and survives a loss of power."),
        ]
    );
    assert_eq!(trace_marks(&found.content.text).len(), found.content.trace.len());
    let told: Vec<String> = found.notices.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["[212101]1 citations named no source and were taken out"]);
}

#[tokio::test]
async fn a_model_that_fails_leaves_what_wording_finds() {
    let found = traced(outage(), Config::default()).await;
    let codes = |found: &SectionTrace| found.notices.iter().map(|notice| notice.code.code()).collect::<Vec<_>>();
    assert_eq!(codes(&found), [212_100, 212_101]);
    assert_eq!(found.content.trace.len(), 2, "{}", found.content.text);
    assert!(found.content.trace[1].traced);
    let unmatched = model(|prompt| {
        if prompt.contains("You find the sentences") {
            r#"{"sentences":["FULL waits for the disk and survives a loss of power."]}"#.into()
        } else {
            "no idea".into()
        }
    });
    let unmatched = traced(unmatched, Config::default()).await;
    assert_eq!(codes(&unmatched), [212_100, 212_101]);
    let told = unmatched.notices[0].to_string();
    assert!(told.contains("sources: [211000]no answer could be used"), "{told}");
}

#[tokio::test]
async fn switches_turn_both_kinds_off() {
    let mut config = Config::default();
    config.source_tracer_generated_citation_switch = false;
    let found = traced(outage(), config.clone()).await;
    assert!(found.content.trace.iter().all(|one| one.traced));
    assert!(found.content.text.contains("The log comes first. FULL"));
    config.source_tracer_research_trace_source_switch = false;
    let found = traced(outage(), config).await;
    assert_eq!(found.content, content());
}
