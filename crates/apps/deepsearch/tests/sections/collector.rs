//! One step: rounds, limits, tool calls, scores, outages.

use graphloom_deepsearch::Scores;
use graphloom_deepsearch::collector::{CollectRequest, CollectorState, graph};
use graphloom_deepsearch::config::{Config, SearchMethod};
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::state::Step;
use graphloom_llm::Role;
use graphloom_llm::scripted::Reply;
use graphloom_retrieval::Fault;
use serde_json::json;

use super::script::{PromptKind, Script, call, scores};
use super::world::{Library, RunResult, codes, config, resources, run, web};

fn request(config: &Config) -> CollectRequest {
    let mut step = Step::default();
    step.id = "1-1-1".into();
    step.title = "storks".into();
    step.description = "how many storks there are".into();
    let mut request = CollectRequest::new(step, config);
    request.section_id = "1".into();
    request
}

async fn collect(script: &Script, search: Engines, config: &Config) -> RunResult<CollectorState> {
    let input = CollectorState::update().request(request(config));
    run(graph(), resources(script, search), input).await
}

fn queries(state: &CollectorState) -> Vec<String> {
    state.history_queries.iter().map(|query| query.query.clone()).collect()
}

#[tokio::test]
async fn a_step_is_queried_scored_judged_and_summed_up() {
    let (script, library) = (Script::default(), Library::named("tavily"));
    let RunResult { state, said } = collect(&script, web(&library), &config()).await;
    assert_eq!(queries(&state), ["storks"]);
    assert_eq!(library.asked(), ["storks"]);
    let found: Vec<_> = state.doc_infos.iter().map(|found| (found.title.as_str(), found.rank)).collect();
    assert_eq!(found, [("storks, north", 1), ("storks, south", 2)]);
    let given = Scores { relevance: 7, answerability: 6, authority: 5, data_density: 4 };
    assert!(state.doc_infos.iter().all(|found| found.scores == Some(given)));
    assert!(state.doc_infos.iter().all(|found| found.published_at.as_deref() == Some("2023")));
    let step = state.step();
    assert_eq!(step.step_result.as_deref(), Some("Summary of storks"));
    assert_eq!(step.retrieval_queries[0].doc_infos.len(), 2);
    assert_eq!((state.notices.len(), state.notes.len()), (0, 0), "{:?}", state.notes);
    let told: Vec<_> = said.iter().filter(|message| !message.content.is_empty()).map(|m| m.agent.as_str()).collect();
    assert_eq!(told, ["collector_supervisor", "collector_supervisor", "collector_end"]);
    assert!(said.iter().all(|message| message.place.section_idx == "1" && message.place.step_idx == "1-1-1"));
    assert!(said[1].content.contains("\"url\":\"https://north.example/storks\""), "{}", said[1].content);
}

#[tokio::test]
async fn rounds_go_on_until_it_is_enough_and_end_at_the_limit() {
    let never = || {
        Script::default().on(PromptKind::Supervise, |request| {
            let next = format!("more {}", request.number);
            Ok(json!({ "is_sufficient": false, "knowledge_gap": "the rest", "next_queries": [next, "STORKS"] }))
        })
    };
    for limit in [1_u32, 2, 4] {
        let (script, library, mut config) = (never(), Library::named("tavily"), config());
        config.info_collector_max_research_loops = limit;
        let state = collect(&script, web(&library), &config).await.state;
        assert_eq!(state.research_loop_count, limit);
        assert_eq!(
            queries(&state),
            ["storks", "more 0", "more 1", "more 2"][..limit as usize],
            "what was asked is not asked again"
        );
        assert_eq!(state.knowledge_gap, "the rest");
        assert!(script.prompts(PromptKind::Sum)[0].contains("the rest"));
    }
    let nothing_new =
        Script::default().always(PromptKind::Supervise, json!({ "is_sufficient": false, "next_queries": ["Storks"] }));
    let state = collect(&nothing_new, web(&Library::named("tavily")), &config()).await.state;
    assert_eq!(state.research_loop_count, 1, "without a new query there is no further round");
}

