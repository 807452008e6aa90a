//! Every key of the original can be set and is printed; secrets are not.

use graphloom_deepsearch::Config;
use serde_json::{Value, json};

use crate::support::{TestDir, text};

#[test]
fn every_key_is_printed_with_its_default() {
    let dir = TestDir::new();
    let printed = text(&dir.run(&["--print-config"]).stdout);
    for (key, default) in [
        ("execution_method", "\"parallel\""),
        ("workflow_human_in_the_loop", "true"),
        ("outliner_max_section_num", "5"),
        ("outline_interaction_max_rounds", "3"),
        ("source_tracer_infer_switch", "true"),
        ("web_search_engine_config.max_web_search_results", "5"),
        ("local_search_engine_config.recall_threshold", "0.5"),
        ("llm_config.general.model_name", "\"\""),
        ("llm_config.vlm_chart_generating.base_url", "\"\""),
        ("user_feedback_processor_max_interactions", "100"),
        ("vlm_chart_generator_max_iterations", "1"),
        ("workflow_execution_timeout", "7200"),
        ("workflow_max_plan_executed_num", "2"),
        ("planner_max_step_num", "3"),
        ("info_collector_max_react_recursion_limit", "8"),
        ("sub_report_classify_doc_infos_res_top_k_num", "10"),
        ("source_tracer_citation_verify_max_concurrency_num", "30"),
        ("llm_timeout", "300"),
    ] {
        assert!(printed.lines().any(|line| line.starts_with(&format!("{key} = {default} "))), "{key}: {printed}");
    }
}

/// All keys of a table with values, under their whole names.
fn flat(prefix: &str, value: &Value, into: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (key, value) in fields {
                let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flat(&name, value, into);
            }
        }
        value => into.push((prefix.to_owned(), value.clone())),
    }
}

#[test]
fn every_key_can_be_set_in_both_ways() {
    let mut keys = Vec::new();
    flat("", &serde_json::to_value(Config::default()).unwrap(), &mut keys);
    keys.retain(|(_, value)| !matches!(value, Value::Null | Value::Array(_) | Value::Object(_)));
    assert!(keys.len() > 80, "{}", keys.len());
    let other = |value: &Value| match value {
        Value::Bool(value) => json!(!value),
        Value::Number(number) if number.is_f64() => json!(0.25),
        Value::Number(_) => json!(7),
        _ => json!("another"),
    };
    let dir = TestDir::new();
    let is_secret = |key: &str| key.ends_with("api_key");
    let open = keys.iter().filter(|(key, _)| !is_secret(key));
    let given: Vec<String> = open.map(|(key, value)| format!("{key}={}", other(value))).collect();
    let args: Vec<&str> = given.iter().flat_map(|given| ["--set", given]).chain(["--print-config"]).collect();
    let by_option = text(&dir.run(&args).stdout);
    let mut file = json!({});
    for (key, value) in &keys {
        let mut place = &mut file;
        for part in key.split('.') {
            place = &mut place[part];
        }
        *place = other(value);
    }
    std::fs::write(dir.path("all.json"), file.to_string()).unwrap();
    let by_file = text(&dir.run(&["--config", "all.json", "--print-config"]).stdout);
    for (printed, source) in [(by_option, "from --set"), (by_file, "from all.json")] {
        for (key, _) in keys.iter().filter(|(key, _)| source != "from --set" || !is_secret(key)) {
            let line = printed.lines().find(|line| line.starts_with(&format!("{key} = ")));
            assert!(line.is_some_and(|line| line.contains(source)), "{key}: {line:?}");
        }
    }
}

#[test]
fn a_file_is_followed_and_its_secrets_are_kept_out_of_everything() {
    let dir = TestDir::new();
    let file = "outliner_max_section_num = 1\n[web_search_engine_config]\nsearch_api_key = \"sk-very-secret\"\n";
    std::fs::write(dir.path("mine.toml"), file).unwrap();
    let printed =
        text(&dir.run(&["--print-config", "--config", "mine.toml", "--set", "planner_max_step_num=2"]).stdout);
    assert!(printed.contains("from mine.toml; default 5") && printed.contains("from --set; default 3"), "{printed}");
    assert!(printed.contains("search_api_key = \"(set)\"") && !printed.contains("sk-very"), "{printed}");

    let mut args = dir.ask(&[
        "--yes",
        "--out",
        "out",
        "--thread",
        "t",
        "--config",
        "mine.toml",
        "--log",
        "all.log",
        "--record",
        "run.jsonl",
    ]);
    args.push("-vv");
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut places = vec![dir.path("out"), dir.path("home")];
    let mut texts =
        vec![output.stdout, output.stderr, dir.read("all.log").into_bytes(), dir.read("run.jsonl").into_bytes()];
    while let Some(place) = places.pop() {
        for entry in std::fs::read_dir(&place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { places.push(path) } else { texts.push(std::fs::read(&path).unwrap()) }
        }
    }
    assert!(texts.len() > 6);
    let secret = b"sk-very-secret";
    assert!(texts.iter().all(|bytes| !bytes.windows(secret.len()).any(|window| window == secret)));
}

#[test]
fn a_template_is_followed() {
    let dir = TestDir::new();
    std::fs::write(dir.path("form.md"), "# Numbers\n> Function: counts what is known").unwrap();
    let mut script = dir.read("script.jsonl");
    let rule = r#"{"when": ["after a given form", "counts what is known"], "json": {"language": "en", "thought": "t", "title": "By the form", "sections": [{"id": "1", "title": "Numbers", "description": "d", "is_core_section": true}]}}"#;
    script.insert_str(0, &format!("{rule}\n"));
    std::fs::write(dir.path("script.jsonl"), script).unwrap();
    let output = dir.run(&dir.ask(&["--yes", "--out", "out", "--report-template", "form.md"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(dir.read("out/report.md").starts_with("# By the form"), "{}", dir.read("out/report.md"));
}
