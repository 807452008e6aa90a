//! Conversations that outgrow their model's window: what is summarised, what stays, and that it is done once.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use graphloom_agents::react::{COMPACTED, ReactResources, ReactState, graph};
use graphloom_agents::{
    Compaction, CompactionOptions, Direct, Prompts, Risk, StopReason, ToolError, ToolOutput, ToolRegistry, TypedTool,
    compact, typed,
};
use graphloom_core_graph::EventKind;
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::simulate::Simulator;
use graphloom_llm::scripted::{Reply, rendered};
use graphloom_llm::{
    Capabilities, ChatRequest, Message, ModelError, Part, Role, Scripted, StructuredSupport, ToolCall, ToolResult,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct ReadArguments {
    page: u32,
}

/// Reads pages, each with a number that stands nowhere else.
struct ReadPage;

impl TypedTool for ReadPage {
    type Arguments = ReadArguments;
    const NAME: &'static str = "read_page";
    const DESCRIPTION: &'static str = "Reads a page.";
    const RISK: Risk = Risk::Read;

    async fn run(&self, arguments: ReadArguments) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::new(format!("page {} {}", arguments.page, "y".repeat(1_200))))
    }
}

fn capabilities(context: Option<u32>, guided: bool) -> Capabilities {
    let structured = if guided { StructuredSupport::Constrained } else { StructuredSupport::Prompted };
    Capabilities { structured, tools: true, images: false, documents: false, sampling: true, context, local: true }
}

fn is_summary(request: &ChatRequest) -> bool {
    rendered(request).contains("You keep the notes")
}

/// A model that thinks long, reads a page a turn and answers after `turns`. Its summaries say how far it is.
fn reader(turns: usize, context: Option<u32>, guided: bool) -> (Arc<Scripted>, Arc<Mutex<Vec<ChatRequest>>>) {
    let requests = Arc::<Mutex<Vec<ChatRequest>>>::default();
    let seen = Arc::clone(&requests);
    let model = Scripted::from_fn(move |request: &ChatRequest| {
        seen.lock().unwrap().push(request.clone());
        let prompt = rendered(request);
        // How far it is stands in what it reads, as for a real one.
        let reached = |page: &usize| {
            let words = [format!("page {page} y"), format!("Notes up to page {page}."), format!("{{\"page\":{page}}}")];
            words.iter().any(|words| prompt.contains(words))
        };
        let page = (1..=turns).rfind(reached).unwrap_or_default();
        if is_summary(request) {
            return Ok::<_, ModelError>(Reply::text(format!("Notes up to page {page}.")));
        }
        if page == turns {
            return Ok(Reply::text("Done."));
        }
        let next = page + 1;
        let call = ToolCall { id: format!("c{next}"), name: "read_page".into(), arguments: json!({ "page": next }) };
        let mut reply = Reply::tools([call]);
        reply.parts.insert(0, Part::Text { text: format!("thought {next} {}", "x".repeat(1_500)) });
        Ok(reply)
    })
    .with_capabilities(capabilities(context, guided));
    (Arc::new(model), requests)
}

fn resources(model: Arc<Scripted>) -> ReactResources {
    let mut tools = ToolRegistry::new(Risk::Read);
    tools.register(typed(ReadPage)).unwrap();
    ReactResources::new(model, tools, Arc::new(Prompts::new(&[]).unwrap()))
}

fn opening() -> <ReactState as graphloom_core_graph::State>::Update {
    ReactState::update().opening([Message::system("You help."), Message::user("Read them all, says Ada.")])
}