#[tokio::test]
async fn queries_are_bounded_and_a_document_counts_once() {
    let given = json!({ "description": "d", "queries": ["a", " a", "b", "c", "d", ""] });
    let (script, mut library) = (Script::default().always(PromptKind::Queries, given), Library::named("tavily"));
    library.answers.insert("b".into(), vec![super::world::document("a", "north"), super::world::document("b", "west")]);
    let state = collect(&script, web(&library), &config()).await.state;
    assert_eq!(queries(&state), ["a", "b", "c"]);
    let titles: Vec<_> = state.doc_infos.iter().map(|found| found.title.as_str()).collect();
    assert_eq!(titles, ["a, north", "a, south", "b, west", "c, north", "c, south"]);
    let by_query: Vec<_> = state.history_queries.iter().map(|query| query.doc_infos.len()).collect();
    assert_eq!(by_query, [2, 1, 2]);
}

#[tokio::test]
async fn every_tool_call_of_a_reply_is_made_up_to_the_limit() {
    let script = Script::default().on(PromptKind::Collect, |request| {
        let calls = |numbers: std::ops::Range<usize>| {
            numbers.map(|at| call("web_search_tool", json!({ "query": format!("storks {at}") }))).collect::<Vec<_>>()
        };
        Ok(match request.raw.messages.iter().filter(|message| message.role == Role::Assistant).count() {
            0 => Reply::tools(calls(0..3)),
            1 => Reply::tools(calls(2..12)),
            _ => Reply::text("done"),
        })
    });
    let library = Library::named("tavily");
    let state = collect(&script, web(&library), &config()).await.state;
    let expected: Vec<String> = (0..8).map(|at| format!("storks {at}")).collect();
    assert_eq!(library.asked(), expected, "three, then five more; a repeated one and those beyond eight are refused");
    assert_eq!(state.doc_infos.len(), 16);
    assert!(state.notes.iter().any(|note| note.contains("4 searches beyond 8")), "{:?}", state.notes);
}

#[tokio::test]
async fn web_and_local_are_tools_of_their_own() {
    for (method, tools, searched) in [
        (SearchMethod::Web, vec!["web_search_tool"], (1, 0)),
        (SearchMethod::Local, vec!["local_search_tool"], (0, 1)),
        (SearchMethod::All, vec!["web_search_tool", "local_search_tool"], (1, 1)),
    ] {
        // A model that never calls a tool: the query itself is searched.
        let script = Script::default().on(PromptKind::Collect, |_| Ok("I know it all already."));
        let (there, here) = (Library::named("tavily"), Library::named("local"));
        let both = Engines::new(Some(std::sync::Arc::new(there.clone())), Some(std::sync::Arc::new(here.clone())));
        let mut config = config();
        config.info_collector_search_method = method;
        collect(&script, both, &config).await;
        assert_eq!((there.asked().len(), here.asked().len()), searched, "{method:?}");
        let prompt = &script.prompts(PromptKind::Collect)[0];
        let named = ["web_search_tool", "local_search_tool"].into_iter().filter(|tool| prompt.contains(tool));
        assert_eq!(named.collect::<Vec<_>>(), tools);
    }
}

#[tokio::test]
async fn zero_stays_zero_and_missing_scores_are_asked_for_again() {
    let script = Script::default().on(PromptKind::Score, |request| Ok(scores(request.prompt, |_| [0, 0, 0, 0])));
    let state = collect(&script, web(&Library::named("tavily")), &config()).await.state;
    assert!(state.doc_infos.iter().all(|found| found.scores == Some(Scores::default())));
    assert!(!script.prompts(PromptKind::Supervise)[0].contains("not provided"));
    assert!(script.prompts(PromptKind::Sum)[0].contains("relevance 0, answerability 0"));

    let lacking = json!({ "documents": [{ "content": 1, "scores": { "relevance": 3, "answerability": 3, "authority": 3, "data_density": 3 } }] });
    let script = Script::default().always(PromptKind::Score, lacking);
    let state = collect(&script, web(&Library::named("tavily")), &config()).await.state;
    assert_eq!(script.count(PromptKind::Score), 3, "three tries");
    assert!(script.prompts(PromptKind::Score)[1].contains("scores are missing for documents 2"));
    assert!(state.doc_infos.iter().all(|found| found.scores.is_none()));
    assert_eq!(state.notes.len(), 1, "{:?}", state.notes);
    assert_eq!(state.info_summary, "Summary of storks", "unscored documents count");
}

