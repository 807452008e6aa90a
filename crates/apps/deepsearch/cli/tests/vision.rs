//! Charts and their critic on a server with the chat-completions interface, which does not say whether its model sees: the
//! server is scripted.

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer};

use crate::server::Rules;
use crate::support::{QUESTION, SMALL, TestDir, assert_report, text};

/// The outcome of a run whose charts have a critic.
struct Ran {
    result: Value,
    /// Pictures that the server was sent.
    pictures: usize,
    /// A system without fonts has no labels to judge, and shows nothing.
    has_fonts: bool,
}

fn run(roles: &str) -> Ran {
    let dir = TestDir::new();
    let page = dir.read("corpus/logging.md");
    let times = "In one test a commit took 12.5 ms in SQLite, 3.25 ms in PostgreSQL and 40 ms in Python.";
    let page = page.replace("\n## Recovery", &format!("{times}\n\n## Recovery"));
    std::fs::write(dir.path("corpus/logging.md"), page).unwrap();
    let record = |label: &str, value: f64| json!({ "label": label, "value": value, "unit": "ms", "documents": [1] });
    let chart = json!({
        "has_data": true, "kind": "bar", "title": "Time of a commit", "description": "How long a commit took",
        "label_title": "", "value_title": "Time",
        "records": [record("SQLite", 12.5), record("PostgreSQL", 3.25), record("Python", 40.0)],
    });
    let wish = json!({ "anchor": 1, "kind": "bar", "title": "Time of a commit", "shows": "milliseconds" });
    let mut rules = vec![
        json!({ "when": "look at a chart and judge it", "json": { "score": 95, "problems": "" } }),
        json!({ "when": ["decide where charts help", "old pages"], "json": { "charts": [wish] } }),
        json!({ "when": "decide where charts help", "json": { "charts": [] } }),
        json!({ "when": "collect the data for one chart", "json": chart }),
        json!({ "when": "judge whether a passage supports a statement", "json": { "judgements": ["entails"] } }),
    ];
    rules.extend(dir.read("script.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        let route = Mock::given(method("POST")).and(path("/v1/chat/completions"));
        route.respond_with(Rules(rules)).mount(&server).await;
        server
    });
    let model = roles.replace("SERVER", &format!("compatible:m@{}/v1", server.uri()));
    let mut args = vec![QUESTION, "--corpus", "corpus", "--model", &model, "--yes", "--out", "out"];
    args.extend(SMALL);
    args.extend(["--set", "vlm_chart_generator_enable=true", "--set", "vlm_chart_generator_max_iterations=1"]);
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir, "out");
    let requests = runtime.block_on(server.received_requests()).unwrap();
    let pictures = requests.iter().filter(|request| String::from_utf8_lossy(&request.body).contains("image_url"));
    let has_fonts = !dir.json("out/run.json")["notes"].to_string().contains("no fonts");
    Ran { result: dir.json("out/final_result.json"), pictures: pictures.count(), has_fonts }
}

#[test]
fn a_model_that_is_not_named_for_it_sees_nothing_and_the_node_says_so() {
    let Ran { result, pictures, .. } = run("SERVER");
    assert_eq!((result["chart_messages"].as_array().unwrap().len(), pictures), (0, 0));
    let told = result["warning_info"].as_str().unwrap();
    assert!(told.contains("[212411]no charts were drawn") && told.contains("reads no images"), "{told}");
    assert_eq!(result["exception_info"], "");
}

#[test]
fn a_model_that_is_named_for_it_is_shown_the_chart() {
    let Ran { result, pictures, has_fonts } = run("SERVER,vlm_chart_generating=SERVER");
    assert_eq!(result["chart_messages"].as_array().unwrap().len(), 1, "{result:#}");
    assert!(result["response_content"].as_str().unwrap().contains("(#insertChart:chart_1_1)"));
    assert_eq!(pictures, usize::from(has_fonts));
}