/// Every call has its results behind it and every result its call before it, as providers demand.
fn paired(messages: &[Message]) {
    let mut open = BTreeSet::new();
    for message in messages {
        let results = message.parts.iter().filter_map(|part| match part {
            Part::ToolResult(result) => Some(result.call_id.clone()),
            _ => None,
        });
        let results: Vec<String> = results.collect();
        if results.is_empty() {
            assert!(open.is_empty(), "calls without results: {open:?}");
        }
        for id in results {
            assert!(open.remove(&id), "the result of {id} has no call");
        }
        open.extend(message.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call.id.clone()),
            _ => None,
        }));
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_outgrows_its_window_goes_on_with_a_summary() {
    let (model, requests) = reader(9, Some(4_000), false);
    let mut resources = resources(model);
    resources.options.max_turns = 20;
    let mut run = graph().with_context(resources).run_once(opening());
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::Custom { name, payload } = event.kind
            && name == COMPACTED
        {
            events.push(serde_json::from_value::<Compaction>(payload.json()).unwrap());
        }
    }
    let state = run.await.unwrap().done().unwrap();
    assert_eq!((state.answer.as_deref(), state.stop), (Some("Done."), Some(StopReason::Answered)));
    let compactions: Vec<Compaction> = state.compactions.iter().cloned().collect();
    assert!(compactions.len() >= 2, "{compactions:?}");
    assert_eq!(compactions, events);
    for compaction in &compactions {
        assert!(compaction.text.starts_with("Notes up to page "), "{compaction:?}");
        assert!(compaction.before > 2_000 && compaction.after <= 2_000, "{compaction:?}");
        assert!(!compaction.outlined);
    }
    assert!(compactions.windows(2).all(|two| two[0].messages < two[1].messages && two[0].groups < two[1].groups));
    let told = compactions[0].to_string();
    assert!(told.contains(&format!("its first {} messages were summarised", compactions[0].messages)), "{told}");

    let requests = requests.lock().unwrap();
    let (summaries, turns): (Vec<&ChatRequest>, Vec<&ChatRequest>) = requests.iter().partition(|one| is_summary(one));
    assert_eq!(summaries.len(), compactions.len());
    assert_eq!(turns.len(), 10);
    for turn in &turns {
        paired(&turn.messages);
        assert!(rendered(turn).contains("Read them all, says Ada."), "what it is for stays");
        assert!(rendered(turn).starts_with("system: You help.") || turn.messages[0].role == Role::System);
    }
    let last = rendered(turns.last().unwrap());
    assert!(last.contains(&compactions.last().unwrap().text) && !last.contains("thought 1 "), "{last}");
    assert!(last.contains("page 9 y"), "the newest stays whole");
    // A later summary is made of the one before it and of what came after, and reads nothing twice.
    let second = rendered(summaries[1]);
    assert!(second.contains(&compactions[0].text) && !second.contains("thought 1 "), "{second}");
    assert!(rendered(summaries[0]).contains("thought 1 ") && rendered(summaries[0]).contains("page 1 y"));
    // What stays in the state is everything.
    assert_eq!((state.turns.len(), state.calls.len()), (10, 9));
    assert!(state.calls.iter().all(|call| call.outcome.content().len() > 1_200));
}

#[tokio::test(start_paused = true)]
async fn a_summary_that_was_stored_is_not_made_again_wherever_the_process_dies() {
    let (model, requests) = reader(5, Some(4_000), false);
    let mut resources = resources(model);
    resources.options.max_turns = 20;
    let app = graph().with_context(resources);
    let reports = Simulator::new(&app).crash_everywhere(opening()).await.unwrap();
    assert!(reports.len() > 20);
    for report in &reports {
        assert_eq!(report.violations, Vec::<String>::new());
        assert_eq!(report.status, ThreadStatus::Done, "{}", report.detail);
        assert_eq!(report.state.answer.as_deref(), Some("Done."));
        assert_eq!(report.state.compactions.len(), reports[0].state.compactions.len());
        assert!(report.onces.values().all(|once| once.repeated == 0), "{:?}", report.onces);
    }
    let each = reports[0].state.compactions.len();
    assert!(each > 0);
    let summaries = requests.lock().unwrap().iter().filter(|one| is_summary(one)).count();
    // One more only where the process died between a summary and its commit.
    let most = reports.len() * each + each;
    assert!((reports.len() * each..=most).contains(&summaries), "{summaries} of {} × {each}", reports.len());
}

