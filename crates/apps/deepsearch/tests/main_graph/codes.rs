//! The status codes of the main nodes: each is reached, with its severity.

use graphloom_deepsearch::config::{Config, Secret};
use graphloom_deepsearch::state::Request;
use graphloom_llm::scripted::Reply;
use serde_json::json;

use super::model::{Main, ask, quiet};
use super::script::call;
use super::world::codes;

#[test]
fn every_wrong_parameter_has_its_code() {
    let long = format!("https://{}", "a".repeat(8192));
    let cases: Vec<(&str, serde_json::Value, u32)> = vec![
        ("outliner_max_section_num", json!(0), 200_025),
        ("outliner_max_section_num", json!(11), 200_025),
        ("outline_interaction_max_rounds", json!(101), 200_025),
        ("user_feedback_processor_max_interactions", json!(0), 200_025),
        ("vlm_chart_generator_max_iterations", json!(4), 200_025),
        ("web_search_engine_config", json!({ "max_web_search_results": 11 }), 200_025),
        ("local_search_engine_config", json!({ "max_local_search_results": 0 }), 200_025),
        ("local_search_engine_config", json!({ "recall_threshold": 1.5 }), 200_025),
        ("web_search_max_qps", json!(-1.0), 200_025),
        ("llm_timeout", json!(0), 200_025),
        ("planner_max_step_num", json!(0), 200_025),
        ("web_search_engine_config", json!({ "search_engine_name": "altavista" }), 200_014),
        ("local_search_engine_config", json!({ "search_mode": "guess" }), 200_014),
        ("planner_specified_llm", json!("best"), 200_014),
        ("web_search_engine_config", json!({ "search_url": long }), 200_021),
        ("web_search_engine_config", json!({ "search_url": "ftp://x" }), 200_013),
        ("llm_config", json!({ "general": { "base_url": long } }), 200_021),
        ("info_collector_allow_programmer", json!(true), 200_013),
        ("local_search_engine_config", json!({ "knowledge_base_configs": [{}] }), 211_301),
        ("custom_web_search_config", json!({ "file": "x.py" }), 211_302),
    ];
    for (key, value, code) in cases {
        let config: Config = serde_json::from_value(json!({ key: value })).unwrap();
        let wrong = Request::new("q", config).check();
        let found: Vec<u32> = wrong.iter().map(|notice| notice.code.code()).collect();
        assert_eq!(found, [code], "{key}");
        assert!(wrong[0].to_string().starts_with(&format!("[{code}]`{key}")), "{}", wrong[0]);
    }
    assert_eq!(Config::default().check(), [], "the defaults can run");

    let mut request = Request::new(" ", Config::default());
    request.search_mode = "react".into();
    let found: Vec<String> = request.check().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "[200009]the question is empty; say what shall be researched",
            "[200014]`search_mode` is `react`; it takes `research`"
        ]
    );
    assert_eq!(Secret::new("x").reveal(), "x");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_cannot_begin_says_so() {
    let mut config = quiet();
    config.outliner_max_section_num = 99;
    let ended = ask(&Main::default(), "q", config).await;
    let error = ended.outcome.unwrap_err().to_string();
    assert!(error.contains("[200025]`outliner_max_section_num` is 99"), "{error}");
    assert_eq!(ended.said.last().map(|message| message.content.as_str()), Some("ALL END"));
}

#[tokio::test(start_paused = true)]
async fn every_fatal_code_of_the_main_nodes_is_reached() {
    let empty = |_: usize| Ok(Reply::text("  "));
    let no_sections = |_: usize| Ok(Reply::tools([call("generate_outline", json!({ "title": "t", "sections": [] }))]));
    for (name, main, questions, code, asked) in [
        ("an outage at the entry", Main::default().down("entry"), false, "211600f", ("entry", 1)),
        ("an outage at the questions", Main::default().down("questions"), true, "211700f", ("questions", 1)),
        ("no questions at all", Main::default().on("questions", empty), true, "211700f", ("questions", 3)),
        ("two questions", Main::default().on("questions", |_| Ok("1. a\n2. b")), true, "211700f", ("questions", 3)),
        ("an outage at the outline", Main::default().down("outline"), false, "211800f", ("outline", 1)),
        ("no sections", Main::default().on("outline", no_sections), false, "211800f", ("outline", 3)),
        ("HTML", Main::default().on("outline", |_| Ok("<html>504</html>")), false, "211800f", ("outline", 3)),
    ] {
        let mut config = quiet();
        config.workflow_human_in_the_loop = questions;
        let ended = ask(&main, "How common are storks?", config).await;
        assert_eq!(codes(&ended.state().notices), [code], "{name}");
        assert_eq!(main.prompts(asked.0).len(), asked.1, "{name}: tries");
        let last: Vec<_> = ended.said.iter().rev().take(2).map(|message| message.event).collect();
        let shown = serde_json::to_value(last).unwrap();
        assert_eq!(shown, json!(["summary_response", "error"]), "{name}: the end is an error");
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_try_mends_an_answer() {
    let main = Main::default().on("outline", |number| {
        let sections = if number == 0 { json!([]) } else { super::model::outline("t")["sections"].clone() };
        Ok(Reply::tools([call("wrong_tool", json!({ "title": "Mended", "sections": sections }))]))
    });
    let ended = ask(&main, "How common are storks?", quiet()).await;
    assert_eq!(ended.state().current_outline.as_ref().unwrap().title, "Mended");
    assert!(main.prompts("outline")[1].contains("the outline has no sections"), "the complaint is shown");
}

#[tokio::test(start_paused = true)]
async fn causes_have_their_codes() {
    let wordy = || "word ".repeat(90);
    for (name, main, told, cause) in [
        ("an outage", Main::default().down("abstract"), "[212001]the abstract", "[211201]"),
        ("nothing", Main::default().on("abstract", |_| Ok(" ")), "[212001]the abstract", "[211202]"),
        ("what is no answer", Main::default().on("transition", move |_| Ok(wordy())), "a transition", "[211000]"),
    ] {
        let ended = ask(&main, "How common are storks?", quiet()).await;
        let state = ended.state();
        let lines = state.notices.iter().map(ToString::to_string).chain(state.notes.iter().cloned());
        let lines: Vec<String> = lines.collect();
        assert!(lines.iter().any(|line| line.starts_with(told) && line.contains(cause)), "{name}: {lines:?}");
        assert!(!state.final_result.response_content.is_empty(), "{name}");
    }
}
