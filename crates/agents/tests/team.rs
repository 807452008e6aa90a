//! A lead and the agents under it: who works on what, handing on, limits, approvals and kills.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use graphloom_agents::react::{APPROVAL, ReactResources, ReactState};
use graphloom_agents::team::{Team, TeamMember};
use graphloom_agents::{Decision, Prompts, Risk, StopReason, ToolError, ToolOutput, ToolRegistry, TypedTool, typed};
use graphloom_core_graph::checkpoint::{MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::simulate::Simulator;
use graphloom_core_graph::{GraphOptions, Outcome, RunPolicy};
use graphloom_llm::scripted::{Reply, rendered};
use graphloom_llm::{Capabilities, ChatRequest, Message, ModelError, Role, Scripted, StructuredSupport, ToolCall};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Publishes, which cannot be taken back, and counts it.
struct Publish(Arc<AtomicUsize>);

#[derive(Deserialize, JsonSchema)]
struct PublishArguments {
    text: String,
}

impl TypedTool for Publish {
    type Arguments = PublishArguments;
    const NAME: &'static str = "publish";
    const DESCRIPTION: &'static str = "Publishes.";
    const RISK: Risk = Risk::Destructive;

    async fn run(&self, arguments: PublishArguments) -> Result<ToolOutput, ToolError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::new(format!("published: {}", arguments.text)))
    }
}

/// Answers of agents by what stands in their instructions, turn by turn: calls, or a last word.
type Script = fn(agent: &str, turn: usize, prompt: &str) -> Result<Reply, ModelError>;

fn calls(calls: &[(&str, Value)]) -> Reply {
    Reply::tools(calls.iter().enumerate().map(|(at, (name, arguments))| ToolCall {
        id: format!("call-{at}"),
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    }))
}

struct Setup {
    team: Team,
    requests: Arc<Mutex<Vec<ChatRequest>>>,
    published: Arc<AtomicUsize>,
}

/// A lead, a researcher, a writer who can hand on to an editor, and an editor who can hand on to the writer.
fn team(script: Script) -> Setup {
    let requests = Arc::<Mutex<Vec<ChatRequest>>>::default();
    let seen = Arc::clone(&requests);
    let model = Scripted::from_fn(move |request: &ChatRequest| {
        seen.lock().unwrap().push(request.clone());
        let instructions = request.messages[0].joined_text();
        let agent = instructions.split_whitespace().last().unwrap().trim_end_matches('.').to_owned();
        let turn = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        script(&agent, turn, &rendered(request))
    })
    .with_capabilities(Capabilities {
        structured: StructuredSupport::Prompted,
        tools: true,
        images: false,
        documents: false,
        sampling: true,
        context: None,
        local: true,
    });
    let (model, prompts) = (Arc::new(model), Arc::new(Prompts::new(&[]).unwrap()));
    let published = Arc::<AtomicUsize>::default();
    let resources = || {
        let mut tools = ToolRegistry::new(Risk::Destructive);
        tools.register(typed(Publish(Arc::clone(&published)))).unwrap();
        ReactResources::new(Arc::clone(&model) as _, tools, Arc::clone(&prompts))
    };
    let member =
        |name: &str| TeamMember::new(name, format!("It is the {name}."), format!("You are the {name}."), resources());
    let members =
        [member("researcher"), member("writer").handing_to(["editor"]), member("editor").handing_to(["writer"])];
    let lead = ReactResources::new(Arc::clone(&model) as _, ToolRegistry::new(Risk::Read), prompts);
    Setup { team: Team::new(lead, members).unwrap(), requests, published }
}

fn opening() -> <ReactState as graphloom_core_graph::State>::Update {
    ReactState::update().opening([Message::system("You lead, and are the lead."), Message::user("A page on tides.")])
}

impl Setup {
    async fn run(&self) -> Arc<ReactState> {
        let app = self.team.graph().with_context(self.team.resources());
        app.run_once(opening()).await.unwrap().done().unwrap()
    }

    /// What the lead read last.
    fn last_of_lead(&self) -> String {
        let requests = self.requests.lock().unwrap();
        rendered(requests.iter().rfind(|request| rendered(request).contains("You lead")).unwrap())
    }

