//! A report of quoted sentences: a folder is searched, what is found is quoted with its source, and every citation is
//! checked before the report is told.

use graphloom::citations::{CheckOptions, Extractive, SourceText, Target, check, claims};
use graphloom::graph::{
    CompileErrors, Compiled, Context, END, Log, Node, NodeError, START, Snapshot, State,
    StateGraph, Table,
};
use graphloom::retrieval::{Corpus, Evidence, SearchOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the graph works on. A `Table` has one row a key.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[state(crate = graphloom::graph)]
pub struct Report {
    pub question: String,
    #[state(merge)]
    pub evidence: Table<String, Evidence>,
    pub text: String,
    #[state(append)]
    pub checked: Log<Checked>,
}

/// A claim of the report, with the verdict on one of its citations.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    pub claim: String,
    pub source: String,
    pub verdict: String,
}

const SEARCH: Node = Node::named("search");
const WRITE: Node = Node::named("write");
const CHECK: Node = Node::named("check");

/// The index is a resource: nodes use it and no checkpoint holds it.
async fn search(report: Snapshot<Report>, cx: Context<Corpus>) -> Result<ReportUpdate, NodeError> {
    let options = SearchOptions::with_limit(3).per_document(1);
    let hits = cx.resources().search(&report.question, &options)?;
    Ok(Report::update().evidence(
        hits.into_iter()
            .map(|hit| (hit.evidence.id.clone(), hit.evidence)),
    ))
}

/// Quotes the first sentence of each passage with a mark for its source. A model that writes goes here.
async fn write(report: Snapshot<Report>) -> Result<ReportUpdate, NodeError> {
    let quoted: Vec<String> = report
        .evidence
        .iter()
        .filter_map(|(id, found)| {
            let sentence = found
                .text
                .split_inclusive(". ")
                .next()?
                .trim()
                .trim_end_matches('.');
            Some(format!("{}.[citation:{id}]", sentence.replace('\n', " ")))
        })
        .collect();
    Ok(Report::update().text(quoted.join(" ")))
}

/// Rules and a judge decide whether a source supports a claim. This judge accepts quotations only; a model can be one.
async fn verdicts(report: Snapshot<Report>) -> Result<ReportUpdate, NodeError> {
    let mut checked = Vec::new();
    for claim in claims(&report.text) {
        for mark in &claim.marks {
            let Target::Source(source) = &mark.target else {
                continue;
            };
            let verdict = match report.evidence.get(source.as_str()) {
                Some(found) => {
                    let text = SourceText::new(&found.title, &found.text);
                    let judge = Extractive::default();
                    let answer = check(&claim.text, text, &judge, CheckOptions::default()).await;
                    answer.verdict.name().to_owned()
                }
                None => "unknown_source".to_owned(),
            };
            checked.push(Checked {
                claim: claim.text.clone(),
                source: source.to_string(),
                verdict,
            });
        }
    }
    Ok(Report::update().checked(checked))
}

/// The graph: nodes, then edges. Where nothing is found there is nothing to write.
pub fn graph() -> Result<Compiled<Report, Corpus>, CompileErrors> {
    let mut graph = StateGraph::<Report, Corpus>::new("report");
    graph.add_node(SEARCH, search);
    graph.add_node(WRITE, write);
    graph.add_node(CHECK, verdicts);
    graph.add_edge(START, SEARCH).add_edge(WRITE, CHECK);
    graph.add_conditional_edges(SEARCH, (WRITE, END), |report: &Report| {
        if report.evidence.is_empty() {
            END
        } else {
            WRITE
        }
    });
    graph.compile()
}
