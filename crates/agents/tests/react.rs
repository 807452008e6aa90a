//! The agent as a graph: its loop, approvals that wait, outcomes that outlive a kill, and what the model reads.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_agents::react::{APPROVAL, ReactResources, ReactState, TOOL, graph, graph_with};
use graphloom_agents::{Decision, Prompts, Risk, StopReason, Tool, ToolError, ToolOutput, ToolRegistry};
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{GraphOptions, Outcome};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{
    Capabilities, ChatRequest, Message, ModelError, Part, Role, Scripted, StructuredSupport, ToolCall, ToolSpec,
};
use serde_json::{Value, json};

/// A tool that writes down its calls; it hangs where its argument is 0, as long as it is told to.
struct Logged {
    spec: ToolSpec,
    risk: Risk,
    log: Arc<Mutex<Vec<String>>>,
    hang: Arc<Mutex<bool>>,
}

#[async_trait]
impl Tool for Logged {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn risk(&self) -> Risk {
        self.risk
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let n = arguments["n"].as_u64().unwrap();
        self.log.lock().unwrap().push(format!("{} {n}", self.spec.name));
        if n == 0 && *self.hang.lock().unwrap() {
            std::future::pending::<()>().await;
        }
        if n == 99 {
            return Err(ToolError::failed("99 is broken"));
        }
        tokio::time::sleep(Duration::from_millis(n)).await;
        self.log.lock().unwrap().push(format!("end {n}"));
        Ok(ToolOutput::new("x".repeat(2_000)))
    }
}

struct Setup {
    log: Arc<Mutex<Vec<String>>>,
    hang: Arc<Mutex<bool>>,
    requests: Arc<Mutex<Vec<ChatRequest>>>,
    resources: ReactResources,
}

/// The tools `read`, and `write` of a risk.
fn tools(log: &Arc<Mutex<Vec<String>>>, hang: &Arc<Mutex<bool>>, write: Risk) -> ToolRegistry {
    let mut tools = ToolRegistry::new(Risk::Destructive).with_timeout(Duration::from_secs(3_600));
    for (name, risk) in [("read", Risk::Read), ("write", write)] {
        let parameters = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let spec = ToolSpec { name: name.into(), description: String::new(), parameters, strict: false };
        let (log, hang) = (Arc::clone(log), Arc::clone(hang));
        tools.register(Arc::new(Logged { spec, risk, log, hang })).unwrap();
    }
    tools
}

/// A model that asks for these calls turn by turn, and then answers.
fn agent(turns: &[&[(&str, u64)]], context: Option<u32>) -> Setup {
    let (log, hang) = (Arc::<Mutex<Vec<String>>>::default(), Arc::new(Mutex::new(true)));
    let tools = tools(&log, &hang, Risk::Write);
    let turns: Vec<Vec<ToolCall>> = turns
        .iter()
        .enumerate()
        .map(|(turn, calls)| {
            let call = |(at, (name, n)): (usize, &(&str, u64))| ToolCall {
                id: format!("{turn}.{at}"),
                name: (*name).to_owned(),
                arguments: json!({ "n": n.to_string() }),
            };
            calls.iter().enumerate().map(call).collect()
        })
        .collect();
    let requests = Arc::<Mutex<Vec<ChatRequest>>>::default();
    let seen = Arc::clone(&requests);
    let model = Scripted::from_fn(move |request: &ChatRequest| {
        seen.lock().unwrap().push(request.clone());
        let said = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        Ok::<_, ModelError>(match turns.get(said) {
            Some(calls) if !calls.is_empty() => Reply::tools(calls.clone()),
            Some(_) => Reply::text(" "),
            None => Reply::text("Done."),
        })
    })
    .with_capabilities(Capabilities {
        structured: StructuredSupport::Prompted,
        tools: true,
        images: false,
        documents: false,
        sampling: true,
        context,
        local: true,
    });
    let resources = ReactResources::new(Arc::new(model), tools, Arc::new(Prompts::new(&[]).unwrap()));
    Setup { log, hang, requests, resources }
}

impl Setup {
    fn log(&self) -> String {
        self.log.lock().unwrap().join(", ")
    }
}

fn opening() -> <ReactState as graphloom_core_graph::State>::Update {
    ReactState::update().opening([Message::system("You help."), Message::user("Go.")])
}

