//! No secret enters a checkpoint.

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_deepsearch::graph::graph;
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::{Config, SearchContext};
use serde_json::json;

use super::model::{Main, follow, quiet, resources};

const KEYS: [&str; 5] = ["sk-general-1", "sk-tavily-2", "sk-header-3", "sk-vector-4", "sk-hyper-5"];

fn config() -> Config {
    let given = json!({
        "llm_config": { "general": {
            "model_name": "m", "base_url": "https://m.example", "api_key": KEYS[0],
            "hyper_parameters": { "secret": KEYS[4] },
        } },
        "web_search_engine_config": { "search_api_key": KEYS[1], "extension": { "headers": { "X-Auth-Token": KEYS[2] } } },
        "local_search_engine_config": { "extension": { "vector_store": { "token": KEYS[3] } } },
    });
    let mut config: Config = serde_json::from_value(given).unwrap();
    assert_eq!(config.web_search_engine_config.search_api_key.reveal(), KEYS[1], "the engine gets its key");
    let quiet = quiet();
    config.workflow_human_in_the_loop = quiet.workflow_human_in_the_loop;
    config.outline_interaction_enabled = quiet.outline_interaction_enabled;
    config.source_tracer_research_trace_source_switch = false;
    config.source_tracer_infer_switch = false;
    config.visualization_enable = false;
    config
}

#[tokio::test]
async fn no_secret_is_in_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("threads.db");
    let main = Main::default();
    let config = config();
    let shown = format!("{config:?}");
    {
        let threads = graph(config.execution_method.into())
            .with_context(resources(&main))
            .with_checkpointer(SqliteCheckpointer::open(&file).unwrap());
        let request = Request::new("How common are storks?", config);
        let ended = follow(threads.thread("test").run(SearchContext::update().request(request))).await;
        assert!(!ended.state().final_result.response_content.is_empty());
        let state = serde_json::to_string(ended.state()).unwrap();
        assert!(KEYS.iter().all(|key| !state.contains(key)));
    }
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        bytes.extend(std::fs::read(entry.unwrap().path()).unwrap());
    }
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("How common are storks?"), "this is where the state is");
    for key in KEYS {
        assert!(!holds(key), "{key} is in the database");
    }
    assert!(!shown.contains(KEYS[0]) && !shown.contains(KEYS[1]));
}
