//! An own source of evidence: the changelog of this repository, asked beside an index of its documentation.
//!
//! `cargo run -p graphloom-examples --example own_search`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::{Context, Node, NodeError, START, Snapshot, State, StateGraph, Table, Task};
use graphloom_retrieval::{Corpus, CorpusOptions, Evidence, Hit, Search, SearchAnswer, Source, extract};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A source of one's own: a ticket system or a wiki would be asked in `search`. Its ids are stable, so that a text can cite
/// them.
struct Changelog {
    entries: Vec<Evidence>,
}

impl Changelog {
    fn read(text: &str) -> Self {
        let entry = |(number, entry): (usize, &str)| {
            let source = Source::Local { root: String::new(), path: "CHANGELOG.md".into() };
            let text = entry.split_whitespace().collect::<Vec<_>>().join(" ");
            Evidence::new(format!("changelog#{number}"), source, "Changelog", text)
        };
        Self { entries: text.split("\n- ").skip(1).enumerate().map(entry).collect() }
    }
}

#[async_trait]
impl Search for Changelog {
    fn engines(&self) -> Vec<String> {
        vec!["changelog".to_owned()]
    }

    /// The score of an entry is the part of the query's words that it has.
    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let asked = extract::query_terms(query);
        let hit = |entry: &Evidence| {
            let words = extract::terms(&entry.text);
            let found = asked.iter().filter(|word| words.contains(word)).count();
            (found > 0).then(|| Hit::new(entry.clone(), found as f32 / asked.len() as f32, entry.text.clone()))
        };
        let mut hits: Vec<Hit> = self.entries.iter().filter_map(hit).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(limit);
        SearchAnswer::of("changelog", query, hits)
    }
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Question {
    text: String,
    /// What each source found.
    #[state(merge)]
    found: Table<String, Vec<Evidence>>,
}

type Sources = Vec<Arc<dyn Search>>;

const BEGIN: Node = Node::named("begin");
const ASK: Task<usize> = Task::named("ask");

async fn begin(_: Snapshot<Question>) -> Result<(), NodeError> {
    Ok(())
}

async fn ask(number: usize, question: Snapshot<Question>, cx: Context<Sources>) -> Result<QuestionUpdate, NodeError> {
    let source = cx.resources().get(number).ok_or_else(|| NodeError::terminal("there is no such source"))?;
    let answer = source.search(&question.text, 2).await.or_error()?;
    let found: Vec<Evidence> = answer.hits.into_iter().map(|hit| hit.evidence).collect();
    Ok(Question::update().found([(source.engines().join(", "), found)]))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let corpus = Corpus::open(place.path(), &[docs.into()], CorpusOptions::default())?;
    corpus.refresh()?;
    let sources: Sources = vec![Arc::new(corpus), Arc::new(Changelog::read(include_str!("../CHANGELOG.md")))];
    let count = sources.len();

    // All sources are asked at the same time. Each is one task, so that a slow one is tried again alone.
    let mut graph = StateGraph::<Question, Sources>::new("question");
    graph.add_node(BEGIN, begin);
    graph.add_task(ASK, ask);
    graph.add_edge(START, BEGIN);
    graph.add_sends(BEGIN, ASK, move |_: &Question| (0..count).map(|number| ASK.send(number, number)).collect());
    let app = graph.compile()?.with_context(sources);
    let question = app.run_once(Question::update().text("checkpoints in SQLite")).await?.done()?;
    for (source, found) in &question.found {
        for evidence in found {
            println!("{source}: {} ({})", evidence.id, evidence.place());
        }
    }
    assert_eq!(question.found.len(), 2);
    assert!(question.found.values().all(|found| !found.is_empty()));
    Ok(())
}
