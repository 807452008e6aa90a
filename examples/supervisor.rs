//! A supervisor of two agents: a model says who works next, until it says that the work is done.
//!
//! `cargo run -p graphloom-examples --example supervisor`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::Arc;

use graphloom_core_graph::{Context, END, Log, Node, NodeError, RunPolicy, START, Snapshot, State, StateGraph, Step};
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ChatModel, ChatRequest, Scripted, StructuredOptions, structured};
use graphloom_retrieval::{Corpus, CorpusOptions, SearchOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Team {
    task: String,
    #[state(append)]
    found: Log<String>,
    text: String,
    #[state(append)]
    turns: Log<String>,
}

/// The only answers that the supervisor can give: the schema of this type goes with the request.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Next {
    Researcher,
    Writer,
    Done,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Turn {
    next: Next,
    why: String,
}

struct Resources {
    model: Arc<dyn ChatModel>,
    corpus: Corpus,
}

const SUPERVISOR: Node = Node::named("supervisor");
const RESEARCHER: Node = Node::named("researcher");
const WRITER: Node = Node::named("writer");

async fn supervisor(team: Snapshot<Team>, cx: Context<Resources>) -> Result<Step<Team>, NodeError> {
    let Team { task, found, text, .. } = &*team;
    let request = ChatRequest::user(format!(
        "You lead a team.\nTask: {task}\nFound: {}\nText: {} words\nWho is next?",
        found.len(),
        text.split_whitespace().count()
    ));
    let options = StructuredOptions::default();
    let ask = async { Ok(structured::<Turn>(&*cx.resources().model, request, &options).await?.value) };
    let turn = cx.once("turn", ask).await?;
    let step = match turn.next {
        Next::Researcher => Step::goto(RESEARCHER),
        Next::Writer => Step::goto(WRITER),
        Next::Done => Step::end(),
    };
    Ok(step.with(Team::update().turns([format!("{:?}: {}", turn.next, turn.why)])))
}

async fn researcher(team: Snapshot<Team>, cx: Context<Resources>) -> Result<TeamUpdate, NodeError> {
    let hits = cx.resources().corpus.search(&team.task, &SearchOptions::with_limit(3).per_document(1))?;
    Ok(Team::update().found(hits.into_iter().map(|hit| hit.snippet)))
}

async fn writer(team: Snapshot<Team>, cx: Context<Resources>) -> Result<TeamUpdate, NodeError> {
    let found: Vec<&str> = team.found.iter().map(String::as_str).collect();
    let request = ChatRequest::user(format!("Write what answers `{}`.\n{}", team.task, found.join("\n")));
    let text: String = cx.once("text", async { Ok(cx.resources().model.chat(request).await?.text()) }).await?;
    Ok(Team::update().text(text))
}

/// A scripted model in the place of a real one. As the supervisor it looks at what is there; as the writer it repeats the
/// first sentence that was found.
fn model() -> Scripted {
    Scripted::from_fn(|request| {
        let prompt = rendered(request);
        let turn = |next, why: &str| serde_json::json!({ "next": next, "why": why }).to_string();
        Ok(match prompt.contains("You lead a team") {
            true if prompt.contains("Found: 0") => turn(Next::Researcher, "nothing is known yet"),
            true if prompt.contains("Text: 0") => turn(Next::Writer, "there is enough to write"),
            true => turn(Next::Done, "the text is there"),
            false => prompt.lines().nth(1).unwrap_or_default().to_owned(),
        })
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let corpus = Corpus::open(place.path(), &[docs.into()], CorpusOptions::default())?;
    corpus.refresh()?;

    let mut graph = StateGraph::<Team, Resources>::new("team");
    graph.add_node(SUPERVISOR, supervisor).may_goto((RESEARCHER, WRITER, END));
    graph.add_node(RESEARCHER, researcher);
    graph.add_node(WRITER, writer);
    graph.add_edge(START, SUPERVISOR).add_edge(RESEARCHER, SUPERVISOR).add_edge(WRITER, SUPERVISOR);
    let app = graph.compile()?.with_context(Resources { model: Arc::new(model()), corpus });
    // A model that never says `done` is stopped by the budget.
    let input = Team::update().task("What is a thread?");
    let team = app.run_once_with(input, RunPolicy::default().budget(20)).await?.done()?;
    for turn in &team.turns {
        println!("{turn}");
    }
    println!("{}", team.text);
    assert_eq!(team.turns.len(), 3);
    assert!(!team.text.is_empty());
    Ok(())
}
