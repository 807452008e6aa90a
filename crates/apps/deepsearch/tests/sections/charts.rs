//! Charts of a section: drawn from checked data while it is written, cited as its writer cites.

use graphloom_deepsearch::Document;
use graphloom_deepsearch::section::{SectionBrief, SectionState, graph};
use graphloom_deepsearch::trace::trace_marks;
use serde_json::{Value, json};

use super::script::{PromptKind, Script, outage, plan};
use super::world::{Library, RunResult, codes, config, document, resources, run, section, web};

const NUMBERS: &str =
    "In the north 12.5 storks were counted a day, in the south 3.25 storks and in the west 40 storks.";

/// A section whose model wants a chart and collects these data; none for a model that is out.
async fn drawn(data: Option<Value>, traced: bool) -> (RunResult<SectionState>, Script) {
    let script = Script::default()
        .on(PromptKind::Plan, |_| Ok(plan(&[("storks", &[])])))
        .on(PromptKind::Write, |_| Ok("## 3.1 Numbers\n\nPlaces differ[citation:1].\n\nThey differ much[citation:2]."))
        .always(
            PromptKind::ChartPlaces,
            json!({ "charts": [
            { "anchor": 1, "kind": "bar", "title": "Storks by place", "shows": "how many storks" },
        ] }),
        )
        .on(PromptKind::ChartData, move |_| data.clone().ok_or_else(outage))
        .always(PromptKind::Recognise, json!({ "sentences": [] }));
    let mut library = Library::named("tavily");
    let numbers = Document::new("https://numbers.example/", "Numbers", NUMBERS);
    library.answers.insert("storks".into(), vec![document("storks", "north"), numbers]);
    let mut config = config();
    config.workflow_max_plan_executed_num = 1;
    config.visualization_enable = true;
    config.source_tracer_research_trace_source_switch = traced;
    let brief = SectionBrief::new(section("3", &[]), "How common are storks?", config);
    let ran = run(graph(), resources(&script, web(&library)), SectionState::update().brief(brief)).await;
    (ran, script)
}

fn data(west: f64) -> Value {
    values([12.5, 3.25, west])
}

fn values([north, south, west]: [f64; 3]) -> Value {
    let record =
        |label: &str, value: f64| json!({ "label": label, "value": value, "unit": "storks", "documents": [2] });
    json!({
        "has_data": true, "kind": "bar", "title": "Storks by place", "description": "Storks a day",
        "label_title": "", "value_title": "Storks",
        "records": [record("north", north), record("south", south), record("west", west)],
    })
}

#[tokio::test]
async fn a_section_has_a_chart_of_its_documents() {
    let (ran, script) = drawn(Some(data(40.0)), false).await;
    assert_eq!(codes(&ran.state.notices), [""; 0]);
    let content = &ran.state.sub_report.as_ref().unwrap().content;
    let expected = "# Chapter 3\n\n## Numbers\n\nPlaces differ[citation:1].\n\n(#insertChart:chart_3_1)\n\n\
                    **Storks by place**: Storks a day\n\n|  | Storks (storks) |\n| --- | --- |\n\
                    | north | 12.5 storks[citation:2] |\n| south | 3.25 storks[citation:2] |\n| west | 40 storks[citation:2] |\n\n\
                    They differ much[citation:2].";
    assert_eq!(content.text, expected);
    assert_eq!((content.charts.len(), content.charts[0].chart_id.as_str()), (1, "chart_3_1"));
    assert!(!script.prompts(PromptKind::ChartPlaces)[0].contains("[citation:"), "marks are nothing for the model");
    assert!(!script.prompts(PromptKind::Summarise)[0].contains("insertChart"), "nor are charts for its summary");

    let (ran, _) = drawn(Some(data(40.0)), true).await;
    let content = &ran.state.sub_report.as_ref().unwrap().content;
    let kinds: Vec<(bool, &str)> = content.trace.iter().map(|one| (one.chart, one.url.as_str())).collect();
    let (first, numbers) = ("https://north.example/storks", "https://numbers.example/");
    let drawn = (true, numbers);
    assert_eq!(kinds, [(false, first), drawn, drawn, drawn, (false, numbers)], "tracing knows the chart's citations");
    assert_eq!(trace_marks(&content.text).len(), 5);
    for (trace, said) in content.trace[1..4].iter().zip(["north: 12.5 storks", "south: 3.25 storks", "west: 40 storks"])
    {
        let (start, end) = trace.span.expect("the sentence of the datum is known");
        assert_eq!((trace.chunk.as_str(), &NUMBERS[start..end]), (said, NUMBERS));
    }
}

#[tokio::test]
async fn a_chart_that_cannot_be_made_leaves_the_section_alone() {
    for (data, expected) in
        [(Some(data(41.5)), &["212411e"][..]), (None, &["212411e"]), (Some(json!({ "has_data": false })), &[])]
    {
        let (ran, _) = drawn(data, false).await;
        assert_eq!(codes(&ran.state.notices), expected);
        let content = &ran.state.sub_report.as_ref().unwrap().content;
        assert!(content.charts.is_empty() && !content.text.contains("insertChart"), "{}", content.text);
    }
}

#[tokio::test]
async fn values_of_other_labels_are_refused_with_a_notice() {
    for permuted in [[3.25, 12.5, 40.0], [40.0, 12.5, 3.25], [12.5, 40.0, 3.25], [3.25, 40.0, 12.5], [40.0, 3.25, 12.5]]
    {
        let (ran, script) = drawn(Some(values(permuted)), false).await;
        assert_eq!(codes(&ran.state.notices), ["212411e"], "{permuted:?}");
        let content = &ran.state.sub_report.as_ref().unwrap().content;
        assert!(content.charts.is_empty() && !content.text.contains("insertChart"), "{}", content.text);
        let complaint = script.prompts(PromptKind::ChartData).last().unwrap().clone();
        assert!(complaint.contains("must stand with its label in one sentence or row"), "{complaint}");
    }
}