    fn asked(&self, agent: &str) -> usize {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|request| rendered(request).contains(&format!("You are the {agent}"))).count()
    }
}

#[tokio::test(start_paused = true)]
async fn the_lead_says_who_works_and_reads_what_comes_of_it() {
    let setup = team(|agent, turn, prompt| {
        Ok(match (agent, turn) {
            ("lead", 0) => calls(&[
                ("researcher", json!({"task": "find the tides of Lisbon"})),
                // Names and arguments are read as tolerantly as those of any tool.
                ("Writer", json!({"message": "write a headline"})),
                ("painter", json!({"task": "paint"})),
            ]),
            ("researcher", 0) if prompt.contains("find the tides of Lisbon") => Reply::text("High tide is at ten."),
            ("writer", 0) if prompt.contains("write a headline") => Reply::text("Ten o'clock!"),
            ("lead", 1) => Reply::text("Ten o'clock! High tide is at ten."),
            other => panic!("{other:?}: {prompt}"),
        })
    });
    let state = setup.run().await;
    assert_eq!(
        (state.answer.as_deref(), state.stop),
        (Some("Ten o'clock! High tide is at ten."), Some(StopReason::Answered))
    );
    let calls: Vec<(&str, bool, String)> = state
        .calls
        .iter()
        .map(|call| (call.outcome.tool.as_str(), call.outcome.is_success(), call.outcome.origin()))
        .collect();
    assert_eq!(
        calls,
        [
            ("researcher", true, "agent researcher".to_owned()),
            ("writer", true, "agent writer".to_owned()),
            ("painter", false, "tool painter".to_owned()),
        ]
    );
    assert!(
        state.calls.get(1).unwrap().outcome.notes.iter().any(|note| note.contains("`Writer` was read as `writer`"))
    );
    // What an agent says is data for the lead, as what any tool says.
    let read = setup.last_of_lead();
    assert!(read.contains("agent researcher") && read.contains("High tide is at ten."), "{read}");
    assert!(read.contains("there is no tool `painter`"), "{read}");
    assert_eq!((setup.asked("researcher"), setup.asked("writer"), setup.asked("editor")), (1, 1, 0));
    // The agents read their tasks alone, and their tokens count.
    let requests = setup.requests.lock().unwrap();
    assert!(
        requests.iter().all(|one| rendered(one).contains("You lead") || !rendered(one).contains("A page on tides"))
    );
    let tokens: u64 = requests.iter().map(|one| rendered(one).chars().count().div_ceil(4) as u64).sum();
    assert_eq!(state.usage.input, tokens);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_handed_on_and_answered_by_the_last_who_has_it() {
    let setup = team(|agent, turn, prompt| {
        Ok(match (agent, turn) {
            ("lead", 0) => calls(&[("writer", json!({"task": "write"})), ("researcher", json!({"task": "find"}))]),
            ("writer", 0) => calls(&[("hand_on", json!({"to": "editor", "task": "shorten: the sea rises"}))]),
            ("editor", 0) if prompt.contains("shorten: the sea rises") => Reply::text("It rises."),
            ("researcher", 0) => Reply::text("High tide is at ten."),
            ("lead", 1) => Reply::text("Done."),
            other => panic!("{other:?}: {prompt}"),
        })
    });
    let state = setup.run().await;
    assert_eq!(state.answer.as_deref(), Some("Done."));
    let first = &state.calls.iter().next().unwrap().outcome;
    assert_eq!(
        (first.tool.as_str(), first.content().as_str(), first.origin().as_str()),
        ("writer", "It rises.", "agent editor")
    );
    assert_eq!(first.notes, ["the task went from writer to editor"]);
    assert_eq!((setup.asked("writer"), setup.asked("editor"), setup.asked("researcher")), (1, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_goes_round_in_circles_comes_back_as_a_failure() {
    let setup = team(|agent, turn, prompt| {
        Ok(match (agent, turn) {
            ("lead", 0) => calls(&[("writer", json!({"task": "write"}))]),
            ("writer", 0) => calls(&[("hand_on", json!({"to": "editor", "task": "you do it"}))]),
            ("editor", 0) => calls(&[("hand_on", json!({"to": "writer", "task": "no, you"}))]),
            ("lead", 1) => Reply::text("I wrote it myself."),
            other => panic!("{other:?}: {prompt}"),
        })
    });
    let state = setup.run().await;
    assert_eq!(state.answer.as_deref(), Some("I wrote it myself."));
    let content = state.calls.iter().next().unwrap().outcome.content();
    assert!(content.contains("handed on too often: writer, editor, writer, editor, and then to writer"), "{content}");
    assert_eq!((setup.asked("writer"), setup.asked("editor")), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_fails_or_runs_out_of_turns_is_an_observation_of_the_lead() {
    let setup = team(|agent, turn, prompt| {
        Ok(match (agent, turn) {
            ("lead", 0) => calls(&[("writer", json!({"task": "write"})), ("researcher", json!({"task": "find"}))]),
            ("writer", _) => return Err(ModelError::Setup { message: "no ink".to_owned() }),
            ("researcher", _) if prompt.contains("No more tools") => Reply::text("This is what I have."),
            ("researcher", _) => calls(&[("nothing", json!({ "turn": turn }))]),
            ("lead", 1) => Reply::text("Done without."),
            other => panic!("{other:?}: {prompt}"),
        })
    });
    let state = setup.run().await;
    assert_eq!(state.answer.as_deref(), Some("Done without."));
    let read = setup.last_of_lead();
    assert!(read.contains("the agent `writer` failed") && read.contains("no ink"), "{read}");
    assert!(read.contains("This is what I have.") && read.contains("no turns left"), "{read}");
    assert_eq!(setup.asked("researcher"), 12, "its own limit of turns");
}

#[tokio::test(start_paused = true)]
async fn rounds_end_at_the_limit_of_the_lead_and_at_the_budget_of_the_run() {
    let setup = team(|agent, turn, prompt| {
        Ok(match agent {
            "lead" if prompt.contains("No more tools") => Reply::text("Enough."),
            "lead" => calls(&[("researcher", json!({ "task": format!("find {turn}") }))]),
            _ => Reply::text("High tide is at ten."),
        })
    });
    let mut resources = setup.team.resources();
    resources.options.max_turns = 3;
    let app = setup.team.graph().with_context(resources);
    let state = app.run_once(opening()).await.unwrap().done().unwrap();
    assert_eq!((state.answer.as_deref(), state.stop), (Some("Enough."), Some(StopReason::TurnLimit)));
    assert_eq!(setup.asked("researcher"), 2);
    let app = setup.team.graph().with_context(setup.team.resources());
    let ended = app.run_once_with(opening(), RunPolicy::default().budget(8)).await;
    assert!(!matches!(ended, Ok(Outcome::Done(_))), "the budget counts the tasks of the agents, too");
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_for_the_tools_of_an_agent() {
    for (decision, published, told) in [
        (Decision::Allow, 1, "published: tides"),
        (Decision::Deny { reason: "not on a Sunday".into() }, 0, "not on a Sunday"),
    ] {
        let setup = team(|agent, turn, prompt| {
            Ok(match (agent, turn) {
                ("lead", 0) => {
                    calls(&[("editor", json!({"task": "publish"})), ("researcher", json!({"task": "find"}))])
                }
                ("editor", 0) => calls(&[("publish", json!({"text": "tides"}))]),
                ("editor", 1) => {
                    Reply::text(format!("I was told: {}", prompt.lines().rev().nth(1).unwrap_or_default()))
                }
                ("researcher", 0) => Reply::text("High tide is at ten."),
                ("lead", 1) => Reply::text("Done."),
                other => panic!("{other:?}: {prompt}"),
            })
        });
        let app = setup.team.graph().with_context(setup.team.resources()).with_checkpointer(MemoryCheckpointer::new());
        let thread = app.thread("t");
        let Outcome::Waiting(questions) = thread.run(opening()).await.unwrap() else { panic!("it asks") };
        let question = questions.iter().next().unwrap();
        assert_eq!(question.payload["tool"], "publish");
        assert_eq!(setup.published.load(Ordering::SeqCst), 0);
        assert_eq!(setup.asked("researcher"), 1, "the others go on");
        let state = thread.resume(questions.answer(APPROVAL, decision).unwrap()).await.unwrap().done().unwrap();
        assert_eq!((state.answer.as_deref(), setup.published.load(Ordering::SeqCst)), (Some("Done."), published));
        assert!(setup.requests.lock().unwrap().iter().any(|request| rendered(request).contains(told)));
    }
}

#[tokio::test(start_paused = true)]
async fn wherever_the_process_dies_no_turn_that_was_stored_is_asked_for_again() {
    let setup = team(|agent, turn, prompt| {
        Ok(match (agent, turn) {
            ("lead", 0) => calls(&[("writer", json!({"task": "write"})), ("researcher", json!({"task": "find"}))]),
            ("writer", 0) => calls(&[("hand_on", json!({"to": "editor", "task": "shorten"}))]),
            ("editor", 0) => calls(&[("publish", json!({"text": "tides"}))]),
            ("editor", 1) => Reply::text("It is out."),
            ("researcher", 0) => Reply::text("High tide is at ten."),
            ("lead", 1) => Reply::text("Done."),
            other => panic!("{other:?}: {prompt}"),
        })
    });
    let app = setup.team.graph().with_context(setup.team.resources());
    let simulator = Simulator::new(&app).answer(APPROVAL, Decision::Allow).unwrap();
    let reports = simulator.crash_everywhere(opening()).await.unwrap();
    assert!(reports.len() > 30, "{}", reports.len());
    for report in &reports {
        assert_eq!(report.violations, Vec::<String>::new());
        assert_eq!(report.status, ThreadStatus::Done, "{}", report.detail);
        assert_eq!(report.state.answer.as_deref(), Some("Done."));
        let contents: Vec<String> = report.state.calls.iter().map(|call| call.outcome.content()).collect();
        assert_eq!(contents, ["It is out.", "High tide is at ten."]);
        assert!(report.onces.values().all(|once| once.repeated == 0), "{:?}", report.onces);
    }
    // A tool runs again only where the process died between the call and the commit of its result.
    let published = setup.published.load(Ordering::SeqCst);
    assert!(published >= reports.len() && published <= reports.len() + 3, "{published} of {}", reports.len());
}

#[tokio::test(start_paused = true)]
async fn the_team_is_drawn_and_its_agents_can_be_replaced() {
    let setup = team(|agent, _, _| {
        Ok(match agent {
            "lead" => Reply::text("Done."),
            other => panic!("{other}"),
        })
    });
    let drawing = setup.team.graph().diagram().mermaid();
    for node in ["model", "compact", "dispatch", "tool", "researcher", "writer", "editor"] {
        assert!(drawing.contains(node), "{node}: {drawing}");
    }
    let researcher = setup.team.members()[0].node();
    let other = graphloom_agents::react::graph();
    assert!(setup.team.graph_with(GraphOptions::new().replace_graph(researcher, other)).is_ok());
}

#[test]
fn who_cannot_be_in_a_team_is_told() {
    let model = Arc::new(Scripted::from_fn(|_| Ok::<_, ModelError>("")));
    let prompts = Arc::new(Prompts::new(&[]).unwrap());
    let resources =
        || ReactResources::new(Arc::clone(&model) as _, ToolRegistry::new(Risk::Read), Arc::clone(&prompts));
    let member = |name: &str| TeamMember::new(name, "", "", resources());
    for (members, part) in [
        (vec![member("")], "a name has at most 64"),
        (vec![member("The Writer")], "a name has at most 64"),
        (vec![member("tool")], "no agent has such a name"),
        (vec![member("a"), member("a")], "already an agent of this name"),
        (vec![member("a").handing_to(["b"])], "cannot hand on to `b`"),
        (vec![member("a").handing_to(["a"])], "cannot hand on to `a`"),
    ] {
        let error = Team::new(resources(), members).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
