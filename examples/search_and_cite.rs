//! Search in a folder, an answer of quoted sentences with citations, and a check of each citation against its source.
//!
//! `cargo run -p graphloom-examples --example search_and_cite`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;

use graphloom_citations::{CheckOptions, Extractive, SourceText, Target, check, claims};
use graphloom_core_graph::{Context, Log, Node, NodeError, START, Snapshot, State, StateGraph, Table};
use graphloom_retrieval::{Corpus, CorpusOptions, Evidence, SearchOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Answer {
    question: String,
    #[state(merge)]
    evidence: Table<String, Evidence>,
    text: String,
    /// Each claim with the verdict on it.
    #[state(append)]
    checked: Log<(String, String)>,
}

const SEARCH: Node = Node::named("search");
const WRITE: Node = Node::named("write");
const CHECK: Node = Node::named("check");

/// The index is a resource: nodes use it and no checkpoint holds it.
async fn search(answer: Snapshot<Answer>, cx: Context<Corpus>) -> Result<AnswerUpdate, NodeError> {
    let hits = cx.resources().search(&answer.question, &SearchOptions::with_limit(3).per_document(1))?;
    // A mark is put behind each sentence that is quoted.
    let quoted: Vec<String> = hits
        .iter()
        .filter_map(|hit| {
            let sentence = hit.snippet.split_inclusive(". ").next()?.trim().trim_end_matches('.');
            Some(format!("{sentence}.[citation:{}]", hit.evidence.id))
        })
        .collect();
    let evidence = hits.into_iter().map(|hit| (hit.evidence.id.clone(), hit.evidence));
    Ok(Answer::update().evidence(evidence).text(quoted.join(" ")))
}

/// Adds a claim of its own that no source supports, as a careless model would.
async fn write(answer: Snapshot<Answer>) -> Result<AnswerUpdate, NodeError> {
    let known = answer.evidence.keys().next().ok_or_else(|| NodeError::terminal("nothing was found"))?;
    Ok(Answer::update().text(format!("{} All of it was written in 1987.[citation:{known}]", answer.text)))
}

/// Rules and a judge of entailment decide. A model can be the judge; this one accepts quotations only.
async fn verdicts(answer: Snapshot<Answer>) -> Result<AnswerUpdate, NodeError> {
    let mut checked = Vec::new();
    for claim in claims(&answer.text) {
        for mark in &claim.marks {
            let Target::Source(id) = &mark.target else { continue };
            let Some(source) = answer.evidence.get(id.as_str()) else { continue };
            let text = SourceText::new(&source.title, &source.text);
            let found = check(&claim.text, text, &Extractive::default(), CheckOptions::default()).await;
            checked.push((claim.text.clone(), found.verdict.name().to_owned()));
        }
    }
    Ok(Answer::update().checked(checked))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let corpus = Corpus::open(place.path(), &[docs.into()], CorpusOptions::default())?;
    println!("{} documents in the index", corpus.refresh()?.added);

    let mut graph = StateGraph::<Answer, Corpus>::new("answer");
    graph.add_node(SEARCH, search);
    graph.add_node(WRITE, write);
    graph.add_node(CHECK, verdicts);
    graph.add_edge(START, SEARCH).add_edge(SEARCH, WRITE).add_edge(WRITE, CHECK);
    let app = graph.compile()?.with_context(corpus);
    let answer = app.run_once(Answer::update().question("When is a durable step repeated?")).await?.done()?;

    for (claim, verdict) in &answer.checked {
        println!("{verdict}: {claim}");
    }
    for (id, source) in &answer.evidence {
        println!("[{id}] {}", source.place());
    }
    let supported = answer.checked.iter().filter(|(_, verdict)| verdict == "supported").count();
    assert!(supported >= 1 && supported < answer.checked.len(), "quotations hold, and what was made up does not");
    Ok(())
}
