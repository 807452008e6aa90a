//! The graph with other functions in its nodes and other limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::MemoryStore;
use graphloom_core_graph::{Context, GraphOptions, Node, NodeError, Retry, Snapshot, Step};
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ModelError, Scripted};
use graphloom_pocketflow::actions::{Action, Call};
use graphloom_pocketflow::decide::Finish;
use graphloom_pocketflow::nodes::finished;
use graphloom_pocketflow::session::{Artifact, SearchQuery};
use graphloom_pocketflow::{Conversation, GENERATE_QUERIES, Resources, SYNTHESIZE_GAP, graph_with};

use super::scripted::{Answer, ScriptedConversation, ScriptedSource, scripted_reply};

type Options = GraphOptions<Conversation, Resources>;

fn talk(options: Options, model: Scripted) -> ScriptedConversation {
    let graph = graph_with(options).expect("the options fit");
    let source = ScriptedSource::new(&[Answer::Records]);
    ScriptedConversation::over(graph, model, source, Arc::new(MemoryStore::new()), Arc::new(MemoryCheckpointer::new()))
}

/// A model that fails the first `fails` times that it is asked for the gap, and never makes queries.
fn model(fails: u32) -> Scripted {
    let asked = AtomicU32::new(0);
    Scripted::from_fn(move |request| {
        let prompt = rendered(request);
        if prompt.contains("You plan literature searches") {
            return Err(ModelError::Setup { message: "queries are made without a model".to_owned() });
        }
        if prompt.contains("You find what research leaves open") && asked.fetch_add(1, Ordering::SeqCst) < fails {
            let (model, message) = ("script".to_owned(), "down".to_owned());
            return Err(ModelError::Server { model, status: 503, message, retry_after: None, request_id: None });
        }
        scripted_reply(&prompt)
    })
}

/// One query, which is the topic itself.
async fn topic_alone(state: Snapshot<Conversation>, cx: Context<Resources>) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::GenerateQueries(parameters)) = &state.turn.call else {
        return Err(NodeError::terminal("there is no call"));
    };
    let mut session = state.session.clone();
    let version = session.artifacts.queries.as_ref().map_or(1, |queries| queries.version + 1);
    let queries = vec![SearchQuery::new(format!("all about {}", parameters.topic))];
    session.artifacts.queries = Some(Artifact::new(version, Action::GenerateQueries, cx.now(), queries));
    Ok(finished(session, &state.turn, Finish::Ok))
}

#[tokio::test(start_paused = true)]
async fn an_action_of_ones_own_is_reviewed_like_any_other() {
    let talk = talk(Options::new().replace(GENERATE_QUERIES, topic_alone), model(0));
    assert!(talk.say("tides").await.contains("1. all about tides"));
    let proposal = talk.say("approve").await;
    assert!(proposal.contains("# A proposal"), "{proposal}");
    assert!(talk.say("yes").await.contains("1. On all about tides"), "what was searched is cited");
}

#[tokio::test(start_paused = true)]
async fn an_action_has_as_many_attempts_as_the_options_say() {
    let options = || Options::new().replace(GENERATE_QUERIES, topic_alone);
    let usual = talk(options(), model(3));
    usual.say("tides").await;
    usual.say("approve").await;
    assert_eq!(usual.rule().await, "action-failed", "two attempts are too few");

    let patient = talk(options().retry(SYNTHESIZE_GAP, Retry::immediate(4)), model(3));
    patient.say("tides").await;
    assert!(patient.say("approve").await.contains("# A proposal"));
}

#[test]
fn a_node_that_is_not_there_is_named_with_those_that_are() {
    let error = graph_with(Options::new().replace(Node::named("make_queries"), topic_alone));
    let error = error.expect_err("there is no such node").to_string();
    let expected =
        "the option `replace` names `make_queries`, which is no node; nodes: `follow_up`, `generate_queries`, ";
    assert!(error.contains(expected), "{error}");
}
