//! Plan and execute, with reflection: a plan of steps, each step carried out, and a look whether something is missing.
//!
//! `cargo run -p graphloom-examples --example plan_and_execute`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::Arc;

use graphloom_core_graph::{Context, END, Log, Node, NodeError, START, Snapshot, State, StateGraph, Step, Table, Task};
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ChatModel, ChatRequest, Scripted, StructuredOptions, structured};
use graphloom_retrieval::{Corpus, CorpusOptions, SearchOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Study {
    question: String,
    /// The steps that are to be carried out in this round.
    plan: Vec<String>,
    #[state(merge)]
    found: Table<String, String>,
    #[state(append)]
    reflections: Log<String>,
    #[state(add)]
    rounds: u32,
}

/// A list of steps, and why these.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Steps {
    why: String,
    steps: Vec<String>,
}

struct Resources {
    model: Arc<dyn ChatModel>,
    corpus: Corpus,
}

const PLAN: Node = Node::named("plan");
const STEP: Task<String> = Task::named("step");
const REFLECT: Node = Node::named("reflect");

/// The most rounds of planning.
const ROUNDS: u32 = 3;

/// A typed answer as a durable step: it is stored before the node goes on, and never asked for again.
async fn ask<T>(cx: &Context<Resources>, prompt: String) -> Result<T, NodeError>
where
    T: Serialize + DeserializeOwned + JsonSchema + Send,
{
    let options = StructuredOptions::default();
    let model = &*cx.resources().model;
    let answer = async { Ok(structured::<T>(model, ChatRequest::user(prompt), &options).await?.value) };
    cx.once("answer", answer).await
}

async fn plan(study: Snapshot<Study>, cx: Context<Resources>) -> Result<StudyUpdate, NodeError> {
    let made: Steps = ask(&cx, format!("Plan searches that answer `{}`.", study.question)).await?;
    Ok(Study::update().plan(made.steps))
}

async fn step(query: String, _: Snapshot<Study>, cx: Context<Resources>) -> Result<StudyUpdate, NodeError> {
    let hits = cx.resources().corpus.search(&query, &SearchOptions::with_limit(1))?;
    let found = hits.first().map_or_else(|| "nothing".to_owned(), |hit| hit.snippet.clone());
    Ok(Study::update().found([(query, found)]))
}

/// The next plan is what is missing. Where nothing is, the study ends.
async fn reflect(study: Snapshot<Study>, cx: Context<Resources>) -> Result<Step<Study>, NodeError> {
    let known: Vec<&str> = study.found.keys().map(String::as_str).collect();
    let prompt = format!("`{}` was to be answered. Looked up: {}. What is missing?", study.question, known.join("; "));
    let missing: Steps = ask(&cx, prompt).await?;
    let ends = missing.steps.is_empty() || study.rounds + 1 == ROUNDS;
    let update = Study::update().plan(missing.steps).reflections([missing.why]).rounds(1);
    Ok(if ends { Step::end().with(update) } else { update.into() })
}

/// A scripted model in the place of a real one: it plans one step, misses another one, and is content after that.
fn model() -> Scripted {
    Scripted::from_fn(|request| {
        let prompt = rendered(request);
        Ok(if prompt.contains("Plan searches") {
            json!({ "why": "the question names it", "steps": ["What is a checkpoint?"] })
        } else if prompt.contains("lease") {
            json!({ "why": "both halves of the question are answered", "steps": [] })
        } else {
            json!({ "why": "who may write is not known yet", "steps": ["What does the lease of a thread do?"] })
        })
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let corpus = Corpus::open(place.path(), &[docs.into()], CorpusOptions::default())?;
    corpus.refresh()?;

    let mut graph = StateGraph::<Study, Resources>::new("study");
    graph.add_node(PLAN, plan);
    graph.add_task(STEP, step);
    graph.add_node(REFLECT, reflect).may_goto(END);
    graph.add_edge(START, PLAN);
    let steps = |study: &Study| study.plan.iter().map(|query| STEP.send(query, query.clone())).collect();
    graph.add_sends(PLAN, STEP, steps);
    graph.add_join(STEP, REFLECT);
    graph.add_sends(REFLECT, STEP, steps);
    let app = graph.compile()?.with_context(Resources { model: Arc::new(model()), corpus });
    let study = app.run_once(Study::update().question("What is stored, and who may write it?")).await?.done()?;
    study.found.iter().for_each(|(query, found)| println!("{query}\n  {found}"));
    for reflection in &study.reflections {
        println!("reflection: {reflection}");
    }
    assert_eq!((study.found.len(), study.rounds), (2, 2));
    Ok(())
}
