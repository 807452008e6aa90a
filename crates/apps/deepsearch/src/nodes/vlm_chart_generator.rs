//! Node `vlm_chart_generator`.

use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};

use crate::charts::{ChartRules, chart_report};
use crate::resources::{Resources, Slot};
use crate::state::{SearchContext, SearchContextUpdate};
use crate::status::{Notice, StatusCode};

/// Draws charts of the whole report. In: report, config, language. Out: report with placeholders, `chart_messages`.
/// Failure: appended (212411), and the run goes on. Without `vlm_chart_generator_enable` the node is skipped; 0 rounds
/// of the critic draw without it, and rounds without a model that reads images skip the node with a warning.
///
/// Source: openJiuwen DeepSearch, `VLMChartGeneratorNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn vlm_chart_generator(
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<SearchContextUpdate, NodeError> {
    let config = &state.config;
    let Some(report) = state.report.as_deref().filter(|_| config.vlm_chart_generator_enable) else {
        return Ok(SearchContext::update());
    };
    let rounds = config.vlm_chart_generator_max_iterations;
    if rounds > 0 && !cx.resources().model(Slot::VlmChartGenerating).capabilities().images {
        let message = "no charts were drawn: the model of `vlm_chart_generating` reads no images; name one that does, or \
                       set `vlm_chart_generator_max_iterations` to 0 to draw without a critic";
        let notice = Notice::warning(StatusCode::Chart, message);
        return Ok(SearchContext::update().notices([notice]).notes([message.to_owned()]));
    }
    let rules = ChartRules::new(state.language, config.report_max_generate_retry_num).rounds(rounds);
    let charted = chart_report(&cx, report, rules).await?;
    let update =
        SearchContext::update().notices(charted.notices).notes(charted.notes).spent(cx.resources().ledger.spent());
    if charted.charts.is_empty() {
        return Ok(update);
    }
    let mut report = report.clone();
    report.report_content.clone_from(&charted.text);
    report.merged_trace_source_datas = charted.traces;
    let mut result = state.final_result.clone();
    result.response_content = charted.text;
    result.chart_messages = charted.charts;
    Ok(update.report(Some(Shared::new(report))).final_result(result))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use graphloom_agents::Models;
    use graphloom_core_graph::checkpoint::MemoryCheckpointer;
    use graphloom_core_graph::{END, Node, Outcome, START, StateGraph};
    use graphloom_llm::scripted::rendered;
    use graphloom_llm::{ChatModel, ChatRequest, ModelError, Part, Scripted};
    use serde_json::{Value, json};

    use super::*;
    use crate::Document;
    use crate::config::Config;
    use crate::markup::{trace_mark, trace_marks};
    use crate::search::Engines;
    use crate::state::{Report, SubReport, TraceSource};

    const TEXT: &str = "A commit took 12.5 ms in SQLite, 3.25 ms in PostgreSQL and 40 ms in Python.";

    /// What the scripted model answers to each kind of question.
    #[derive(Clone)]
    struct Script {
        places: Value,
        data: fn(usize) -> Value,
        score: fn(usize) -> u32,
    }

    fn record(label: &str, value: f64) -> Value {
        json!({ "label": label, "value": value, "unit": "ms", "documents": [1] })
    }

    fn good_data(_: usize) -> Value {
        json!({
            "has_data": true, "kind": "bar", "title": "Time of a commit", "description": "How long a commit took",
            "label_title": "", "value_title": "Time",
            "records": [record("SQLite", 12.5), record("PostgreSQL", 3.25), record("Python", 40.0)],
        })
    }

    fn wish(anchor: u32) -> Value {
        json!({ "anchor": anchor, "kind": "bar", "title": "Time of a commit", "shows": "milliseconds of a commit" })
    }

    impl Default for Script {
        fn default() -> Self {
            Self { places: json!({ "charts": [wish(1)] }), data: good_data, score: |_| 90 }
        }
    }

    impl Script {
        fn model(self) -> Arc<Scripted> {
            let counts = [std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0)];
            let next = move |which: usize| counts[which].fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Arc::new(Scripted::from_fn(move |request: &ChatRequest| {
                let prompt = rendered(request);
                let answer = if prompt.contains("decide where charts help") {
                    self.places.clone()
                } else if prompt.contains("collect the data for one chart") {
                    (self.data)(next(0))
                } else if prompt.contains("look at a chart and judge it") {
                    assert!(request.messages.iter().flat_map(|message| &message.parts).any(is_picture));
                    json!({ "score": (self.score)(next(1)), "problems": "the title says too little" })
                } else {
                    return Err(ModelError::Invalid { model: "scripted".into(), message: prompt, request_id: None });
                };
                Ok(answer.to_string())
            }))
        }
    }

    fn is_picture(part: &Part) -> bool {
        matches!(part, Part::Image { .. })
    }

    fn report() -> Report {
        let evidence = Document::new("https://a.example/commit", "Commits", TEXT);
        let mark = trace_mark("Commits", "https://a.example/commit");
        let text = format!(
            "# T\n\n# Abstract\n\nShort.\n\n# 1. Time\n\nCommits differ.{mark}\n\nThey differ much.{mark}\n\n# Conclusion\n\nSo.\n"
        );
        let trace = TraceSource {
            evidence: evidence.id.clone(),
            title: "Commits".into(),
            url: "https://a.example/commit".into(),
            ..TraceSource::default()
        };
        Report {
            sub_reports: vec![SubReport { section_id: "1".into(), ..SubReport::default() }],
            report_content: text,
            all_classified_contents: vec![vec![evidence]],
            merged_trace_source_datas: vec![trace.clone(), trace],
            ..Report::default()
        }
    }

    async fn run(model: Arc<Scripted>, rounds: Option<u32>) -> Arc<SearchContext> {
        let mut config = Config { visualization_enable: false, ..Config::default() };
        if let Some(rounds) = rounds {
            config.vlm_chart_generator_enable = true;
            config.vlm_chart_generator_max_iterations = rounds;
        }
        run_with(model, config).await
    }

    async fn run_with(model: Arc<Scripted>, config: Config) -> Arc<SearchContext> {
        let node = Node::named("vlm_chart_generator");
        let mut graph = StateGraph::<SearchContext, Resources>::new("charts");
        graph.add_node(node.clone(), vlm_chart_generator);
        graph.add_edge(START, node.clone()).add_edge(node, END);
        let resources = Resources::new(Models::new(model as Arc<dyn ChatModel>), Engines::default()).unwrap();
        let threads = graph.compile().unwrap().with_context(resources).with_checkpointer(MemoryCheckpointer::new());
        let report = report();
        let mut result = crate::state::FinalResult::default();
        result.response_content.clone_from(&report.report_content);
        let input = SearchContext::update()
            .config(config)
            .report(Some(Shared::new(report)))
            .final_result(result)
            .language(crate::state::Locale::English);
        match threads.thread("t").run(input).await.unwrap() {
            Outcome::Done(state) => state,
            other => panic!("{other:?}"),
        }
    }

    fn codes(state: &SearchContext) -> Vec<u32> {
        state.notices.iter().map(|notice| notice.code.code()).collect()
    }

    #[tokio::test]
    async fn a_chart_stands_in_the_report_with_its_citations_and_its_picture() {
        let model = Script::default().model();
        let state = run(Arc::clone(&model), Some(0)).await;
        assert_eq!(codes(&state), [0_u32; 0]);
        let result = &state.final_result;
        let [chart] = &result.chart_messages[..] else { panic!("{:?}", result.chart_messages) };
        assert_eq!((chart.chart_id.as_str(), chart.chart_title.as_str()), ("chart_1_1", "Time of a commit"));
        let svg = String::from_utf8(STANDARD.decode(&chart.base64).unwrap()).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("PostgreSQL") && svg.contains("12.5"), "{svg}");
        let text = &result.response_content;
        let at = text.find("(#insertChart:chart_1_1)").unwrap();
        assert!(text.find("Commits differ.").unwrap() < at && at < text.find("They differ much.").unwrap(), "{text}");
        let report = state.report.as_deref().unwrap();
        assert_eq!(report.report_content, *text);
        let of_charts: Vec<bool> = report.merged_trace_source_datas.iter().map(|trace| trace.chart).collect();
        assert_eq!(of_charts, [false, true, true, true, false]);
        assert_eq!(trace_marks(text).len(), 5);
        assert_eq!(model.calls().len(), 2, "no critic is asked in 0 rounds");
    }

    #[tokio::test]
    async fn the_node_is_skipped_when_it_is_off() {
        let config = Config::default();
        assert!(config.visualization_enable && !config.vlm_chart_generator_enable, "sections draw charts of their own");
        let model = Script::default().model();
        let off = run_with(Arc::clone(&model), config).await;
        assert_eq!((off.final_result.chart_messages.len(), model.calls().len()), (0, 0));
        assert_eq!(off.final_result.response_content, report().report_content);
    }

    #[tokio::test]
    async fn a_critic_accepts_from_85_points_in_its_rounds() {
        for (rounds, score, charts, calls) in [
            (1, (|_| 85) as fn(usize) -> u32, 1, 3),
            (3, |round| if round == 0 { 84 } else { 90 }, 1, 5),
            (2, |_| 84, 0, 5),
        ] {
            let model = Script { score, ..Script::default() }.model();
            let state = run(Arc::clone(&model), Some(rounds)).await;
            if state.notes.iter().any(|note| note.contains("no fonts")) {
                // A system without fonts cannot show a chart to anyone: it is drawn and the note says so.
                assert_eq!((state.final_result.chart_messages.len(), model.calls().len()), (1, 2));
                continue;
            }
            assert_eq!((state.final_result.chart_messages.len(), model.calls().len()), (charts, calls), "{rounds}");
            assert_eq!(codes(&state), vec![212_411; 1 - charts]);
            if calls == 5 {
                let again = rendered(&model.calls()[3]);
                assert!(again.contains("the title says too little"), "{again}");
            }
        }
    }

    #[tokio::test]
    async fn rounds_without_a_model_that_sees_skip_the_node_with_a_warning() {
        let seeing = Script::default().model();
        let mut capabilities = seeing.capabilities().clone();
        capabilities.images = false;
        let blind = || {
            let Ok(model) = Arc::try_unwrap(Script::default().model()) else { panic!("it is not shared yet") };
            Arc::new(model.with_capabilities(capabilities.clone()))
        };
        let model = blind();
        let state = run(Arc::clone(&model), Some(1)).await;
        assert_eq!((codes(&state), model.calls().len()), (vec![212_411], 0));
        assert!(state.result().warning_info.contains("reads no images"));
        assert_eq!(state.final_result.response_content, report().report_content);
        assert_eq!(run(blind(), Some(0)).await.final_result.chart_messages.len(), 1);
    }

    #[tokio::test]
    async fn what_the_evidence_does_not_say_is_not_drawn() {
        let invented = |_| {
            let mut data = good_data(0);
            data["records"][0]["value"] = json!(13.5);
            data
        };
        let model = Script { data: invented, ..Script::default() }.model();
        let state = run(Arc::clone(&model), Some(0)).await;
        assert_eq!((state.final_result.chart_messages.len(), codes(&state)), (0, vec![212_411]));
        assert_eq!(state.final_result.response_content, report().report_content);
        assert_eq!(model.calls().len(), 4, "one call for places, three tries for data");
        assert!(rendered(&model.calls()[2]).contains("SQLite"), "the complaint names the record");

        let corrected =
            |try_number| if try_number == 0 { json!({ "has_data": true, "records": [] }) } else { good_data(0) };
        let state = run(Script { data: corrected, ..Script::default() }.model(), Some(0)).await;
        assert_eq!(state.final_result.chart_messages.len(), 1);

        let none = |_| json!({ "has_data": false });
        let state = run(Script { data: none, ..Script::default() }.model(), Some(0)).await;
        assert_eq!((state.final_result.chart_messages.len(), codes(&state)), (0, vec![]));
        assert!(state.notes.iter().any(|note| note.contains("no data")));
    }

    #[tokio::test]
    async fn no_chart_a_wrong_place_and_a_dead_model_leave_the_report_alone() {
        for (places, expected) in [
            (json!({ "charts": [] }), vec![]),
            (json!({ "charts": [wish(9)] }), vec![212_411]),
            (json!(7), vec![212_411]),
        ] {
            let state = run(Script { places, ..Script::default() }.model(), Some(0)).await;
            assert_eq!((codes(&state), state.final_result.chart_messages.len()), (expected, 0));
            assert_eq!(state.final_result.response_content, report().report_content);
        }
        let dead = Scripted::from_fn(|_: &ChatRequest| {
            Err::<String, _>(ModelError::Invalid { model: "m".into(), message: "gone".into(), request_id: None })
        });
        let state = run(Arc::new(dead), Some(0)).await;
        assert_eq!(codes(&state), [212_411]);
        assert!(state.result().exception_info.contains("[212411]section 1"), "{}", state.result().exception_info);
    }
}