#[tokio::test(start_paused = true)]
async fn a_model_that_says_nothing_is_asked_three_times() {
    let setup = agent(&[&[]], None);
    let state = graph().with_context(setup.resources.clone()).run_once(opening()).await.unwrap().done().unwrap();
    assert_eq!((state.answer.as_deref(), state.stop), (None, Some(StopReason::Silent)));
    assert_eq!(setup.requests.lock().unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_model_and_its_tools_take_turns_until_it_answers() {
    let mut setup = agent(&[&[("read", 3), ("read", 1), ("write", 5), ("read", 99)], &[("read", 2)]], None);
    setup.resources.approve_from = Risk::Destructive;
    let state = graph().with_context(setup.resources.clone()).run_once(opening()).await.unwrap().done().unwrap();
    assert_eq!((state.answer.as_deref(), state.stop), (Some("Done."), Some(StopReason::Answered)));
    // Reads run beside each other, and the change waits for them and runs alone.
    assert_eq!(setup.log(), "read 3, read 1, end 1, end 3, write 5, end 5, read 99, read 2, end 2");
    let calls: Vec<(u32, &str, bool)> = state
        .calls
        .iter()
        .map(|record| (record.turn, record.outcome.call.as_str(), record.outcome.is_success()))
        .collect();
    assert_eq!(calls, [(1, "0.0", true), (1, "0.1", true), (1, "0.2", true), (1, "0.3", false), (2, "1.0", true)]);
    let roles: Vec<Role> =
        setup.requests.lock().unwrap().last().unwrap().messages.iter().map(|message| message.role).collect();
    let tool = Role::Tool;
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, tool, tool, tool, tool, Role::Assistant, tool]);
    assert!(state.pending.is_empty() && state.made.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_calls_at_a_time_is_an_option_of_the_graph() {
    let setup = agent(&[&[("read", 2), ("read", 3), ("read", 1)]], None);
    let options = GraphOptions::new().concurrency(TOOL, 1);
    let app = graph_with(options).unwrap().with_context(setup.resources.clone());
    app.run_once(opening()).await.unwrap().done().unwrap();
    assert_eq!(setup.log(), "read 2, end 2, read 3, end 3, read 1, end 1");
}

#[tokio::test(start_paused = true)]
async fn what_a_person_must_approve_waits_and_the_others_go_on() {
    for (decision, log, success) in [
        (Decision::Allow, "read 1, end 1, write 4, end 4", true),
        (Decision::Deny { reason: "not on a Sunday".into() }, "read 1, end 1", false),
    ] {
        let setup = agent(&[&[("read", 1), ("write", 4)]], None);
        let app = graph().with_context(setup.resources.clone()).with_checkpointer(MemoryCheckpointer::new());
        let thread = app.thread("t");
        let Outcome::Waiting(questions) = thread.run(opening()).await.unwrap() else { panic!("it asks") };
        let question = questions.iter().next().unwrap();
        assert_eq!(question.key, APPROVAL);
        // The person sees the arguments that the tool would get.
        assert_eq!(question.payload, json!({"tool": "write", "risk": "write", "arguments": {"n": 4}}));
        assert_eq!(setup.log(), "read 1, end 1");
        let state = thread.resume(questions.answer(APPROVAL, decision).unwrap()).await.unwrap().done().unwrap();
        assert_eq!(setup.log(), log);
        assert_eq!(state.calls.get(1).unwrap().outcome.is_success(), success);
        let read = serde_json::to_string(&setup.requests.lock().unwrap().last().unwrap().messages).unwrap();
        assert_eq!(read.contains("not on a Sunday"), !success);
        assert_eq!(state.answer.as_deref(), Some("Done."));
    }
}

#[tokio::test(start_paused = true)]
async fn a_decision_is_of_the_call_that_was_shown() {
    let denied = Decision::Deny { reason: "no".into() };
    for (now, decision) in [(Risk::Read, denied), (Risk::Destructive, Decision::Allow)] {
        let setup = agent(&[&[("write", 4)]], None);
        let store = MemoryCheckpointer::new();
        let app = graph().with_context(setup.resources.clone()).with_checkpointer(store.clone());
        let Outcome::Waiting(questions) = app.thread("t").run(opening()).await.unwrap() else { panic!("it asks") };
        // When the answer comes, the tool is of another risk.
        let mut resources = setup.resources.clone();
        resources.tools = tools(&setup.log, &setup.hang, now);
        let app = graph().with_context(resources).with_checkpointer(store);
        let answers = questions.answer(APPROVAL, decision).unwrap();
        let state = app.thread("t").resume(answers).await.unwrap().done().unwrap();
        assert_eq!((setup.log().as_str(), state.answer.as_deref()), ("", Some("Done.")), "{now:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_ran_is_not_run_again_after_a_kill() {
    let setup = agent(&[&[("read", 1), ("read", 0)]], None);
    let store = MemoryCheckpointer::new();
    let app = graph().with_context(setup.resources.clone()).with_checkpointer(store.clone());
    // The second call hangs when the process dies.
    let thread = app.thread("t");
    let died = tokio::time::timeout(Duration::from_secs(60), thread.run(opening())).await;
    assert!(died.is_err());
    assert_eq!(setup.log(), "read 1, read 0, end 1");
    drop((thread, app));
    *setup.hang.lock().unwrap() = false;
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    let app = graph().with_context(setup.resources.clone()).with_checkpointer(store);
    let state = app.thread("t").continue_().await.unwrap().done().unwrap();
    assert_eq!(state.answer.as_deref(), Some("Done."));
    assert_eq!(setup.log(), "read 1, read 0, end 1, read 0, end 0", "only what had not ended ran again");
    assert_eq!(setup.requests.lock().unwrap().len(), 2, "no turn was asked for again");
}

#[tokio::test(start_paused = true)]
async fn a_conversation_ends_at_its_limits() {
    // Silence is told, and counts as a turn.
    let setup = agent(&[&[]], None);
    let mut resources = setup.resources.clone();
    resources.options.max_turns = 3;
    let state = graph().with_context(resources).run_once(opening()).await.unwrap().done().unwrap();
    assert_eq!((state.stop, state.turns.len()), (Some(StopReason::TurnLimit), 3));
    assert_eq!(setup.requests.lock().unwrap()[1].messages.len(), 3);
    // Three silent turns in a row end it.
    let setup = agent(&[&[]], None);
    let state = graph().with_context(setup.resources.clone()).run_once(opening()).await.unwrap().done().unwrap();
    assert_eq!((state.stop, state.turns.len(), state.answer.is_none()), (Some(StopReason::Silent), 3, true));
    // In the last turn no tools are offered.
    let setup = agent(&[&[("read", 1)], &[("read", 2)], &[("read", 3)]], None);
    let mut resources = setup.resources.clone();
    resources.options.max_turns = 2;
    let state = graph().with_context(resources).run_once(opening()).await.unwrap().done().unwrap();
    assert_eq!((state.stop, state.turns.len()), (Some(StopReason::TurnLimit), 2));
    assert_eq!(setup.log(), "read 1, end 1");
    // A call that keeps failing is refused, and asked for again ends the conversation.
    let broken: &[(&str, u64)] = &[("read", 99)];
    let setup = agent(&[broken, broken, broken, broken, broken], None);
    let state = graph().with_context(setup.resources.clone()).run_once(opening()).await.unwrap().done().unwrap();
    assert_eq!((state.stop, state.turns.len()), (Some(StopReason::Repeating), 4));
    assert_eq!(setup.log(), "read 99, read 99");
}

#[tokio::test(start_paused = true)]
async fn old_results_are_shortened_until_the_model_can_read_them_and_the_state_keeps_them() {
    let turns: Vec<Vec<(&str, u64)>> = (1..=6).map(|n| vec![("read", n)]).collect();
    let turns: Vec<&[(&str, u64)]> = turns.iter().map(Vec::as_slice).collect();
    let setup = agent(&turns, Some(4_000));
    let state = graph().with_context(setup.resources.clone()).run_once(opening()).await.unwrap().done().unwrap();
    assert!(state.calls.iter().all(|record| record.outcome.content().len() == 2_000));
    let requests = setup.requests.lock().unwrap();
    let lengths: Vec<usize> = requests
        .last()
        .unwrap()
        .messages
        .iter()
        .flat_map(|message| &message.parts)
        .filter_map(|part| match part {
            Part::ToolResult(result) => Some(result.content.len()),
            _ => None,
        })
        .collect();
    assert_eq!(lengths.len(), 6);
    assert!(lengths[0] < 600 && lengths[5] > 2_000, "{lengths:?}");
    let total: usize = lengths.iter().sum();
    assert!(total < 3 * 2_000 + 600, "{lengths:?}");
}

#[test]
fn the_agent_is_drawn_as_a_loop() {
    let drawing = graph().diagram().mermaid();
    for part in ["model", "dispatch", "tool"] {
        assert!(drawing.contains(part), "{drawing}");
    }
}