#[tokio::test]
async fn a_model_too_small_to_write_is_given_an_outline() {
    let (model, requests) = reader(6, Some(4_000), true);
    let mut resources = resources(model);
    resources.options.max_turns = 20;
    let state = graph().with_context(resources).run_once(opening()).await.unwrap().done().unwrap();
    assert_eq!(state.answer.as_deref(), Some("Done."));
    let compaction = state.compactions.last().unwrap();
    assert!(
        compaction.outlined && compaction.text.contains("- the model called `read_page`: {\"page\":1}"),
        "{compaction:?}"
    );
    assert!(compaction.text.chars().count() <= 4_000);
    assert!(requests.lock().unwrap().iter().all(|request| !is_summary(request)));
}

fn talk(rounds: usize) -> Vec<Message> {
    let mut messages = vec![Message::system("You help.")];
    for round in 0..rounds {
        let call = ToolCall { id: format!("{round}"), name: "look".into(), arguments: json!({}) };
        let content = format!("found {round} {}", "z".repeat(300));
        let result = ToolResult { call_id: format!("{round}"), content, is_error: false };
        messages.push(Message::user(format!("question {round}")));
        messages.push(Message { role: Role::Assistant, parts: vec![Part::ToolCall(call)] });
        messages.push(Message { role: Role::Tool, parts: vec![Part::ToolResult(result)] });
        messages.push(Message::assistant(format!("answer {round}")));
    }
    messages
}

#[tokio::test]
async fn any_conversation_can_be_compacted() {
    let prompts = Prompts::new(&[]).unwrap();
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let seen = Arc::clone(&asked);
    let model = Scripted::from_fn(move |request: &ChatRequest| {
        seen.lock().unwrap().push(rendered(request));
        Ok::<_, ModelError>("  What was found.  ")
    });
    let mut options = CompactionOptions::default();
    let messages = talk(40);
    // Without a window there is nothing to outgrow.
    let unlimited = model.with_capabilities(capabilities(None, false));
    assert_eq!(compact(&unlimited, &prompts, &messages, &options, &Direct).await.unwrap(), None);
    options.window = Some(4_000);
    assert_eq!(compact(&unlimited, &prompts, &talk(2), &options, &Direct).await.unwrap(), None);
    let compacted = compact(&unlimited, &prompts, &messages, &options, &Direct).await.unwrap().unwrap();
    paired(&compacted.messages);
    assert_eq!(compacted.messages[0], Message::system("You help."));
    assert_eq!(compacted.messages.last(), messages.last());
    assert!(compacted.messages[1].joined_text().contains("What was found."));
    let left = compacted.messages.len() - 2;
    assert_eq!(compacted.messages[2..], messages[messages.len() - left..], "the newest are as they were");
    assert_eq!(compacted.compaction.messages as usize, messages.len() - 1 - left);
    // More than a window of old messages is read piece by piece, and every message once.
    let asked = asked.lock().unwrap().clone();
    assert!(asked.len() > 1, "{}", asked.len());
    for round in 0..30 {
        let count = asked.iter().filter(|prompt| prompt.contains(&format!("found {round} z"))).count();
        assert_eq!(count, 1, "round {round}");
    }
    assert!(asked[1].contains("The notes so far") && asked[1].contains("What was found."));
    // Once more there is nothing to do.
    assert_eq!(compact(&unlimited, &prompts, &compacted.messages, &options, &Direct).await.unwrap(), None);
}

#[tokio::test]
async fn a_model_that_gives_no_summary_is_no_end() {
    let prompts = Prompts::new(&[]).unwrap();
    let mut options = CompactionOptions::default();
    options.window = Some(2_000);
    let silent = Scripted::from_fn(|_| Ok::<_, ModelError>(" ")).with_capabilities(capabilities(None, false));
    let compacted = compact(&silent, &prompts, &talk(20), &options, &Direct).await.unwrap().unwrap();
    assert!(compacted.compaction.outlined && compacted.compaction.text.contains("- the model said: answer"));
    let broken = Scripted::from_fn(|_| Err::<Reply, _>(ModelError::Setup { message: "out of order".to_owned() }));
    let error = compact(&broken, &prompts, &talk(20), &options, &Direct).await.unwrap_err().to_string();
    assert!(error.contains("could not be summarised") && error.contains("out of order"), "{error}");
}