#[tokio::test]
async fn malformed_replies_are_asked_for_again() {
    for (asked, tries) in
        [(PromptKind::Queries, 3), (PromptKind::Supervise, 3), (PromptKind::Sum, 3), (PromptKind::Score, 3)]
    {
        let script = Script::default().on(asked, |_| Ok("<html>502 Bad Gateway</html>"));
        let state = collect(&script, web(&Library::named("tavily")), &config()).await.state;
        assert_eq!(script.count(asked), tries, "{asked:?}");
        assert_eq!(state.doc_infos.len(), 2, "{asked:?}");
        assert_eq!(state.notes.len(), 1, "{asked:?}: {:?}", state.notes);
        let repaired = Script::default().on(asked, move |request| {
            if request.number == 0 {
                return Ok(Reply::text("no JSON"));
            }
            Ok(match asked {
                PromptKind::Queries => json!({ "queries": ["storks"] }).into(),
                PromptKind::Supervise => json!({ "is_sufficient": true }).into(),
                PromptKind::Sum => json!({ "info_summary": "short" }).into(),
                _ => scores(request.prompt, |_| [1, 1, 1, 1]),
            })
        });
        let state = collect(&repaired, web(&Library::named("tavily")), &config()).await.state;
        assert_eq!((repaired.count(asked), state.notes.len()), (2, 0), "{asked:?}: {:?}", state.notes);
    }
}

#[tokio::test]
async fn an_outage_in_any_node_is_a_note_and_the_step_goes_on() {
    for (asked, note) in [
        (PromptKind::Queries, "no queries were made, so its title is searched"),
        (PromptKind::Collect, "the model failed, so it is searched"),
        (PromptKind::Score, "documents stay unscored"),
        (PromptKind::Supervise, "what was found counts as enough"),
        (PromptKind::Sum, "its summary is quoted from the documents"),
    ] {
        let script = Script::default().down(asked);
        let state = collect(&script, web(&Library::named("tavily")), &config()).await.state;
        assert_eq!(state.doc_infos.len(), 2, "{asked:?}");
        assert!(state.notes.iter().any(|told| told.contains(note)), "{asked:?}: {:?}", state.notes);
        assert!(!state.info_summary.is_empty(), "{asked:?}");
        assert_eq!(state.notices.len(), 0, "{asked:?}");
    }
    let all = [PromptKind::Queries, PromptKind::Collect, PromptKind::Score, PromptKind::Supervise, PromptKind::Sum];
    let script = all.into_iter().fold(Script::default(), Script::down);
    let state = collect(&script, web(&Library::named("tavily")), &config()).await.state;
    assert!(state.info_summary.contains("storks"), "quoted: {}", state.info_summary);
}

#[tokio::test]
async fn dead_engines_are_reports_and_never_documents() {
    for (fault, code) in
        [(Fault::Html { title: "Sign in".into() }, "211304w"), (Fault::NoTurn { seconds: 3 }, "211305w")]
    {
        let mut library = Library::named("tavily");
        library.fault = Some(fault);
        let script = Script::default();
        let state = collect(&script, web(&library), &config()).await.state;
        assert_eq!(codes(&state.notices), [code]);
        assert!(state.notices.iter().next().unwrap().to_string().contains("`tavily`"));
        assert!(state.doc_infos.is_empty() && state.info_summary.is_empty());
        assert_eq!(script.count(PromptKind::Sum), 0, "there is nothing to sum up");
        assert_eq!(state.step().step_result.as_deref(), Some(""));
    }
    let state = collect(&Script::default(), Engines::default(), &config()).await.state;
    assert!(state.notes.iter().any(|note| note.contains("there is nothing to search")), "{:?}", state.notes);
}
