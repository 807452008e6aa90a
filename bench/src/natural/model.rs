//! The embedded model as a judge, asked in the way and with the prompt that `DeepSearch` asks with.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use graphloom_agents::Models;
use graphloom_citations::{CheckOptions, Checked, Examined, Outage, SourceText, examine};
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Context, END, Node, NodeError, Outcome, START, Snapshot, StateGraph};
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::trace::ModelJudge;
use graphloom_deepsearch::{Resources, SearchContext};
use graphloom_llm::ChatModel;
use graphloom_llm_embedded::{Embedded, LoadOptions, weights};

use super::pairs::Pair;
use crate::Failure;

/// The embedded model, if its weights are on this machine. Nothing is fetched.
pub(crate) fn embedded() -> Result<Option<Arc<dyn ChatModel>>, Failure> {
    let (known, folder) = (&weights::SMOLLM2_135M, weights::default_dir()?);
    if weights::locate(known, &folder)?.is_none() {
        return Ok(None);
    }
    Ok(Some(Arc::new(Embedded::open(known, &folder, &LoadOptions::default())?)))
}

/// `most` pairs, the same number of each set as far as it has so many, spread over the set.
pub(crate) fn sample<'p>(pairs: impl Iterator<Item = &'p Pair>, most: usize) -> Vec<Pair> {
    let mut sets: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        sets.entry(pair.set).or_default().push(pair);
    }
    let each = most.div_ceil(sets.len().max(1));
    let spread = |own: Vec<&Pair>| -> Vec<Pair> {
        let step = (own.len() / each.max(1)).max(1);
        own.into_iter().step_by(step).take(each).cloned().collect()
    };
    let mut found: Vec<Pair> = sets.into_values().flat_map(spread).collect();
    found.truncate(most);
    found
}

/// The verdicts on `pairs`, in their order.
pub(crate) async fn verdicts(model: Arc<dyn ChatModel>, pairs: Vec<Pair>) -> Result<Vec<Checked>, Failure> {
    const JUDGE: Node = Node::named("judge");
    let (found, pairs) = (Arc::new(Mutex::new(Vec::new())), Arc::new(pairs));
    let place = Arc::clone(&found);
    let mut graph = StateGraph::<SearchContext, Resources>::new("judge");
    graph.add_node(JUDGE, move |_: Snapshot<SearchContext>, cx: Context<Resources>| {
        let (place, pairs) = (Arc::clone(&place), Arc::clone(&pairs));
        async move {
            for (number, pair) in pairs.iter().enumerate() {
                let checked = judge(&cx, number, pair).await?;
                place.lock().unwrap_or_else(PoisonError::into_inner).push(checked);
            }
            Ok::<_, NodeError>(SearchContext::update())
        }
    });
    graph.add_edge(START, JUDGE).add_edge(JUDGE, END);
    let resources = Resources::new(Models::new(model), Engines::default())?;
    let runs = graph.compile()?.with_context(resources).with_checkpointer(MemoryCheckpointer::new());
    match runs.thread("judge").run(SearchContext::update()).await? {
        Outcome::Done(_) => Ok(std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner))),
        other => Err(format!("the judge did not come to its end: {other:?}").into()),
    }
}

async fn judge(cx: &Context<Resources>, number: usize, pair: &Pair) -> Result<Checked, NodeError> {
    let open = match examine(&pair.claim, SourceText::new(&pair.title, &pair.source), CheckOptions::default()) {
        Examined::Decided(checked) => return Ok(checked),
        Examined::Undecided(open) => open,
    };
    let questions = std::slice::from_ref(&open.question);
    let answer = ModelJudge::new(cx).judge_all(&format!("judge/{number}"), questions).await?;
    let one = answer.map_err(Outage::from).and_then(|all| all.first().copied().ok_or(Outage::new("no judgement")));
    Ok(open.close(one))
}

#[cfg(test)]
mod tests {
    use graphloom_llm::scripted::rendered;
    use graphloom_llm::{ModelError, Scripted};

    use super::super::files::Part;
    use super::super::pairs::Truth;
    use super::*;

    fn pair(set: &'static str, claim: &str) -> Pair {
        let (title, source) = (String::new(), "In most years the storks leave in August.".to_owned());
        Pair { set, part: Part::HeldBack, truth: Truth::Supported, claim: claim.to_owned(), title, source }
    }

    #[tokio::test]
    async fn the_model_decides_what_rules_leave_open() {
        let script = |prompt: &str| if prompt.contains("fly away") { "entails" } else { "neither" };
        let model = Scripted::from_fn(move |request| {
            Ok::<_, ModelError>(format!("{{\"judgements\":[\"{}\"]}}", script(&rendered(request))))
        });
        let claims = ["Storks fly away in summer.", "Storks stay.", "In most years the storks leave in August."];
        let pairs = claims.map(|claim| pair("set", claim)).to_vec();
        let found = verdicts(Arc::new(model), pairs).await.unwrap();
        let names: Vec<&str> = found.iter().map(|checked| checked.verdict.name()).collect();
        assert_eq!(names, ["supported", "not_found", "supported"]);
    }

    #[test]
    fn a_sample_has_the_same_number_of_each_set() {
        let all: Vec<Pair> = (0..90).map(|n| pair(if n < 80 { "large" } else { "small" }, "")).collect();
        let found = sample(all.iter(), 10);
        assert_eq!(found.iter().filter(|pair| pair.set == "small").count(), 5);
        assert_eq!(found.len(), 10);
        assert_eq!(sample(all.iter(), 0).len() + sample([].into_iter(), 7).len(), 0);
    }
}
