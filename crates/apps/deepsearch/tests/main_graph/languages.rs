//! In which language a report is written, and what is searched meanwhile.

use graphloom_deepsearch::state::Locale;
use graphloom_llm::scripted::Reply;
use serde_json::json;

use super::model::{Main, ask, quiet};
use super::script::call;
use super::world::codes;

#[tokio::test(start_paused = true)]
async fn the_model_names_the_language() {
    for (query, named, language, told) in [
        ("How common are storks?", "en", Locale::English, &[][..]),
        ("How common are storks? Answer in Chinese.", "zh", Locale::Chinese, &[]),
        ("鹳有多常见?", "zh-CN", Locale::Chinese, &[]),
        ("Combien de cigognes?", "french", Locale::English, &["212412w"]),
        ("コウノトリは?", "ja", Locale::English, &["212412w"]),
    ] {
        let main = Main::default().on("entry", move |_| {
            Ok(Reply::tools([call("send_to_planner", json!({ "query_title": "t", "language": named }))]))
        });
        let ended = ask(&main, query, quiet()).await;
        let state = ended.state();
        assert_eq!((state.language, codes(&state.notices)), (language, told.iter().map(|c| (*c).to_owned()).collect()));
        assert!(state.fatal().is_none() && !state.final_result.response_content.is_empty(), "{query}");
        assert_eq!(state.entry_search_results.len(), 2, "the question itself was searched for");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_call_the_script_of_the_query_counts_and_an_outage_ends_the_run() {
    for (query, reply, language) in [
        ("How common are storks?", "I would rather not.", Locale::English),
        ("鹳有多常见?", "", Locale::Chinese),
        ("How common are storks?", "{\"language\": 3", Locale::English),
    ] {
        let main = Main::default().on("entry", move |_| Ok(reply));
        let ended = ask(&main, query, quiet()).await;
        let state = ended.state();
        assert_eq!(state.language, language, "{reply}");
        assert!(state.notes.iter().any(|note| note.contains("named no language")), "{reply}");
        assert!(state.fatal().is_none());
    }
    let ended = ask(&Main::default().down("entry"), "How common are storks?", quiet()).await;
    assert_eq!(codes(&ended.state().notices), ["211600f"]);
    assert!(ended.state().result().exception_info.starts_with("[211600]"));
}

#[tokio::test(start_paused = true)]
async fn another_tools_name_is_read_as_this_one() {
    let main = Main::default()
        .on("entry", |_| Ok(Reply::tools([call("send_to_writer", json!({ "query_title": "t", "language": "zh" }))])));
    assert_eq!(ask(&main, "How common are storks?", quiet()).await.state().language, Locale::Chinese);
}
