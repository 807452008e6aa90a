//! A secret is taken from where only its user reads, and is in no recording.

use crate::support::{SMALL, TestDir, text};

#[test]
fn a_secret_is_no_option() {
    let dir = TestDir::new();
    for set in [
        "llm_config.general.api_key=sk-very-secret",
        r#"llm_config.general={"model_name": "m", "api_key": "sk-very-secret"}"#,
        "web_search_engine_config.search_api_key=sk-very-secret",
        r#"web_search_engine_config.extension={"headers": {"X-Auth-Token": "sk-very-secret"}}"#,
    ] {
        let output = dir.run(&["--print-config", "--set", set]);
        let told = text(&output.stderr) + &text(&output.stdout);
        assert_eq!(output.status.code(), Some(2), "{set}: {told}");
        assert!(told.contains("would show a secret") && told.contains("--config"), "{set}: {told}");
        assert!(!told.contains("sk-very-secret"), "{told}");
    }
    let output = dir.run(&["--print-config", "--set", "llm_config.general.hyper_parameters={\"max_tokens\": 300}"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_secret_of_the_configuration_or_of_a_key_file_is_not_recorded() {
    let dir = TestDir::new();
    std::fs::write(dir.path("key"), "sk-from-a-file\n").unwrap();
    let config = "[web_search_engine_config.extension]\ntoken = \"sk-of-a-table\"\n[llm_config.general]\n\
                  model_name = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key = \"sk-of-a-model\"\n";
    std::fs::write(dir.path("mine.toml"), config).unwrap();
    for (secret, name) in [
        ("sk-from-a-file", "TAVILY_API_KEY_FILE"),
        ("sk-of-a-table", "web_search_engine_config.extension.token"),
        ("sk-of-a-model", "llm_config.general.api_key"),
    ] {
        let question = format!("How does a log keep {secret} safe?");
        let mut args = vec![&*question, "--model", "scripted:script.jsonl", "--corpus", "corpus", "--yes"];
        args.extend(["--config", "mine.toml", "--record", "run.jsonl", "--search", "local"]);
        args.extend(SMALL);
        let output = dir.command(&args).env("TAVILY_API_KEY_FILE", dir.path("key")).output().unwrap();
        let told = text(&output.stderr);
        assert!(!output.status.success(), "{told}");
        assert!(told.contains(&format!("the value of `{name}` was about to be written")), "{name}: {told}");
        assert!(!dir.read("run.jsonl").contains(secret), "{name}");
        std::fs::remove_file(dir.path("run.jsonl")).unwrap();
    }
}
