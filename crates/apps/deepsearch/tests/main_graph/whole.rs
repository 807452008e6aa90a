//! Whole runs of both graphs, up to the report.

use graphloom_deepsearch::config::{ExecutionMethod, TeamOrder};
use graphloom_deepsearch::stream::{ALL_END, SECTION_END};

use super::model::{Main, ask, quiet};
use super::script::PromptKind;
use super::world::codes;

#[tokio::test(start_paused = true)]
async fn both_graphs_deliver_a_report() {
    for (method, order) in [
        (ExecutionMethod::Parallel, TeamOrder::Layered),
        (ExecutionMethod::DependencyDriving, TeamOrder::Layered),
        (ExecutionMethod::DependencyDriving, TeamOrder::Dataflow),
    ] {
        let main = Main::default();
        let mut config = quiet();
        (config.execution_method, config.dependency_editor_team_order) = (method, order);
        let ended = ask(&main, "  How common are storks? ", config).await;
        let state = ended.state();
        assert_eq!(codes(&state.notices), [""; 0], "{method:?}");
        assert_eq!((state.query.as_str(), state.search_mode.as_str()), ("How common are storks?", "research"));
        assert_eq!(state.messages.iter().next().map(|said| said.content.as_str()), Some("How common are storks?"));
        let outline = state.current_outline.as_ref().unwrap();
        assert_eq!(outline.sections.len(), 2);
        let parents = if method == ExecutionMethod::Parallel { vec![] } else { vec!["1".to_owned()] };
        assert_eq!(outline.sections[1].parent_ids, parents);
        assert!(outline.sections.iter().all(|section| !section.plans.is_empty()), "plans come back from the team");

        // Success fills `search_context.report` and `search_context.all_classified_contents`.
        let report = state.report.as_ref().unwrap();
        assert_eq!(report.report_content, text_of(&report.report_content));
        assert_eq!(state.all_classified_contents, report.all_classified_contents);
        assert_eq!(state.all_classified_contents.len(), 2);
        let text = &state.final_result.response_content;
        for part in
            ["# All about storks", "# Abstract\n\nIn short.", "# 1. Alpha", "# 2. Beta", "# Conclusion\n\nSo it is."]
        {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(text.contains("After the first comes the second."));

        let ends = ended.said.iter().filter(|message| message.content == SECTION_END);
        let mut ends: Vec<&str> = ends.map(|message| message.place.section_idx.as_str()).collect();
        ends.sort_unstable();
        assert_eq!(ends, ["1", "2"], "{method:?}");
        assert_eq!(ended.said.last().map(|message| message.content.as_str()), Some(ALL_END));
        let background =
            main.sections.prompts(PromptKind::Write).iter().filter(|prompt| prompt.contains("What section")).count();
        assert_eq!(background, usize::from(method == ExecutionMethod::DependencyDriving), "{method:?}");
    }
}

fn text_of(text: &str) -> &str {
    assert!(!text.is_empty());
    text
}

#[tokio::test(start_paused = true)]
async fn a_report_that_exists_is_delivered_whatever_fails_after_it() {
    let main = Main::default().down("transition").down("abstract").down("conclusion");
    let ended = ask(&main, "How common are storks?", quiet()).await;
    let state = ended.state();
    assert_eq!(codes(&state.notices), ["212001w", "212001w"]);
    let text = &state.final_result.response_content;
    assert!(text.contains("# Abstract\n\n[The abstract could not be written]"), "{text}");
    assert!(
        text.contains("# 2. Beta") && text.contains("# Conclusion\n\n[The conclusion could not be written]"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn charts_of_the_whole_report_turn_those_of_sections_off() {
    let mut config = quiet();
    (config.vlm_chart_generator_enable, config.visualization_enable) = (true, true);
    let ended = ask(&Main::default().down("entry"), "q", config).await;
    assert!(!ended.state().config.visualization_enable);
    assert!(ended.state().notes.iter().any(|note| note.contains("visualization_enable")));
}
